//! The members of a gang or set: a row for the runs of each member, a line for each decision.

use super::load::times;
use crate::report::page::chart::{
    Anchor, Chart, Filling, KeyEntry, RowLabel, Stroke, Text, TextRank, Tone,
};
use crate::report::page::labels::Labels;
use crate::report::page::numbers::position;
use crate::report::page::scale::Scale;

/// A run of a member.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report::page) struct MemberRun {
    /// The number of its member.
    pub(in crate::report::page) member: u64,
    /// Its start and end in seconds.
    pub(in crate::report::page) span: (f64, f64),
    /// Its look.
    pub(in crate::report::page) filling: Filling,
    /// Its end in words.
    pub(in crate::report::page) tip: String,
}

/// A decision about the unit.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report::page) struct UnitDecision {
    /// When it was made, in seconds.
    pub(in crate::report::page) at: f64,
    /// Its count, or that it ends the unit.
    pub(in crate::report::page) label: String,
    /// Whether it ends the unit.
    pub(in crate::report::page) is_end: bool,
}

/// The pixels of a row, and the height of a bar.
const ROW: f64 = 26.0;
const BAR: f64 = 13.0;
const TOP: f64 = 22.0;
/// The most members: of more those of which a run failed.
const MOST: usize = 16;
/// The most bars of one member: more are narrower than a pixel.
const RUNS: usize = 60;

/// The picture, and how many members it leaves out; none without runs that have times.
pub(in crate::report::page) fn chart(
    title: &str,
    runs: &[MemberRun],
    decisions: &[UnitDecision],
) -> Option<(Chart, usize)> {
    let from = runs.iter().map(|run| run.span.0).reduce(f64::min)?;
    let ends = runs.iter().map(|run| run.span.1).chain(decisions.iter().map(|it| it.at));
    let to = ends.reduce(f64::max)?.max(from + 1.0);
    let (members, left_out) = visible_members(runs);
    let height = TOP + position(members.len()) * ROW + 24.0;
    let mut chart = Chart::new("members", title, height);
    chart.width = 860.0;
    let x = Scale::new((from, to), (0.0, 0.99));
    times(&mut chart, (from, to), x, 10.0);
    let mut words = Vec::new();
    for (row, member) in members.iter().enumerate() {
        let y = TOP + position(row) * ROW;
        let (name, text) = (format!("member {member}"), String::new());
        chart.rows.push(RowLabel { y: y + 11.0, name, text });
        for run in runs.iter().filter(|run| run.member == *member).take(RUNS) {
            let (left, right) = (x.at(run.span.0), x.at(run.span.1));
            // A gap of a pixel parts runs that follow each other.
            let right = (right - 0.001).max(left + 0.002);
            chart.bar((left, right), (y, BAR), run.filling, run.tip.clone());
            if run.filling == Filling::Solid(Tone::Bad) {
                words.push(run.tip.clone());
            }
        }
    }
    let bottom = TOP + position(members.len()) * ROW;
    let mut labels = Labels::of(&chart);
    // The end has the first choice of a place.
    let (ends, others): (Vec<_>, Vec<_>) = decisions.iter().partition(|it| it.is_end);
    for decision in ends.into_iter().chain(others.into_iter().take(RUNS)) {
        let at = x.at(decision.at);
        let tone = if decision.is_end { Tone::Bad } else { Tone::Ink };
        chart.line((at, 16.0), (at, bottom), Stroke::Interval(tone));
        let anchor = if at > 0.96 { Anchor::End } else { Anchor::Middle };
        let rank = if decision.is_end { TextRank::Name } else { TextRank::Tick };
        let text = Text::new((at, bottom + 15.0), anchor, decision.label.clone(), rank);
        let text = if decision.is_end { text.in_tone(tone) } else { text };
        labels.add(&mut chart, [vec![text]]);
    }
    let is_used = |(filling, _): &&(Filling, &str)| runs.iter().any(|run| run.filling == *filling);
    let used = super::runs::LOOKS.iter().filter(is_used);
    chart.key = used
        .map(|(filling, text)| KeyEntry { filling: *filling, text: (*text).to_owned() })
        .collect();
    words.truncate(12);
    chart.description = words.join("; ");
    Some((chart, left_out))
}

/// The members that are shown, and the number of the others.
fn visible_members(runs: &[MemberRun]) -> (Vec<u64>, usize) {
    let mut all: Vec<u64> = runs.iter().map(|run| run.member).collect();
    all.sort_unstable();
    all.dedup();
    let count = all.len();
    if count > MOST {
        let is_failed = |run: &MemberRun| run.filling == Filling::Solid(Tone::Bad);
        let failed = |member: &u64| runs.iter().any(|run| run.member == *member && is_failed(run));
        // Those that failed first, then the others in order.
        all.sort_by_key(|member| !failed(member));
        all.truncate(MOST);
        all.sort_unstable();
    }
    let left_out = count - all.len();
    (all, left_out)
}
