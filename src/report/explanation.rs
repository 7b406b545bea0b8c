//! A decision explained, as a table.

use super::engines::EngineName;
use super::layout::{Layout, Table};
use super::simulation::{label, wait};
use super::{DecisionExplanation, TraceItem};
use crate::diag::printable;
use std::fmt::Write;

/// The decision, then every rule that was tried.
pub fn table(explained: &DecisionExplanation, layout: &Layout) -> String {
    let decision = &explained.decision;
    let mut out = String::new();
    let engine = EngineName(explained.engine());
    let good = engine.is_armadas().then_some(decision.action == "Retry");
    let action = layout.paint(&decision.action, good);
    let _ = writeln!(out, "{action} ({}): {}", decision.decision, printable(&decision.reason));
    if let Some(draft) = engine.draft() {
        let _ = writeln!(out, "  engine     {draft}");
    }
    if let (Some(count), Some(limit), Some(source)) =
        (decision.count, decision.limit, &decision.limit_source)
    {
        let _ = writeln!(out, "  count      {count} of {limit} ({source} limit)");
    }
    if let Some(limit) = decision.global_max_retries {
        let _ =
            writeln!(out, "  total      {} of {limit} (globalMaxRetries)", decision.total_retries);
    }
    if let (Some(reason), message) =
        (&decision.system.failure_reason, &decision.system.failure_message)
    {
        let message = message.as_deref().unwrap_or_default();
        let _ = writeln!(out, "  job        {}: {}", printable(reason), printable(message));
    }
    if let Some(seconds) = decision.delay_seconds {
        let _ = writeln!(out, "  wait       {}", wait(seconds));
    }
    if !decision.avoid_nodes.is_empty() {
        let _ = writeln!(out, "  avoids     {}", printable(&decision.avoid_nodes.join(", ")));
    }
    let _ = write!(out, "\n{}", trace(explained, engine).render(layout));
    out
}

/// The rules that were tried, with the decision at the rule that it is attributed to; of an engine
/// without rules the checks that were made.
fn trace(explained: &DecisionExplanation, engine: EngineName<'_>) -> Table {
    let yes = |holds| if holds { "yes" } else { "no" }.to_owned();
    if !engine.has_rules() {
        let mut checks = Table::new(vec!["DECIDES", "CHECK"]);
        for check in &explained.trace {
            checks.row(vec![yes(check.matched), check.why.clone()]);
        }
        return checks;
    }
    let decision = &explained.decision;
    let named = (decision.policy.as_deref(), decision.rule_index);
    let is_named = |rule: &TraceItem| (Some(rule.policy.as_str()), rule.rule_index) == named;
    let mut rules = Table::new(vec!["RULE", "MATCHED", "DECISION", "WHY"]);
    for rule in &explained.trace {
        let name = label(engine, &rule.policy, rule.rule_index);
        let code =
            if rule.matched && is_named(rule) { decision.decision.clone() } else { String::new() };
        rules.row(vec![name, yes(rule.matched), code, rule.why.clone()]);
    }
    rules
}
