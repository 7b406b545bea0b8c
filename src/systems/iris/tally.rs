//! How many tasks of a job are in which state, as far as the job's own state depends on it.

use super::task::TaskState;

/// Numbers of tasks. They are kept from event to event, so that a job of many tasks is not counted
/// anew each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// In `SUCCEEDED`.
    pub succeeded: u32,
    /// In `FAILED`.
    pub failed: u32,
    /// In `UNSCHEDULABLE`.
    pub unschedulable: u32,
    /// In `KILLED`.
    pub killed: u32,
    /// In `WORKER_FAILED`, `PREEMPTED` or `COSCHED_FAILED`.
    pub lost: u32,
    /// In `ASSIGNED`, `BUILDING` or `RUNNING`.
    pub active: u32,
    /// In any other state: neither over nor with a worker.
    pub waiting: u32,
}

impl Tally {
    /// So many tasks in each of these states.
    pub fn of(states: impl IntoIterator<Item = (TaskState, u32)>) -> Self {
        let mut tally = Self::default();
        for (state, count) in states {
            let slot = tally.slot(state);
            *slot = slot.saturating_add(count);
        }
        tally
    }

    /// All tasks.
    pub fn total(&self) -> u32 {
        let over = [self.succeeded, self.failed, self.unschedulable, self.killed, self.lost];
        let all = over.into_iter().chain([self.active, self.waiting]);
        all.fold(0, u32::saturating_add)
    }

    /// One task goes from a state to another.
    pub(super) fn moved(&mut self, from: TaskState, to: TaskState) {
        let slot = self.slot(from);
        *slot = slot.saturating_sub(1);
        let slot = self.slot(to);
        *slot = slot.saturating_add(1);
    }

    fn slot(&mut self, state: TaskState) -> &mut u32 {
        match state {
            TaskState::Succeeded => &mut self.succeeded,
            TaskState::Failed => &mut self.failed,
            TaskState::Unschedulable => &mut self.unschedulable,
            TaskState::Killed => &mut self.killed,
            TaskState::WorkerFailed | TaskState::Preempted | TaskState::CoschedFailed => {
                &mut self.lost
            }
            TaskState::Assigned | TaskState::Building | TaskState::Running => &mut self.active,
            TaskState::Unspecified | TaskState::Pending | TaskState::Missing => &mut self.waiting,
        }
    }
}
