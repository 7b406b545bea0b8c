//! The explanation of a decision as a table.

use super::decision_line::label;
use super::durations::wait;
use super::layout::Layout;
use super::table::{Table, columns};
use super::{DecisionExplanation, TraceItem};
use document::diag::printable;
use std::fmt::Write;
use systems::{Description, description_of_engine};

/// Renders the decision, then every rule that was tested.
pub fn table(explained: &DecisionExplanation, layout: &Layout) -> String {
    let decision = &explained.decision;
    let mut out = String::new();
    for note in &explained.notes {
        let _ = writeln!(out, "{}", printable(&note.line()));
    }
    let system = description_of_engine(explained.engine());
    let good = system.words.retry.map(|retry| decision.action == retry);
    let action = layout.paint(&decision.action, good);
    let _ = writeln!(out, "{action} ({}): {}", decision.decision, printable(&decision.reason));
    if let Some(draft) = system.draft {
        let _ = writeln!(out, "  engine     {}", draft.sentence);
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
    if let Some(reason) = decision.system.text("failureReason") {
        let message = decision.system.text("failureMessage").unwrap_or_default();
        let _ = writeln!(out, "  job        {}: {}", printable(reason), printable(message));
    }
    if let Some(seconds) = decision.delay_seconds {
        let _ = writeln!(out, "  wait       {}", wait(seconds));
    }
    if let Some(budget) = &explained.budget {
        let _ = writeln!(out, "  budget     {}", budget.message);
    }
    if !decision.avoid_nodes.is_empty() {
        let _ = writeln!(out, "  avoids     {}", printable(&decision.avoid_nodes.join(", ")));
    }
    if let Some(classification) = &explained.classification {
        classification.write_lines(&mut out);
    }
    let deciding = Deciding {
        rule: (decision.policy.as_deref(), decision.rule_index),
        decision: &decision.decision,
    };
    let _ = write!(out, "\n{}", trace(&explained.trace, &deciding, system, layout));
    out
}

/// The rule that a decision is attributed to.
pub(super) struct Deciding<'a> {
    pub(super) rule: (Option<&'a str>, Option<usize>),
    pub(super) decision: &'a str,
}

/// The rules that were tested, with the decision beside the rule that it is attributed to; for an engine
/// without rules, its checks. Reasons are never cut.
pub(super) fn trace(
    items: &[TraceItem],
    deciding: &Deciding<'_>,
    system: &Description,
    layout: &Layout,
) -> String {
    let yes = |holds| if holds { "yes" } else { "no" }.to_owned();
    if !system.has_rules {
        let columns = columns![check in &TraceItem;
            "DECIDES" => yes(check.matched),
            "CHECK" => check.why.clone(),
        ];
        return Table::new(items, &columns).whole().render(layout);
    }
    let decides = |rule: &TraceItem| {
        rule.matched && (Some(rule.policy.as_str()), rule.rule_index) == deciding.rule
    };
    let columns = columns![rule in &TraceItem;
        "RULE" => label(system, &rule.policy, rule.rule_index),
        "MATCHED" => yes(rule.matched),
        "DECISION" => if decides(rule) { deciding.decision } else { "" }.to_owned(),
        "WHY" => rule.why.clone(),
    ];
    Table::new(items, &columns).whole().render(layout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Style;

    #[test]
    fn a_reason_is_whole_at_any_width() {
        let item = |index, why: &str| TraceItem {
            policy: "infra".to_owned(),
            rule_index: index,
            matched: index.is_none(),
            why: why.to_owned(),
        };
        let whys = ["main ended with 137, not 1", "no rule matched"];
        let items = [item(Some(0), whys[0]), item(None, whys[1])];
        let deciding = Deciding { rule: (Some("infra"), None), decision: "fail_default" };
        let text = |width| {
            let layout = Layout { wide: false, headers: true, width, style: Style::Plain };
            trace(&items, &deciding, description_of_engine("v1"), &layout)
        };
        assert!(text(Some(80)).starts_with("RULE "));
        assert_eq!(text(Some(80)), text(None));
        for width in 40..=80 {
            let text = text(Some(width));
            assert!(whys.iter().all(|why| text.contains(why)), "{width}\n{text}");
            assert!(text.lines().all(|line| line.len() <= width), "{width}\n{text}");
        }
    }
}
