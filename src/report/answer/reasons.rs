//! The reasons of the answer: the kinds of failure after which jobs end here, or before the retries on record.

use super::cells::{FAILED_RETRIES, cost, cost_header, several, value, with_brackets};
use crate::report::figures::count;
use crate::report::layout::Layout;
use crate::report::rule_label::rule;
use crate::report::table::Table;
use crate::simulate::{AnswerReport, CostUnit, ReasonReport};
use std::fmt::Write;

/// The number of reasons on a screen.
pub(super) const ON_SCREEN: usize = 3;

/// Writes the largest reasons.
pub(super) fn write(out: &mut String, answer: &AnswerReport, most: usize, layout: &Layout) {
    let Some((table, left)) = table(answer, most) else { return };
    let _ = write!(out, "\n{}", table.dispensable(&["DECIDED BY"]).render(layout));
    if left > 0 {
        let _ = writeln!(out, "(and {} more: --show kinds)", count(left as u64));
    }
}

/// The table of the largest reasons, and the number of the others; `None` without reasons.
pub(super) fn table(answer: &AnswerReport, most: usize) -> Option<(Table, usize)> {
    if answer.reasons.is_empty() {
        return None;
    }
    let has_policies = answer.columns.len() > 1;
    let lost = value(answer, "failedSucceededOnRecord", 1);
    let is_counted = answer.unit == CostUnit::Retries;
    // With jobs that succeeded on record, the reasons are those of their failures.
    let shown = answer.reasons.iter().filter(|it| lost == 0.0 || it.jobs.unwrap_or_default() > 0);
    let shown: Vec<&ReasonReport> = shown.collect();
    // A row takes no more lines than the note that one is left out.
    let most = if shown.len() == most.saturating_add(1) { shown.len() } else { most };
    // If nothing is saved, the column has what is lost.
    let saves = shown.iter().take(most).any(|it| it.saved_hours.is_some_and(|hours| hours > 0.0));
    let mut headers: Vec<String> = Vec::new();
    if has_policies {
        let head = match lost {
            0.0 => "Jobs fail by".to_owned(),
            1.0 => "1 job fails by".to_owned(),
            lost => format!("{} fail by", several(lost, "job")),
        };
        headers.extend([head, "JOBS".to_owned(), "DECIDED BY".to_owned()]);
        // All runs after the failure, not the next retry alone.
        headers.push("NOT REACHED (SUCCEEDED)".to_owned());
        let word = if saves { "SAVED" } else { "GOOD WORK LOST" };
        headers.extend((!is_counted).then(|| cost_header(answer, word)));
    } else {
        headers.extend(["Retries after".to_owned(), "RETRIES (SUCCEEDED)".to_owned()]);
        let words = [FAILED_RETRIES, "SUCCEEDED"].into_iter().filter(|_| !is_counted);
        headers.extend(words.map(|word| cost_header(answer, word)));
    }
    let mut table = Table::named(headers).right_aligned_but(&["DECIDED BY"]);
    for reason in shown.iter().take(most) {
        let mut cells = vec![reason.kind.clone()];
        if has_policies {
            let jobs = if lost > 0.0 { reason.jobs } else { reason.failed_jobs };
            cells.push(count(jobs.unwrap_or_default()));
            cells.push(decider(reason));
        }
        cells.push(with_brackets(Some(count(reason.retries)), Some(count(reason.succeeded))));
        if !is_counted {
            let costs = if has_policies {
                vec![if saves { reason.saved_hours } else { reason.lost_work_hours }]
            } else {
                vec![reason.failed_retry_hours, reason.succeeded_retry_hours]
            };
            let cell = |hours: Option<f64>| hours.map(|hours| cost(answer, hours));
            cells.extend(costs.into_iter().map(|hours| cell(hours).unwrap_or_default()));
        }
        table.row(cells);
    }
    Some((table, shown.len().saturating_sub(most)))
}

/// The rule or default that decided, or the decision.
fn decider(reason: &ReasonReport) -> String {
    match &reason.policy {
        Some(policy) => rule(Some(policy), reason.rule_index),
        None => reason.decision.clone().unwrap_or_default(),
    }
}
