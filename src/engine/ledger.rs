//! What a decision reads of a job and of its failed run, however the two are kept.
//!
//! A scheduler keeps a [`JobState`] a job; the replay of a fleet keeps a few bytes
//! ([`Slot`](super::Slot)). One decision reads both through these traits.

use super::decision::RuleId;
use super::evaluator::Route;
use super::failure::Failure;
use super::memory::Growth;
use super::state::JobState;
use crate::history::{Outcome, RunRecord};
use crate::units::{GoDuration, Time};

/// A job, as far as its next decision depends on it.
pub(super) trait Ledger {
    /// The policies that apply to it.
    fn route(&self) -> &Route;
    /// Runs so far, by position.
    fn attempts(&self) -> u32;
    /// Failures evaluated so far.
    fn failures(&self) -> u32;
    /// Retries the engine has granted.
    fn total(&self) -> u32;
    /// Retries that a rule has granted.
    fn count(&self, rule: RuleId) -> u32;
    /// Whether it asks never to be retried.
    fn fail_fast(&self) -> bool;
    /// Whether it is in a gang of two or more.
    fn in_gang(&self) -> bool;
    /// Bytes of memory it asked for, and how they have grown.
    fn memory(&self) -> (Option<u64>, Growth);
}

/// A failed run, as far as a decision depends on it once a rule is found.
pub(super) trait Ended {
    fn outcome(&self) -> Outcome;
    fn run_index(&self) -> u32;
    fn finished_at(&self) -> Option<Time>;
    /// How long its pod may take to end, if a retry has to wait for that; `min_grace` is the grace
    /// period of a pod that asked for none.
    fn pod_wait(&self, min_grace: GoDuration) -> GoDuration;
}

impl Ledger for JobState {
    fn route(&self) -> &Route {
        &self.route
    }

    fn attempts(&self) -> u32 {
        self.attempts
    }

    fn failures(&self) -> u32 {
        self.failures
    }

    fn total(&self) -> u32 {
        self.total
    }

    fn count(&self, rule: RuleId) -> u32 {
        self.counts.get(rule)
    }

    fn fail_fast(&self) -> bool {
        self.fail_fast
    }

    fn in_gang(&self) -> bool {
        self.in_gang
    }

    fn memory(&self) -> (Option<u64>, Growth) {
        (self.memory, self.growth)
    }
}

impl<S: AsRef<str>> Ended for Failure<'_, S> {
    fn outcome(&self) -> Outcome {
        self.outcome
    }

    fn run_index(&self) -> u32 {
        self.run_index
    }

    fn finished_at(&self) -> Option<Time> {
        self.run.finished_at
    }

    fn pod_wait(&self, min_grace: GoDuration) -> GoDuration {
        if self.is_preempted() { pod_wait(self.run, min_grace) } else { GoDuration::ZERO }
    }
}

/// Section 7: how long a retry waits for a preempted run's pod, and only for such a one.
pub(super) fn pod_wait<S>(run: &RunRecord<S>, min_grace: GoDuration) -> GoDuration {
    let asked = run.termination_grace.filter(|grace| *grace != GoDuration::ZERO);
    let grace = asked.unwrap_or(min_grace);
    let confirmed = run.finished_at.zip(run.termination_confirmed_at);
    let confirmed = confirmed.map(|(end, confirmed)| confirmed.since(end).max(GoDuration::ZERO));
    confirmed.map_or(grace, |confirmed| grace.min(confirmed))
}
