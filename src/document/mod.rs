//! YAML and JSON documents as located trees, and the strict reading of them.
//!
//! Owns the tree ([`Node`]), the limits on what is read, the description of a kind of document
//! ([`Shape`]) and everything that follows from such a description alone: finding what does not
//! fit it, explaining a field, printing its JSON Schema. It does not know what a policy is: shapes
//! are passed in.

mod bytes;
mod canonical;
mod check;
mod constraint;
mod copies;
mod events;
#[cfg(test)]
mod events_tests;
mod explain;
mod fault;
mod go_yaml;
mod items;
mod limits;
mod marks;
mod misplaced;
mod node;
mod scalar;
mod schema;
mod shape;
mod slip;
mod syntax;
mod template;
mod value;

pub use bytes::refuse_bytes;
pub use canonical::canonical_keys;
pub use check::check;
pub use events::parse;
pub use explain::{FieldPage, field_paths, lookup};
pub use go_yaml::{check_for_go, settle_whole_numbers};
pub use items::{Items, Outline, parse_outline};
pub use limits::{Limits, too_many_findings};
pub use node::{Document, Entry, Node, NodeKind, Scalar, ScalarStyle, ScalarTag};
pub use scalar::Resolved;
pub use schema::json_schema;
pub use shape::{
    Choice, Choices, Constraint, Extra, Field, KeyCase, Kind, Need, Shape, choice, optional,
    required,
};
pub use syntax::TWO_IN_ONE;
pub use template::join_templates;
