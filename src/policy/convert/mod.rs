//! From one form of a policy to the other, and what gets lost on the way.
//!
//! Owns which fields have counterparts. What differs between the engines whatever a policy says
//! (preemption, gangs, pod names, how many policies of a queue count) is [`ENGINES_DIFFER`]; whether
//! anything of a policy's effect is left is a [`Consequence`].

mod consequence;
mod to_v1;
mod to_v1beta1;

pub use consequence::Consequence;
pub use to_v1::to_v1;
pub use to_v1beta1::to_v1beta1;

use super::{Form, PolicyDocument, RetryPolicy};
use crate::diag::{Code, Diagnostic, Findings};
use crate::document::Node;

/// What no conversion can keep: the engine of the server decides it (semantics.md, section 1).
pub const ENGINES_DIFFER: &str = "whatever a policy says, a v1beta1 server never retries preempted runs, \
     leaves gangs to its legacy retries, gives every retry the same pod name, and evaluates only the \
     first policy of a queue";

/// A policy in another form.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversion {
    /// What has a counterpart.
    pub policy: RetryPolicy,
    /// What has none, or none that means the same.
    pub differences: Vec<Difference>,
}

/// A field that does not mean the same in the other form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The rule it stands in, from 0; none for one of the policy's own fields.
    pub rule: Option<usize>,
    /// The field; it may be absent where its absence is what differs.
    pub field: &'static str,
    /// What differs.
    pub what: &'static str,
    /// The way out, where there is one.
    pub help: Option<&'static str>,
    /// Whether the rule has no counterpart for this reason.
    pub leaves_out: bool,
}

/// What happens to a policy that does not mean the same in the other form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// It is refused.
    Refused,
    /// Nothing is written: what would be is printed.
    Planned,
    /// It is written, without what has no counterpart.
    Written,
}

impl Difference {
    /// It in one line, beginning with its field.
    pub fn message(&self, treatment: Treatment) -> String {
        let left_out = match treatment {
            Treatment::Planned if self.leaves_out => "; the rule would be left out",
            Treatment::Written if self.leaves_out => "; the rule is left out",
            _ => "",
        };
        format!("`{}`: {}{left_out}", self.field, self.what)
    }
}

/// The policy in a form; one that has it already is as it was.
pub fn convert(policy: &RetryPolicy, to: Form) -> Conversion {
    match (policy.form, to) {
        (Form::V1, Form::V1beta1) => to_v1beta1(policy),
        (Form::V1beta1, Form::V1) => to_v1(policy),
        _ => Conversion { policy: policy.clone(), differences: Vec::new() },
    }
}

/// The differences as findings about the document that was converted.
pub fn findings(
    document: &PolicyDocument,
    differences: &[Difference],
    treatment: Treatment,
) -> Findings {
    let mut findings = Findings::new();
    for difference in differences {
        let root = &document.document.root;
        let around = match difference.rule {
            Some(rule) => document.rule(rule).unwrap_or(root),
            None => root.get("spec").unwrap_or(root),
        };
        let span = written(around, difference.field)
            // What is absent is missed where it would stand.
            .or_else(|| written(root, if difference.rule.is_some() { "" } else { "spec" }))
            .unwrap_or_else(|| around.span.first_line(document.document.source.text()));
        let place = document.document.place(span);
        let message = difference.message(treatment);
        let finding = match treatment {
            Treatment::Refused => Diagnostic::error(Code::NoCounterpart, place, message),
            _ => Diagnostic::warning(Code::NoCounterpart, place, message),
        };
        findings.push(finding.maybe_help(difference.help.map(str::to_owned)));
    }
    findings
}

/// Where a field's key is written.
fn written(around: &Node, field: &str) -> Option<crate::diag::Span> {
    around.entry(field).map(|entry| entry.key_span)
}
