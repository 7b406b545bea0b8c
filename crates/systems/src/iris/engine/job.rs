//! A job: its tasks, and the effect of one event on them.
//!
//! An event is usually the end of an attempt. It acts on the task, on its gang and on the job. The end of the
//! job acts on its other tasks (upstream, `reconcile/batches.py`).

use super::decision::{Cause, Change, Decision, Event, Ignored, Ruling};
use super::job_state::{JobState, StateReason, TaskCounts};
use super::outcome::{Cascade, Outcome, Phase};
use super::task::{Counts, Task, TaskState};
use crate::iris::manifest::{Profile, Rules};
use smallvec::SmallVec;

/// The state of a job. It takes 64 bytes if it has one task, as nearly all jobs have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    pub(crate) tasks: SmallVec<[Task; 1]>,
    pub(crate) task_counts: TaskCounts,
    /// The number of failed attempts of all tasks.
    pub(crate) failed_attempts: u32,
    pub(crate) state_reason: StateReason,
    /// Whether any task ever had a worker.
    pub(crate) started: bool,
}

impl Job {
    /// Creates a job with this number of tasks, as it is submitted. The caller limits the number to
    /// `MAX_REPLICAS`.
    pub fn new(tasks: u32) -> Self {
        Self {
            tasks: SmallVec::from_elem(Task::NEW, tasks as usize),
            task_counts: TaskCounts { waiting: tasks, ..TaskCounts::default() },
            failed_attempts: 0,
            state_reason: StateReason::NeverStarted,
            started: false,
        }
    }

    /// Returns the tasks.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Returns the reason for the job's state.
    pub fn state_reason(&self) -> StateReason {
        self.state_reason
    }

    /// Returns the job's state.
    pub fn state(&self) -> JobState {
        self.state_reason.state()
    }

    /// Returns the failures that are compared with `max_task_failures`.
    pub fn failures(&self, profile: Profile) -> u32 {
        match profile {
            Profile::Seed => self.task_counts.failed,
            Profile::Upstream => self.failed_attempts,
        }
    }

    /// Adds the charges of a task's earlier attempts; each attempt charges once.
    pub fn charge_earlier(&mut self, task: u32, counts: Counts) {
        let Some(slot) = self.tasks.get_mut(task as usize) else { return };
        slot.counts.failure = slot.counts.failure.saturating_add(counts.failure);
        slot.counts.preemption = slot.counts.preemption.saturating_add(counts.preemption);
        // Attempts that were not charged are unknown, so that these are the fewest.
        let attempts = counts.failure.saturating_add(counts.preemption);
        slot.attempts = slot.attempts.saturating_add(attempts);
        self.failed_attempts = self.failed_attempts.saturating_add(counts.failure);
        self.started |= attempts > 0;
    }

    /// Returns the number of tasks that are not over.
    pub fn open_tasks(&self) -> u32 {
        self.task_counts.waiting.saturating_add(self.task_counts.active)
    }

    /// Sets all tasks that are not over to succeeded.
    pub fn succeed_open_tasks(&mut self, rules: &Rules) {
        for place in 0..self.tasks.len() {
            if self.tasks.get(place).is_some_and(|task| !task.state.is_terminal()) {
                self.set_state(place, TaskState::Succeeded);
            }
        }
        self.state_reason =
            rules.state_reason(&self.task_counts, self.failures(rules.profile), self.started);
    }

    /// Sets the state of a task other than the event's, and adds the change to `changes`.
    pub(crate) fn change_task(
        &mut self,
        place: usize,
        to: TaskState,
        cause: Cause,
        changes: &mut Vec<Change>,
    ) {
        if let Some(from) = self.set_state(place, to) {
            changes.push(Change { task: to_u32(place), from, to, cause });
        }
    }

    /// Sets a task's state; returns the state before.
    pub(crate) fn set_state(&mut self, place: usize, state: TaskState) -> Option<TaskState> {
        let task = self.tasks.get_mut(place)?;
        let before = std::mem::replace(&mut task.state, state);
        self.task_counts.move_task(before, state);
        Some(before)
    }

    /// Sets a task's counts.
    pub(crate) fn charge(&mut self, place: usize, counts: Counts) {
        if let Some(task) = self.tasks.get_mut(place) {
            task.counts = counts;
        }
    }
}

