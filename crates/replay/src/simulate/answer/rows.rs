//! The figures of the answer: one row for each, with its value on record and under policies (docs/answer.md, The rows).

use super::policy::PolicyCounts;
use super::record::RecordCounts;
use super::unit::CostUnit;
use crate::simulate::outcome::Outcome;
use crate::simulate::report::{HoursReport, SummaryReport};

/// The facts that a column of policies is computed from.
#[derive(Debug, Clone, Copy)]
pub(super) struct PolicyFacts<'f> {
    pub(super) summary: &'f SummaryReport,
    pub(super) counts: &'f PolicyCounts,
}

/// The unit of a figure.
#[derive(Debug, Clone, Copy)]
pub(super) enum RowUnit {
    /// A count of jobs.
    Jobs,
    /// A count of retries.
    Retries,
    /// The unit of cost of the report.
    Cost,
}

/// A figure of the answer.
pub(super) struct Row {
    pub(super) id: &'static str,
    /// The label in tables; `{}` is the unit of cost.
    pub(super) label: &'static str,
    pub(super) unit: RowUnit,
    /// Its value on record; none if the record has no such figure.
    pub(super) of_record: fn(&RecordCounts, CostUnit) -> Option<f64>,
    /// Its value under policies.
    pub(super) of_policies: fn(&PolicyFacts<'_>, CostUnit) -> Option<f64>,
}

use RowUnit::{Cost, Jobs, Retries};

/// All figures, in the order of tables.
pub(super) const ROWS: [Row; 15] = [
    Row {
        id: "jobsSucceeded",
        label: "jobs succeeded",
        unit: Jobs,
        of_record: |record, _| recorded(record, Outcome::Succeeded),
        of_policies: |facts, _| replayed(facts, Outcome::Succeeded),
    },
    Row {
        id: "jobsFailed",
        label: "jobs failed",
        unit: Jobs,
        of_record: |record, _| recorded(record, Outcome::Failed),
        of_policies: |facts, _| replayed(facts, Outcome::Failed),
    },
    Row {
        id: "failedSucceededOnRecord",
        label: "  of these, succeeded on record",
        unit: Jobs,
        of_record: |_, _| None,
        of_policies: |facts, _| whole(facts.counts.failed_succeeded),
    },
    Row {
        id: "jobsCancelled",
        label: "jobs cancelled",
        unit: Jobs,
        of_record: |record, _| recorded(record, Outcome::Cancelled),
        of_policies: |facts, _| replayed(facts, Outcome::Cancelled),
    },
    Row {
        id: "jobsUnresolved",
        label: "jobs unresolved",
        unit: Jobs,
        of_record: |record, _| recorded(record, Outcome::Unresolved),
        of_policies: |facts, _| replayed(facts, Outcome::Unresolved),
    },
    Row {
        id: "jobsSucceededAtMost",
        label: "jobs succeeded at most",
        unit: Jobs,
        of_record: |record, _| {
            Some(recorded(record, Outcome::Succeeded)? + recorded(record, Outcome::Unresolved)?)
        },
        of_policies: |facts, _| {
            Some(replayed(facts, Outcome::Succeeded)? + replayed(facts, Outcome::Unresolved)?)
        },
    },
    Row {
        id: "jobsRecovered",
        label: "jobs recovered",
        unit: Jobs,
        of_record: |record, _| whole(record.recovered),
        of_policies: |facts, _| whole(facts.counts.recovered),
    },
    Row {
        id: "retries",
        label: "retries",
        unit: Retries,
        of_record: |record, _| whole(record.retries().runs()),
        of_policies: |facts, _| whole(retries(facts)),
    },
    Row {
        id: "retriesSucceeded",
        label: "retries that succeeded",
        unit: Retries,
        of_record: |record, _| whole(record.retries().succeeded.runs),
        of_policies: |facts, _| whole(facts.counts.retried().succeeded.runs),
    },
    Row {
        id: "failedRetryHours",
        label: "{} in failed retries",
        unit: Cost,
        of_record: |record, unit| Some(unit.of(&HoursReport::from(&record.retries().lost()))),
        of_policies: |facts, unit| Some(failed_cost(facts, unit)),
    },
    Row {
        id: "succeededRetryHours",
        label: "{} in succeeded retries",
        unit: Cost,
        of_record: |record, unit| Some(unit.of(&HoursReport::from(&record.retries().succeeded))),
        of_policies: |facts, unit| {
            Some(unit.of(&HoursReport::from(&facts.counts.retried().succeeded)))
        },
    },
    Row {
        id: "savedHours",
        label: "{} of failed retries saved",
        unit: Cost,
        of_record: |_, _| None,
        of_policies: |facts, unit| Some(unit.of(&HoursReport::from(&facts.counts.saved()))),
    },
    Row {
        id: "lostWorkHours",
        label: "{} of good work lost",
        unit: Cost,
        of_record: |_, _| None,
        of_policies: |facts, unit| Some(unit.of(&HoursReport::from(&facts.counts.lost_work()))),
    },
    Row {
        id: "price",
        label: "{} of failed retries for each recovered job",
        unit: Cost,
        of_record: |record, unit| {
            price(unit.of(&HoursReport::from(&record.retries().lost())), record.recovered)
        },
        of_policies: |facts, unit| price(failed_cost(facts, unit), facts.counts.recovered),
    },
    Row {
        id: "peakRetries",
        label: "most retries at once",
        unit: Retries,
        of_record: |record, _| {
            peak(record.storm.peak().map(|(retries, _)| retries), record.retries().runs())
        },
        of_policies: |facts, _| {
            peak(facts.summary.peak.as_ref().map(|peak| peak.retries), retries(facts))
        },
    },
];

/// Retries that policies grant: those decided, and members that run again with their unit.
fn retries(facts: &PolicyFacts<'_>) -> u64 {
    facts.summary.totals.retries + facts.counts.reruns
}

/// The cost of the retries of policies that did not succeed.
fn failed_cost(facts: &PolicyFacts<'_>, unit: CostUnit) -> f64 {
    unit.of(&HoursReport::from(&facts.counts.retried().lost()))
}

fn price(cost: f64, recovered: u64) -> Option<f64> {
    whole(recovered).filter(|recovered| *recovered > 0.0).map(|recovered| cost / recovered)
}

/// The most retries at once: 0 without retries, and none if no retry has a time.
fn peak(peak: Option<u64>, retries: u64) -> Option<f64> {
    let none = (retries == 0).then_some(0.0);
    peak.and_then(whole).or(none)
}

fn recorded(record: &RecordCounts, outcome: Outcome) -> Option<f64> {
    whole(record.outcomes.get(&outcome).copied().unwrap_or_default())
}

fn replayed(facts: &PolicyFacts<'_>, outcome: Outcome) -> Option<f64> {
    whole(facts.summary.outcomes.get(outcome.as_str()).copied().unwrap_or_default())
}

#[expect(clippy::cast_precision_loss, reason = "counts of jobs and runs are far below 2^53")]
#[expect(clippy::unnecessary_wraps, reason = "a row may have no value")]
fn whole(count: u64) -> Option<f64> {
    Some(count as f64)
}
