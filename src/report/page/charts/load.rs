//! The retries that wait or run at once, over the time of a history.

use super::axes::{Axis, edge_anchor, rows, steps};
use crate::report::figures::count;
use crate::report::page::chart::{Anchor, Chart, KeyEntry, Mark, Text, TextRank, Tone};
use crate::report::page::labels::Labels;
use crate::report::page::numbers::{float, position};
use crate::report::page::scale::{Scale, time_ticks, whole_ticks};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use replay::simulate::LoadReport;

/// A set of policies, or the record.
pub(in crate::report::page) struct Series<'s> {
    pub(in crate::report::page) name: String,
    /// Its colour.
    pub(in crate::report::page) tone: Tone,
    /// Its retries.
    pub(in crate::report::page) load: &'s LoadReport,
}

const HEIGHT: f64 = 220.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 28.0;
const MINUTE: f64 = 60.0;

/// The picture: for each bin the most retries in one minute. None without bins.
pub(in crate::report::page) fn chart(series: &[Series<'_>]) -> Option<Chart> {
    let spans: Vec<(f64, f64)> = series.iter().filter_map(|it| span(it.load)).collect();
    let from = spans.iter().map(|(from, _)| *from).reduce(f64::min)?;
    let to = spans.iter().map(|(_, to)| *to).reduce(f64::max)?;
    let most = series.iter().flat_map(|it| &it.load.most).max().filter(|most| **most > 0)?;
    let most = float(*most);
    let mut chart = Chart::new("load", "How many retries wait or run at once?", HEIGHT);
    let axis = Axis::numbers("retries", whole_ticks(most, 3.0), most);
    let y = Scale::new((0.0, axis.most), (HEIGHT - BOTTOM, TOP));
    rows(&mut chart, &axis, y);
    let x = Scale::new((from, to), (0.0, 1.0));
    times(&mut chart, (from, to), x, HEIGHT - BOTTOM + 16.0);
    let (mut labels, mut words) = (Labels::of(&chart), Vec::new());
    for Series { name, tone, load } in series {
        let Some((start, _)) = span(load) else { continue };
        let bin = float(load.bin_minutes) * MINUTE;
        let values: Vec<f64> = load.most.iter().map(|most| float(*most)).collect();
        let at = |number: usize| x.at(start + position(number) * bin);
        let points = steps(&values, at, y);
        chart.marks.push(Mark::Path { points, tone: *tone, tip: name.clone() });
        let peak =
            // `max_by_key` returns the last of equal peaks, and the label is at the first.
            (0..).zip(&load.most).max_by_key(|(number, most)| (**most, usize::MAX - *number));
        let Some((number, most)) = peak else { continue };
        let text = format!("{name}: {}", count(*most));
        let place = |anchor: Anchor, down: f64| {
            let at = (at(number), y.at(float(*most)) + down);
            let text = Text::new(at, anchor, text.clone(), TextRank::Name).in_tone(*tone);
            vec![text.shifted(if anchor == Anchor::Start { 4.0 } else { -4.0 })]
        };
        let downs = [-6.0, 12.0, 26.0, 40.0];
        let places = downs.map(|down| [place(Anchor::Start, down), place(Anchor::End, down)]);
        labels.add(&mut chart, places.into_iter().flatten());
        words.push(format!("{name}: at most {} at once", count(*most)));
    }
    let entries = series.iter().map(|it| KeyEntry::solid(it.tone, it.name.clone()));
    chart.key = entries.filter(|_| series.len() > 1).collect();
    chart.description = words.join("; ");
    Some(chart)
}

/// The first and the last time of bins, in seconds.
fn span(load: &LoadReport) -> Option<(f64, f64)> {
    let from: Timestamp = load.from.parse().ok()?;
    let from = from.as_duration().as_secs_f64();
    let length = position(load.most.len()) * float(load.bin_minutes) * MINUTE;
    (length > 0.0).then_some((from, from + length))
}

/// Writes times of a clock, or days, below an axis.
pub(super) fn times(chart: &mut Chart, span: (f64, f64), x: Scale, y: f64) {
    let values = time_ticks(span, 5.0);
    let is_of_days = values.iter().all(|value| value % 86_400.0 == 0.0);
    for value in &values {
        let at = x.at(*value);
        if at > 0.97 {
            continue;
        }
        // Midnights of a longer time have their date.
        let is_midnight = value % 86_400.0 == 0.0 && span.1 - span.0 > 86_400.0;
        let text = clock(*value, is_of_days || is_midnight);
        chart.text(Text::new((at, y), edge_anchor(at), text, TextRank::Tick));
    }
}

/// A time in UTC: `14:30`, or `5 Oct`.
pub(super) fn clock(seconds: f64, is_day: bool) -> String {
    let time = jiff::SignedDuration::try_from_secs_f64(seconds);
    let time = time.ok().and_then(|time| Timestamp::from_duration(time).ok());
    let Some(time) = time else { return String::new() };
    let time = time.to_zoned(TimeZone::UTC);
    let form = match (is_day, seconds % 60.0 == 0.0) {
        (true, _) => "%-d %b",
        (_, true) => "%H:%M",
        _ => "%H:%M:%S",
    };
    time.strftime(form).to_string()
}
