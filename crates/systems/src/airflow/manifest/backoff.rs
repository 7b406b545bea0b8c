//! `retry_exponential_backoff`: whether, or how fast, delays grow.

use document::Node;

/// `retry_exponential_backoff`, as a DAG's file has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Backoff {
    /// Whether delays double. Reading a stored DAG converts true to 2.0 and false to 0
    /// (`airflow/serialization/serialized_objects.py`).
    Flag(bool),
    /// The multiplier; before 3.2 any number but 0 means doubling.
    Number(f64),
}

/// Reads whether, or how fast, a delay grows; `None` if the value is neither a flag nor a finite number.
pub(in crate::airflow) fn backoff(node: &Node) -> Option<Backoff> {
    let number = || node.number().filter(|number| number.is_finite()).map(Backoff::Number);
    node.boolean().map(Backoff::Flag).or_else(number)
}
