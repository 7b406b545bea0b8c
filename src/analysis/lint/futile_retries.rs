//! Retries that never succeeded in a history.

use super::context::Context;
use super::definition::Lint;
use document::diag::{Code, Diagnostic, Findings};

pub(super) const LINT: Lint = Lint { code: Code::FutileRetries, check };

/// The least number of recorded retries from which "never" is said. If one in four succeeded, ten failures in a row
/// would have a chance of 6 %.
const LEAST: u64 = 10;

fn check(context: &Context<'_>, findings: &mut Findings) {
    let Some(summary) = context.input.history else { return };
    let all: u64 = summary.by_rule.iter().map(|row| row.retries.outcomes.recorded).sum();
    for row in &summary.by_rule {
        let outcomes = &row.retries.outcomes;
        if outcomes.succeeded > 0 || outcomes.recorded < LEAST {
            continue;
        }
        let Some(policy) = context.policy(&row.policy) else { continue };
        let (name, place) = match row.rule_index {
            Some(number) => (policy.rule_name(number), policy.rule_place(number)),
            None => (format!("the default of `{}`", policy.name()), policy.default_place()),
        };
        #[expect(clippy::cast_precision_loss, reason = "counts of runs are far below 2^53")]
        let share = outcomes.recorded as f64 / all as f64 * 100.0;
        let hours = outcomes.lost_hours.hours;
        let message = format!(
            "none of the {} recorded retries of {name} succeeded: {share:.0} % of all retries, {hours:.1} hours",
            outcomes.recorded
        );
        findings.push(
            Diagnostic::warning(Code::FutileRetries, place, message)
                .help("write `action: Fail`, or lower the limit"),
        );
    }
}
