//! How jobs end: a bar for the record and for each set of policies.

use crate::report::figures::{count, percent};
use crate::report::page::chart::{
    Anchor, Chart, Filling, KeyEntry, RowLabel, Text, TextRank, Tone, text_width,
};
use crate::report::page::numbers::{float, position};

/// Jobs that end in one way.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report::page) struct End {
    /// The way.
    pub(in crate::report::page) name: String,
    /// Its look.
    pub(in crate::report::page) filling: Filling,
    pub(in crate::report::page) jobs: u64,
}

/// Pixels of a bar with its labels.
const ROW: f64 = 58.0;
/// The height of a bar.
const BAR: f64 = 20.0;
/// The widths in pixels of the bars of a wide and of a narrow page: a part has a label where there is room.
const WIDE: f64 = 800.0;
const NARROW: f64 = 280.0;

/// The picture of bars, each with its name; none without jobs.
pub(in crate::report::page) fn chart(bars: &[(String, Vec<End>)]) -> Option<Chart> {
    let all = |ends: &[End]| ends.iter().map(|end| end.jobs).sum::<u64>();
    let most = bars.iter().map(|(_, ends)| all(ends)).max().filter(|most| *most > 0)?;
    let height = ROW * position(bars.len());
    let mut chart = Chart::new("jobs", format!("How {} jobs end", count(most)), height);
    let mut words = Vec::new();
    for (row, (name, ends)) in bars.iter().enumerate() {
        let y = position(row) * ROW + 4.0;
        if bars.len() > 1 {
            chart.rows.push(RowLabel { y: y + 14.0, name: name.clone(), text: String::new() });
        }
        let mut from = 0.0;
        for end in ends.iter().filter(|end| end.jobs > 0) {
            let share = float(end.jobs) / float(most);
            let figures = format!("{} · {} %", count(end.jobs), percent(share));
            words.push(format!("{name}: {} {figures}", end.name));
            // A gap of a pixel parts neighbours of one colour.
            let x = (from, (from + share - 0.0015).max(from));
            chart.bar(x, (y, BAR), end.filling, format!("{}: {figures}", end.name));
            let width = text_width(&end.name).max(text_width(&figures)) + 6.0;
            if share * WIDE >= width {
                let is_always = share * NARROW >= width;
                let ranks = if is_always { TextRank::Label } else { TextRank::Optional };
                let text = |down: f64, text: String| {
                    Text::new((from, y + BAR + down), Anchor::Start, text, ranks)
                };
                chart.text(text(14.0, end.name.clone()).in_tone(Tone::Ink));
                chart.text(text(28.0, figures).in_tone(Tone::Muted));
            }
            from += share;
        }
    }
    chart.key = key(bars);
    chart.description = words.join("; ");
    Some(chart)
}

/// An entry for each look, by the first name that has it.
fn key(bars: &[(String, Vec<End>)]) -> Vec<KeyEntry> {
    let mut entries: Vec<KeyEntry> = Vec::new();
    for end in bars.iter().flat_map(|(_, ends)| ends).filter(|end| end.jobs > 0) {
        if entries.iter().any(|entry| entry.filling == end.filling) {
            continue;
        }
        let text = match end.filling {
            Filling::Solid(Tone::Bad) => "failed".to_owned(),
            _ => end.name.clone(),
        };
        entries.push(KeyEntry { filling: end.filling, text });
    }
    entries
}
