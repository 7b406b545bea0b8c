//! One look at a JobSet: first at its Jobs, then at the set. Failures are judged before successes.
//!
//! Owns what is taken in and in which order; what becomes of a Job's pods is `pods`', and what the
//! set comes to `set`'s.

mod pods;
mod set;

pub(super) use set::limited;

use super::super::job::PodOutcome;
use super::child::Standing;
use super::decision::SetDecision;
use super::engine::{JobSetEngine, SetMemory};
use super::in_place::PodAttempt;
use super::model::{FailurePolicy, JobSet};
use super::record::SetFields;
use super::state::{Pending, Place, Reason, SetState};
use crate::engine::{Effect, End, Evaluation, Fact, FactKind, Moment, Verdict};
use crate::history::MemberRun;

type Run = MemberRun<SetFields>;

/// What a look goes by, and where its answer goes.
pub(super) struct Look<'l, 'r> {
    pub(super) engine: &'l JobSetEngine,
    pub(super) set: &'l JobSet,
    pub(super) moment: &'l Moment<'r, Run>,
    pub(super) answer: &'l mut Evaluation<SetDecision>,
}

impl Look<'_, '_> {
    /// Judges the moment.
    pub(super) fn at(&mut self, state: &mut SetState, memory: &mut SetMemory) {
        if self.cancelled() {
            return;
        }
        if state.pending.capacity() == 0 {
            std::mem::swap(&mut state.pending, &mut memory.pending);
        }
        memory.ended.clear();
        self.gather(state, memory);
        self.pods(state, memory);
        self.deadlines(state, memory);
        if !state.pending.is_empty() {
            self.decide(state, memory);
        } else if !self.in_place(state) && state.is_complete(self.set) {
            self.answer.fate = Some(End::Succeeded);
        }
        self.answer.next = state.deadline(self.engine, self.set);
        if self.answer.fate.is_some() {
            state.pending.clear();
        }
        if state.pending.is_empty() {
            memory.pending = std::mem::take(&mut state.pending);
        }
    }

    fn give(&mut self, member: usize, effect: Effect, decision: Option<SetDecision>) {
        self.answer.verdicts.push(Verdict { member, effect, decision });
    }

    fn cancelled(&mut self) -> bool {
        let gone = self.moment.facts.iter().find(|fact| match &fact.kind {
            FactKind::Ended(run) => run.own.pod.outcome == PodOutcome::Cancelled,
            _ => false,
        });
        let Some(member) = gone.map(|fact| fact.member) else { return false };
        self.give(member, Effect::End(End::Cancelled), None);
        self.answer.fate = Some(End::Cancelled);
        true
    }

    /// Takes in what has happened: failed Jobs are noted, pods that ended are put by their Job.
    fn gather(&mut self, state: &mut SetState, memory: &mut SetMemory) {
        for (number, fact) in self.moment.facts.iter().enumerate() {
            let Some(run) = told(fact) else { continue };
            let Some(Place { child, seat, attempt }) = state.places.get_mut(fact.member) else {
                continue;
            };
            if let Some(attempt) = run.own.restart_attempt {
                state.counters.recall(attempt);
            }
            let failed = run.own.pod.outcome == PodOutcome::Failed;
            let told = run.own.in_place_restart_attempt.or(attempt.attempt);
            *attempt = PodAttempt {
                container_restarts: run.own.pod.most_restarts(),
                attempt: told.filter(|_| !failed),
            };
            let (place, seat) = (*child, *seat);
            let Some(child) = state.children.get_mut(place) else { continue };
            let running = child.standing == Standing::Running;
            let stopped = run.own.pod.outcome == PodOutcome::Stopped;
            if running && !stopped && !run.own.tells_of_job() {
                memory.ended.push((place, seat, number));
                continue;
            }
            self.answer.verdicts.push(keep(fact.member));
            if let Some(job) = child.job.as_mut().filter(|_| stopped) {
                job.stopped(seat);
            }
            if running && run.own.tells_of_job() {
                child.standing = Standing::Failed;
                state.pending.push(self.recorded(place, fact.member, run));
            }
        }
        memory.ended.sort_unstable();
    }

    fn recorded(&self, child: usize, member: usize, run: &Run) -> Pending {
        let message =
            if self.reads_messages() { run.own.message().to_owned() } else { String::new() };
        let message = message.into();
        let reason = Reason::Recorded(run.own.failure_reason.clone());
        let failed_at = run.time().or(self.moment.now);
        Pending { child, member, failed_at, reason, message, stuck: false }
    }

    fn reads_messages(&self) -> bool {
        self.set.failure_policy.as_ref().is_some_and(FailurePolicy::reads_messages)
    }
}

/// The run that a fact tells of.
fn told<'r>(fact: &Fact<'r, Run>) -> Option<&'r Run> {
    match fact.kind {
        FactKind::Ended(run) | FactKind::Restarted(run) => Some(run),
        FactKind::Live | FactKind::Timer => None,
    }
}

fn keep(member: usize) -> Verdict<SetDecision> {
    Verdict { member, effect: Effect::Keep, decision: None }
}
