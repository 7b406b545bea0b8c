//! Limits of the parts of a cluster's page, and the variants of its pictures.

use crate::report::answer::cells::value;
use crate::report::cluster::headline;
use cluster::report::{ClusterReport, ClusterVariant};

/// The most variants in pictures and in the tables of queues and rules.
pub(super) const VARIANTS: usize = 4;
/// Below this fairness error every queue counts as one that has its share.
pub(super) const UNFAIR: f64 = 0.01;
/// The most queues of a table.
// A page has at most 200 KB, so that no list grows with its input (docs/reports.md).
pub(super) const QUEUES: usize = 12;

/// The variants that pictures and the tables of queues and rules have: all, or the first, the best and the worst by what
/// they waste; of a sweep the knee instead of the best.
pub(super) fn variants_of_pictures(report: &ClusterReport) -> Vec<(usize, &ClusterVariant)> {
    let all: Vec<(usize, &ClusterVariant)> = report.variants.iter().enumerate().collect();
    if all.len() <= VARIANTS {
        return all;
    }
    let wasted = |at: &usize| value(&report.answer, "lostHours", *at);
    let others = || 1..all.len();
    let by = |one: &usize, other: &usize| wasted(one).total_cmp(&wasted(other));
    let knee = headline::values(&report.answer).and_then(|values| {
        let knee = headline::knee(&report.answer, &values)?.value;
        values
            .columns()
            .1
            .iter()
            .find(|(value, _)| value.as_count() == Some(knee))
            .map(|(_, at)| *at)
    });
    let best = knee.or_else(|| others().min_by(by));
    let mut numbers: Vec<usize> =
        [Some(0), best, others().max_by(by)].into_iter().flatten().collect();
    numbers.dedup();
    numbers.into_iter().map(|at| all[at]).collect()
}
