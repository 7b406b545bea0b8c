//! Whether a further retry helps: the share that succeeds, by the number of the retry in its job.

use super::axes::{self, Axis};
use crate::report::figures::{count, percent};
use crate::report::page::chart::{Anchor, Chart, Stroke, Text, TextRank, Tone};
use crate::report::page::numbers::position;
use crate::report::page::scale::{Scale, ticks};
use replay::simulate::RateReport;

/// The retries of one number.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report::page) struct Numbered {
    /// The number: `1`, `21+`.
    pub(in crate::report::page) number: String,
    /// The number of retries.
    pub(in crate::report::page) retries: u64,
    /// Those on record.
    pub(in crate::report::page) recorded: u64,
    /// The share of these that succeeded.
    pub(in crate::report::page) rate: Option<RateReport>,
}

/// The most numbers in the picture; the table has all.
const MOST: usize = 9;
const HEIGHT: f64 = 220.0;
const BOTTOM: f64 = 44.0;
const TOP: f64 = 24.0;

/// The picture; none if no retry is on record.
pub(in crate::report::page) fn chart(rows: &[Numbered], of_all: Option<f64>) -> Option<Chart> {
    let rows = &rows[..rows.len().min(MOST)];
    let high = rows.iter().filter_map(|row| Some(row.rate?.high)).reduce(f64::max)?;
    let mut chart = Chart::new("retries", "Does a further retry still help?", HEIGHT);
    let mut values = ticks(high, 3.0);
    let most = values.last().copied().unwrap_or(1.0).min(1.0).max(high);
    values.retain(|value| *value <= most);
    let bottom = HEIGHT - BOTTOM;
    let y = Scale::new((0.0, most), (bottom, TOP));
    let x = Scale::new((0.0, position(rows.len())), (0.12, 1.0));
    axes::rows(
        &mut chart,
        &Axis { unit: String::new(), ticks: values, format: whole_percent, most },
        y,
    );
    if let Some(share) = of_all {
        chart.line((0.1, y.at(share)), (1.0, y.at(share)), Stroke::Reference);
    }
    let mut words = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let middle = x.at(position(at) + 0.5);
        let below = |down: f64, text: String, rank: TextRank| {
            Text::new((middle, bottom + down), Anchor::Middle, text, rank)
        };
        let is_even = at % 2 == 0 || rows.len() <= 5;
        chart.text(below(16.0, row.number.clone(), TextRank::Label));
        let rank = if is_even { TextRank::Tick } else { TextRank::Optional };
        chart.text(below(31.0, count(row.retries), rank));
        let Some(rate) = row.rate else {
            chart.text(below(-6.0, "–".to_owned(), TextRank::Tick));
            continue;
        };
        let tip = format!(
            "retry {}: {} % of {} on record succeeded, 95 % interval {}-{} %",
            row.number,
            percent(rate.share),
            count(row.recorded),
            percent(rate.low),
            percent(rate.high),
        );
        let (low, high) = ((middle, y.at(rate.low)), (middle, y.at(rate.high)));
        chart.line(low, high, Stroke::Interval(Tone::Good));
        chart.dot((middle, y.at(rate.share)), 4.0, Tone::Good, tip.clone());
        let at = (middle, y.at(rate.high) - 7.0);
        chart.text(Text::new(at, Anchor::Middle, whole_percent(rate.share), TextRank::Name));
        words.push(tip);
    }
    chart.description = words.join("; ");
    Some(chart)
}

fn whole_percent(share: f64) -> String {
    format!("{} %", (share * 100.0).round())
}
