//! The comparison of exit codes with a list.

/// A requirement on exit codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExitCodes {
    /// The only container whose code is checked; absent means all.
    pub container: Option<Box<str>>,
    /// The comparison of codes and values; absent if the operator is unknown, and then nothing matches.
    pub operator: Option<Operator>,
    /// The values.
    pub values: Vec<i32>,
}

/// The comparison of exit codes and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// A container ended with one of the values.
    In,
    /// A container ended with none of them.
    NotIn,
}
