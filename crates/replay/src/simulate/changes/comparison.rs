//! The comparison of each run and each job under all engines with the first one.

use super::change::{Change, ChangeKind, ChangeLines, CompareOptions};
use super::counts::Changes;
use super::side::{Decided, Reach, Side};
use crate::simulate::engine::Engine;
use crate::simulate::figures::RuleLabel;
use crate::simulate::outcome::Outcome;
use std::ops::Range;

/// A run or a job that is compared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Compared<'c> {
    pub(crate) job: &'c str,
    /// The number and the name of its queue.
    pub(crate) queue: (u32, &'c str),
    /// Its position in the history.
    pub(crate) position: u64,
}

/// The comparison of a thread.
#[derive(Clone)]
pub(crate) struct Comparison<'c> {
    /// The changes of each engine but the first.
    changes: Vec<Changes>,
    /// By engine and rule: a number that rules of the same name share.
    rules: Vec<Vec<usize>>,
    /// The first engine's decisions about the run that is compared, and how far it is replayed.
    first: (Vec<Decided>, Reach),
    lines: Option<Lines<'c>>,
}

/// Lines that are not written yet.
#[derive(Clone)]
struct Lines<'c> {
    sink: &'c dyn ChangeLines,
    text: Vec<u8>,
    /// The position in the history and the range in the text of each line.
    ranges: Vec<(u64, Range<usize>)>,
}

impl<'c> Comparison<'c> {
    pub(crate) fn new<E: Engine>(engines: &[E], compare: CompareOptions<'c>) -> Self {
        Self {
            changes: engines.iter().skip(1).map(|_| Changes::new(compare.samples)).collect(),
            rules: number_rules(engines),
            first: (Vec::new(), Reach::default()),
            lines: compare.lines.map(Lines::new),
        }
    }

    /// The changes of each engine but the first.
    pub(crate) fn into_changes(self) -> Vec<Changes> {
        self.changes
    }

    /// Takes an engine's decisions about a run, and compares them with those of the first engine, which comes first.
    #[inline]
    pub(crate) fn add_run(
        &mut self,
        engine: usize,
        decided: &mut Vec<Decided>,
        reach: Reach,
        run: u32,
        of: &Compared<'_>,
    ) {
        if engine == 0 {
            std::mem::swap(&mut self.first.0, decided);
            self.first.1 = reach;
        } else {
            // Taken out and put back, as other engines are compared with it too.
            let first = std::mem::take(&mut self.first);
            self.compare_run(engine, (&first.0, first.1), (decided, reach), run, of);
            self.first = first;
        }
        decided.clear();
    }

    /// Compares the decisions about a run, in their order.
    pub(super) fn compare_run(
        &mut self,
        engine: usize,
        first: (&[Decided], Reach),
        own: (&[Decided], Reach),
        run: u32,
        of: &Compared<'_>,
    ) {
        // The longer list: a decision that the other engine does not make is a change.
        let count = first.0.len().max(own.0.len());
        self.changes[engine - 1].compared += count as u64;
        for number in 0..count {
            let side = |(decided, reach): (&[Decided], Reach)| {
                decided.get(number).map_or(Side::Undecided(reach), |it| Side::Decided(*it))
            };
            self.compare_decision(engine, side(first), side(own), run, of);
        }
    }

    fn compare_decision(
        &mut self,
        engine: usize,
        from: Side,
        to: Side,
        run: u32,
        of: &Compared<'_>,
    ) {
        let changes = &mut self.changes[engine - 1];
        if let (Side::Decided(from), Side::Decided(to)) = (&from, &to)
            && from.code() == to.code()
        {
            let name = |engine: usize, rule: Option<u32>| {
                rule.and_then(|rule| self.rules[engine].get(rule as usize))
            };
            if from.wait != to.wait {
                changes.other_wait += 1;
            } else if name(0, from.rule()) != name(engine, to.rule()) {
                changes.other_rule += 1;
            }
            return;
        }
        changes.add_decision(&from, &to, of.queue.0, of.job, run);
        self.add_line(engine, ChangeKind::Decision(run, from, to), of);
    }

    /// Compares the outcomes of a job, one for each engine. `kind` returns the kind of the failure that ended it.
    pub(crate) fn compare_job(
        &mut self,
        outcomes: impl Iterator<Item = Outcome>,
        kind: impl Fn(usize) -> Option<u32>,
        of: &Compared<'_>,
    ) {
        let mut outcomes = outcomes.enumerate();
        let Some((_, from)) = outcomes.next() else { return };
        outcomes.for_each(|(engine, to)| {
            self.compare_outcomes(engine, (from, to), || kind(engine), of);
        });
    }

    /// Compares the outcome of a job with that under the first engine.
    pub(super) fn compare_outcomes(
        &mut self,
        engine: usize,
        (from, to): (Outcome, Outcome),
        kind: impl FnOnce() -> Option<u32>,
        of: &Compared<'_>,
    ) {
        if from != to {
            self.changes[engine - 1].add_job((from, to), (of.queue.0, kind()), of.job);
            self.add_line(engine, ChangeKind::Job(from, to), of);
        }
    }

    fn add_line(&mut self, engine: usize, kind: ChangeKind, of: &Compared<'_>) {
        if let Some(lines) = &mut self.lines {
            let change = Change { engine, job: of.job, queue: of.queue.1, kind };
            lines.add(of.position, &change);
        }
    }

    /// Writes the lines so far.
    pub(crate) fn write_lines(&mut self) {
        let Some(lines) = &mut self.lines else { return };
        for (_, range) in lines.ranges.drain(..) {
            lines.sink.write(&lines.text[range]);
        }
        lines.text.clear();
    }

    /// Writes the lines of all threads so far, in the order of the history.
    pub(crate) fn write_lines_of<'t>(threads: impl Iterator<Item = &'t mut Self>)
    where
        'c: 't,
    {
        let mut parts: Vec<&mut Lines<'c>> =
            threads.filter_map(|thread| thread.lines.as_mut()).collect();
        let mut all: Vec<(u64, usize, Range<usize>)> = Vec::new();
        for (part, lines) in parts.iter_mut().enumerate() {
            all.extend(lines.ranges.drain(..).map(|(position, range)| (position, part, range)));
        }
        // Lines of one position come from one thread, in their order.
        all.sort_by_key(|(position, ..)| *position);
        for (_, part, range) in all {
            let lines = &parts[part];
            lines.sink.write(&lines.text[range]);
        }
        for lines in parts {
            lines.text.clear();
        }
    }
}

impl<'c> Lines<'c> {
    fn new(sink: &'c dyn ChangeLines) -> Self {
        Self { sink, text: Vec::new(), ranges: Vec::new() }
    }

    fn add(&mut self, position: u64, change: &Change<'_>) {
        let start = self.text.len();
        self.sink.format(change, &mut self.text);
        self.ranges.push((position, start..self.text.len()));
    }
}

/// Numbers the names of the rules of all engines: rules of the same name have the same number.
fn number_rules<E: Engine>(engines: &[E]) -> Vec<Vec<usize>> {
    let mut names: Vec<(String, Option<usize>)> = Vec::new();
    // The description is left out: it may say the limit, and a rule whose limit differs is the same rule.
    let mut number = |label: RuleLabel| {
        let name = (label.policy, label.index);
        names.iter().position(|other| *other == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        })
    };
    engines.iter().map(|engine| engine.rules().into_iter().map(&mut number).collect()).collect()
}
