//! The columns of a sweep as rows: what each value of the limit recovers and costs.

use super::cells::{FAILED_RETRIES, cost, cost_header, cost_in_words, mean, signed, value};
use super::frame::Answer;
use crate::report::figures::percent;
use crate::report::layout::Layout;
use crate::report::table::{Table, columns, head};
use crate::report::variants::swept;
use replay::simulate::{SimulationReport, SweptCost, SweptUnit, SweptValue, knee};
use std::fmt::Write;

/// The limit that a sweep varies, and its value in each column after that of the policies as they are.
pub(in crate::report) struct Values<'v> {
    limit: &'v str,
    /// Each with the number of its column.
    values: Vec<(SweptValue, usize)>,
}

/// The values of the only sweep of a report; `None` if it has other variants.
pub(in crate::report) fn values(report: &SimulationReport) -> Option<Values<'_>> {
    let (limit, values) = swept(report.variants.as_deref()?)?;
    // The record and the policies as they are come first.
    Values::new(limit, values, 2)
}

impl<'v> Values<'v> {
    /// The values of a limit, of which `first` is the column of the first one; `None` if there is only one.
    pub(in crate::report) fn new(
        limit: &'v str,
        values: Vec<SweptValue>,
        first: usize,
    ) -> Option<Self> {
        let mut values: Vec<(SweptValue, usize)> = values.into_iter().zip(first..).collect();
        values.sort_by(|(one, _), (other, _)| one.compare(other));
        (values.len() > 1).then_some(Self { limit, values })
    }

    /// The limit with its first and last value: `globalMaxRetries 0 to 8`.
    pub(in crate::report) fn title(&self) -> String {
        let ends = self.values.first().zip(self.values.last());
        let ends = ends.map(|(first, last)| format!(" {} to {}", first.0, last.0));
        format!("`{}`{}", self.limit, ends.unwrap_or_default())
    }

    /// The limit, and its values in order, each with its column.
    pub(in crate::report) fn columns(&self) -> (&str, &[(SweptValue, usize)]) {
        (self.limit, &self.values)
    }

    /// The recovered jobs and the cost of each value, in order.
    pub(in crate::report) fn costs(&self, answer: &impl Answer) -> Vec<SweptCost> {
        self.values.iter().map(|own| swept_cost(answer, *own)).collect()
    }
}

/// The recovered jobs and the cost of a value of the limit, in its column.
pub(in crate::report) fn swept_cost(
    answer: &impl Answer,
    (limit, column): (SweptValue, usize),
) -> SweptCost {
    let recovered = value(answer, "jobsRecovered", column);
    SweptCost { value: limit, recovered, failed: value(answer, "failedRetryHours", column) }
}

/// The headline of a sweep: its knee. `None` if no value recovers a job.
pub(in crate::report) fn headline(answer: &impl Answer, values: &Values<'_>) -> Option<String> {
    let all = values.costs(answer);
    let SweptCost { value: largest, recovered, .. } = *all.last()?;
    if recovered == 0.0 {
        return Some(format!("No job recovers with {} {largest} or less.", values.limit));
    }
    if largest.unit != SweptUnit::Count {
        return Some(extremes(values.limit, &all));
    }
    let Some(knee) = knee(values.limit, &all) else {
        return Some(format!(
            "Each further retry up to {} {largest} recovers jobs: {} in all.",
            values.limit,
            mean(recovered)
        ));
    };
    let mut text = format!(
        "{} {} recovers {} % of the jobs that {largest} recovers",
        values.limit,
        knee.value,
        percent(knee.recovered_share),
    );
    if let Some(share) = knee.cost_share {
        let _ = write!(text, ", for {} % of its cost", percent(share));
    }
    match knee.next_price {
        Some(price) => {
            let price = cost_in_words(answer, price);
            let _ = write!(text, "; the next one costs {price} for each further job.");
        }
        None => text.push_str("; the next one recovers no further job."),
    }
    Some(text)
}

