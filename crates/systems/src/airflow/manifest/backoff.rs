//! `retry_exponential_backoff`: whether, or how fast, delays grow.

use document::{FieldValue, Kind, Node};

/// `retry_exponential_backoff`, as a DAG's file has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Backoff {
    /// Whether delays double. Reading a stored DAG converts true to 2.0 and false to 0
    /// (`airflow/serialization/serialized_objects.py`).
    Flag(bool),
    /// The multiplier; before 3.2 any number but 0 means doubling.
    Number(f64),
}

/// A flag or a finite number; `validate` reports other values.
impl FieldValue for Backoff {
    const KIND: Kind = Kind::Anything;

    fn from_node(node: &Node) -> Option<Self> {
        let number = || node.number().filter(|number| number.is_finite()).map(Self::Number);
        node.boolean().map(Self::Flag).or_else(number)
    }
}
