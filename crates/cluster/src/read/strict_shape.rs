//! Shapes whose unknown fields are refused.

use document::{Extra, Field, Shape};

/// Returns a shape whose unknown fields are refused.
pub(super) const fn strict(
    name: &'static str,
    doc: &'static str,
    fields: &'static [Field],
) -> Shape {
    Shape { name, doc, fields, constraints: &[], extra: Extra::Refused, elsewhere: &[] }
}
