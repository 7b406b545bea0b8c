//! A simulated cluster over time: who has it, who waits, what fails, who lacks a share.
//!
//! All charts of a row have the same axes, so that variants can be compared.

use super::axes::{Axis, edge_anchor, rows, steps};
use crate::report::figures::{count, percent};
use crate::report::page::chart::{
    Anchor, Chart, Filling, KeyEntry, Mark, Point, Stroke, Text, TextRank, Tone,
};
use crate::report::page::labels::Labels;
use crate::report::page::numbers::{duration, float, position, short};
use crate::report::page::scale::{Scale, time_ticks, whole_ticks};

const HEIGHT: f64 = 150.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 22.0;

/// The time axis of a row of charts, in seconds.
#[derive(Debug, Clone, Copy)]
pub(in crate::report::page) struct Times {
    /// The latest end of all runs.
    pub(in crate::report::page) end: f64,
}

/// A run's bins.
#[derive(Debug, Clone, Copy)]
pub(in crate::report::page) struct RunBins {
    /// Seconds of a bin.
    pub(in crate::report::page) length: f64,
    /// The end of the run.
    pub(in crate::report::page) end: f64,
}

impl RunBins {
    /// The x of the start of a bin.
    fn x(self, times: Times, bin: usize) -> f64 {
        let at = (position(bin) * self.length).min(self.end);
        if times.end > 0.0 { at / times.end } else { 0.0 }
    }
}

/// A series of a queue.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report::page) struct QueueLine {
    pub(in crate::report::page) name: String,
    /// Its colour.
    pub(in crate::report::page) tone: Tone,
    /// Its values, of which the second are of retries.
    pub(in crate::report::page) values: Vec<f64>,
    /// The part of retries in the values.
    pub(in crate::report::page) retries: Vec<f64>,
}

/// Draws the times of an axis, as durations since the start.
fn axis(chart: &mut Chart, times: Times) {
    for value in time_ticks((0.0, times.end.max(1.0)), 4.0) {
        let x = value / times.end.max(1.0);
        let text = duration(value);
        let at = (x, HEIGHT - BOTTOM + 15.0);
        chart.text(Text::new(at, edge_anchor(x), text, TextRank::Tick));
    }
}

/// Who has the cluster: the shares of queues on each other, retries in orange on top of their queue.
pub(in crate::report::page) fn share(
    name: String,
    (times, bins): (Times, RunBins),
    queues: &[QueueLine],
    nodes_up: &[f64],
) -> Chart {
    let mut chart = Chart::new(name, "What runs?", HEIGHT);
    let y = Scale::new((0.0, 1.0), (HEIGHT - BOTTOM, TOP));
    let x = |bin: usize| bins.x(times, bin);
    let number = queues.iter().map(|queue| queue.values.len()).max().unwrap_or_default();
    let mut base = vec![0.0; number];
    for queue in queues {
        base = stack(&mut chart, queue, &base, x, y);
    }
    let ticks = Axis {
        unit: String::new(),
        ticks: vec![0.0, 0.5, 1.0],
        // The middle is not named: it would be written over the areas.
        format: |share| if share > 0.9 { "100 %".to_owned() } else { String::new() },
        most: 1.0,
    };
    // The values are written over the areas.
    rows(&mut chart, &ticks, y);
    if !nodes_up.is_empty() {
        let points = steps(nodes_up, x, y);
        let tip = "nodes that are up".to_owned();
        chart.marks.push(Mark::Path { points, tone: Tone::Axis, tip });
    }
    axis(&mut chart, times);
    let words = queues.iter().map(|queue| mean_shares(queue, number, x));
    chart.description = words.collect::<Vec<_>>().join("; ");
    chart.key = share_key(queues, !nodes_up.is_empty());
    chart
}

/// The value of a bin; 0 if a series has none.
fn bin_value(values: &[f64], bin: usize) -> f64 {
    values.get(bin).copied().unwrap_or_default()
}

