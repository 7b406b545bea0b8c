//! When jobs fail: a bar for each day, or for each week of a long history.

use super::axes::{Axis, rows};
use crate::report::figures::count;
use crate::report::page::chart::{Anchor, Chart, Filling, KeyEntry, Mark, Text, TextRank, Tone};
use crate::report::page::numbers::{float, position};
use crate::report::page::scale::{Scale, whole_ticks};
use jiff::civil::{Date, Weekday};
use std::collections::BTreeMap;

/// The counts of a day in UTC: those of its lower and its upper part.
pub(in crate::report::page) type DayCounts = (String, [u64; 2]);

/// The most bars of a day, and the most bars of all.
const DAYS: i32 = 120;
const BINS: i32 = 240;
const HEIGHT: f64 = 220.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 28.0;

/// The picture of days, and the unit of its y axis; none for fewer than two days.
pub(in crate::report::page) fn chart(
    title: &str,
    days: &[DayCounts],
    parts: [(Tone, &str); 2],
    unit: &str,
) -> Option<Chart> {
    let bins = bins(days)?;
    let mut chart = Chart::new("days", title, HEIGHT);
    let most = bins.iter().map(|bin| bin.counts.iter().sum::<u64>()).max().map(float)?;
    let days_of_bin = bins.first()?.days;
    let step = match days_of_bin {
        1 => "a day".to_owned(),
        7 => "a week".to_owned(),
        days => format!("in {days} days"),
    };
    let y = Axis::numbers(format!("{unit} {step}"), whole_ticks(most, 3.0), most);
    let bottom = HEIGHT - BOTTOM;
    let y_scale = Scale::new((0.0, y.most), (bottom, TOP));
    rows(&mut chart, &y, y_scale);
    let x = Scale::new((0.0, position(bins.len())), (0.0, 1.0));
    let labelled = labelled(&bins, days_of_bin);
    for (at, bin) in bins.iter().enumerate() {
        let (left, right) = (x.at(position(at) + 0.08), x.at(position(at) + 0.92));
        let mut below = 0;
        for (number, (tone, name)) in parts.iter().enumerate() {
            let tip = format!("{}: {} {name}", bin.first, count(bin.counts[number]));
            let (from, to) = (float(below), float(below + bin.counts[number]));
            let (top, height) = (y_scale.at(to), y_scale.at(from) - y_scale.at(to));
            chart.bar((left, right), (top, height), Filling::Solid(*tone), tip);
            below += bin.counts[number];
        }
        if labelled.contains(&at) {
            let form = if days_of_bin > 7 { "%b %Y" } else { "%-d %b" };
            let text = bin.first.strftime(form).to_string();
            let rank = TextRank::Tick;
            chart.text(Text::new((left, bottom + 16.0), Anchor::Start, text, rank));
        }
    }
    drop_touching_the_edge(&mut chart, bottom + 16.0);
    chart.key = parts.map(|(tone, name)| KeyEntry::solid(tone, name)).into();
    chart.description = description(&bins, parts);
    Some(chart)
}

/// Some days in a row.
struct Bin {
    first: Date,
    days: i32,
    counts: [u64; 2],
}

impl Bin {
    /// Whether its day is written: Mondays, the first week of a month, or of longer bins the first of a year.
    fn is_labelled(&self, days: i32) -> bool {
        match days {
            1 => self.first.weekday() == Weekday::Monday,
            7 => self.first.day() <= 7,
            _ => i32::from(self.first.day_of_year()) <= days,
        }
    }
}

/// A bin for each day from the first to the last one, also for those without failures; or for each week.
fn bins(days: &[DayCounts]) -> Option<Vec<Bin>> {
    let read = |day: &str| day.parse::<Date>().ok();
    let counts: BTreeMap<Date, [u64; 2]> =
        days.iter().filter_map(|(day, counts)| Some((read(day)?, *counts))).collect();
    let (first, last) = (*counts.first_key_value()?.0, *counts.last_key_value()?.0);
    let length = (last - first).get_days() + 1;
    if length < 2 {
        return None;
    }
    let days = match length {
        ..=DAYS => 1,
        _ if length <= BINS * 7 => 7,
        _ => length / BINS + 1,
    };
    let starts = first.series(jiff::Span::new().days(days)).take_while(|day| *day <= last);
    let mut bins: Vec<Bin> = starts.map(|first| Bin { first, days, counts: [0; 2] }).collect();
    for (day, own) in counts {
        let at = usize::try_from((day - first).get_days() / days).unwrap_or_default();
        let Some(bin) = bins.get_mut(at) else { continue };
        bin.counts = [bin.counts[0] + own[0], bin.counts[1] + own[1]];
    }
    Some(bins)
}

/// The bins with a date: at most six, so that they do not touch in a narrow picture.
fn labelled(bins: &[Bin], days: i32) -> Vec<usize> {
    const MOST: usize = 6;
    let all = || bins.iter().enumerate().filter(|(_, bin)| bin.is_labelled(days)).map(|(at, _)| at);
    let each = all().count().div_ceil(MOST).max(1);
    let some: Vec<usize> = all().step_by(each).collect();
    // A short history may have no Monday.
    if some.is_empty() { vec![0] } else { some }
}

/// Removes labels that would end outside of the picture.
fn drop_touching_the_edge(chart: &mut Chart, y: f64) {
    chart.marks.retain(|mark| match mark {
        // The labels were given this very `y`: equal bits, so no tolerance is needed.
        Mark::Text(text) => text.at.1.to_bits() != y.to_bits() || text.at.0 < 0.93,
        _ => true,
    });
}

/// The bins in words: all of them if they are few, else the first, the last and the largest.
fn description(bins: &[Bin], parts: [(Tone, &str); 2]) -> String {
    const FEW: usize = 12;
    let words = |bin: &Bin| {
        let [lower, upper] = bin.counts;
        format!("{}: {} {}, {} {}", bin.first, count(lower), parts[0].1, count(upper), parts[1].1)
    };
    if bins.len() <= FEW {
        return bins.iter().map(words).collect::<Vec<_>>().join("; ");
    }
    let largest = bins.iter().max_by_key(|bin| bin.counts.iter().sum::<u64>());
    let named = [("first", bins.first()), ("last", bins.last()), ("most", largest)];
    let named =
        named.into_iter().filter_map(|(name, bin)| Some(format!("{name}, {}", words(bin?))));
    named.collect::<Vec<_>>().join("; ")
}
