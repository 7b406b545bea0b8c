//! A job: its tasks from one event to the next.

use super::budget::Counts;
use super::decision::{Cause, Change};
use super::policy::{Profile, Rules};
use super::standing::{JobState, Standing};
use super::tally::Tally;
use super::task::{Task, TaskState};
use smallvec::SmallVec;

/// What is remembered of a job: 64 bytes where it has one task, as nearly all have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    pub(super) tasks: SmallVec<[Task; 1]>,
    pub(super) tally: Tally,
    /// Attempts that failed, of all tasks.
    pub(super) failed_attempts: u32,
    pub(super) standing: Standing,
    /// Whether any task ever had a worker.
    pub(super) started: bool,
}

impl Job {
    /// A job as it is submitted, of so many tasks. Whoever takes the number from outside keeps it
    /// to [`MAX_REPLICAS`](super::MAX_REPLICAS).
    pub fn new(tasks: u32) -> Self {
        Self {
            tasks: SmallVec::from_elem(Task::NEW, tasks as usize),
            tally: Tally { waiting: tasks, ..Tally::default() },
            failed_attempts: 0,
            standing: Standing::NeverStarted,
            started: false,
        }
    }

    /// Its tasks.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Where it stands.
    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// Its state.
    pub fn state(&self) -> JobState {
        self.standing.state()
    }

    /// Failures that `max_task_failures` is held against.
    pub fn failures(&self, profile: Profile) -> u32 {
        match profile {
            Profile::Seed => self.tally.failed,
            Profile::Upstream => self.failed_attempts,
        }
    }

    /// Lets a task have charged this much in earlier attempts, one attempt a charge.
    pub fn spend(&mut self, task: u32, counts: Counts) {
        let Some(slot) = self.tasks.get_mut(task as usize) else { return };
        slot.counts.failure = slot.counts.failure.saturating_add(counts.failure);
        slot.counts.preemption = slot.counts.preemption.saturating_add(counts.preemption);
        let attempts = counts.failure.saturating_add(counts.preemption);
        slot.attempts = slot.attempts.saturating_add(attempts);
        self.failed_attempts = self.failed_attempts.saturating_add(counts.failure);
        self.started |= attempts > 0;
    }

    /// Tasks that are not over.
    pub fn open(&self) -> u32 {
        self.tally.waiting.saturating_add(self.tally.active)
    }

    /// Lets all tasks succeed that are not over.
    pub fn succeed_rest(&mut self, rules: &Rules) {
        for place in 0..self.tasks.len() {
            if self.tasks.get(place).is_some_and(|task| !task.state.is_terminal()) {
                self.put(place, TaskState::Succeeded);
            }
        }
        self.standing = rules.standing(&self.tally, self.failures(rules.profile), self.started);
    }

    /// Puts a task that an event was not about into a state, and notes it.
    pub(super) fn change(
        &mut self,
        place: usize,
        to: TaskState,
        cause: Cause,
        changes: &mut Vec<Change>,
    ) {
        if let Some(from) = self.put(place, to) {
            changes.push(Change { task: number(place), from, to, cause });
        }
    }

    /// Puts a task into a state; says what it was in.
    pub(super) fn put(&mut self, place: usize, state: TaskState) -> Option<TaskState> {
        let task = self.tasks.get_mut(place)?;
        let before = std::mem::replace(&mut task.state, state);
        self.tally.moved(before, state);
        Some(before)
    }

    /// Sets a task's counts.
    pub(super) fn charge(&mut self, place: usize, counts: Counts) {
        if let Some(task) = self.tasks.get_mut(place) {
            task.counts = counts;
        }
    }
}

/// A place or a number of tasks as decisions have it: a job has fewer than `u32` can tell.
pub(super) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
