//! The cost and the recovered jobs of policies: left to right what is lost, bottom to top what is recovered.

use super::axes::{Axis, plane};
use crate::report::page::chart::{Anchor, Chart, Mark, Point, Stroke, Text, TextRank, Tone};
use crate::report::page::labels::Labels;

/// A value with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::report::page) struct Range {
    pub(in crate::report::page) value: f64,
    /// The ends of its interval; those of a value without one are the value.
    pub(in crate::report::page) ends: (f64, f64),
}

impl Range {
    /// A value without an interval.
    pub(in crate::report::page) fn exact(value: f64) -> Self {
        Self { value, ends: (value, value) }
    }

    /// A value and how far its interval reaches on each side.
    pub(in crate::report::page) fn around(value: f64, half: f64) -> Self {
        Self { value, ends: (value - half, value + half) }
    }
}

/// A set of policies.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report::page) struct PolicyPoint {
    pub(in crate::report::page) name: String,
    /// Its figures in a few words.
    pub(in crate::report::page) words: String,
    /// Its figures in full, for those who point at it.
    pub(in crate::report::page) tip: String,
    /// Its cost.
    pub(in crate::report::page) x: Range,
    /// Its recovered jobs.
    pub(in crate::report::page) y: Range,
    /// Its colour.
    pub(in crate::report::page) tone: Tone,
}

/// The values of a swept limit, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::report::page) struct SweptLine {
    /// The name of the line.
    pub(in crate::report::page) name: String,
    /// The values with what they cost, what they recover and recover at most, and this in words.
    pub(in crate::report::page) points: Vec<(String, [f64; 3], String)>,
}

/// The picture of policies and of a sweep; none without points.
pub(in crate::report::page) fn chart(
    title: &str,
    (x_axis, y_axis): (&Axis, &Axis),
    policies: &[PolicyPoint],
    sweep: &SweptLine,
) -> Option<Chart> {
    if policies.is_empty() && sweep.points.is_empty() {
        return None;
    }
    let mut chart = Chart::new("tradeoff", title, 330.0);
    let (x, y) = plane(&mut chart, x_axis, y_axis);
    let at = |cost: f64, jobs: f64| -> Point { (x.at(cost), y.at(jobs)) };
    let mut labels = Labels::of(&chart);
    let mut words = Vec::new();
    line(&mut chart, &mut labels, sweep, &at);
    let swept = sweep.points.iter().map(|(_, _, tip)| tip.clone());
    words.extend(swept);
    for policy in policies {
        mark(&mut chart, &mut labels, policy, &at);
        words.push(policy.tip.clone());
    }
    for policy in policies {
        let point = at(policy.x.value, policy.y.value);
        labels.add(&mut chart, places(policy, point, y.at(policy.y.ends.1)));
    }
    name_values(&mut chart, &mut labels, sweep, &at);
    name_line(&mut chart, &mut labels, sweep, &at);
    chart.description = words.join("; ");
    Some(chart)
}

/// The line of a sweep, with the area up to what its values recover at most.
fn line(
    chart: &mut Chart,
    labels: &mut Labels,
    sweep: &SweptLine,
    at: &impl Fn(f64, f64) -> Point,
) {
    let all = || sweep.points.iter();
    if sweep.points.len() > 1 {
        let upper = all().map(|(_, [cost, _, most], _)| at(*cost, *most));
        let lower = all().rev().map(|(_, [cost, jobs, _], _)| at(*cost, *jobs));
        let points = upper.chain(lower).collect();
        chart.marks.push(Mark::Area {
            points,
            tone: Tone::Good,
            is_faint: true,
            tip: String::new(),
        });
        let points = all().map(|(_, [cost, jobs, _], _)| at(*cost, *jobs)).collect();
        chart.marks.push(Mark::Path { points, tone: Tone::Good, tip: sweep.name.clone() });
    }
    for (_, [cost, jobs, _], tip) in all() {
        let point = at(*cost, *jobs);
        chart.dot(point, 3.0, Tone::Good, tip.clone());
        labels.avoid(point, 4.0);
    }
}

