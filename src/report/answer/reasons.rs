//! The reasons of the answer: the kinds of failure after which jobs end here, or before the retries on record.

use super::cells::{cost, cost_header, several, value, with_brackets};
use super::record;
use crate::report::decision_line::rule;
use crate::report::figures::count;
use crate::report::layout::Layout;
use crate::report::table::{Table, columns, head};
use replay::simulate::{AnswerReport, CostUnit, ReasonReport, RecordedRetries};
use std::fmt::Write;

/// The number of reasons on a screen.
pub(super) const ON_SCREEN: usize = 3;

/// Writes the largest reasons.
pub(super) fn write(out: &mut String, answer: &AnswerReport, most: usize, layout: &Layout) {
    let Some((table, left)) = table(answer, most) else { return };
    table.write(out, layout);
    if left > 0 {
        let _ = writeln!(out, "(and {} more: --show kinds)", count(left as u64));
    }
}

/// The table of the largest reasons, and the number of the others; `None` without reasons.
pub(super) fn table(answer: &AnswerReport, most: usize) -> Option<(Table, usize)> {
    if answer.reasons.is_empty() {
        return None;
    }
    let lost = value(answer, "failedSucceededOnRecord", 1);
    // With jobs that succeeded on record, the reasons are those of their failures.
    let shown = answer.reasons.iter().filter(|it| lost == 0.0 || it.jobs.unwrap_or_default() > 0);
    let mut shown: Vec<&ReasonReport> = shown.collect();
    let all = shown.len();
    // A row takes no more lines than the note that one is left out.
    shown.truncate(if all == most.saturating_add(1) { all } else { most });
    let left = all - shown.len();
    let has_policies = answer.columns.len() > 1;
    let table = if has_policies { ends(answer, &shown, lost) } else { retries(answer, &shown) };
    Some((table, left))
}

/// The kinds of failure before the retries on record.
fn retries(answer: &AnswerReport, reasons: &[&ReasonReport]) -> Table {
    let row = |reason: &&ReasonReport| {
        let retries = RecordedRetries {
            retries: reason.retries,
            succeeded: reason.succeeded,
            failed_retry_hours: reason.failed_retry_hours.unwrap_or_default(),
            succeeded_retry_hours: reason.succeeded_retry_hours.unwrap_or_default(),
        };
        (vec![reason.kind.clone()], retries)
    };
    record::table(answer, &["Retries after"], &reasons.iter().map(row).collect::<Vec<_>>())
}

/// The kinds of failure after which jobs end, `lost` of which succeeded on record.
fn ends(answer: &AnswerReport, reasons: &[&ReasonReport], lost: f64) -> Table {
    let title = match lost {
        0.0 => "Jobs fail by".to_owned(),
        1.0 => "1 job fails by".to_owned(),
        lost => format!("{} fail by", several(lost, "job")),
    };
    // With jobs that succeeded on record, those, and in brackets all that fail by the reason.
    let is_part = lost > 0.0 && reasons.iter().any(|it| it.jobs != it.failed_jobs);
    let jobs = if is_part { "JOBS (ALL)" } else { "JOBS" };
    // If nothing is saved, the column has what is lost.
    let saves = reasons.iter().any(|it| it.saved_hours.is_some_and(|hours| hours > 0.0));
    let word = if saves { "SAVED" } else { "GOOD WORK LOST" };
    let jobs_of = |reason: &ReasonReport| {
        let own = if lost > 0.0 { reason.jobs } else { reason.failed_jobs };
        let all = reason.failed_jobs.filter(|_| is_part).map(count);
        with_brackets(Some(count(own.unwrap_or_default())), all)
    };
    let hours = |it: &ReasonReport| if saves { it.saved_hours } else { it.lost_work_hours };
    let columns = columns![reason in &&ReasonReport;
        title => reason.kind.clone(),
        head(jobs).right() => jobs_of(reason),
        head("DECIDED BY").leave_out(1) => decider(reason),
        // All runs after the failure, not the next retry alone.
        head("NOT REACHED (SUCCEEDED)").right() =>
            with_brackets(Some(count(reason.retries)), Some(count(reason.succeeded))),
        head(cost_header(answer, word)).right().only_if(answer.unit != CostUnit::Retries) =>
            hours(reason).map(|hours| cost(answer, hours)).unwrap_or_default(),
    ];
    Table::new(reasons, &columns)
}

/// The rule or default that decided, or the decision.
fn decider(reason: &ReasonReport) -> String {
    match &reason.policy {
        Some(policy) => rule(Some(policy), reason.rule_index),
        None => reason.decision.clone().unwrap_or_default(),
    }
}
