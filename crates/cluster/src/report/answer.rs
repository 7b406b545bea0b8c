//! The answer about a simulated cluster: the main figures of all variants, a column each (docs/answer.md).
//!
//! Each figure is computed for each run; means, intervals and differences are taken seed by seed.

use super::combine::Runs;
use super::fold::{Combine as _, DIFFERENCE, HALF_WIDTH, MEAN};
use super::{Figure, Figures, Group, RetryFigures, Waits};
use replay::simulate::{AnswerColumn, AnswerRow, CostUnit};
use schemars::JsonSchema;
use serde::Serialize;

/// The main figures of all variants.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterAnswer {
    /// The unit of cost: `GPU-hours` if a job of a variant had GPUs, else `core-hours`.
    #[schemars(with = "String")]
    pub unit: CostUnit,
    /// The columns of the table, one for each variant.
    pub columns: Vec<AnswerColumn>,
    /// The rows of the table. Differences are from the first variant.
    pub rows: Vec<ClusterRow>,
}

/// A row of the answer. With several seeds its values are means.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterRow {
    /// The name, the label, the unit (`jobs`, `runs`, `retries`, `seconds`, or that of cost), the values and the
    /// differences.
    #[serde(flatten)]
    pub row: AnswerRow,
    /// Half the width of the 95 % confidence interval of each value (Student); with several seeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Vec<Option<f64>>>,
    /// Half the width of the 95 % confidence interval of each difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference_intervals: Option<Vec<Option<f64>>>,
    /// The values of each column, seed by seed.
    pub by_seed: Vec<Vec<Option<f64>>>,
}

/// A mean, and half the width of its 95 % confidence interval if there are several seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half the width of the interval.
    pub half_width: Option<f64>,
}

/// A figure of the answer.
struct Row {
    id: &'static str,
    /// The label in tables; `{}` is the unit of cost.
    label: &'static str,
    unit: RowUnit,
    value: fn(&Figures, CostUnit) -> Option<Figure>,
}

/// The unit of a figure.
#[derive(Clone, Copy)]
enum RowUnit {
    Jobs,
    Runs,
    Retries,
    Cost,
    Seconds,
}

use RowUnit::{Cost, Jobs, Retries, Runs as StartedRuns, Seconds};

const fn row(
    id: &'static str,
    label: &'static str,
    unit: RowUnit,
    value: fn(&Figures, CostUnit) -> Option<Figure>,
) -> Row {
    Row { id, label, unit, value }
}

/// All figures, in the order of tables.
const ROWS: [Row; 18] = [
    row("jobsSucceeded", "jobs succeeded", Jobs, |it, _| Some(it.total.jobs.succeeded)),
    row("jobsFailed", "jobs failed", Jobs, |it, _| Some(it.total.jobs.failed)),
    row("jobsUnfinished", "jobs not finished", Jobs, |it, _| Some(it.total.jobs.unfinished)),
    row("jobsNeverSubmitted", "jobs never submitted", Jobs, |it, _| {
        Some(it.total.jobs.never_submitted)
    }),
    row("jobsUnschedulable", "jobs that fit on no node", Jobs, |it, _| {
        Some(it.total.jobs.unschedulable)
    }),
    row("jobsRecovered", "jobs recovered", Jobs, |it, _| Some(it.total.jobs.recovered)),
    row("runsPreempted", "runs preempted", StartedRuns, |it, _| Some(preempted(&it.total))),
    row("retries", "retries", Retries, |it, _| Some(sum(&it.total, |retry| retry.granted))),
    row("retriesSucceeded", "retries that succeeded", Retries, |it, _| {
        Some(sum(&it.total, |retry| retry.succeeded))
    }),
    row("usefulHours", "{} useful", Cost, |it, unit| Some(useful(&it.total, unit))),
    row("lostHours", "{} wasted", Cost, |it, unit| Some(lost(&it.total, unit))),
    row("failedRetryHours", "{} in failed retries", Cost, |it, unit| {
        Some(lost_in_retries(&it.total, unit))
    }),
    row("price", "{} of failed retries for each recovered job", Cost, |it, unit| {
        let recovered = it.total.jobs.recovered.0;
        let price = lost_in_retries(&it.total, unit).0 / recovered;
        (recovered > 0.0).then_some(Figure(price))
    }),
    row("makespan", "makespan", Seconds, |it, _| it.total.makespan),
    row("waitMean", "wait, mean", Seconds, |it, _| wait(&it.total, |wait| wait.mean)),
    row("waitMedian", "wait, median", Seconds, |it, _| wait(&it.total, |wait| wait.p50)),
    row("waitP95", "wait, p95", Seconds, |it, _| wait(&it.total, |wait| wait.p95)),
    row("waitMax", "wait, longest", Seconds, |it, _| wait(&it.total, |wait| wait.max)),
];

