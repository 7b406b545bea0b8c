//! The runs of a job: a row for each run on record, with the decision about it.

use super::load::times;
use crate::report::page::chart::{
    Anchor, Chart, Filling, KeyEntry, RowLabel, Stroke, Text, TextRank, Tone,
};
use crate::report::page::numbers::{duration, position};
use crate::report::page::scale::{Scale, time_ticks};

/// A run on record.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report::page) struct RunRow {
    /// Its index.
    pub(in crate::report::page) number: String,
    /// The node that it ran on.
    pub(in crate::report::page) node: String,
    /// Its start and end in seconds; none if one is not on record.
    pub(in crate::report::page) span: Option<(f64, f64)>,
    /// Its look.
    pub(in crate::report::page) filling: Filling,
    /// When the next run may start, in seconds, if it waits.
    pub(in crate::report::page) waits_until: Option<f64>,
    pub(in crate::report::page) failure: String,
    /// The decision about it.
    pub(in crate::report::page) decision: String,
}

/// The looks of runs, with their meaning.
pub(in crate::report::page) const LOOKS: [(Filling, &str); 5] = [
    (Filling::Solid(Tone::Good), "succeeded"),
    (Filling::Solid(Tone::Bad), "failed"),
    (Filling::Solid(Tone::Interrupted), "ended by the cluster"),
    (Filling::Solid(Tone::Unknown), "cancelled, stopped or open"),
    (Filling::Dashed, "on record, not reached"),
];

/// The pixels of a row, and the height of a bar.
const ROW: f64 = 30.0;
const BAR: f64 = 13.0;
/// Pixels above the first row: the times.
const TOP: f64 = 22.0;
/// The most rows: of more the first and the last ones.
pub(in crate::report::page) const MOST: usize = 40;
const FIRST: usize = 20;
const LAST: usize = 10;

/// The picture; none without runs.
pub(in crate::report::page) fn chart(title: &str, all: &[RunRow]) -> Option<Chart> {
    let (rows, left_out) = visible_rows(all);
    let has_times = all.iter().any(|row| row.span.is_some());
    let span = if has_times { times_of(all)? } else { (0.0, position(all.len())) };
    if rows.is_empty() {
        return None;
    }
    let lines = rows.len() + usize::from(left_out > 0);
    let mut chart = Chart::new("runs", title, position(lines) * ROW + TOP + 12.0);
    chart.width = 860.0;
    let x = Scale::new(span, (0.0, 0.99));
    if has_times {
        for value in time_ticks(span, 5.0) {
            let (from, to) = ((x.at(value), 16.0), (x.at(value), chart.height - 12.0));
            chart.line(from, to, Stroke::Thin(Tone::Grid));
        }
        times(&mut chart, span, x, 10.0);
    }
    let mut words = Vec::new();
    let mut line = 0;
    for (at, (number, row)) in rows.iter().enumerate() {
        if left_out > 0 && at == FIRST {
            let y = TOP + position(line) * ROW + 11.0;
            let text = format!("{left_out} more runs");
            chart.text(Text::new((0.0, y), Anchor::Start, text, TextRank::Tick));
            line += 1;
        }
        let y = TOP + position(line) * ROW;
        line += 1;
        let (name, text) = (row.number.clone(), row.node.clone());
        chart.rows.push(RowLabel { y: y + 11.0, name, text });
        let span =
            if has_times { row.span } else { Some((position(*number), position(*number) + 0.9)) };
        words.push(draw(&mut chart, row, span, (x, y)));
    }
    let is_used = |(filling, _): &&(Filling, &str)| all.iter().any(|row| row.filling == *filling);
    let used = LOOKS.iter().filter(is_used);
    chart.key = used
        .map(|(filling, text)| KeyEntry { filling: *filling, text: (*text).to_owned() })
        .collect();
    if all.iter().any(|row| row.waits_until.is_some()) {
        let text = "waits before the next run".to_owned();
        chart.key.push(KeyEntry { filling: Filling::Hatched(Tone::Axis), text });
    }
    chart.description = words.join("; ");
    Some(chart)
}

/// The rows that are shown, each with its position, and the number of the others.
fn visible_rows(all: &[RunRow]) -> (Vec<(usize, &RunRow)>, usize) {
    let is_shown = |at: usize| all.len() <= MOST || at < FIRST || at + LAST >= all.len();
    let rows: Vec<(usize, &RunRow)> =
        all.iter().enumerate().filter(|(at, _)| is_shown(*at)).collect();
    let left_out = all.len() - rows.len();
    (rows, left_out)
}

/// The first start and the last end or wait.
fn times_of(all: &[RunRow]) -> Option<(f64, f64)> {
    let spans = all.iter().filter_map(|row| row.span);
    let from = spans.clone().map(|(from, _)| from).reduce(f64::min)?;
    let waits = all.iter().filter_map(|row| row.waits_until);
    let to = spans.map(|(_, to)| to).chain(waits).reduce(f64::max)?;
    // Runs of no length still have a place.
    Some((from, to.max(from + 1.0)))
}

/// Draws a row; returns it in words.
fn draw(chart: &mut Chart, row: &RunRow, span: Option<(f64, f64)>, (x, y): (Scale, f64)) -> String {
    let words = format!("run {}{}: {}", row.number, on_node(row), row.failure);
    let words = if row.decision.is_empty() { words } else { format!("{words}; {}", row.decision) };
    let Some((from, to)) = span else {
        let text = format!("{} (no times)", row.failure);
        let mut text = Text::new((0.0, y + 11.0), Anchor::Start, text, TextRank::Label);
        text.more.clone_from(&row.decision);
        chart.text(text);
        return words;
    };
    let (left, right) = (x.at(from), x.at(to).max(x.at(from) + 0.003));
    chart.bar((left, right), (y, BAR), row.filling, words.clone());
    let mut end = right;
    if let Some(until) = row.waits_until.filter(|until| *until > to) {
        end = x.at(until).max(right + 0.002);
        let tip = format!("waits {}", duration(until - to));
        chart.bar((right, end), (y, BAR), Filling::Hatched(Tone::Axis), tip);
    }
    // A label stands where there is more room.
    let is_right = end < 0.62 || 1.0 - end > left;
    let (at, anchor, shift) =
        if is_right { (end, Anchor::Start, 6.0) } else { (left, Anchor::End, -6.0) };
    // A run of nearly the whole time has its label at the right edge, over its bar.
    let (at, anchor) = if left < 0.2 && end > 0.8 { (1.0, Anchor::End) } else { (at, anchor) };
    let text = Text::new((at, y + 11.0), anchor, row.failure.clone(), TextRank::Label);
    let mut text = text.shifted(shift);
    text.more.clone_from(&row.decision);
    chart.text(text);
    words
}

fn on_node(row: &RunRow) -> String {
    if row.node.is_empty() { String::new() } else { format!(" on {}", row.node) }
}