/// Draws the point of a set of policies and its intervals.
fn mark(
    chart: &mut Chart,
    labels: &mut Labels,
    policy: &PolicyPoint,
    at: &impl Fn(f64, f64) -> Point,
) {
    let PolicyPoint { x: cost, y: jobs, tone, .. } = policy;
    let mut interval = |from: Point, to: Point| {
        chart.line(from, to, Stroke::Interval(*tone));
        labels.avoid_line(from, to);
    };
    let (left, right) = (at(cost.ends.0, jobs.value), at(cost.ends.1, jobs.value));
    let (low, high) = (at(cost.value, jobs.ends.0), at(cost.value, jobs.ends.1));
    if right.0 > left.0 {
        interval(left, right);
    }
    if low.1 > high.1 {
        interval(low, high);
        // A bound above the value has an end; an interval around it has none.
        if jobs.ends.0.to_bits() == jobs.value.to_bits() {
            interval((high.0 - 0.008, high.1), (high.0 + 0.008, high.1));
        }
    }
    let point = at(cost.value, jobs.value);
    chart.dot(point, 5.5, *tone, policy.tip.clone());
    labels.avoid(point, 6.0);
}

/// Writes the values of a sweep at their points: the first and the last one, and others where there is room.
fn name_values(
    chart: &mut Chart,
    labels: &mut Labels,
    sweep: &SweptLine,
    at: &impl Fn(f64, f64) -> Point,
) {
    for (number, (value, [cost, jobs, _], _)) in sweep.points.iter().enumerate() {
        let (x, y) = at(*cost, *jobs);
        let is_end = number == 0 || number + 1 == sweep.points.len();
        let rank = if is_end { TextRank::Label } else { TextRank::Optional };
        let text = |down: f64| {
            let text = Text::new((x, y + down), Anchor::Middle, value.clone(), rank);
            vec![text.in_tone(Tone::Good)]
        };
        labels.add(chart, [text(17.0), text(-9.0)]);
    }
}

/// Writes the name of the line below its first steep part.
fn name_line(
    chart: &mut Chart,
    labels: &mut Labels,
    sweep: &SweptLine,
    at: &impl Fn(f64, f64) -> Point,
) {
    let [(_, [least, fewest, _], _), .., (_, [cost, jobs, _], _)] = sweep.points.as_slice() else {
        return;
    };
    let places = [0.5, 0.35, 0.65, 0.2].map(|part| {
        let (x, y) = at(least + (cost - least) * part, fewest + (jobs - fewest) * part * 0.5);
        let text = Text::new((x, y), Anchor::Start, sweep.name.clone(), TextRank::Label);
        vec![text.in_tone(Tone::Good)]
    });
    labels.add(chart, places);
}

/// The places of the two lines of a label: above the interval, then beside and below the point.
fn places(policy: &PolicyPoint, (x, y): Point, top: f64) -> Vec<Vec<Text>> {
    let lines = |anchor: Anchor, y: f64, shift: f64| {
        let name = Text::new((x, y), anchor, policy.name.clone(), TextRank::Name);
        let words = Text::new((x, y + 13.0), anchor, policy.words.clone(), TextRank::Tick);
        vec![name.in_tone(policy.tone).shifted(shift), words.shifted(shift)]
    };
    let mut places = vec![
        lines(Anchor::Middle, top - 22.0, 0.0),
        lines(Anchor::End, top - 22.0, 6.0),
        lines(Anchor::Start, top - 22.0, -6.0),
    ];
    for down in [-4.0, 20.0, 46.0] {
        places.push(lines(Anchor::Start, y + down, 10.0));
        places.push(lines(Anchor::End, y + down, -10.0));
    }
    places
}