fn preempted(group: &Group) -> Figure {
    let by = &group.preemptions;
    Figure(by.fair_share.0 + by.urgency.0 + by.other.0)
}

fn sum(group: &Group, part: fn(&RetryFigures) -> Figure) -> Figure {
    Figure(group.retries.values().map(|retry| part(retry).0).sum())
}

fn lost_in_retries(group: &Group, unit: CostUnit) -> Figure {
    match unit {
        CostUnit::Gpu => sum(group, |retry| retry.lost.gpu),
        _ => sum(group, |retry| retry.lost.core),
    }
}

fn useful(group: &Group, unit: CostUnit) -> Figure {
    match unit {
        CostUnit::Gpu => group.hours.gpu.useful,
        _ => group.hours.core.useful,
    }
}

fn lost(group: &Group, unit: CostUnit) -> Figure {
    match unit {
        CostUnit::Gpu => group.hours.gpu.lost,
        _ => group.hours.core.lost,
    }
}

fn wait(group: &Group, part: fn(&Waits) -> Figure) -> Option<Figure> {
    group.wait.as_ref().map(part)
}

/// Returns the answer about the runs of all variants, before they are combined; `columns` are their names, labels,
/// engines and files.
pub fn cluster_answer(variants: &[Runs], columns: Vec<AnswerColumn>) -> ClusterAnswer {
    let results = || variants.iter().flat_map(|variant| &variant.results);
    let has_gpus = results().any(|(figures, _)| {
        let hours = &figures.total.hours.gpu;
        hours.useful.0 + hours.lost.0 + hours.overhead.0 + hours.unfinished.0 > 0.0
    });
    let unit = if has_gpus { CostUnit::Gpu } else { CostUnit::Core };
    ClusterAnswer {
        unit,
        columns,
        rows: ROWS.iter().map(|row| cluster_row(row, variants, unit)).collect(),
    }
}

fn cluster_row(row: &Row, variants: &[Runs], unit: CostUnit) -> ClusterRow {
    let values = |variant: &Runs| -> Vec<Option<f64>> {
        let values = variant.results.iter().map(|(figures, _)| (row.value)(figures, unit));
        values.map(|value| value.map(|figure| figure.0)).collect()
    };
    let by_seed: Vec<Vec<Option<f64>>> = variants.iter().map(values).collect();
    let (means, intervals): (Vec<_>, Vec<_>) =
        by_seed.iter().map(|values| mean_and_interval(values)).unzip();
    let first = by_seed.first().map_or(&[][..], Vec::as_slice);
    let differences = by_seed.iter().enumerate().map(|(column, values)| match column {
        // The first variant is the one that others are compared with.
        0 => (None, None),
        _ => mean_and_interval(&differences(values, first)),
    });
    let (differences, difference_intervals): (Vec<_>, Vec<_>) = differences.unzip();
    let has_intervals = first.len() > 1;
    ClusterRow {
        row: AnswerRow {
            id: row.id,
            label: row.label.replace("{}", unit.as_str()),
            unit: match row.unit {
                Jobs => "jobs",
                StartedRuns => "runs",
                Retries => "retries",
                Cost => unit.as_str(),
                Seconds => ClusterRow::SECONDS,
            },
            values: means,
            differences,
        },
        intervals: has_intervals.then_some(intervals),
        difference_intervals: has_intervals.then_some(difference_intervals),
        by_seed,
    }
}

