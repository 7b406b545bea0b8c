//! One sync of a JobSet: first its Jobs, then the set. Failures come before successes.
//!
//! Owns the order of the steps; `pods` decides about a Job's pods, and `set` about the set.

use super::JobSetEngine;
use super::child::ChildStatus;
use super::counters::PodAttempt;
use super::decision::SetDecision;
use super::memory::SetMemory;
use super::state::{MemberSlot, Pending, Reason, SetState};
use crate::job::PodOutcome;
use crate::jobset::manifest::{FailurePolicy, JobSet};
use crate::jobset::record::SetFields;
use replay::history::Run;
use replay::simulate::{Effect, End, Evaluation, Fact, FactKind, Moment, Verdict};

mod pods;
mod set;

pub(crate) use set::checks_max_restarts;

/// The inputs of a sync, and its output.
pub(crate) struct SetSync<'l, 'r> {
    pub(crate) engine: &'l JobSetEngine,
    pub(crate) set: &'l JobSet,
    pub(crate) moment: &'l Moment<'r, SetFields>,
    pub(crate) answer: &'l mut Evaluation<SetDecision>,
}

impl SetSync<'_, '_> {
    /// Decides about the moment.
    pub(crate) fn judge(&mut self, state: &mut SetState, memory: &mut SetMemory) {
        if self.handle_cancel() {
            return;
        }
        // The list is lent by the thread: few units have a failed Job at a time, and each would allocate a list of its
        // own.
        if state.pending.capacity() == 0 {
            std::mem::swap(&mut state.pending, &mut memory.pending);
        }
        memory.ended.clear();
        self.gather_facts(state, memory);
        // Pods before deadlines: a Job that ends at its deadline has ended by its pods.
        self.pods(state, memory);
        self.deadlines(state, memory);
        if !state.pending.is_empty() {
            self.decide(state, memory);
        // A failed Job comes before restarts in place, and both before the success.
        } else if !self.check_in_place_limit(state) && state.is_complete(self.set) {
            self.answer.end = Some(End::Succeeded);
        }
        self.answer.next = state.deadline(self.engine, self.set);
        // A set that is over evaluates no further failure.
        if self.answer.end.is_some() {
            state.pending.clear();
        }
        if state.pending.is_empty() {
            memory.pending = std::mem::take(&mut state.pending);
        }
    }

    fn push_verdict(&mut self, member: usize, effect: Effect, decision: Option<SetDecision>) {
        self.answer.verdicts.push(Verdict { member, effect, decision });
    }

    fn handle_cancel(&mut self) -> bool {
        let cancelled = self.moment.facts.iter().find(|fact| match &fact.kind {
            FactKind::Ended(run) => run.own.pod.outcome == PodOutcome::Cancelled,
            _ => false,
        });
        let Some(member) = cancelled.map(|fact| fact.member) else { return false };
        self.push_verdict(member, Effect::End(End::Cancelled), None);
        self.answer.end = Some(End::Cancelled);
        true
    }

    /// Sorts the facts: failed Jobs are queued, ended pods are grouped by Job.
    fn gather_facts(&mut self, state: &mut SetState, memory: &mut SetMemory) {
        for (number, fact) in self.moment.facts.iter().enumerate() {
            let Some(run) = fact_run(fact) else { continue };
            let Some(MemberSlot { child, slot, attempt }) = state.places.get_mut(fact.member)
            else {
                continue;
            };
            if let Some(attempt) = run.own.restart_attempt {
                state.counters.add_unrecorded_restarts(attempt);
            }
            let failed = run.own.pod.outcome == PodOutcome::Failed;
            // A record without the attempt keeps the one before.
            let in_place = run.own.in_place_restart_attempt.or(attempt.attempt);
            *attempt = PodAttempt {
                container_restarts: run.own.pod.most_restarts(),
                // A pod that failed is replaced, and its attempt counts no more.
                attempt: in_place.filter(|_| !failed),
            };
            let (place, slot) = (*child, *slot);
            let Some(child) = state.children.get_mut(place) else { continue };
            let running = child.status == ChildStatus::Running;
            let stopped = run.own.pod.outcome == PodOutcome::Stopped;
            if running && !stopped && !run.own.is_job_record() {
                memory.ended.push((place, slot, number));
                continue;
            }
            self.answer.verdicts.push(keep(fact.member));
            if let Some(job) = child.job.as_mut().filter(|_| stopped) {
                job.stop_pod(slot);
            }
            if running && run.own.is_job_record() {
                child.status = ChildStatus::Failed;
                state.pending.push(self.recorded_failure(place, fact.member, run));
            }
        }
        // By Job, so that each Job is synced once with all of its pods.
        memory.ended.sort_unstable();
    }

    fn recorded_failure(&self, child: usize, member: usize, run: &Run<SetFields>) -> Pending {
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

fn fact_run<'r>(fact: &Fact<'r, SetFields>) -> Option<&'r Run<SetFields>> {
    match fact.kind {
        FactKind::Ended(run) | FactKind::Restarted(run) => Some(run),
        FactKind::Live | FactKind::Timer => None,
    }
}

fn keep(member: usize) -> Verdict<SetDecision> {
    Verdict { member, effect: Effect::Keep, decision: None }
}
