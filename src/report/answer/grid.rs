//! The columns of two sweeps as a grid: a row for each value of the first limit, a column for each of the second.

use super::cells::{cost, failed_cost, failed_cost_name, mean, several as several_jobs, value};
use super::frame::Answer;
use super::sweep::{swept_cost, values};
use crate::report::figures::{percent, several};
use crate::report::layout::{Layout, prose};
use crate::report::table::{Table, head, text_columns};
use replay::simulate::{KNEE_SHARE, SimulationReport, SweptCost, SweptValue};
use std::fmt::Write;

/// The pairs of values of two limits.
pub(in crate::report) struct Grid<'g> {
    /// The two limits.
    pub(in crate::report) limits: [&'g str; 2],
    /// The values of the first limit, in order.
    rows: Vec<SweptValue>,
    /// The values of the second limit, in order.
    columns: Vec<SweptValue>,
    /// The column of the answer of each pair, row by row.
    cells: Vec<Vec<usize>>,
}

/// The grid of a report; `None` if it has other variants.
pub(in crate::report) fn in_report(report: &SimulationReport) -> Option<Grid<'_>> {
    let variants = report.variants.as_deref()?;
    // The record comes first.
    Grid::from_names(variants.iter().map(|variant| variant.name.as_str()), 1)
}

/// Whether the sets of policies after the first are those of one sweep or of a grid.
pub(in crate::report) fn is_sweep(report: &SimulationReport) -> bool {
    values(report).is_some() || in_report(report).is_some()
}

/// The grid among the variants of a report.
pub(in crate::report) fn among_variants(report: &SimulationReport) -> Option<Grid<'_>> {
    let variants = report.variants.as_deref()?.iter().zip(1..);
    let pairs = variants
        .filter(|(variant, _)| variant.sweep.as_ref().is_some_and(|limit| limit.second.is_some()));
    Grid::new(pairs.map(|(variant, column)| (variant.name.as_str(), column)))
}

/// The limits and values in the name of a column: `maxRestarts=1,backoffLimit=2`.
fn pair_of(name: &str) -> Option<[(&str, SweptValue); 2]> {
    let (first, second) = name.split_once(',')?;
    let setting = |text: &'_ str| -> Option<(usize, SweptValue)> {
        let (path, value) = text.split_once('=')?;
        Some((path.len(), value.parse().ok()?))
    };
    let ((first_end, row), (second_end, column)) = (setting(first)?, setting(second)?);
    Some([(&first[..first_end], row), (&second[..second_end], column)])
}

/// The values without duplicates, in order.
fn distinct(values: impl Iterator<Item = SweptValue>) -> Vec<SweptValue> {
    let mut values: Vec<SweptValue> = values.collect();
    values.sort_by(SweptValue::compare);
    values.dedup();
    values
}

impl<'g> Grid<'g> {
    /// The grid of names of variants, of which the first has the policies as they are. `offset` is the column of the
    /// answer of that one. `None` if another variant is no pair.
    pub(in crate::report) fn from_names(
        names: impl Iterator<Item = &'g str>,
        offset: usize,
    ) -> Option<Self> {
        Self::new(names.zip(offset..).skip(1))
    }