/// The mean of the values that there are, and half the width of its interval if there are several.
fn mean_and_interval(values: &[Option<f64>]) -> (Option<f64>, Option<f64>) {
    let figures: Vec<Option<Figure>> = values.iter().map(|value| value.map(Figure)).collect();
    let figures: Vec<&Option<Figure>> = figures.iter().collect();
    let [mean, half] = [MEAN, HALF_WIDTH].map(|fold| Option::combine(&figures, &fold));
    (mean.map(|figure| figure.0), half.map(|figure| figure.0))
}

/// The differences seed by seed, where both have a value.
fn differences(values: &[Option<f64>], base: &[Option<f64>]) -> Vec<Option<f64>> {
    let pairs = values.iter().zip(base);
    let difference = |(value, base): (&Option<f64>, &Option<f64>)| {
        let [value, base] = [value, base].map(|it| it.map(Figure));
        Option::combine(&[&value, &base], &DIFFERENCE).map(|figure: Figure| figure.0)
    };
    pairs.map(difference).collect()
}

impl ClusterRow {
    /// The unit of times.
    pub const SECONDS: &'static str = "seconds";

    /// The difference of a column from another; `None` if one of them has no such figure.
    pub fn against(&self, column: usize, base: usize) -> Option<Estimate> {
        let values = differences(self.by_seed.get(column)?, self.by_seed.get(base)?);
        let (mean, half_width) = mean_and_interval(&values);
        mean.map(|mean| Estimate { mean, half_width })
    }
}

impl ClusterAnswer {
    /// The row of a name.
    pub fn row(&self, id: &str) -> Option<&ClusterRow> {
        self.rows.iter().find(|row| row.row.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{EndName, EndReport, SeriesReport};

    fn runs(name: &str, succeeded: &[f64]) -> Runs {
        let figures = |succeeded: &f64| {
            let mut figures = Figures::default();
            figures.total.jobs.succeeded = Figure(*succeeded);
            let (reason, open, findings) = (EndName::Done, Vec::new(), Vec::new());
            let (time, series) = (Figure(1.0), SeriesReport::default());
            (figures, EndReport { seed: 1, reason, time, open, findings, series })
        };
        let results = succeeded.iter().map(figures).collect();
        Runs { name: name.to_owned(), engine: None, results }
    }

    #[test]
    fn differences_are_taken_seed_by_seed() {
        let all = [runs("a", &[1.0, 2.0, 6.0]), runs("b", &[2.0, 4.0, 9.0]), runs("c", &[3.0; 3])];
        let answer = cluster_answer(&all, Vec::new());
        let row = answer.row("jobsSucceeded").expect("the row");
        assert_eq!(row.row.values, [Some(3.0), Some(5.0), Some(3.0)]);
        assert_eq!(row.row.differences, [None, Some(2.0), Some(0.0)]);
        assert_eq!(row.by_seed[1], [Some(2.0), Some(4.0), Some(9.0)]);
        // The differences are 1, 2 and 3: 4.3027 / sqrt(3).
        let half = row.difference_intervals.as_ref().and_then(|it| it[1]);
        assert!(half.is_some_and(|half| (half - 2.4842).abs() < 1e-4), "{half:?}");
        let against = row.against(1, 2).expect("an estimate");
        assert_eq!((against.mean, against.half_width.is_some()), (2.0, true));
        // A figure that no run has is null, and a price without recovered jobs too.
        let [wait, price] = ["waitMean", "price"].map(|id| answer.row(id).map(|it| &it.row.values));
        assert_eq!([wait, price], [Some(&vec![None; 3]); 2]);
    }

    #[test]
    fn one_seed_has_no_intervals() {
        let answer = cluster_answer(&[runs("a", &[1.0]), runs("b", &[4.0])], Vec::new());
        let row = answer.row("jobsSucceeded").expect("the row");
        assert_eq!((&row.intervals, &row.difference_intervals), (&None, &None));
        assert_eq!(row.row.differences, [None, Some(3.0)]);
        assert_eq!(answer.unit, CostUnit::Core);
    }
}
