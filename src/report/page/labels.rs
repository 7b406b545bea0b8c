//! Places of labels: the first of some places where a label touches no other.

use super::chart::{Anchor, Chart, Mark, Text};

/// The width of a narrow page's picture in pixels, for which labels are placed.
const WIDTH: f64 = 400.0;
/// The height of a line.
const LINE: f64 = 14.0;

/// The boxes of the labels of a picture.
#[derive(Debug, Clone, Default)]
pub(super) struct Labels {
    boxes: Vec<LabelBox>,
}

/// A box, in pixels at the narrow width.
#[derive(Debug, Clone, Copy)]
struct LabelBox {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl LabelBox {
    fn of(text: &Text) -> Self {
        let (width, x) = (text.width(), text.at.0 * WIDTH + text.shift);
        let left = match text.anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        // The baseline is above the lower end of a line.
        let (top, bottom) = (text.at.1 - LINE + 3.0, text.at.1 + 3.0);
        Self { left, right: left + width, top, bottom }
    }

    fn touches(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

impl Labels {
    /// The boxes of the texts that a picture has already.
    pub(super) fn of(chart: &Chart) -> Self {
        let boxes = chart.marks.iter().filter_map(|mark| match mark {
            Mark::Text(text) => Some(LabelBox::of(text)),
            _ => None,
        });
        Self { boxes: boxes.collect() }
    }

    /// Keeps labels away from the surroundings of a point.
    pub(super) fn avoid(&mut self, (x, y): (f64, f64), radius: f64) {
        let x = x * WIDTH;
        let (left, right) = (x - radius, x + radius);
        self.boxes.push(LabelBox { left, right, top: y - radius, bottom: y + radius });
    }

    /// Keeps labels away from an upright or level line.
    pub(super) fn avoid_line(&mut self, from: (f64, f64), to: (f64, f64)) {
        let (left, right) = (from.0.min(to.0) * WIDTH - 2.0, from.0.max(to.0) * WIDTH + 2.0);
        let (top, bottom) = (from.1.min(to.1) - 2.0, from.1.max(to.1) + 2.0);
        self.boxes.push(LabelBox { left, right, top, bottom });
    }

    /// Adds lines of text below each other at the first place where they touch nothing; without such a place they are
    /// left out. A place is a list of texts.
    pub(super) fn add(&mut self, chart: &mut Chart, places: impl IntoIterator<Item = Vec<Text>>) {
        let is_free = |texts: &Vec<Text>| {
            texts.iter().map(LabelBox::of).all(|own| {
                // A text may end a little outside: the column has a margin.
                let is_inside = own.left >= -8.0 && own.right <= WIDTH + 8.0;
                let is_inside = is_inside && own.top >= 0.0 && own.bottom <= chart.height;
                is_inside && !self.boxes.iter().any(|other| own.touches(other))
            })
        };
        let Some(texts) = places.into_iter().find(is_free) else { return };
        for text in texts {
            self.boxes.push(LabelBox::of(&text));
            chart.text(text);
        }
    }
}
