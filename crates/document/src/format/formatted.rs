//! The kind of a document that is formatted, and its width.

use crate::{KeyCase, Shape};

/// The columns that a joined line may have, as in most style guides for YAML.
pub(super) const WIDTH: usize = 100;

/// The kind of a document that is formatted.
#[derive(Debug, Clone, Copy)]
pub struct Formatted {
    /// The shape.
    pub shape: &'static Shape,
    /// Whether keys may have another case.
    pub keys: KeyCase,
}
