//! The set as a whole: what its failure policy makes of Jobs that have failed, and whether restarts
//! in place are too many.

use super::super::super::job::FailureReason;
use super::super::apply::{Applied, Evaluated, Terminal, evaluate};
use super::super::decision::{Said, SetCode, SetDecision};
use super::super::engine::SetMemory;
use super::super::in_place::in_place_limit;
use super::super::model::{Action, RestartStrategy};
use super::super::state::{Place, Reason, SetState};
use super::Look;
use crate::engine::{Effect, End};
use crate::units::GoDuration;

impl Look<'_, '_> {
    /// Asks the failure policy about the Jobs that have failed.
    pub(super) fn decide(&mut self, state: &mut SetState, memory: &mut SetMemory) {
        let manifest = state.manifest.unwrap_or_default();
        let SetState { pending, children, counters, .. } = state;
        let failed = pending.iter().filter_map(|pending| pending.seen(children));
        let policy = memory.policy(manifest, self.set);
        let jobs = &self.set.replicated_jobs;
        let evaluated = evaluate(policy, jobs, self.engine.gates, failed, counters);
        let Some(evaluated) = evaluated else { return };
        let Some(first) = state.pending.get_mut(evaluated.job) else { return };
        let (place, member) = (first.child, first.member);
        let was_stuck = std::mem::replace(&mut first.stuck, true);
        let decision = self.of_set(state, place, &evaluated);
        match evaluated.applied {
            Applied::Failed(terminal) => self.fail(state, member, terminal, decision),
            Applied::SetRestarted => {
                state.restart_all(self.moment.now, &mut memory.room);
                self.rerun(member, Some(decision));
                for other in (0..state.places.len()).filter(|other| *other != member) {
                    self.rerun(other, None);
                }
            }
            Applied::JobRestarted => {
                state.pending.remove(evaluated.job);
                let Some(child) = state.children.get_mut(place) else { return };
                child.restart(self.moment.now, &mut memory.room);
                self.rerun(member, Some(decision));
                for seat in child.seats.iter().filter(|seat| seat.member != member) {
                    self.rerun(seat.member, None);
                }
                self.answer.again = !state.pending.is_empty();
            }
            Applied::Stuck(_) if was_stuck => {}
            Applied::Stuck(_) => self.give(member, Effect::Keep, Some(decision)),
        }
    }

    /// Nothing waits: a Job is made anew as soon as the old one is gone.
    fn rerun(&mut self, member: usize, decision: Option<SetDecision>) {
        let counted = decision.is_some_and(|decision| {
            matches!(decision.code, SetCode::RestartJobset | SetCode::RestartJob)
        });
        let (delay, not_before) = (Some(GoDuration::ZERO), self.moment.now);
        self.give(member, Effect::Rerun { delay, not_before, counted }, decision);
    }

    fn fail(
        &mut self,
        state: &mut SetState,
        member: usize,
        terminal: Terminal,
        decision: SetDecision,
    ) {
        state.terminal = Some(terminal);
        self.give(member, Effect::End(End::Failed), Some(decision));
        self.answer.fate = Some(End::Failed);
    }

    /// A decision about the set; counts it among the restarts if it is one.
    fn of_set(&self, state: &mut SetState, place: usize, evaluated: &Evaluated) -> SetDecision {
        let (code, said) = coded(evaluated);
        let reruns = code.reruns();
        state.total = state.total.saturating_add(u32::from(reruns));
        let all = u32::try_from(state.pending.len()).unwrap_or(u32::MAX);
        let whole = evaluated.applied == Applied::SetRestarted;
        let failed = state.pending.get(evaluated.job);
        let failure = failed.and_then(|pending| match pending.reason {
            Reason::Derived(reason) => Some(reason),
            Reason::Recorded(_) => None,
        });
        let expired = failure == Some(FailureReason::DeadlineExceeded);
        let expired = failed.filter(|_| expired).and_then(|pending| pending.failed_at);
        SetDecision {
            rule: evaluated.rule.and_then(|rule| u32::try_from(rule).ok()),
            others: if whole { all.saturating_sub(1) } else { 0 },
            grant: reruns.then_some((GoDuration::ZERO, self.moment.now)),
            failure,
            expired,
            ..self.about_set(state, place, code, said)
        }
    }

