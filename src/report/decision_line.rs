//! A decision of a stream, as a line of text or JSON.

use super::documents::API_VERSION;
use super::durations::wait;
use crate::findings::Style;
use anstyle::{AnsiColor, Style as Paint};
use document::diag::printable;
use replay::simulate::StreamDecision;
use schemars::JsonSchema;
use serde::Serialize;
use systems::Description;

/// A decision, as a line of `simulate --follow -o json`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionLine<'d> {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `Decision`.
    kind: &'static str,
    /// The column whose policies decided; absent if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<&'d str>,
    /// The job, its queue, and the decision.
    #[serde(flatten)]
    decision: &'d StreamDecision,
}

impl<'d> DecisionLine<'d> {
    /// The line of a decision of a variant.
    pub fn new(decision: &'d StreamDecision, variant: Option<&'d str>) -> Self {
        Self { api_version: API_VERSION, kind: "Decision", variant, decision }
    }
}

/// The line of a decision as text: time, job, action, rule with its count, failure, wait and queue. A decision that ends
/// the job is red, others are yellow.
pub fn decision_line(decision: &StreamDecision, variant: Option<&str>, style: Style) -> String {
    let StreamDecision { job_id, queue, decision, .. } = decision;
    let variant = variant.map(|name| format!("{name}  ")).unwrap_or_default();
    let time = decision.failed_at.as_deref().and_then(|time| time.get(..19));
    let time = time.map_or("-".to_owned(), |time| format!("{time}Z"));
    let by = match rule(decision.policy.as_deref(), decision.rule_index) {
        rule if rule.is_empty() => decision.decision.clone(),
        rule => rule,
    };
    let limit = decision.count.zip(decision.limit);
    let limit = limit.map(|(count, limit)| format!(" {count}/{limit}")).unwrap_or_default();
    let after = decision.delay_seconds.filter(|seconds| *seconds > 0.0);
    let after = after.map(|seconds| format!(", after {}", wait(seconds))).unwrap_or_default();
    let queue = if queue.is_empty() { String::new() } else { format!(", queue {queue}") };
    let text = format!(
        "{time:<20}  {variant}{job_id}  {:<5}  {by}{limit}  {}{after}{queue}",
        decision.action, decision.failure
    );
    let text = printable(&text);
    if style != Style::Coloured {
        return format!("{text}\n");
    }
    let color = if decision.action == "Fail" { AnsiColor::Red } else { AnsiColor::Yellow };
    let paint = Paint::new().fg_color(Some(color.into()));
    format!("{paint}{text}{paint:#}\n")
}

/// The name of a rule: `infra[0]`, or `infra default`.
pub(super) fn rule(policy: Option<&str>, index: Option<usize>) -> String {
    match (policy, index) {
        (Some(policy), Some(index)) => format!("{policy}[{index}]"),
        (Some(policy), None) => format!("{policy} default"),
        _ => String::new(),
    }
}

/// The name of a rule; for an engine whose policies need no rules, that of the policy in place of its default.
pub(super) fn label(system: &Description, policy: &str, index: Option<usize>) -> String {
    if system.has_rules || index.is_some() { rule(Some(policy), index) } else { policy.to_owned() }
}
