//! The decisions of two engines about each recorded failure.

use super::decision_note::DecisionNote;
use super::engine::Engine;
use super::evaluation::ReportedPer;
use super::figures::{DecisionFacts, Ending};
use super::replay::{on_threads, replay_noted};
use super::report::DecisionReport;
use super::unit_members::{UnitMembers, group_by};
use crate::history::{Member, RecordFields, Run};
use document::units::Time;
use std::collections::HashMap;
use std::hash::Hash;
use std::num::NonZeroUsize;

/// Runs up to which the decisions of some units are in memory at once: each takes about 1 KiB.
const RUNS_AT_ONCE: usize = 4096;

/// A recorded failure, as two engines decide about it.
#[derive(Debug)]
pub struct FailureUnderBoth {
    /// The number of its member.
    pub member: usize,
    /// The number of the first member of its unit, or of its own where members are reported by themselves.
    pub unit: usize,
    /// The rule or default of each engine that decides about it, among those of the engine: also if the replay does
    /// not reach it. None if no rule does.
    pub rules: [Option<usize>; 2],
    /// The decision of each engine; none if its replay does not reach the failure.
    pub decisions: [Option<DecidedFailure>; 2],
}

/// The last decision of an engine about a failure, such as that of a JobSet after that of its Job.
#[derive(Debug)]
pub struct DecidedFailure {
    /// The facts of it.
    pub facts: DecisionFacts,
    /// The decision.
    pub report: DecisionReport,
}

/// Replays members through two engines, on several threads, and passes the failures of some units at a time to `count`,
/// with the members that they are of. Returns what each thread has counted.
pub fn count_under_both<E: Engine, T: Default + Send>(
    engines: [&E; 2],
    members: Vec<Member<E::Fields>>,
    threads: NonZeroUsize,
    count: impl Fn(&mut T, &[Member<E::Fields>], Vec<FailureUnderBoth>) + Sync,
) -> Vec<T> {
    let parts = in_parts(engines, members);
    on_threads(&parts, threads, |parts| {
        let mut counted = T::default();
        for members in parts {
            count(&mut counted, members, failures_under_both(engines, members));
        }
        counted
    })
}

/// The units of members. Units of one engine are whole in those of the other, of which only one may have units of several
/// members.
fn units_of<E: Engine>(engines: [&E; 2], members: &[Member<E::Fields>]) -> Vec<UnitMembers> {
    group_by(members, |member| engines.into_iter().find_map(|it| it.unit_key(member)))
}

/// The members in parts of whole units.
fn in_parts<E: Engine>(
    engines: [&E; 2],
    members: Vec<Member<E::Fields>>,
) -> Vec<Vec<Member<E::Fields>>> {
    let units = units_of(engines, &members);
    let mut members: Vec<Option<Member<E::Fields>>> = members.into_iter().map(Some).collect();
    let (mut parts, mut part, mut runs) = (Vec::new(), Vec::new(), 0);
    for unit in units {
        for member in unit.numbers().iter().filter_map(|number| members[*number].take()) {
            runs += member.runs.len();
            part.push(member);
        }
        // Only between units: a unit is decided as a whole.
        if runs >= RUNS_AT_ONCE {
            parts.push(std::mem::take(&mut part));
            runs = 0;
        }
    }
    parts.push(part);
    parts
}

/// A run that failed, with the numbers of its unit and its member.
struct FailedRun<'m, F> {
    unit: usize,
    member: usize,
    run: &'m Run<F>,
}

/// The runs that failed in one of the engines' terms, by unit. Those of a unit that is reported as a whole are in the
/// order of their ends.
fn failed_runs<'m, E: Engine>(
    engines: [&E; 2],
    members: &'m [Member<E::Fields>],
) -> Vec<FailedRun<'m, E::Fields>> {
    let has_failed = |run: &&Run<E::Fields>| {
        let ending = engines.map(|engine| engine.ending(run));
        ending.iter().any(|it| matches!(it, Ending::Failed | Ending::Interrupted))
    };
    let is_whole = E::REPORTED_PER == ReportedPer::Unit;
    let mut all: Vec<FailedRun<'m, E::Fields>> = Vec::new();
    for unit in units_of(engines, members) {
        for &member in unit.numbers() {
            let unit = if is_whole { unit.numbers()[0] } else { member };
            let runs = members[member].runs.iter().filter(has_failed);
            all.extend(runs.map(|run| FailedRun { unit, member, run }));
        }
    }
    // Runs of one member are in order already.
    let time = |run: &Run<E::Fields>| -> Option<Time> { run.time().filter(|_| is_whole) };
    all.sort_by_key(|it| (it.unit, time(it.run)));
    all
}

