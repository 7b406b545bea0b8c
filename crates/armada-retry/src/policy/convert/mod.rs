//! Conversion of a policy between its forms, and the list of what the target form lacks.
//!
//! Owns which fields have counterparts. Differences between the engines that apply to every policy
//! (preemption, gangs, pod names, how many policies of a queue count) are in [`ENGINES_DIFFER`];
//! a [`Consequence`] reports that the converted policy has no effect.

mod consequence;
mod conversion;
mod to_v1;
mod to_v1beta1;

pub use consequence::Consequence;
pub use conversion::{Conversion, Difference};
pub use to_v1::to_v1;
pub use to_v1beta1::to_v1beta1;

use super::{Form, PolicyDocument, RetryPolicy};
use document::Node;
use document::diag::{Code, Diagnostic, Findings};
use to_v1beta1::job_limit;

/// Differences that no conversion can remove: they depend on the server's engine (semantics.md,
/// section 1).
pub const ENGINES_DIFFER: &str = "regardless of its policies, a v1beta1 server never retries preempted runs, \
                                  waits for no preempted pod, leaves gangs to its legacy retries, \
                                  gives every retry the same pod name, and evaluates only the first policy of a queue";

/// How to handle a policy that does not mean the same in the other form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    Refused,
    /// Print the converted policy without writing it.
    Planned,
    /// Write it without the fields that have no counterpart.
    Written,
}

impl Difference {
    /// The difference in one line, beginning with its field.
    pub fn message(&self, treatment: Treatment) -> String {
        let left_out = match treatment {
            Treatment::Planned if self.drops_rule => "; the rule would be left out",
            Treatment::Written if self.drops_rule => "; the rule is left out",
            _ => "",
        };
        format!("`{}`: {}{left_out}", self.field, self.description)
    }
}

/// Converts the policy to a form; a policy of that form is returned unchanged.
pub fn convert(policy: &RetryPolicy, to: Form) -> Conversion {
    match (policy.form, to) {
        (Form::V1, Form::V1beta1) => to_v1beta1(policy),
        (Form::V1beta1, Form::V1) => to_v1(policy),
        _ => Conversion { policy: policy.clone(), differences: Vec::new() },
    }
}

/// The differences under the default settings of both engines: without a `globalMaxRetries` of its own, the one stops at
/// a limit that the other does not reach. A server may have other settings, so that writing to one is not refused.
pub fn default_differences(policy: &RetryPolicy) -> Vec<Difference> {
    let limit = match policy.form {
        Form::V1 => job_limit(policy),
        Form::V1beta1 => policy.limit(),
    };
    let [v1, v1beta1] = [Form::V1, Form::V1beta1].map(Form::global_max_retries);
    let differs = limit.is_some_and(|limit| limit.min(v1) != limit.min(v1beta1));
    let difference = Difference {
        rule: None,
        field: "retryLimit",
        description: "it is above the default of globalMaxRetries in v1beta1, 5, where a job gets no more retries by default; in v1 it is 20",
        help: Some("set scheduling.retryPolicy.globalMaxRetries, or limit the policy to 5"),
        drops_rule: false,
    };
    (policy.can_retry() && differs).then_some(difference).into_iter().collect()
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
        let parent = match difference.rule {
            Some(rule) => document.rule(rule).unwrap_or(root),
            None => root.get("spec").unwrap_or(root),
        };
        let span = key_span(parent, difference.field)
            // A finding about an absent field points at the mapping that would contain it.
            .or_else(|| key_span(root, if difference.rule.is_some() { "" } else { "spec" }))
            .unwrap_or_else(|| parent.span.first_line(document.document.source.text()));
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

/// The span of a field's key in its mapping.
fn key_span(parent: &Node, field: &str) -> Option<document::diag::Span> {
    parent.entry(field).map(|entry| entry.key_span)
}
