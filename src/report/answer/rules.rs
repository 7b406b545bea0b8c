//! The rules of two sets of policies, and what each costs and brings: those whose figures differ.

use super::cells::{self, FAILED_RETRIES, cost_header};
use crate::report::decision_line::rule;
use crate::report::figures::count;
use crate::report::layout::Layout;
use crate::report::table::{Table, columns};
use replay::simulate::{CostUnit, OutcomeReport, RetryReport, SimulationReport, VariantReport};
use std::fmt::Write;

/// The number of rules on a screen: those with the largest difference in cost.
pub(super) const ON_SCREEN: usize = 5;

/// The retries of a rule under two sets of policies.
struct Change<'v> {
    name: String,
    from: Option<&'v RetryReport>,
    to: Option<&'v RetryReport>,
}

/// Writes the rules with the largest differences under the second set of policies; none for more sets.
pub(super) fn write(out: &mut String, report: &SimulationReport, most: usize, layout: &Layout) {
    let Some((table, left)) = table(report, most) else { return };
    table.write(out, layout);
    if left > 0 {
        let _ = writeln!(out, "(and {} more rules: --show changes)", count(left as u64));
    }
}

/// The table of the rules with the largest differences, and the number of the others; `None` without differences, and
/// for more than two sets of policies.
pub(super) fn table(report: &SimulationReport, most: usize) -> Option<(Table, usize)> {
    let Some([first, second]) = report.variants.as_deref() else { return None };
    let unit = report.answer.unit;
    let mut changes = changes(first, second);
    let difference = |change: &Change<'_>| (cost(change.to, unit) - cost(change.from, unit)).abs();
    changes.sort_by(|one, other| difference(other).total_cmp(&difference(one)));
    if changes.is_empty() {
        return None;
    }
    // A row takes no more lines than the note that one is left out.
    let most = if changes.len() == most + 1 { changes.len() } else { most };
    let counts = |it: &Change<'_>, of: fn(&OutcomeReport) -> u64| {
        let [from, to] = [it.from, it.to].map(|it| it.map_or(0, |it| of(&it.outcomes)));
        format!("{} -> {}", count(from), count(to))
    };
    let costs = |it: &Change<'_>| {
        let [from, to] = [it.from, it.to].map(|it| cells::cost(&report.answer, cost(it, unit)));
        format!("{from} -> {to}")
    };
    let columns = columns![change in &Change<'_>;
        "RULE" => change.name.clone(),
        "RETRIES" => counts(change, |it| it.granted),
        "SUCCEEDED" => counts(change, |it| it.succeeded),
        cost_header(&report.answer, FAILED_RETRIES) => costs(change),
    ];
    let table = Table::new(changes.iter().take(most), &columns).whole();
    Some((table, changes.len().saturating_sub(most)))
}

/// The rules and defaults whose figures differ, by their names.
fn changes<'v>(first: &'v VariantReport, second: &'v VariantReport) -> Vec<Change<'v>> {
    let mut changes: Vec<Change<'_>> = Vec::new();
    for row in &first.summary.by_rule {
        let (name, from) = (rule(Some(&row.policy), row.rule_index), Some(&row.retries));
        changes.push(Change { name, from, to: None });
    }
    for row in &second.summary.by_rule {
        let name = rule(Some(&row.policy), row.rule_index);
        match changes.iter_mut().find(|change| change.name == name) {
            Some(change) => change.to = Some(&row.retries),
            None => changes.push(Change { name, from: None, to: Some(&row.retries) }),
        }
    }
    let key = |it: Option<&RetryReport>| {
        let outcomes = it.map(|it| &it.outcomes);
        let runs = outcomes.map(|it| (it.granted, it.succeeded, it.recorded));
        runs.unwrap_or_default()
    };
    changes.retain(|change| key(change.from) != key(change.to));
    changes
}

/// The cost of the retries of a rule that did not succeed.
fn cost(retries: Option<&RetryReport>, unit: CostUnit) -> f64 {
    retries.map_or(0.0, |retries| unit.of(&retries.outcomes.lost_hours))
}