/// Draws the share of a queue above those before it, and its retries above that; returns the upper edge.
fn stack(
    chart: &mut Chart,
    queue: &QueueLine,
    base: &[f64],
    x: impl Fn(usize) -> f64 + Copy,
    y: Scale,
) -> Vec<f64> {
    let bins = base.iter().enumerate();
    let whole: Vec<f64> = bins.map(|(bin, base)| base + bin_value(&queue.values, bin)).collect();
    let bins = whole.iter().enumerate();
    let first: Vec<f64> = bins.map(|(bin, whole)| whole - bin_value(&queue.retries, bin)).collect();
    let mut layer = |low: &[f64], high: &[f64], tone: Tone, tip: String| {
        if high.iter().zip(low).any(|(high, low)| high > low) {
            let mut points = steps(high, x, y);
            points.extend(steps(low, x, y).into_iter().rev());
            chart.marks.push(Mark::Area { points, tone, is_faint: false, tip });
        }
    };
    layer(base, &first, queue.tone, queue.name.clone());
    layer(&first, &whole, Tone::Bad, format!("retries of {}", queue.name));
    whole
}

/// The mean share of a queue and of its retries in words. Bins count by their lengths, since the last may be shorter.
fn mean_shares(queue: &QueueLine, bins: usize, x: impl Fn(usize) -> f64) -> String {
    let all = x(bins);
    let mean = |values: &[f64]| {
        let parts = (0..bins).map(|bin| bin_value(values, bin) * (x(bin + 1) - x(bin)));
        percent(if all > 0.0 { parts.sum::<f64>() / all } else { 0.0 })
    };
    let (whole, retries) = (mean(&queue.values), mean(&queue.retries));
    format!("{}: {whole} % on average, {retries} % in retries", queue.name)
}

/// The key of the shares.
fn share_key(queues: &[QueueLine], has_nodes: bool) -> Vec<KeyEntry> {
    let has_retries = queues.iter().any(|queue| queue.retries.iter().any(|it| *it > 0.0));
    let retries = has_retries.then(|| KeyEntry::solid(Tone::Bad, "retries of any queue"));
    let nodes = has_nodes.then(|| KeyEntry::solid(Tone::Axis, "line: nodes that are up"));
    let queues = queues.iter().map(|queue| KeyEntry::solid(queue.tone, queue.name.clone()));
    queues.chain(retries).chain(nodes).collect()
}

/// Who waits: the jobs of each queue.
pub(in crate::report::page) fn waiting(
    name: String,
    (times, bins): (Times, RunBins),
    queues: &[QueueLine],
    most: f64,
) -> Chart {
    let mut chart = Chart::new(name, "What waits?", HEIGHT);
    let ticks = Axis::numbers("jobs", whole_ticks(most, 2.0), most);
    let y = Scale::new((0.0, ticks.most), (HEIGHT - BOTTOM, TOP));
    rows(&mut chart, &ticks, y);
    let named = lines(&mut chart, (times, bins), queues, y);
    let mut labels = Labels::of(&chart);
    for (queue, (point, most)) in queues.iter().zip(named) {
        if most < ticks.most * 0.06 {
            continue;
        }
        let text = format!("{} {}", queue.name, short(most.round()));
        let sides = [(Anchor::Start, 0.0), (Anchor::End, 0.0), (Anchor::Start, 60.0)];
        let places = [-5.0, 12.0].into_iter().flat_map(|down| sides.map(|side| (side, down)));
        let places = places.map(|((anchor, shift), down)| {
            let text = Text::new((point.0, point.1 + down), anchor, text.clone(), TextRank::Name);
            vec![text.in_tone(queue.tone).shifted(shift)]
        });
        labels.add(&mut chart, places);
    }
    axis(&mut chart, times);
    chart
}

