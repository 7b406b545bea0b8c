//! Findings about documents: the message, the place, and the help.
//!
//! Owns [`Diagnostic`], the places it points at, the catalogue of ids and one renderer per format. It is the
//! lowest level: it uses no other module, decides nothing about documents and prints nothing (a renderer
//! returns text).

mod alike;
mod catalogue;
mod diagnostic;
mod github;
mod go_quote;
mod human;
mod json;
mod json_message;
mod short;
mod source;
mod suggest;
mod text;

pub use catalogue::Code;
pub use diagnostic::{Diagnostic, Edit, Findings, Fix, Label, Severity};
pub use go_quote::go_quote;
pub use human::{Style, render as human};
pub use json::{DiagnosticCounts, DiagnosticItem};
pub use json_message::{cut_off, json_message, json_offset, json_syntax, not_json, trailing_comma};
pub use source::{BYTE_ORDER_MARK, LineColumn, Place, Source, Span};
pub use suggest::{did_you_mean, misspelling_of, nearest, typo_of};
pub use text::{is_unprintable, json_printable, plural, printable, with_thousands_separators};

/// Renders one line per finding: `file:line:col: severity[id]: message`.
pub use short::render as short;

/// Renders findings as GitHub workflow commands, which annotate the lines of a pull request.
pub use github::{command as github_command, render as github, render_named as github_named};
