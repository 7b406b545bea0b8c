//! The verdict on a set of policies: what its retries come to, and how this differs from the first set.

use super::hours::{HoursReport, RateReport};
use super::summary::SummaryReport;
use schemars::JsonSchema;
use serde::Serialize;

/// What the retries of a set of policies come to.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerdictReport {
    /// Whether there are no policies.
    #[serde(skip)]
    pub is_absent: bool,
    /// Retries granted.
    pub granted: u64,
    /// Runs of them that are on record. One retry may let several members of a unit run again.
    pub recorded: u64,
    /// Recorded runs that succeeded.
    pub succeeded: u64,
    /// The share of the recorded runs that succeeded; null without any.
    pub success_rate: Option<RateReport>,
    /// What all recorded runs cost.
    pub cost: HoursReport,
    /// The cost of the recorded runs that did not succeed: failed retries.
    pub lost: HoursReport,
    /// Jobs that succeeded after at least one retry.
    pub recovered_jobs: u64,
    /// Jobs that failed.
    pub failed_jobs: u64,
    /// Jobs with an unknown outcome, mostly since a granted retry is not on record.
    pub unresolved_jobs: u64,
    /// How this differs from the first set of policies; absent for the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<DifferenceReport>,
}

/// The differences of the figures of two verdicts: below 0 where the first one's are greater.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DifferenceReport {
    /// Retries granted.
    pub granted: i64,
    /// The same as a share of the retries that the first set grants; null if it grants none.
    pub granted_share: Option<f64>,
    /// Runs of retries that are on record.
    pub recorded: i64,
    /// Recorded runs that succeeded.
    pub succeeded: i64,
    /// What all recorded runs cost, in hours of running.
    pub hours: f64,
    /// Core-hours; null where no job requests cores.
    pub cpu_hours: Option<f64>,
    /// GPU-hours; null where no job requests GPUs.
    pub gpu_hours: Option<f64>,
    /// Jobs that succeeded after at least one retry.
    pub recovered_jobs: i64,
    /// Jobs that failed.
    pub failed_jobs: i64,
    /// Jobs with an unknown outcome.
    pub unresolved_jobs: i64,
}

impl VerdictReport {
    /// Whether there are no policies.
    pub(super) fn is_absent(&self) -> bool {
        self.is_absent
    }

    /// The verdict on a set of policies without a first one.
    pub fn of(summary: &SummaryReport) -> Self {
        let outcome = |name: &str| summary.outcomes.get(name).copied().unwrap_or_default();
        let runs = &summary.retried_runs;
        let (recorded, succeeded) = (summary.replayed, runs.succeeded.runs);
        let lost = sum(&runs.failed, &runs.other);
        Self {
            is_absent: false,
            granted: summary.totals.retries,
            recorded,
            succeeded,
            success_rate: RateReport::of(succeeded, recorded),
            cost: sum(&runs.succeeded, &lost),
            lost,
            recovered_jobs: summary.recovered,
            failed_jobs: outcome("Failed"),
            unresolved_jobs: outcome("Unresolved"),
            difference: None,
        }
    }

    /// The verdict with the differences from the first set of policies.
    #[must_use]
    pub fn against(self, first: &Self) -> Self {
        let granted = difference(self.granted, first.granted);
        let difference = DifferenceReport {
            granted,
            granted_share: share(granted, first.granted),
            recorded: difference(self.recorded, first.recorded),
            succeeded: difference(self.succeeded, first.succeeded),
            hours: difference_of_times(self.cost.hours, first.cost.hours),
            cpu_hours: subtract(self.cost.cpu_hours, first.cost.cpu_hours),
            gpu_hours: subtract(self.cost.gpu_hours, first.cost.gpu_hours),
            recovered_jobs: difference(self.recovered_jobs, first.recovered_jobs),
            failed_jobs: difference(self.failed_jobs, first.failed_jobs),
            unresolved_jobs: difference(self.unresolved_jobs, first.unresolved_jobs),
        };
        Self { difference: Some(difference), ..self }
    }
}

impl DifferenceReport {
    /// Whether all figures are the same.
    pub fn is_zero(&self) -> bool {
        *self
            == Self {
                granted_share: self.granted_share,
                cpu_hours: self.cpu_hours.map(|_| 0.0),
                gpu_hours: self.gpu_hours.map(|_| 0.0),
                ..Self::default()
            }
    }
}

fn sum(one: &HoursReport, other: &HoursReport) -> HoursReport {
    let add = |one: Option<f64>, other: Option<f64>| match (one, other) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    };
    HoursReport {
        runs: one.runs + other.runs,
        untimed: one.untimed + other.untimed,
        hours: one.hours + other.hours,
        cpu_hours: add(one.cpu_hours, other.cpu_hours),
        gpu_hours: add(one.gpu_hours, other.gpu_hours),
    }
}

/// The difference of two counts.
fn difference(own: u64, first: u64) -> i64 {
    let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    signed(own) - signed(first)
}

/// The difference of two times. Runs that are not there cost nothing.
fn subtract(own: Option<f64>, first: Option<f64>) -> Option<f64> {
    match (own, first) {
        (None, None) => None,
        // A side without such runs has spent nothing.
        (own, first) => {
            Some(difference_of_times(own.unwrap_or_default(), first.unwrap_or_default()))
        }
    }
}

/// The difference of two times; 0 if it is below a billionth of them, as sums in another order have such differences.
pub fn difference_of_times(own: f64, first: f64) -> f64 {
    let difference = own - first;
    if difference.abs() <= 1e-9 * own.abs().max(first.abs()) { 0.0 } else { difference }
}

#[expect(clippy::cast_precision_loss, reason = "counts of retries are far below 2^53")]
fn share(part: i64, all: u64) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}