/// The values of a time or a factor with the most and the fewest recovered jobs; of several the smallest.
fn extremes(limit: &str, all: &[SweptCost]) -> String {
    // Of equal values `max_by` returns the last, from behind the smallest.
    let best = all.iter().rev().max_by(|one, other| one.recovered.total_cmp(&other.recovered));
    let least = all.iter().min_by(|one, other| one.recovered.total_cmp(&other.recovered));
    match best.zip(least) {
        Some((best, least)) if best.recovered > least.recovered => format!(
            "{limit} {} recovers the most jobs of {} values, {}; {} the fewest, {}.",
            best.value,
            all.len(),
            mean(best.recovered),
            least.value,
            mean(least.recovered)
        ),
        best => {
            let recovered = best.map_or(0.0, |(best, _)| best.recovered);
            format!("Every value of {limit} recovers the same number of jobs: {}.", mean(recovered))
        }
    }
}

/// A further column of the table: its header, and the cell of a column of the answer.
pub(in crate::report) type MoreCells<'m> = (&'static str, &'m dyn Fn(usize) -> String);

/// The header of the column of jobs that recover if all unresolved ones do.
const AT_MOST: &str = "AT MOST";

/// Writes the table of the values.
pub(in crate::report) fn write(
    out: &mut String,
    answer: &impl Answer,
    values: &Values<'_>,
    more: Option<MoreCells<'_>>,
    layout: &Layout,
) {
    table(answer, values, more).write(out, layout);
    if let Some(gloss) = gloss(answer, values) {
        let _ = writeln!(out, "{gloss}");
    }
}

/// The meaning of the column `AT MOST`, if a value leaves jobs unresolved.
pub(super) fn gloss(answer: &impl Answer, values: &Values<'_>) -> Option<&'static str> {
    let mut columns = values.values.iter().map(|(_, column)| *column);
    let has_unresolved = columns.any(|column| value(answer, "jobsUnresolved", column) > 0.0);
    has_unresolved.then_some("(AT MOST: with jobs whose next run is not on record)")
}

/// A row: the figures of a value, those of the value before it, and its column in the answer.
type Row = (SweptCost, Option<SweptCost>, usize);

/// The table of the values.
pub(in crate::report) fn table(
    answer: &impl Answer,
    values: &Values<'_>,
    more: Option<MoreCells<'_>>,
) -> Table {
    // Each with the value before it.
    let mut before = None;
    let rows = values.values.iter().map(|(limit, column)| {
        let own = swept_cost(answer, (*limit, *column));
        (own, before.replace(own), *column)
    });
    // Without unresolved jobs, as in a simulated cluster, the column repeats the one before it.
    let has_unresolved = answer.row("jobsUnresolved").is_some();
    let at_most = |(own, _, at): &Row| mean(own.recovered + value(answer, "jobsUnresolved", *at));
    // The further jobs, and the cost of each.
    let jobs = |(own, before, _): &Row| {
        let jobs = before.map(|before| own.recovered - before.recovered);
        jobs.map(|jobs| signed(jobs, mean(jobs))).unwrap_or_default()
    };
    let price = |(own, before, _): &Row| {
        let price = before.and_then(|before| before.price_of(own));
        price.map(|price| cost(answer, price)).unwrap_or_default()
    };
    let (title, cell) = more.unzip();
    let columns = columns![row in Row;
        "LIMIT" => row.0.value.to_string(),
        head("RETRIES").right() => mean(value(answer, "retries", row.2)),
        head("RECOVERED").right() => mean(value(answer, "jobsRecovered", row.2)),
        head(AT_MOST).right().only_if(has_unresolved) => at_most(row),
        head(cost_header(answer, FAILED_RETRIES)).right() => cost(answer, row.0.failed),
        head("MORE JOBS").right() => jobs(row),
        head("EACH FOR").right() => price(row),
        head(title.unwrap_or_default()).right().only_if(title.is_some()) =>
            cell.map(|cell| cell(row.2)).unwrap_or_default(),
    ];
    Table::new(rows, &columns)
}
