//! How long jobs wait, by queue: from the 10th to the 90th percentile, with the median, the 95th and the longest.

use super::axes::edge_anchor;
use crate::report::page::chart::{Anchor, Chart, Filling, Stroke, Text, TextRank, Tone};
use crate::report::page::numbers::{duration, position};
use crate::report::page::scale::{Scale, time_ticks};

/// The waits of a queue under a set of policies, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report::page) struct WaitRow {
    /// The set of policies.
    pub(in crate::report::page) name: String,
    /// Its colour.
    pub(in crate::report::page) tone: Tone,
    /// The 10th, 50th, 90th and 95th percentile, and the longest.
    pub(in crate::report::page) percentiles: [f64; 5],
}

const ROW: f64 = 19.0;
const TITLE: f64 = 22.0;
const BAR: f64 = 9.0;
const BOTTOM: f64 = 26.0;
/// The share of the width that has the names.
const LEFT: f64 = 0.24;

/// The picture of queues, each with its rows; none if no job waits.
pub(in crate::report::page) fn chart(queues: &[(String, Vec<WaitRow>)]) -> Option<Chart> {
    let rows = || queues.iter().flat_map(|(_, rows)| rows);
    let most = rows().map(|row| row.percentiles[4]).reduce(f64::max).filter(|most| *most > 0.0)?;
    let number = rows().count();
    let height = position(number) * ROW + position(queues.len()) * TITLE + BOTTOM;
    let mut chart = Chart::new("waits", "How long do jobs wait?", height);
    let x = Scale::new((0.0, most), (LEFT, 0.99));
    let bottom = height - BOTTOM;
    for value in time_ticks((0.0, most), 4.0) {
        let at = x.at(value);
        chart.line((at, 4.0), (at, bottom), Stroke::Thin(Tone::Grid));
        let text = Text::new((at, bottom + 16.0), edge_anchor(at), duration(value), TextRank::Tick);
        chart.text(text);
    }
    let (mut y, mut words) = (0.0, Vec::new());
    for (queue, rows) in queues {
        let at = (0.0, y + 14.0);
        let title: String = queue.chars().take(40).collect();
        chart.text(Text::new(at, Anchor::Start, title, TextRank::Name));
        y += TITLE;
        for row in rows {
            let [low, median, high, p95, longest] = row.percentiles;
            let middle = y + BAR / 2.0;
            let text: String = row.name.chars().take(14).collect();
            chart.text(Text::new((0.0, y + 9.0), Anchor::Start, text, TextRank::Tick));
            let line = Stroke::Interval(row.tone);
            chart.line((x.at(high), middle), (x.at(longest), middle), line);
            let tip = format!(
                "{queue}, {}: median {}, 95 % within {}, the longest {}",
                row.name,
                duration(median),
                duration(p95),
                duration(longest)
            );
            let right = x.at(high).max(x.at(low) + 0.003);
            let filling = Filling::Solid(row.tone);
            chart.bar((x.at(low), right), (y, BAR), filling, tip.clone());
            chart.line((x.at(p95), y - 2.0), (x.at(p95), y + BAR + 2.0), line);
            chart.dot((x.at(median), middle), 2.5, Tone::Grid, String::new());
            words.push(tip);
            y += ROW;
        }
    }
    words.truncate(12);
    chart.description = words.join("; ");
    Some(chart)
}
