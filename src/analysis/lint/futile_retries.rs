//! Retries that never succeeded in a history.

use super::context::Context;
use super::definition::Lint;
use super::target_name::target_name;
use document::diag::{Code, Diagnostic, Findings, Place};
use replay::simulate::{RuleReport, SummaryReport};
use systems::{CoverageTarget, TargetKind};

pub(super) const LINT: Lint = Lint { code: Code::FutileRetries, check };

/// The least number of recorded retries from which "never" is said. If one in four succeeded, ten failures in a row
/// would have a chance of 6 %.
const LEAST: u64 = 10;

fn check(context: &Context<'_>, findings: &mut Findings) {
    let Some(summary) = context.input.history else { return };
    for row in futile_rows(summary) {
        let Some(policy) = context.policy(&row.policy) else { continue };
        let (name, place) = match row.rule_index {
            Some(number) => (policy.rule_name(number), policy.rule_place(number)),
            None => (format!("the default of `{}`", policy.name()), policy.default_place()),
        };
        let finding = finding(&name, place, (row, summary));
        findings.push(finding.help("write `action: Fail`, or lower the limit"));
    }
}

/// The rules and defaults with enough recorded retries of which none succeeded.
fn futile_rows(summary: &SummaryReport) -> impl Iterator<Item = &RuleReport> {
    summary.by_rule.iter().filter(|row| {
        let outcomes = &row.retries.outcomes;
        outcomes.succeeded == 0 && outcomes.recorded >= LEAST
    })
}

fn finding(name: &str, place: Place, (row, summary): (&RuleReport, &SummaryReport)) -> Diagnostic {
    let all: u64 = summary.by_rule.iter().map(|row| row.retries.outcomes.recorded).sum();
    let outcomes = &row.retries.outcomes;
    #[expect(clippy::cast_precision_loss, reason = "counts of runs are far below 2^53")]
    let share = outcomes.recorded as f64 / all as f64 * 100.0;
    let hours = outcomes.lost_hours.hours;
    let message = format!(
        "none of the {} recorded retries of {name} succeeded: {share:.0} % of all retries, {hours:.1} hours",
        outcomes.recorded
    );
    Diagnostic::warning(Code::FutileRetries, place, message)
}

/// The findings about the rules and defaults of another system, or about a policy without rules.
pub(super) fn check_targets(
    targets: &[CoverageTarget],
    summary: &SummaryReport,
    help: &str,
) -> Findings {
    let mut findings = Findings::new();
    for row in futile_rows(summary) {
        let is_own = |target: &&CoverageTarget| {
            !matches!(target.kind, TargetKind::Limit { .. })
                && target.policy == row.policy
                && target.rule_index == row.rule_index
        };
        let Some(target) = targets.iter().find(is_own) else { continue };
        let finding = finding(&target_name(target), target.place.clone(), (row, summary));
        findings.push(finding.help(help));
    }
    findings
}