    /// The grid of these variants, each with its column of the answer.
    fn new(variants: impl Iterator<Item = (&'g str, usize)>) -> Option<Self> {
        let pairs = variants.map(|(name, column)| Some((pair_of(name)?, column)));
        let pairs: Vec<([(&str, SweptValue); 2], usize)> = pairs.collect::<Option<_>>()?;
        let limits = pairs.first()?.0.map(|(limit, _)| limit);
        let [rows, columns] = [0, 1].map(|at| distinct(pairs.iter().map(|(pair, _)| pair[at].1)));
        let column = |row: &SweptValue, column: &SweptValue| {
            let wanted = [(limits[0], *row), (limits[1], *column)];
            pairs.iter().find(|(pair, _)| *pair == wanted).map(|(_, column)| *column)
        };
        let cells = rows.iter().map(|row| columns.iter().map(|it| column(row, it)).collect());
        let cells = cells.collect::<Option<Vec<Vec<usize>>>>()?;
        Some(Self { limits, rows, columns, cells })
    }

    /// The pairs of values, row by row.
    pub(in crate::report) fn pairs(&self) -> impl Iterator<Item = (SweptValue, SweptValue)> {
        self.rows.iter().flat_map(|row| self.columns.iter().map(|column| (*row, *column)))
    }

    /// The limits with their first and last values.
    pub(in crate::report) fn title(&self) -> String {
        let part = |limit: &str, values: &[SweptValue]| match values {
            [first, .., last] => format!("`{limit}` {first} to {last}"),
            values => format!("`{limit}` {}", values.first().copied().unwrap_or_default()),
        };
        format!("{} with {}", part(self.limits[0], &self.rows), part(self.limits[1], &self.columns))
    }

    /// The values of the second limit.
    pub(in crate::report) fn columns(&self) -> &[SweptValue] {
        &self.columns
    }

    /// The values of the first limit, each with the recovered jobs and the cost of its pairs.
    pub(in crate::report) fn rows(
        &self,
        answer: &impl Answer,
    ) -> Vec<(SweptValue, Vec<SweptCost>)> {
        let costs = |columns: &Vec<usize>| {
            let cells = self.columns.iter().zip(columns);
            cells.map(|(value, column)| swept_cost(answer, (*value, *column))).collect()
        };
        self.rows.iter().copied().zip(self.cells.iter().map(costs)).collect()
    }

    /// The pair of values to take: the cheapest one that recovers nearly as many jobs as the best one, with the figures
    /// of both. `None` if no pair recovers a job.
    pub(in crate::report) fn choice(&self, answer: &impl Answer) -> Option<Choice> {
        let rows = self.rows(answer);
        let all = || rows.iter().flat_map(|(row, costs)| costs.iter().map(move |it| (*row, *it)));
        let cheapest = |least: f64| {
            let pairs = all().filter(|(_, it)| it.recovered >= least);
            pairs.min_by(|(_, one), (_, other)| one.failed.total_cmp(&other.failed))
        };
        let most = all().map(|(_, it)| it.recovered).fold(0.0, f64::max);
        let ((row, chosen), (_, best)) = cheapest(KNEE_SHARE * most).zip(cheapest(most))?;
        (most > 0.0).then_some(Choice { row, chosen, best })
    }

    /// The headline: the pair of values to take.
    pub(in crate::report) fn headline(&self, answer: &impl Answer) -> String {
        let [first, second] = self.limits;
        let pairs = several(self.pairs().count() as u64, "pair");
        let Some(Choice { row, chosen, best }) = self.choice(answer) else {
            return format!(
                "No job recovers with any of {pairs} of values of {first} and {second}."
            );
        };
        let pair = format!("{first} {row} with {second} {}", chosen.value);
        let jobs = mean(best.recovered);
        if chosen.recovered < best.recovered {
            let mut text = format!(
                "{pair} recovers {} % of the {jobs} jobs that the best of {pairs} of values recovers",
                percent(chosen.recovered / best.recovered)
            );
            if best.failed > 0.0 {
                let _ =
                    write!(text, ", for {} % of its cost", percent(chosen.failed / best.failed));
            }
            return text + ".";
        }
        let cost = match chosen.failed {
            0.0 => "without a failed retry".to_owned(),
            failed => format!("for {}", failed_cost(answer, failed)),
        };
        format!("{pair} recovers the most jobs of {pairs} of values, {jobs}, {cost}.")
    }

    /// Writes the table: in each cell the recovered jobs and the cost of the retries that do not succeed. If it is too
    /// wide, it becomes a table of each.
    pub(in crate::report) fn write(&self, out: &mut String, answer: &impl Answer, layout: &Layout) {
        let [first, second] = self.limits;
        let cost_name = failed_cost_name(answer.unit());
        let both = self
            .table(answer, |it| format!("{} / {}", mean(it.recovered), cost(answer, it.failed)));
        let by = format!("a row for each {first}, a column for each {second}");
        if both.fits(layout) {
            let _ = writeln!(
                out,
                "\n{}",
                prose(&format!("Jobs recovered / {cost_name}; {by}:"), layout)
            );
            out.push_str(&both.render(layout));
        } else {
            let jobs = self.table(answer, |it| mean(it.recovered));
            let _ = writeln!(out, "\n{}", prose(&format!("Jobs recovered; {by}:"), layout));
            out.push_str(&jobs.render(layout));
            let costs = self.table(answer, |it| cost(answer, it.failed));
            let _ = writeln!(out, "\n{}", prose(&format!("The same for {cost_name}:"), layout));
            out.push_str(&costs.render(layout));
        }
        let unresolved = self.cells.iter().flatten().map(|it| value(answer, "jobsUnresolved", *it));
        let most = unresolved.fold(0.0, f64::max);
        if most > 0.0 {
            let text = format!(
                "(The next run of up to {} of a cell is not on record: more may recover.)",
                several_jobs(most, "job")
            );
            let _ = writeln!(out, "{}", prose(&text, layout));
        }
    }

    fn table(&self, answer: &impl Answer, cell: impl Fn(&SweptCost) -> String) -> Table {
        let texts = |(row, costs): &(SweptValue, Vec<SweptCost>)| {
            [row.to_string()].into_iter().chain(costs.iter().map(&cell)).collect()
        };
        let heads = self.columns.iter().map(|it| head(it.to_string()).right());
        let columns = text_columns([head("")].into_iter().chain(heads));
        Table::new(self.rows(answer).iter().map(texts), &columns)
    }
}

/// The pair of values to take.
pub(in crate::report) struct Choice {
    /// The value of the first limit.
    pub(in crate::report) row: SweptValue,
    /// The value of the second limit, and the figures of the pair.
    pub(in crate::report) chosen: SweptCost,
    /// The figures of the pair with the most recovered jobs.
    best: SweptCost,
}

impl Choice {
    /// The cost of the pair in words, and that of the best one if it is another.
    pub(in crate::report) fn figures(&self, answer: &impl Answer) -> String {
        let Self { chosen, best, .. } = self;
        let words = |it: &SweptCost| {
            let jobs = several_jobs(it.recovered, "job");
            format!("{jobs} for {}", failed_cost(answer, it.failed))
        };
        if chosen.recovered < best.recovered {
            format!("{}; at most {}.", words(chosen), words(best))
        } else {
            format!("{}.", words(chosen))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_has_a_row_and_a_column_for_each_value() {
        let names = ["given", "a=2,b.c=1m", "a=10,b.c=1m", "a=2,b.c=30s", "a=10,b.c=30s"];
        let grid = Grid::from_names(names.into_iter(), 1).unwrap();
        assert_eq!(grid.limits, ["a", "b.c"]);
        assert_eq!(grid.cells, [[4, 2], [5, 3]]);
        assert_eq!(grid.title(), "`a` 2 to 10 with `b.c` 30s to 1m");
        let pairs: Vec<String> =
            grid.pairs().map(|(row, column)| format!("{row} {column}")).collect();
        assert_eq!(pairs, ["2 30s", "2 1m", "10 30s", "10 1m"]);
        for others in [&["given"][..], &["given", "a=1"], &["given", "a=1,b=2", "lax"]] {
            assert!(Grid::from_names(others.iter().copied(), 0).is_none(), "{others:?}");
        }
        // A pair is missing.
        let names = ["given", "a=1,b=1", "a=2,b=2"];
        assert!(Grid::from_names(names.into_iter(), 0).is_none());
    }
}
