//! Findings about documents: the message, the place, and the help.
//!
//! Owns [`Diagnostic`], the places it points at, the catalogue of ids, and the form of a finding in one line. It is the
//! lowest level: it uses no other module but `names`, decides nothing about documents and prints nothing.

mod alike;
mod catalogue;
mod diagnostic;
mod go_quote;
mod json_message;
mod short;
mod source;
mod suggest;
mod text;

pub use alike::{Printed, first_alike, more_line};
pub use catalogue::Code;
pub use diagnostic::{Diagnostic, Edit, Findings, Fix, Label, Severity};
pub use go_quote::go_quote;
pub use json_message::{cut_off, json_message, json_offset, json_syntax, not_json, trailing_comma};
pub use source::{BYTE_ORDER_MARK, LineColumn, Place, Source, Span};
pub use suggest::{did_you_mean, misspelling_of, nearest, typo_of};
pub use text::{is_unprintable, json_printable, plural, printable, with_thousands_separators};

/// Renders one line per finding: `file:line:col: severity[id]: message`.
pub use short::{line, render as short};
