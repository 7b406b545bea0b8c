//! The axes of pictures.

use crate::report::page::chart::{Anchor, Chart, Point, Stroke, Text, TextRank, Tone};
use crate::report::page::numbers::short;
use crate::report::page::scale::Scale;

/// An axis: the values written beside it, and their unit.
pub(in crate::report::page) struct Axis {
    /// The unit, written once.
    pub(in crate::report::page) unit: String,
    /// The values, from 0.
    pub(in crate::report::page) ticks: Vec<f64>,
    /// How a value is written.
    pub(in crate::report::page) format: fn(f64) -> String,
    /// The value at its end: that of the last tick, or the largest of the marks.
    pub(in crate::report::page) most: f64,
}

impl Axis {
    /// An axis of numbers that reaches a value.
    pub(in crate::report::page) fn numbers(
        unit: impl Into<String>,
        ticks: Vec<f64>,
        most: f64,
    ) -> Self {
        let last = ticks.last().copied().unwrap_or(1.0);
        Self { unit: unit.into(), ticks, format: short, most: most.max(last) }
    }
}

/// The share of the width left of the value 0: labels of the y axis begin there.
const LEFT: f64 = 0.1;
/// The share of the width right of the largest value.
const RIGHT: f64 = 0.01;
/// Pixels above the largest value: a line of text.
const TOP: f64 = 26.0;
/// Pixels below the axis: its values and their unit.
const BOTTOM: f64 = 40.0;

/// Draws both axes of a plane; returns its scales.
pub(super) fn plane(chart: &mut Chart, x: &Axis, y: &Axis) -> (Scale, Scale) {
    let bottom = chart.height - BOTTOM;
    let scales =
        (Scale::new((0.0, x.most), (LEFT, 1.0 - RIGHT)), Scale::new((0.0, y.most), (bottom, TOP)));
    rows(chart, y, scales.1);
    for value in &x.ticks {
        let at = (scales.0.at(*value), bottom + 15.0);
        let text = Text::new(at, edge_anchor(at.0), (x.format)(*value), TextRank::Tick);
        chart.text(text);
    }
    let at = (1.0 - RIGHT, bottom + 33.0);
    chart.text(Text::new(at, Anchor::End, x.unit.clone(), TextRank::Tick));
    scales
}

/// Draws the lines of a y axis, each with its value on it, and the unit at the uppermost.
pub(super) fn rows(chart: &mut Chart, y: &Axis, scale: Scale) {
    let uppermost = y.ticks.last().copied().unwrap_or_default();
    for value in &y.ticks {
        let at = scale.at(*value);
        let tone = if *value == 0.0 { Tone::Axis } else { Tone::Grid };
        chart.line((0.0, at), (1.0, at), Stroke::Thin(tone));
        if *value == 0.0 {
            continue;
        }
        let unit = if *value < uppermost || y.unit.is_empty() {
            String::new()
        } else {
            format!(" {}", y.unit)
        };
        let text = (y.format)(*value) + &unit;
        if text.is_empty() {
            continue;
        }
        chart.text(Text::new((0.0, at - 4.0), Anchor::Start, text, TextRank::Tick));
    }
}

/// The anchor of a text below a point of an axis, so that it stays inside of the picture.
pub(super) fn edge_anchor(x: f64) -> Anchor {
    match x {
        ..0.04 => Anchor::Start,
        0.96.. => Anchor::End,
        _ => Anchor::Middle,
    }
}

/// A step line through bins of equal length: each holds its value over its length.
pub(super) fn steps(values: &[f64], x: impl Fn(usize) -> f64, y: Scale) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    let mut last = None;
    for (bin, value) in values.iter().enumerate() {
        let at = y.at(*value);
        // Neighbours of one value are one step.
        if last != Some(at) {
            if let Some(before) = last {
                points.push((x(bin), before));
            }
            points.push((x(bin), at));
        }
        last = Some(at);
    }
    if let Some(at) = last {
        points.push((x(values.len()), at));
    }
    points
}