/// Converts an index or a number of tasks: a job has at most `MAX_REPLICAS`, so it fits.
pub(crate) fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Job {
    /// Applies an event to the job. If the event is the end of an attempt, and the task waits for a worker,
    /// the task or its whole gang gets one first.
    ///
    /// `changes` is cleared, and then holds the changes of other tasks, in order. A task that is queued again
    /// and then killed with its job appears twice.
    pub fn apply(&mut self, rules: &Rules, event: Event, changes: &mut Vec<Change>) -> Decision {
        changes.clear();
        if let Some(why) = self.ignored_reason(event) {
            return self.decision(rules, event, Ruling::Ignored(why));
        }
        let (ruling, cascade) = match event.outcome {
            Outcome::CancelJob => {
                self.state_reason = StateReason::Cancelled;
                (Ruling::Cancelled, None)
            }
            _ => self.apply_to_task(rules, event, changes),
        };
        // Counted before the end of the job kills the others: these are the changes of the cascade alone.
        let siblings = changes.len();
        let ends_job = self.state().is_terminal();
        if ends_job {
            self.kill_open_tasks(rules, event.task, changes);
        }
        Decision {
            cascade,
            siblings: to_u32(siblings),
            killed: to_u32(changes.len().saturating_sub(siblings)),
            ends_job,
            ..self.decision(rules, event, ruling)
        }
    }

    /// Gives a task a worker, if it waits for one, and sets its state to that of `phase`. In a gang, all
    /// waiting tasks get a worker and run.
    fn dispatch(&mut self, rules: &Rules, task: u32, phase: Phase) {
        let gang = rules.policy.coscheduled;
        if gang && self.task_counts.waiting > 0 {
            for place in 0..self.tasks.len() {
                self.give_worker(place);
            }
        } else {
            self.give_worker(task as usize);
        }
        self.set_state(task as usize, phase.state());
        self.started = true;
    }

    fn give_worker(&mut self, place: usize) {
        let Some(task) = self.tasks.get_mut(place) else { return };
        if task.state == TaskState::Pending {
            task.attempts = task.attempts.saturating_add(1);
            self.set_state(place, TaskState::Running);
        }
    }

    /// Returns why an event changes nothing; `None` if it is applied.
    fn ignored_reason(&self, event: Event) -> Option<Ignored> {
        let Some(task) = self.tasks.get(event.task as usize) else { return Some(Ignored::NoTask) };
        if self.state().is_terminal() {
            Some(Ignored::JobOver)
        } else if task.state.is_terminal() && event.outcome != Outcome::CancelJob {
            Some(Ignored::TaskOver)
        } else {
            None
        }
    }

    /// Applies an event to the task, its gang and the job.
    fn apply_to_task(
        &mut self,
        rules: &Rules,
        event: Event,
        changes: &mut Vec<Change>,
    ) -> (Ruling, Option<Cascade>) {
        // Histories have no record of the assignment that comes before each end.
        if event.outcome.ends_attempt() {
            self.dispatch(rules, event.task, event.phase);
        }
        let place = event.task as usize;
        let before = self.tasks.get(place).copied().unwrap_or(Task::NEW);
        let resolved = rules.resolve(event.outcome, before.state.is_executing(), before.counts);
        // Only the failures that this event added: earlier ones are counted already.
        let failed = resolved.counts.failure.saturating_sub(before.counts.failure);
        self.failed_attempts = self.failed_attempts.saturating_add(failed);
        self.set_state(place, resolved.state);
        self.charge(place, resolved.counts);
        let cascade = rules.cascade(event.outcome, resolved.verdict);
        if let Some(cascade) = cascade {
            self.cascade(rules, cascade, changes);
        }
        self.state_reason =
            rules.state_reason(&self.task_counts, self.failures(rules.profile), self.started);
        (Ruling::Task(resolved.verdict), cascade)
    }

    /// Applies the cascade to the gang's other tasks that have a worker.
    fn cascade(&mut self, rules: &Rules, cascade: Cascade, changes: &mut Vec<Change>) {
        // Most jobs have one task, whose own event has just ended it.
        if self.task_counts.active == 0 {
            return;
        }
        for place in 0..self.tasks.len() {
            let Some(task) = self.tasks.get(place).copied() else { continue };
            if !task.state.is_active() {
                continue;
            }
            if cascade == Cascade::Exhaust {
                // The budget is spent at once, so that no task of the gang is queued again; a higher count stays.
                let preemption = rules.spent_preemptions().max(task.counts.preemption);
                self.charge(place, Counts { preemption, ..task.counts });
            }
            self.change_task(place, cascade.state(), Cause::Gang(cascade), changes);
        }
    }

    /// Kills the open tasks of a job that is over. An attempt with a worker is charged by the rules of the
    /// profile. A task that is over already is not changed.
    fn kill_open_tasks(&mut self, rules: &Rules, of_event: u32, changes: &mut Vec<Change>) {
        if self.task_counts.active == 0 && self.task_counts.waiting == 0 {
            return;
        }
        for place in 0..self.tasks.len() {
            let Some(task) = self.tasks.get(place).copied() else { continue };
            if task.state.is_terminal() {
                continue;
            }
            if task.state.is_active() {
                let started = task.state.is_executing();
                let charge = rules.profile.charge(TaskState::Killed, started);
                self.charge(place, task.counts.charged(charge));
            }
            // The event's own task is reported with the event, and is no change of another one.
            if to_u32(place) == of_event {
                self.set_state(place, TaskState::Killed);
            } else {
                self.change_task(place, TaskState::Killed, Cause::JobOver, changes);
            }
        }
    }

    /// Returns the current state as a decision without changes.
    fn decision(&self, rules: &Rules, event: Event, ruling: Ruling) -> Decision {
        let task = self.tasks.get(event.task as usize).copied();
        Decision {
            event,
            ruling,
            task_state: task.map(|task| task.state),
            counts: task.unwrap_or(Task::NEW).counts,
            attempts: task.unwrap_or(Task::NEW).attempts,
            state_reason: self.state_reason,
            failures: self.failures(rules.profile),
            cascade: None,
            siblings: 0,
            killed: 0,
            ends_job: false,
        }
    }
}
