//! A policy in another form, and what differs.

use crate::policy::RetryPolicy;

/// A policy in another form.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversion {
    /// The converted policy, with every field that has a counterpart.
    pub policy: RetryPolicy,
    /// The fields without a counterpart, or without one of the same meaning.
    pub differences: Vec<Difference>,
}

/// A field that does not mean the same in the other form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The index of the rule that has the field; `None` for one of the policy's own fields.
    pub rule: Option<usize>,
    /// The field. The document may lack it, if its absence has different meanings in the forms.
    pub field: &'static str,
    /// The difference, in a sentence.
    pub description: &'static str,
    /// How to avoid the difference, if there is a way.
    pub help: Option<&'static str>,
    /// Whether the converted policy lacks the rule for this reason.
    pub drops_rule: bool,
}
