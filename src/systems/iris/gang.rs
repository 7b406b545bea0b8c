//! Gangs: what a task's end does to the tasks that are placed together with it (facts, 1, "Gangs";
//! upstream, `reconcile/peers.py` and `batches.py`).

use super::outcome::{Outcome, Verdict};
use super::policy::{Profile, Rules};
use super::task::TaskState;

/// What happens to the siblings that have a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cascade {
    /// They end in `WORKER_FAILED`, their preemption budget declared spent. The seed's.
    Exhaust,
    /// They end in `COSCHED_FAILED` and are charged nothing. Upstream's, where the task does not
    /// come back.
    Terminate,
    /// They are queued again, so that the gang is placed anew; they are charged nothing.
    /// Upstream's, where the task comes back.
    Requeue,
}

impl Cascade {
    /// The state of a sibling after it.
    pub fn state(self) -> TaskState {
        match self {
            Self::Exhaust => TaskState::WorkerFailed,
            Self::Terminate => TaskState::CoschedFailed,
            Self::Requeue => TaskState::Pending,
        }
    }
}

impl Rules {
    /// What a task's end does to its siblings, if anything.
    ///
    /// The seed knows a cascade for failures that are final, be they the task's own or its
    /// worker's; a preemption has none, and a task that is killed ends the job anyway. Upstream
    /// every end of an attempt but a success has one. A task that found no worker ends the job,
    /// which takes its siblings along.
    pub fn cascade(&self, outcome: Outcome, verdict: Verdict) -> Option<Cascade> {
        let takes_along = match self.profile {
            Profile::Seed => {
                matches!(outcome, Outcome::Failed | Outcome::WorkerFailed) && !verdict.retries()
            }
            Profile::Upstream => outcome.ends_attempt() && outcome != Outcome::Succeeded,
        };
        let cascade = match self.profile {
            Profile::Seed => Cascade::Exhaust,
            Profile::Upstream if verdict.retries() => Cascade::Requeue,
            Profile::Upstream => Cascade::Terminate,
        };
        (self.policy.coscheduled && takes_along).then_some(cascade)
    }
}
