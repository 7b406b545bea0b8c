//! The cost and the recovered jobs of each rule: the rules end to end, the cheapest first.

use super::axes::{Axis, plane};
use crate::report::answer::cells::cost;
use crate::report::figures::percent;
use crate::report::page::chart::{Anchor, Chart, Stroke, Text, TextRank, Tone};
use crate::report::page::labels::Labels;
use crate::report::page::numbers::{position, short};
use crate::report::page::scale::{ticks, whole_ticks};
use replay::simulate::AnswerReport;

/// The most pieces: cheaper rules are one piece.
const PIECES: usize = 8;

/// The retries of a rule.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report::page) struct Piece {
    /// The name of the rule.
    pub(in crate::report::page) name: String,
    /// The cost of those that failed.
    pub(in crate::report::page) cost: f64,
    /// The jobs that recovered by them.
    pub(in crate::report::page) jobs: f64,
    /// Whether the advice flags the rule.
    pub(in crate::report::page) is_flagged: bool,
}

impl Piece {
    /// The cost for each job; none without jobs.
    fn price(&self) -> Option<f64> {
        (self.jobs > 0.0).then(|| self.cost / self.jobs)
    }
}

/// The curve; none if no rule has retries that cost something or that recovered a job.
pub(in crate::report::page) fn chart(
    pieces: Vec<Piece>,
    answer: &AnswerReport,
    cost_name: &str,
) -> Option<Chart> {
    let pieces = main_pieces(pieces)?;
    let (all_cost, all_jobs) =
        pieces.iter().fold((0.0, 0.0), |(cost, jobs), it| (cost + it.cost, jobs + it.jobs));
    let title = "What each rule costs and recovers, the cheapest first";
    let mut chart = Chart::new("rules", title, 330.0);
    let x = Axis::numbers(cost_name, ticks(all_cost, 4.0), all_cost);
    let y = Axis::numbers("jobs recovered", whole_ticks(all_jobs, 4.0), all_jobs);
    let (x, y) = plane(&mut chart, &x, &y);
    chart.line((x.at(0.0), y.at(0.0)), (x.at(all_cost), y.at(all_jobs)), Stroke::Reference);
    let mut labels = Labels::of(&chart);
    let (mut from, mut words) = ((0.0, 0.0), Vec::new());
    let mut later = Vec::new();
    for piece in &pieces {
        let to = (from.0 + piece.cost, from.1 + piece.jobs);
        let [start, end] = [from, to].map(|(cost, jobs)| (x.at(cost), y.at(jobs)));
        let tone = if piece.is_flagged { Tone::Bad } else { Tone::Good };
        let tip = tip(answer, piece, cost_name);
        let points = vec![start, end];
        chart.marks.push(crate::report::page::chart::Mark::Path { points, tone, tip: tip.clone() });
        chart.dot(end, 3.5, tone, String::new());
        labels.avoid(end, 4.0);
        labels.avoid((f64::midpoint(start.0, end.0), f64::midpoint(start.1, end.1)), 4.0);
        later.push((piece, start, end));
        words.push(tip);
        from = to;
    }
    // The flagged rule has the first choice of a place.
    later.sort_by_key(|(piece, ..)| !piece.is_flagged);
    for (piece, start, end) in later {
        let share = |part: f64, all: f64| if all > 0.0 { part / all } else { 0.0 };
        let shares = (share(piece.cost, all_cost), share(piece.jobs, all_jobs));
        labels.add(&mut chart, places(answer, piece, (start, end), shares));
    }
    chart.description = words.join("; ");
    Some(chart)
}

/// The pieces in their order, the cheapest as one if there are many.
fn main_pieces(mut pieces: Vec<Piece>) -> Option<Vec<Piece>> {
    pieces.retain(|piece| piece.cost > 0.0 || piece.jobs > 0.0);
    if pieces.is_empty() {
        return None;
    }
    // The cheapest first: the line rises steeply as long as retries pay, and bends at the rules that do not.
    pieces.sort_by(|one, other| {
        let price = |piece: &Piece| piece.price().unwrap_or(f64::INFINITY);
        price(one).total_cmp(&price(other)).then_with(|| one.name.cmp(&other.name))
    });
    let cheaper = pieces.len().saturating_sub(PIECES - 1);
    if cheaper > 1 {
        let first: Vec<Piece> = pieces.drain(..cheaper).collect();
        let name = format!("{} cheaper rules", first.len());
        let sum = |of: fn(&Piece) -> f64| first.iter().map(of).sum();
        let is_flagged = first.iter().any(|piece| piece.is_flagged);
        let (cost, jobs) = (sum(|piece| piece.cost), sum(|piece| piece.jobs));
        pieces.insert(0, Piece { name, cost, jobs, is_flagged });
    }
    Some(pieces)
}

/// A piece in words.
fn tip(answer: &AnswerReport, piece: &Piece, cost_name: &str) -> String {
    let price = match piece.price() {
        Some(price) => format!("{} a job", cost(answer, price)),
        None => "none recovered".to_owned(),
    };
    let (cost, jobs) = (cost(answer, piece.cost), short(piece.jobs));
    format!("{}: {cost} {cost_name}, {jobs} jobs recovered, {price}", piece.name)
}

/// The places of the label of a piece: below its middle, then around it.
fn places(
    answer: &AnswerReport,
    piece: &Piece,
    (start, end): ((f64, f64), (f64, f64)),
    (cost_share, job_share): (f64, f64),
) -> Vec<Vec<Text>> {
    let price = match piece.price() {
        Some(price) => format!(" {} a job", cost(answer, price)),
        None => " none recovered".to_owned(),
    };
    let lines = |at: (f64, f64), anchor: Anchor, shift: f64| {
        if piece.is_flagged {
            let (costs, jobs) = (percent(cost_share), percent(job_share));
            let first = format!("{}: {costs} % of the cost,", piece.name);
            let second = format!("{jobs} % of the jobs,{price}");
            let [first, second] = [(first, 0.0, TextRank::Name), (second, 13.0, TextRank::Label)]
                .map(|(text, down, rank)| Text::new((at.0, at.1 + down), anchor, text, rank));
            return [first, second].map(|it| it.in_tone(Tone::Bad).shifted(shift)).into();
        }
        let mut text = Text::new(at, anchor, piece.name.clone(), TextRank::Label).shifted(shift);
        text.more.clone_from(&price);
        vec![text]
    };
    let middle = (f64::midpoint(start.0, end.0), f64::midpoint(start.1, end.1));
    let mut places = Vec::new();
    if piece.is_flagged {
        places.push(lines((end.0, end.1 - 22.0), Anchor::End, 0.0));
        places.push(lines((end.0, end.1 + 22.0), Anchor::End, 0.0));
    }
    for down in 0..4 {
        let down = 16.0 + 14.0 * position(down);
        places.push(lines((middle.0, middle.1 + down), Anchor::Start, 6.0));
        places.push(lines((middle.0, middle.1 + down), Anchor::Middle, 0.0));
    }
    places.push(lines((middle.0, middle.1 - 8.0), Anchor::End, -6.0));
    places
}