/// Who lacks a share: the actual minus the entitled share of each queue.
pub(in crate::report::page) fn gap(
    name: String,
    (times, bins): (Times, RunBins),
    queues: &[QueueLine],
) -> Chart {
    let mut chart = Chart::new(name, "Who lacks a share?", HEIGHT);
    let y = Scale::new((-1.0, 1.0), (HEIGHT - BOTTOM, TOP));
    for (share, text) in [(-1.0, "-100 %"), (0.0, "0"), (1.0, "+100 %")] {
        let at = y.at(share);
        let tone = if share == 0.0 { Tone::Axis } else { Tone::Grid };
        chart.line((0.0, at), (1.0, at), Stroke::Thin(tone));
        chart.text(Text::new((0.0, at - 4.0), Anchor::Start, text, TextRank::Tick));
    }
    lines(&mut chart, (times, bins), queues, y);
    axis(&mut chart, times);
    chart.key =
        queues.iter().map(|queue| KeyEntry::solid(queue.tone, queue.name.clone())).collect();
    chart
}

/// Draws a step line for each queue; returns the points of their largest values, and these.
fn lines(
    chart: &mut Chart,
    (times, bins): (Times, RunBins),
    queues: &[QueueLine],
    y: Scale,
) -> Vec<(Point, f64)> {
    let mut words = Vec::new();
    let largest = queues.iter().map(|queue| {
        let x = |bin: usize| bins.x(times, bin);
        let points = steps(&queue.values, x, y);
        chart.marks.push(Mark::Path { points, tone: queue.tone, tip: queue.name.clone() });
        let largest = queue.values.iter().copied().enumerate();
        let largest =
            largest.max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)));
        let (bin, most) = largest.unwrap_or_default();
        words.push(format!("{}: up to {}", queue.name, short(most)));
        ((x(bin), y.at(most)), most)
    });
    let largest = largest.collect();
    chart.description = words.join("; ");
    largest
}

/// The counts of bars of some bins: those that failed and were retried, that ended their job, and that were preempted.
pub(in crate::report::page) type FailureBars = Vec<[u64; 3]>;

/// The parts of a bar, from below.
const PARTS: [(Tone, &str); 3] = [
    (Tone::Unknown, "failed, retried"),
    (Tone::Bad, "failed, ended the job"),
    (Tone::Interrupted, "preempted"),
];

/// When runs fail, in bars of a length in seconds.
pub(in crate::report::page) fn failures(
    name: String,
    (times, length): (Times, f64),
    bars: &FailureBars,
    most: f64,
) -> Chart {
    let mut chart = Chart::new(name, "What fails?", HEIGHT);
    let ticks = Axis::numbers("runs", whole_ticks(most, 2.0), most);
    let y = Scale::new((0.0, ticks.most), (HEIGHT - BOTTOM, TOP));
    rows(&mut chart, &ticks, y);
    for (number, counts) in bars.iter().enumerate() {
        let from = position(number) * length / times.end.max(1.0);
        let to = (position(number + 1) * length / times.end.max(1.0)).min(1.0);
        let mut below = 0;
        for ((tone, text), runs) in PARTS.iter().zip(counts) {
            let (low, high) = (y.at(float(below)), y.at(float(below + runs)));
            let tip = format!("{}: {} {text}", duration(position(number) * length), count(*runs));
            chart.bar(
                (from, to - (to - from) * 0.12),
                (high, low - high),
                Filling::Solid(*tone),
                tip,
            );
            below += runs;
        }
    }
    let sums = PARTS.iter().enumerate().map(|(at, (tone, text))| {
        (KeyEntry::solid(*tone, *text), bars.iter().map(|bar| bar[at]).sum::<u64>())
    });
    let sums: Vec<(KeyEntry, u64)> = sums.collect();
    let words = sums.iter().map(|(entry, runs)| format!("{}: {}", entry.text, count(*runs)));
    chart.description = words.collect::<Vec<_>>().join("; ");
    let used = sums.into_iter().filter(|(_, runs)| *runs > 0);
    chart.key = used.map(|(entry, _)| entry).collect();
    axis(&mut chart, times);
    chart
}
