//! YAML and JSON documents as located trees, and their strict check.
//!
//! Owns the tree ([`Node`]), the limits of parsing, the description of a kind of document ([`Shape`]), and
//! all that is derived from such a description alone: the check of a document, the documentation of a field,
//! the JSON Schema. It depends on no kind of document: shapes are passed in. [`document!`] declares a mapping with the
//! struct that it is read into, [`shapes!`] one that is read by hand, [`choices!`] values of a few names; the `///` of a
//! field is the documentation that users read. [`diag`] has
//! the findings, [`pattern`] Go's regular expressions, [`units`] durations, quantities and times.
#![forbid(unsafe_code)]

mod aliases;
mod binary;
mod check;
mod choices;
pub mod diag;
mod document;
mod edit;
mod fault;
mod field_docs;
mod field_value;
mod format;
mod go_yaml;
mod items;
mod json;
mod key_mistakes;
mod layout;
mod limits;
mod marks;
mod names;
mod neighbours;
mod node;
mod other_kind;
mod parse;
pub mod pattern;
mod scalar;
mod schema;
mod shape;
mod shapes;
#[doc(hidden)]
pub mod steps;
mod syntax;
mod template;
#[cfg(test)]
mod tests;
pub mod units;
mod value;

pub use binary::refuse_bytes;
pub use check::check;
pub use edit::Applied;
pub use edit::apply_fixes;
pub use field_docs::{FieldEntry, FieldPage, field_paths, lookup};
pub use field_value::FieldValue;
pub use format::{Formatted, format};
pub use go_yaml::{canonical_keys, check_for_go, settle_whole_numbers};
pub use items::{Items, Outline, parse_outline};
pub use json::{json_of, json_of_any};
pub use key_mistakes::misspelt_keys;
pub use layout::{Brackets, DocumentLayout, EntryPart, ItemPart, Layout, Part, PartKind};
pub use limits::{Limits, OmittedFindings, too_many_findings};
pub use marks::template_mark;
pub use neighbours::{NEIGHBOURS, Neighbour};
pub use node::{Document, Entry, Node, NodeKind, Scalar, ScalarStyle, ScalarTag};
pub use other_kind::other_kind_error;
pub use parse::parse;
pub use scalar::Resolved;
pub use schema::json_schema;
pub use shape::{
    Choice, Choices, Constraint, Extra, Field, KeyCase, Kind, Need, Shape, choice, optional,
    required,
};
#[doc(hidden)]
pub use shapes::{text_bytes, text_length};
pub use syntax::TWO_IN_ONE;
pub use template::{join_templates, unrendered};
