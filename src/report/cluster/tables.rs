//! The tables of one variant beside those of queues and templates: causes of failures, rules, and retries.

use super::figures::{count, duration};
use crate::report::layout::Layout;
use crate::report::table::Table;
use cluster::report::{CauseFigures, Figures, RetryFigures, RuleFigures, Waits};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The header of the core-hours in retries that did not succeed.
const FAILED_RETRIES: &str = "FAILED RETRIES, CORE-H";

/// The table of the causes for which runs failed. Only the wide table has the causes that can occur and did not.
pub(super) fn causes_table(causes: &BTreeMap<String, CauseFigures>, is_wide: bool) -> Table {
    let shown = causes.iter().filter(|(_, cause)| is_wide || cause.attempts.0 > 0.0);
    let headers = ["CAUSE", "RUNS FAILED", "STOPPED", "JOBS FAILED", "CORE-HOURS WASTED"];
    let table = Table::new(headers.to_vec()).dispensable(&["STOPPED"]);
    let rows = shown.map(|(name, cause)| {
        vec![
            name.clone(),
            count(cause.attempts.0),
            count(cause.stopped.0),
            count(cause.failed.0),
            format!("{:.1}", cause.lost.core.0),
        ]
    });
    with_rows(table, rows)
}

/// The table of the rules that granted retries or ended jobs; the wide table has all rules.
pub(super) fn rules_table(rules: &BTreeMap<String, RuleFigures>, is_wide: bool) -> Table {
    let is_used = |rule: &RuleFigures| rule.granted.0 + rule.failed.0 > 0.0;
    let shown = rules.iter().filter(|(_, rule)| is_wide || is_used(rule));
    let headers = ["RULE", "RETRIES", "SUCCEEDED", "JOBS FAILED", FAILED_RETRIES];
    let rows = shown.map(|(name, rule)| {
        vec![
            name.clone(),
            count(rule.granted.0),
            count(rule.succeeded.0),
            count(rule.failed.0),
            format!("{:.1}", rule.lost.core.0),
        ]
    });
    with_rows(Table::new(headers.to_vec()), rows)
}

/// The rows of the table of retries, before the sum of the others.
const SHOWN_RETRIES: usize = 20;

/// The table of retries by their number.
pub(super) fn retries_table(retries: &BTreeMap<u32, RetryFigures>) -> Table {
    let headers = ["RETRY", "GRANTED", "SUCCEEDED", FAILED_RETRIES];
    let row = |number: String, retries: &[&RetryFigures]| {
        let sum = |of: fn(&RetryFigures) -> f64| retries.iter().map(|retry| of(retry)).sum();
        vec![
            number,
            count(sum(|retry| retry.granted.0)),
            count(sum(|retry| retry.succeeded.0)),
            format!("{:.1}", sum(|retry| retry.lost.core.0)),
        ]
    };
    let first = retries.iter().take(SHOWN_RETRIES);
    let first = first.map(|(number, retry)| row(number.to_string(), &[retry]));
    let rest: Vec<_> = retries.iter().skip(SHOWN_RETRIES).collect();
    let from_to = rest.first().zip(rest.last()).map(|((from, _), (to, _))| format!("{from}-{to}"));
    let rest = from_to
        .map(|numbers| row(numbers, &rest.iter().map(|(_, retry)| *retry).collect::<Vec<_>>()));
    with_rows(Table::new(headers.to_vec()), first.chain(rest))
}

/// The distribution of waits: of all jobs, of those that no failure disturbed, of retries, and of each queue.
pub(super) fn waits_table(figures: &Figures) -> Table {
    let total = &figures.total;
    let of_all = [
        ("all jobs", total.wait),
        ("undisturbed jobs", total.undisturbed_wait),
        ("retries, from retryAfter", total.retry_wait),
        ("retries, from the end before", total.recovery_wait),
    ];
    let of_all = of_all.into_iter().map(|(name, waits)| (name.to_owned(), waits));
    let of_queues = figures.queues.iter().filter(|_| figures.queues.len() > 1);
    let of_queues = of_queues.map(|(name, group)| (format!("queue {name}"), group.wait));
    let rows = of_all.chain(of_queues).filter_map(|(name, waits)| Some(waits_row(name, waits?)));
    let headers = ["WAIT OF", "MEAN", "P10", "P25", "P50", "P75", "P90", "P95", "MAX"];
    let table = Table::new(headers.to_vec()).dispensable(&["P10", "P25", "P75", "P90"]);
    with_rows(table, rows)
}

fn waits_row(name: String, waits: Waits) -> Vec<String> {
    let Waits { mean, p10, p25, p50, p75, p90, p95, max } = waits;
    let waits = [mean, p10, p25, p50, p75, p90, p95, max].map(duration);
    [name].into_iter().chain(waits).collect()
}

fn with_rows(mut table: Table, rows: impl Iterator<Item = Vec<String>>) -> Table {
    rows.for_each(|row| table.row(row));
    table
}

/// Writes a table after an empty line; nothing if it has no rows.
pub(super) fn write_table(out: &mut String, table: Table, layout: &Layout) {
    if !table.rows().is_empty() {
        let _ = write!(out, "\n{}", table.render(layout));
    }
}
