//! Sentences on a replay that follow its tables.

use super::advice;
use crate::report::{breakdown, simulation};
use document::diag::printable;
use replay::simulate::{DecidingRelease, SimulationReport};
use std::fmt::Write;

/// The proof, the assumption, the advice, rules that never matched, and contradictions.
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
    let assumption = simulation::assumption_text(summary);
    proof_text(report).into_iter().chain(assumption).chain(advice).chain(remarks).collect()
}

/// The sets of policies of which it is proved that they decide as the first one; `None` if there are none.
fn proof_text(report: &SimulationReport) -> Option<String> {
    let (first, others) = report.variants.as_deref()?.split_first()?;
    let proved = others.iter().filter(|variant| variant.proved_same);
    let names: Vec<String> = proved.map(|variant| format!("`{}`", variant.name)).collect();
    let (first, names) = (printable(&first.name), printable(&names.join(", ")).into_owned());
    (!names.is_empty()).then(|| {
        format!("No difference from `{first}` is possible under {names}: proved for all failures of these queues.")
    })
}

/// The same without the advice, where it is shown by itself.
pub(in crate::report) fn without_advice(report: &SimulationReport) -> Vec<String> {
    let advice = advice::texts(&report.answer);
    texts(report).into_iter().filter(|text| !advice.contains(text)).collect()
}

/// The releases whose rules decided, and those of other sets of policies that differ; `None` for systems without releases.
pub(in crate::report) fn releases_text(report: &SimulationReport) -> Option<String> {
    let titles = |releases: &mut dyn Iterator<Item = &DecidingRelease>| {
        releases.map(|release| release.title.as_str()).collect::<Vec<_>>().join(", ")
    };
    let mut text = format!("Releases: {}", titles(&mut report.releases.iter()));
    for variant in report.variants.iter().flatten() {
        let own = variant.releases.iter().filter(|release| !report.releases.contains(release));
        let own = titles(&mut own.into_iter());
        if !own.is_empty() {
            let _ = write!(text, "; `{}`: {own}", variant.name);
        }
    }
    (!report.releases.is_empty()).then(|| text + ".")
}
