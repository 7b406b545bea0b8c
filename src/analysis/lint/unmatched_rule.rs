//! Rules that a history never matched.

use super::context::Context;
use super::definition::Lint;
use document::diag::{Code, Diagnostic, Findings};

pub(super) const LINT: Lint = Lint { code: Code::UnmatchedRule, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    let Some(summary) = context.input.history else { return };
    if summary.totals.failures == 0 {
        return;
    }
    for row in summary.by_rule.iter().filter(|row| row.figures.matched == 0) {
        let (Some(number), Some(policy)) = (row.rule_index, context.policy(&row.policy)) else {
            continue;
        };
        // A rule that can never match has a finding of its own.
        if policy.coverage.get(number).is_none_or(armada_retry::policy::Coverage::is_covered) {
            continue;
        }
        let message = format!(
            "{} matched none of the {} failures of the history",
            policy.rule_name(number),
            summary.totals.failures
        );
        let place = policy.rule_place(number);
        findings.push(
            Diagnostic::info(Code::UnmatchedRule, place, message)
                .help("check its matchers against the failures that it is for"),
        );
    }
}