    fn about_set(&self, state: &SetState, child: usize, code: SetCode, said: Said) -> SetDecision {
        let counters = &state.counters;
        let counted = counters.counted(self.engine.gates.restart_job);
        let max = self.set.failure_policy.as_ref().map(|policy| policy.max_restarts);
        let used = max.filter(|_| limited(code)).map(|max| {
            (u32::try_from(counted).unwrap_or(u32::MAX), u32::try_from(max).unwrap_or(0))
        });
        SetDecision {
            code,
            rule: None,
            said,
            manifest: state.manifest.unwrap_or_default(),
            child,
            replicated_job: state.children.get(child).and_then(|child| child.replicated_job),
            used,
            counts: (counters.restarts, counters.restarts_count_towards_max),
            failed_indexes: 0,
            others: 0,
            grant: None,
            failure: None,
            expired: None,
            total: state.total,
        }
    }

    /// Whether restarts in place have failed the set.
    pub(super) fn in_place(&mut self, state: &mut SetState) -> bool {
        let Some(policy) = self.set.failure_policy.as_ref() else { return false };
        let on = policy.restart_strategy == RestartStrategy::InPlaceRestart
            && self.engine.gates.in_place_restart;
        let exceeded = |pods: &[Place]| {
            let attempts = pods.iter().map(|place| place.attempt);
            in_place_limit(policy.max_restarts, &state.counters, attempts)
        };
        if !on || !exceeded(&state.places) {
            return false;
        }
        let mut told = self.moment.facts.iter().map(|fact| fact.member);
        let member = told.find(|member| {
            state.places.get(*member).is_some_and(|pod| exceeded(std::slice::from_ref(pod)))
        });
        let member = member.unwrap_or_default();
        let place = state.places.get(member);
        let pod = place.map(|place| place.attempt).unwrap_or_default();
        let place = place.map_or(0, |place| place.child);
        let mut decision = self.about_set(state, place, SetCode::FailInPlaceLimit, Said::InPlace);
        let max = u32::try_from(policy.max_restarts).unwrap_or(0);
        let uncounted = state.counters.restarts - state.counters.restarts_count_towards_max;
        let attempts = pod.attempt.unwrap_or(0).saturating_sub(uncounted);
        decision.used = Some((pod.container_restarts.max(attempts), max));
        self.fail(state, member, Terminal::ReachedMaxRestarts, decision);
        true
    }
}

/// Whether such a decision looks at `maxRestarts`.
pub(in super::super) fn limited(code: SetCode) -> bool {
    matches!(code, SetCode::RestartJobset | SetCode::RestartJob | SetCode::FailMaxRestarts)
}

fn coded(evaluated: &Evaluated) -> (SetCode, Said) {
    let action = evaluated.action.unwrap_or(Action::RestartJobSet);
    let code = match (evaluated.applied, action) {
        (Applied::Failed(Terminal::FailedJobs), _) => {
            return (SetCode::FailNoPolicy, Said::NoPolicy);
        }
        (Applied::Stuck(why), _) => return (SetCode::ReconcileError, Said::Stuck(action, why)),
        (Applied::Failed(Terminal::FailJobSetFailurePolicyAction), _) => SetCode::FailRule,
        (Applied::Failed(Terminal::ReachedMaxRestarts), _) => SetCode::FailMaxRestarts,
        (_, Action::RestartJobSetAndIgnoreMaxRestarts) => SetCode::RestartJobsetIgnored,
        (_, Action::RestartJob) => SetCode::RestartJob,
        (_, Action::RestartJobAndIgnoreMaxRestarts) => SetCode::RestartJobIgnored,
        (_, Action::RestartJobSet | Action::FailJobSet) => SetCode::RestartJobset,
    };
    (code, Said::Set(action))
}