fn failures_under_both<E: Engine>(
    engines: [&E; 2],
    members: &[Member<E::Fields>],
) -> Vec<FailureUnderBoth> {
    let all = failed_runs(engines, members);
    let [mut old, mut new] = engines.map(|engine| Decisions::new(engine, members, &all));
    let failures = all.into_iter().zip(0..).filter_map(|(failed, position)| {
        let FailedRun { unit, member, run } = failed;
        let key = (member, run.run_index);
        let both = [old.take(key, position), new.take(key, position)];
        let is_failure = both.iter().flatten().any(|noted| noted.is_failure);
        let rules = both.each_ref().map(|it| it.as_ref().and_then(|it| it.decided.facts.rule));
        let decisions = both.map(|it| it.filter(|it| it.is_reached).map(|it| it.decided));
        is_failure.then_some(FailureUnderBoth { member, unit, rules, decisions })
    });
    failures.collect()
}

/// An engine's decisions about failures.
struct Decisions {
    /// By the member and the index of the run.
    reached: HashMap<(usize, u32), Noted>,
    /// By the position of the failure: those that the replay does not reach.
    alone: HashMap<usize, Noted>,
}

/// The last decision about a run.
struct Noted {
    decided: DecidedFailure,
    /// Whether one of the decisions about the run is about a failure.
    is_failure: bool,
    is_reached: bool,
}

impl Decisions {
    fn new<E: Engine>(
        engine: &E,
        members: &[Member<E::Fields>],
        failures: &[FailedRun<'_, E::Fields>],
    ) -> Self {
        let notes = replay_noted(engine, members, 0).notes;
        let reached = last_of_each(notes, true, |note| (note.member, note.run_index));
        // Which rule decides about a failure that is not reached does not depend on those before it. Not judged alone is
        // a member of a larger unit whose record names that unit, such as a job of a gang.
        let missing = failures.iter().enumerate().filter_map(|(position, failed)| {
            let is_reached = reached.contains_key(&(failed.member, failed.run.run_index));
            let alone = || with_run(&members[failed.member], failed.run);
            let alone = (!is_reached).then(alone).filter(|it| engine.unit_key(it).is_none());
            alone.map(|alone| (position, alone))
        });
        let (positions, single): (Vec<usize>, Vec<Member<E::Fields>>) = missing.unzip();
        let notes = replay_noted(engine, &single, 0).notes;
        let alone = last_of_each(notes, false, |note| positions[note.member]);
        Self { reached, alone }
    }

    fn take(&mut self, key: (usize, u32), position: usize) -> Option<Noted> {
        self.reached.remove(&key).or_else(|| self.alone.remove(&position))
    }
}

/// The last note of each run, by a key of the run.
fn last_of_each<S, K: Eq + Hash>(
    notes: Vec<DecisionNote<S>>,
    is_reached: bool,
    key: impl Fn(&DecisionNote<S>) -> K,
) -> HashMap<K, Noted> {
    let mut last: HashMap<K, Noted> = HashMap::new();
    for note in notes {
        let key = key(&note);
        let DecisionNote { facts, report, .. } = note;
        let is_failure = facts.failure || last.get(&key).is_some_and(|it| it.is_failure);
        let decided = DecidedFailure { facts, report };
        last.insert(key, Noted { decided, is_failure, is_reached });
    }
    last
}

/// The member as if it had only this run, and its unit no other member.
fn with_run<F: RecordFields>(member: &Member<F>, run: &Run<F>) -> Member<F> {
    Member {
        unit: member.unit.clone(),
        queue: member.queue.clone(),
        unit_fields: member.unit_fields.clone(),
        key: member.key.clone(),
        is_single: true,
        runs: vec![run.clone()],
    }
}
