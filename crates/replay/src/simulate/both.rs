//! The decisions of two engines about each recorded failure.

use super::decision_note::DecisionNote;
use super::engine::Engine;
use super::figures::{DecisionFacts, Ending};
use super::replay::{on_threads, replay_noted};
use super::report::DecisionReport;
use super::unit_members::{UnitMembers, group_by};
use crate::history::{Member, RecordFields, Run};
use std::collections::HashMap;
use std::num::NonZeroUsize;

/// Runs up to which the decisions of some units are in memory at once: each takes about 1 KiB.
const RUNS_AT_ONCE: usize = 4096;

/// A recorded failure, as two engines decide about it.
#[derive(Debug)]
pub struct FailureUnderBoth {
    /// The number of its member.
    pub member: usize,
    /// The rule or default of each engine that decides about it, among those of the engine: also if the replay does
    /// not reach it. None if no rule does.
    pub rules: [Option<usize>; 2],
    /// The decision of each engine; none if its replay does not reach the failure.
    pub decisions: [Option<DecisionReport>; 2],
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

/// The members in parts of whole units.
fn in_parts<E: Engine>(
    engines: [&E; 2],
    members: Vec<Member<E::Fields>>,
) -> Vec<Vec<Member<E::Fields>>> {
    // Units of one engine are whole in those of the other, of which only one may have units of several members.
    let key = |member: &Member<E::Fields>| engines.into_iter().find_map(|it| it.unit_key(member));
    let units: Vec<UnitMembers> = group_by(&members, key);
    let mut members: Vec<Option<Member<E::Fields>>> = members.into_iter().map(Some).collect();
    let (mut parts, mut part, mut runs) = (Vec::new(), Vec::new(), 0);
    for unit in units {
        for member in unit.numbers().iter().filter_map(|number| members[*number].take()) {
            runs += member.runs.len();
            part.push(member);
        }
        if runs >= RUNS_AT_ONCE {
            parts.push(std::mem::take(&mut part));
            runs = 0;
        }
    }
    parts.push(part);
    parts
}

fn failures_under_both<E: Engine>(
    engines: [&E; 2],
    members: &[Member<E::Fields>],
) -> Vec<FailureUnderBoth> {
    let has_failed = |run: &Run<E::Fields>| {
        let ending = engines.map(|engine| engine.ending(run));
        ending.iter().any(|it| matches!(it, Ending::Failed | Ending::Interrupted))
    };
    let all = members.iter().enumerate().flat_map(|(number, member)| {
        member.runs.iter().filter(|run| has_failed(run)).map(move |run| (number, run))
    });
    let all: Vec<(usize, &Run<E::Fields>)> = all.collect();
    let [mut old, mut new] = engines.map(|engine| Decisions::new(engine, members, &all));
    let failures = all.into_iter().zip(0..).filter_map(|((member, run), position)| {
        let key = (member, run.run_index);
        let both = [old.take(key, position), new.take(key, position)];
        let is_failure = both.iter().flatten().any(|note| note.facts.failure);
        let rules = both.each_ref().map(|it| it.as_ref().and_then(|it| it.facts.rule));
        let decisions = both.map(|it| it.filter(|it| it.is_reached).map(|it| it.report));
        is_failure.then_some(FailureUnderBoth { member, rules, decisions })
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

/// The part of a note that is compared.
struct Noted {
    facts: DecisionFacts,
    report: DecisionReport,
    is_reached: bool,
}

impl Decisions {
    fn new<E: Engine>(
        engine: &E,
        members: &[Member<E::Fields>],
        failures: &[(usize, &Run<E::Fields>)],
    ) -> Self {
        let noted_run = |note: DecisionNote<E::State>, is_reached| {
            let DecisionNote { facts, report, .. } = note;
            Noted { facts, report, is_reached }
        };
        let notes = replay_noted(engine, members, 0).notes.into_iter();
        let reached: HashMap<_, _> =
            notes.map(|note| ((note.member, note.run_index), noted_run(note, true))).collect();
        // Which rule decides about a failure that is not reached does not depend on those before it. A member of a
        // larger unit is not judged alone.
        let missing = failures.iter().enumerate().filter(|(_, (member, run))| {
            let is_alone = engine.unit_key(&members[*member]).is_none();
            is_alone && !reached.contains_key(&(*member, run.run_index))
        });
        let (positions, single): (Vec<usize>, Vec<Member<E::Fields>>) = missing
            .map(|(position, (member, run))| (position, with_run(&members[*member], run)))
            .unzip();
        let notes = replay_noted(engine, &single, 0).notes.into_iter();
        let alone = notes.map(|note| (positions[note.member], noted_run(note, false))).collect();
        Self { reached, alone }
    }

    fn take(&mut self, key: (usize, u32), position: usize) -> Option<Noted> {
        self.reached.remove(&key).or_else(|| self.alone.remove(&position))
    }
}

/// The member as if it had only this run.
fn with_run<F: RecordFields>(member: &Member<F>, run: &Run<F>) -> Member<F> {
    Member {
        unit: member.unit.clone(),
        queue: member.queue.clone(),
        unit_fields: member.unit_fields.clone(),
        key: member.key.clone(),
        is_single: member.is_single,
        runs: vec![run.clone()],
    }
}
