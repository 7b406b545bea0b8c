//! The queues on a screen: a table of one variant, or the waits under several.

use super::details::{group_columns, queue_row};
use super::figures::{duration, plus_minus};
use super::table::{BASE, labels};
use crate::report::answer::cells::signed;
use crate::report::answer::frame::{Frame, FrameCell, FrameRow, write_fitting};
use crate::report::figures::several;
use crate::report::layout::Layout;
use crate::report::table::Table;
use cluster::report::{ClusterReport, ClusterVariant, Figure, Figures, Group};
use document::diag::printable;
use std::fmt::Write;

/// The most queues on a screen.
const MOST: usize = 8;

/// The fewest queues that are worth a table.
const FEWEST: usize = 2;

/// The lines of the table beside those of queues: an empty one and the headers.
const OTHER_LINES: usize = 2;

/// The title of the table of waits.
const WAITS: &str = "wait, p95, in queue";

/// Writes a table of the queues that wait the longest, with at most `room` lines. A single queue has the figures of all
/// jobs, and no table.
pub(super) fn on_screen(out: &mut String, report: &ClusterReport, room: usize, layout: &Layout) {
    let all = report.variants.first().map_or(0, |first| first.figures.queues.len());
    if all < FEWEST {
        return;
    }
    let rows = room.saturating_sub(OTHER_LINES);
    // The line with the number of others takes the place of a queue.
    let most = if all <= rows.min(MOST) { all } else { rows.saturating_sub(1).min(MOST) };
    if most < FEWEST {
        let _ = writeln!(out, "\n({}: --show queues)", several(all as u64, "queue"));
        return;
    }
    let names = longest_waits(&report.variants, most);
    match report.variants.as_slice() {
        [only] => {
            let rows = names.iter().filter_map(|name| queue_row(only, name));
            let columns = group_columns("QUEUE", &only.figures.total, false);
            Table::new(rows, &columns).write(out, layout);
        }
        several => waits(out, report, several, &names, layout),
    }
    if most < all {
        let more = several((all - most) as u64, "more queue");
        let _ = writeln!(out, "(and {more}: --show queues)");
    }
}

/// The names of the queues with the longest 95th percentile of waits under any variant, in their order.
fn longest_waits(variants: &[ClusterVariant], most: usize) -> Vec<&str> {
    let wait = |name: &str| {
        let groups = variants.iter().filter_map(|variant| variant.figures.queues.get(name));
        groups.filter_map(p95).map(|wait| wait.0).fold(0.0, f64::max)
    };
    let queues = variants.iter().take(1).flat_map(|first| first.figures.queues.keys());
    let mut waits: Vec<(f64, &str)> = queues.map(|name| (wait(name), name.as_str())).collect();
    waits.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    let mut names: Vec<&str> = waits.into_iter().take(most).map(|(_, name)| name).collect();
    names.sort_unstable();
    names
}

fn p95(group: &Group) -> Option<Figure> {
    group.wait.map(|wait| wait.p95)
}

/// Writes the 95th percentile of the waits in each queue, a column for each variant.
fn waits(
    out: &mut String,
    report: &ClusterReport,
    variants: &[ClusterVariant],
    names: &[&str],
    layout: &Layout,
) {
    let tables = [(true, true), (true, false), (false, false)];
    let tables = tables.map(|detail| waits_table(report, variants, names, detail));
    // The columns of a turned table have no title.
    if !tables.iter().any(|table| table.fits(layout)) {
        let _ = writeln!(out, "\n{WAITS}:");
    }
    write_fitting(out, tables.into(), layout);
}

fn waits_table(
    report: &ClusterReport,
    variants: &[ClusterVariant],
    names: &[&str],
    (has_intervals, has_differences): (bool, bool),
) -> Table {
    let row = |name: &&str| FrameRow {
        label: printable(name).into_owned(),
        cells: variants.iter().map(|it| cell(it, name, has_intervals)).collect(),
    };
    let rows = names.iter().map(row).collect();
    let frame = Frame { headers: labels(&report.answer), base: BASE, rows };
    frame.table(WAITS.to_owned(), has_differences)
}

fn cell(variant: &ClusterVariant, queue: &str, has_intervals: bool) -> FrameCell {
    let of = |figures: Option<&Figures>| figures?.queues.get(queue).and_then(p95);
    let half = |figures: &Option<Figures>| {
        plus_minus(of(figures.as_ref()).filter(|_| has_intervals), duration)
    };
    let value = of(Some(&variant.figures)).map(duration).unwrap_or_default();
    let difference = of(variant.differences.as_ref());
    let difference = difference.map(|it| signed(it.0, duration(it))).unwrap_or_default();
    FrameCell {
        value: value + &half(&variant.intervals),
        difference: difference + &half(&variant.difference_intervals),
        is_better: None,
    }
}
