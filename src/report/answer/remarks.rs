//! Sentences on a replay that follow its tables.

use super::advice;
use crate::report::{breakdown, simulation};
use replay::simulate::SimulationReport;

/// The assumption, the advice, rules that never matched, and contradictions.
pub(super) fn texts(report: &SimulationReport) -> Vec<String> {
    let summary = &report.summary;
    // The record comes first.
    let first = report.answer.columns.get(1).filter(|_| report.variants.is_some());
    let remarks = breakdown::never_matched_text(summary).map(|text| match first {
        Some(first) => format!("{text} (`{}`)", first.label),
        None => text,
    });
    let remarks = remarks.into_iter();
    let remarks = remarks.chain(simulation::contradictions_text(summary));
    let remarks = remarks.filter(|_| report.has_policies());
    let advice = advice::texts(&report.answer);
    simulation::assumption_text(summary).into_iter().chain(advice).chain(remarks).collect()
}

/// The same without the advice, where it is shown by itself.
pub(in crate::report) fn without_advice(report: &SimulationReport) -> Vec<String> {
    let advice = advice::texts(&report.answer);
    texts(report).into_iter().filter(|text| !advice.contains(text)).collect()
}
