//! The tables of one variant beside those of queues and templates: causes of failures, rules, and retries.

use super::figures::{count, duration};
use crate::report::table::{Table, columns, head};
use cluster::report::{CauseFigures, Figures, RetryFigures, RuleFigures, Waits};
use std::collections::BTreeMap;

/// The header of the core-hours in retries that did not succeed.
const FAILED_RETRIES: &str = "FAILED RETRIES, CORE-H";

/// The table of the causes for which runs failed. Only the wide table has the causes that can occur and did not.
pub(super) fn causes_table(causes: &BTreeMap<String, CauseFigures>, is_wide: bool) -> Table {
    let shown = causes.iter().filter(|(_, cause)| is_wide || cause.attempts.0 > 0.0);
    let columns = columns![row in (&String, &CauseFigures);
        "CAUSE" => (*row.0).clone(),
        "RUNS FAILED" => count(row.1.attempts.0),
        head("STOPPED").leave_out(1) => count(row.1.stopped.0),
        "JOBS FAILED" => count(row.1.failed.0),
        "CORE-HOURS WASTED" => format!("{:.1}", row.1.lost.core.0),
    ];
    Table::new(shown, &columns)
}

/// The table of the rules that granted retries or ended jobs; the wide table has all rules.
pub(super) fn rules_table(rules: &BTreeMap<String, RuleFigures>, is_wide: bool) -> Table {
    let is_used = |rule: &RuleFigures| rule.granted.0 + rule.failed.0 > 0.0;
    let shown = rules.iter().filter(|(_, rule)| is_wide || is_used(rule));
    let columns = columns![row in (&String, &RuleFigures);
        "RULE" => (*row.0).clone(),
        "RETRIES" => count(row.1.granted.0),
        "SUCCEEDED" => count(row.1.succeeded.0),
        "JOBS FAILED" => count(row.1.failed.0),
        FAILED_RETRIES => format!("{:.1}", row.1.lost.core.0),
    ];
    Table::new(shown, &columns)
}

/// The rows of the table of retries, before the sum of the others.
const SHOWN_RETRIES: usize = 20;

/// The table of retries by their number.
pub(super) fn retries_table(retries: &BTreeMap<u32, RetryFigures>) -> Table {
    type Row<'r> = (String, Vec<&'r RetryFigures>);
    let sum = |(_, retries): &Row<'_>, of: fn(&RetryFigures) -> f64| {
        retries.iter().map(|retry| of(retry)).sum::<f64>()
    };
    let columns = columns![row in Row<'_>;
        "RETRY" => row.0.clone(),
        "GRANTED" => count(sum(row, |retry| retry.granted.0)),
        "SUCCEEDED" => count(sum(row, |retry| retry.succeeded.0)),
        FAILED_RETRIES => format!("{:.1}", sum(row, |retry| retry.lost.core.0)),
    ];
    let first = retries.iter().take(SHOWN_RETRIES);
    let first = first.map(|(number, retry)| (number.to_string(), vec![retry]));
    let rest: Vec<_> = retries.iter().skip(SHOWN_RETRIES).collect();
    let from_to = rest.first().zip(rest.last()).map(|((from, _), (to, _))| format!("{from}-{to}"));
    let rest = from_to.map(|numbers| (numbers, rest.iter().map(|(_, retry)| *retry).collect()));
    Table::new(first.chain(rest), &columns)
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
    let rows = of_all.chain(of_queues).filter_map(|(name, waits)| Some((name, waits?)));
    let columns = columns![row in (String, Waits);
        "WAIT OF" => row.0.clone(),
        "MEAN" => duration(row.1.mean),
        head("P10").leave_out(1) => duration(row.1.p10),
        head("P25").leave_out(2) => duration(row.1.p25),
        "P50" => duration(row.1.p50),
        head("P75").leave_out(3) => duration(row.1.p75),
        head("P90").leave_out(4) => duration(row.1.p90),
        "P95" => duration(row.1.p95),
        "MAX" => duration(row.1.max),
    ];
    Table::new(rows, &columns)
}
