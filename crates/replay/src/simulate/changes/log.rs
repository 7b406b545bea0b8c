//! The decisions about members in memory, run by run: they are compared when every engine has replayed all of them.

use super::comparison::{Compared, Comparison};
use super::side::{Decided, Reach};
use crate::history::{Member, RecordFields};
use crate::simulate::names::Names;
use crate::simulate::outcome::Outcome;

/// The decisions of an engine about a member.
#[derive(Debug, Clone, Default)]
pub(crate) struct MemberLog {
    /// The decisions, run by run.
    decided: Vec<Decided>,
    /// For each run the end of its decisions, and how far it is replayed.
    runs: Vec<(usize, Reach)>,
    /// Runs that it was granted with its unit, without a decision about it.
    pub(crate) reruns: u64,
    /// The place of its last decision among all decisions about its unit.
    pub(crate) last_place: usize,
    /// The outcome of the job; none if the first member of the unit has it.
    pub(crate) outcome: Option<Outcome>,
}

/// The decisions of an engine about the members of a history, in their order.
#[derive(Debug, Default)]
pub struct DecisionLog(Vec<MemberLog>);

impl DecisionLog {
    /// An empty log of this number of members.
    pub(crate) fn new(members: usize) -> Self {
        Self(vec![MemberLog::default(); members])
    }

    /// The log of a member.
    pub(in crate::simulate) fn member(&self, number: usize) -> Option<&MemberLog> {
        self.0.get(number)
    }

    /// Adds the logs of some members, each with its number.
    pub(crate) fn add(&mut self, logs: Vec<(usize, MemberLog)>) {
        for (number, log) in logs {
            self.0[number] = log;
        }
    }
}

impl MemberLog {
    /// The log of runs, of which it is known how far each is replayed. Each decision comes with the position of its
    /// run; those about one run are in order.
    pub(crate) fn from_runs(reach: Vec<Reach>, mut decided: Vec<(usize, Decided)>) -> Self {
        // A stable sort, as decisions about one run are in their order.
        decided.sort_by_key(|(run, _)| *run);
        let mut rest = decided.into_iter().peekable();
        let mut log = Self::default();
        for (at, reach) in reach.into_iter().enumerate() {
            let of_run = std::iter::from_fn(|| rest.next_if(|(run, _)| *run == at));
            log.decided.extend(of_run.map(|(_, decided)| decided));
            log.runs.push((log.decided.len(), reach));
        }
        log
    }

    /// The log of runs that were replayed as parts of several members: for each run the log of its member, and its
    /// position there.
    pub(crate) fn joined<'l>(runs: impl IntoIterator<Item = (&'l Self, usize)>) -> Self {
        let mut log = Self::default();
        for (part, at) in runs {
            let (decided, reach) = part.run(at);
            log.last_place = log.last_place.max(part.last_place);
            log.decided.extend_from_slice(decided);
            log.runs.push((log.decided.len(), reach));
        }
        log
    }

    /// The decisions that granted a run and are no retries: a unit of one member runs again.
    pub(crate) fn granted_without_retry(&self) -> u64 {
        self.decided.iter().filter(|decided| decided.grants_run && !decided.is_retry).count() as u64
    }

    /// Adds the next run, and takes the decisions about it.
    pub(crate) fn push(&mut self, decided: &mut Vec<Decided>, reach: Reach) {
        self.decided.append(decided);
        self.runs.push((self.decided.len(), reach));
    }

    /// The decisions about the run at a position, and how far it is replayed.
    pub(in crate::simulate) fn run(&self, at: usize) -> (&[Decided], Reach) {
        let start = at.checked_sub(1).and_then(|before| self.runs.get(before));
        let (end, reach) = self.runs.get(at).copied().unwrap_or_default();
        (self.decided.get(start.map_or(0, |(end, _)| *end)..end).unwrap_or_default(), reach)
    }
}

impl Comparison<'_> {
    /// Compares what an engine decided about members with what the first one decided; about the job `only` alone if
    /// one is given. `kinds` has the kind of the failure that ended each member.
    pub(crate) fn add_members<F: RecordFields>(
        &mut self,
        engine: usize,
        (members, only): (&[Member<F>], Option<&str>),
        names: &Names,
        (first, own): (&DecisionLog, &DecisionLog),
        kinds: &[Option<u32>],
    ) {
        let logs = first.0.iter().zip(&own.0).zip(kinds);
        for (member, ((first, own), kind)) in members.iter().zip(logs) {
            if only.is_some_and(|only| *member.unit != *only) {
                continue;
            }
            let queue = (names.queue(&member.queue), &*member.queue);
            let of = Compared { job: &member.unit, queue, position: 0 };
            for (at, run) in member.runs.iter().enumerate() {
                self.compare_run(engine, first.run(at), own.run(at), run.run_index, &of);
            }
            if let (Some(from), Some(to)) = (first.outcome, own.outcome) {
                self.compare_outcomes(engine, (from, to), || *kind, &of);
            }
        }
    }
}
