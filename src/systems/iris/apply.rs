//! One event: the end of an attempt, what it does to the gang and to the job, and what the end of
//! the job does to the rest of it (upstream, `reconcile/batches.py`).

use super::budget::Counts;
use super::decision::{Cause, Change, Decision, Event, Ignored, Ruling};
use super::gang::Cascade;
use super::job::{Job, number};
use super::outcome::{Outcome, Phase};
use super::policy::Rules;
use super::standing::Standing;
use super::task::{Task, TaskState};

impl Job {
    /// Judges an event and moves the job on. The task, or its whole gang, gets a worker first if it
    /// waits for one and the event is the end of an attempt.
    ///
    /// `changes` is emptied, and then holds what became of other tasks, in order; a task that goes
    /// back into the queue and is then killed with its job is there twice.
    pub fn apply(&mut self, rules: &Rules, event: Event, changes: &mut Vec<Change>) -> Decision {
        changes.clear();
        if let Some(why) = self.ignores(event) {
            return self.decision(rules, event, Ruling::Ignored(why));
        }
        let (ruling, cascade) = match event.outcome {
            Outcome::CancelJob => {
                self.standing = Standing::Cancelled;
                (Ruling::Cancelled, None)
            }
            _ => self.settle(rules, event, changes),
        };
        let siblings = changes.len();
        let ends_job = self.state().is_terminal();
        if ends_job {
            self.kill_rest(rules, event.task, changes);
        }
        Decision {
            cascade,
            siblings: number(siblings),
            killed: number(changes.len().saturating_sub(siblings)),
            ends_job,
            ..self.decision(rules, event, ruling)
        }
    }

    /// Gives a task a worker, if it waits for one, and has it do what `phase` says. The waiting
    /// tasks of a gang all get one, and run.
    fn dispatch(&mut self, rules: &Rules, task: u32, phase: Phase) {
        let gang = rules.policy.coscheduled;
        if gang && self.tally.waiting > 0 {
            for place in 0..self.tasks.len() {
                self.give_worker(place);
            }
        } else {
            self.give_worker(task as usize);
        }
        self.put(task as usize, phase.state());
        self.started = true;
    }

    fn give_worker(&mut self, place: usize) {
        let Some(task) = self.tasks.get_mut(place) else { return };
        if task.state == TaskState::Pending {
            task.attempts = task.attempts.saturating_add(1);
            self.put(place, TaskState::Running);
        }
    }

    /// Why an event changes nothing, if so.
    fn ignores(&self, event: Event) -> Option<Ignored> {
        let Some(task) = self.tasks.get(event.task as usize) else { return Some(Ignored::NoTask) };
        if self.state().is_terminal() {
            Some(Ignored::JobOver)
        } else if task.state.is_terminal() && event.outcome != Outcome::CancelJob {
            Some(Ignored::TaskOver)
        } else {
            None
        }
    }

    /// The task's end, its gang's and what they make of the job.
    fn settle(
        &mut self,
        rules: &Rules,
        event: Event,
        changes: &mut Vec<Change>,
    ) -> (Ruling, Option<Cascade>) {
        if event.outcome.ends_attempt() {
            self.dispatch(rules, event.task, event.phase);
        }
        let place = event.task as usize;
        let before = self.tasks.get(place).copied().unwrap_or(Task::NEW);
        let resolved = rules.resolve(event.outcome, before.state.is_executing(), before.counts);
        let failed = resolved.counts.failure.saturating_sub(before.counts.failure);
        self.failed_attempts = self.failed_attempts.saturating_add(failed);
        self.put(place, resolved.state);
        self.charge(place, resolved.counts);
        let cascade = rules.cascade(event.outcome, resolved.verdict);
        if let Some(cascade) = cascade {
            self.cascade(rules, cascade, changes);
        }
        self.standing = rules.standing(&self.tally, self.failures(rules.profile), self.started);
        (Ruling::Task(resolved.verdict), cascade)
    }

    /// Takes the gang's other tasks along that have a worker.
    fn cascade(&mut self, rules: &Rules, cascade: Cascade, changes: &mut Vec<Change>) {
        if self.tally.active == 0 {
            return;
        }
        for place in 0..self.tasks.len() {
            let Some(task) = self.tasks.get(place).copied() else { continue };
            if !task.state.is_active() {
                continue;
            }
            if cascade == Cascade::Exhaust {
                let preemption = rules.spent_preemptions().max(task.counts.preemption);
                self.charge(place, Counts { preemption, ..task.counts });
            }
            self.change(place, cascade.state(), Cause::Gang(cascade), changes);
        }
    }

    /// A job that is over kills what is left of it. An attempt that a worker has is charged for
    /// that as its profile says; one that is over already stays as it is.
    fn kill_rest(&mut self, rules: &Rules, of_event: u32, changes: &mut Vec<Change>) {
        if self.tally.active == 0 && self.tally.waiting == 0 {
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
            if number(place) == of_event {
                self.put(place, TaskState::Killed);
            } else {
                self.change(place, TaskState::Killed, Cause::JobOver, changes);
            }
        }
    }

    /// How things stand, as a decision that has changed nothing.
    fn decision(&self, rules: &Rules, event: Event, ruling: Ruling) -> Decision {
        let task = self.tasks.get(event.task as usize).copied();
        Decision {
            event,
            ruling,
            task_state: task.map(|task| task.state),
            counts: task.unwrap_or(Task::NEW).counts,
            attempts: task.unwrap_or(Task::NEW).attempts,
            standing: self.standing,
            failures: self.failures(rules.profile),
            cascade: None,
            siblings: 0,
            killed: 0,
            ends_job: false,
        }
    }
}
