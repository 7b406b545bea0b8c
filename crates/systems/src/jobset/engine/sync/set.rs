//! The set itself: its failure policy for failed Jobs, and the limit on restarts in place.

use super::SetSync;
use crate::job::FailureReason;
use crate::jobset::engine::child::{Child, PodSlot, RestartedPods};
use crate::jobset::engine::counters::in_place_limit;
use crate::jobset::engine::decision::{RuleAction, SetCode, SetDecision};
use crate::jobset::engine::failure_policy::{Applied, Evaluated, Terminal, evaluate};
use crate::jobset::engine::memory::SetMemory;
use crate::jobset::engine::state::{MemberSlot, Reason, SetState};
use crate::jobset::manifest::{Action, RestartStrategy};
use document::units::GoDuration;
use replay::simulate::{Effect, End};

impl SetSync<'_, '_> {
    /// Applies the failure policy to the Jobs that have failed.
    pub(crate) fn decide(&mut self, state: &mut SetState, memory: &mut SetMemory) {
        let manifest = state.manifest.unwrap_or_default();
        let SetState { pending, children, counters, .. } = state;
        let failed = pending.iter().filter_map(|pending| pending.failed_job(children));
        let policy = memory.policy(manifest, self.set);
        let jobs = &self.set.replicated_jobs;
        let evaluated = evaluate(policy, jobs, self.engine.gates, failed, counters);
        let Some(evaluated) = evaluated else { return };
        let Some(first) = state.pending.get_mut(evaluated.job) else { return };
        let (place, member) = (first.child, first.member);
        // Before the decision is made, which reports a failure that cannot be handled only once.
        let was_stuck = std::mem::replace(&mut first.stuck, true);
        let decision = self.decide_set(state, place, &evaluated);
        match evaluated.applied {
            Applied::Failed(terminal) => self.fail(state, member, terminal, decision),
            Applied::SetRestarted => {
                let (engine, set) = (self.engine, self.set);
                let policy = |child: &Child| engine.policy(set, child.replicated_job);
                let pods = state.restart_all(policy, self.moment.now, &mut memory.buffer);
                self.rerun(state, member, &pods[place], Some(decision));
                for (child, pods) in pods.iter().enumerate() {
                    self.rerun_child(state, child, member, pods);
                }
            }
            Applied::JobRestarted => {
                // The failure has been handled; others are decided one by one.
                state.pending.remove(evaluated.job);
                let Some(child) = state.children.get_mut(place) else { return };
                let policy = self.engine.policy(self.set, child.replicated_job);
                let pods = child.restart(policy, self.moment.now, &mut memory.buffer);
                self.rerun(state, member, &pods, Some(decision));
                self.rerun_child(state, place, member, &pods);
                self.answer.again = !state.pending.is_empty();
            }
            Applied::Stuck(_) if was_stuck => {}
            Applied::Stuck(_) => self.push_verdict(member, Effect::Keep, Some(decision)),
        }
    }

    /// Reruns the members of a Job that restarts, but for the one that is `decided`. Of pods without an index the
    /// first of the new Job replaces one of the old Job.
    fn rerun_child(
        &mut self,
        state: &SetState,
        child: usize,
        decided: usize,
        pods: &RestartedPods,
    ) {
        let Some(child) = state.children.get(child) else { return };
        let mut is_replaced = pods.ended.contains(&decided);
        for slot in child.slots.iter().filter(|slot| slot.member != decided && !slot.is_pod()) {
            self.rerun(state, slot.member, &RestartedPods::default(), None);
        }
        for member in pods.ended.iter().copied().filter(|member| *member != decided) {
            if is_replaced {
                self.push_verdict(member, Effect::End(End::Failed), None);
            } else {
                self.rerun(state, member, pods, None);
            }
            is_replaced = true;
        }
    }

    /// Adds a rerun without a delay: a Job is recreated as soon as the old one is deleted.
    fn rerun(
        &mut self,
        state: &SetState,
        member: usize,
        pods: &RestartedPods,
        decision: Option<SetDecision>,
    ) {
        let (delay, not_before) = (Some(GoDuration::ZERO), self.moment.now);
        let place = state.places.get(member);
        let slot = place.and_then(|place| state.children.get(place.child)?.slots.get(place.slot));
        // One that has not started is the new Job's.
        let is_over = || pods.ended.contains(&member);
        let effect = if slot.is_some_and(PodSlot::is_pod) && is_over() {
            Effect::Replace { delay, not_before, by: pods.first }
        } else {
            Effect::Rerun { delay, not_before }
        };
        self.push_verdict(member, effect, decision);
    }

    fn fail(
        &mut self,
        state: &mut SetState,
        member: usize,
        terminal: Terminal,
        decision: SetDecision,
    ) {
        state.terminal = Some(terminal);
        self.push_verdict(member, Effect::End(End::Failed), Some(decision));
        self.answer.end = Some(End::Failed);
    }

    /// Makes a decision about the set; counts it among the restarts if it is one.
    fn decide_set(&self, state: &mut SetState, place: usize, evaluated: &Evaluated) -> SetDecision {
        let (code, rule_action) = set_code(evaluated);
        let reruns = code.reruns();
        state.total = state.total.saturating_add(u32::from(reruns));
        // Counted before the set restarts, which clears the failures.
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
            ..self.about_set(state, place, code, rule_action)
        }
    }

    fn about_set(
        &self,
        state: &SetState,
        child: usize,
        code: SetCode,
        rule_action: RuleAction,
    ) -> SetDecision {
        let counters = &state.counters;
        let counted = counters.counted(self.engine.gates.restart_job);
        let max = self.set.failure_policy.as_ref().map(|policy| policy.max_restarts);
        let used = max.filter(|_| checks_max_restarts(code)).map(|max| {
            (u32::try_from(counted).unwrap_or(u32::MAX), u32::try_from(max).unwrap_or(0))
        });
        SetDecision {
            code,
            rule: None,
            rule_action,
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

    /// Returns whether restarts in place have failed the set.
    pub(crate) fn check_in_place_limit(&mut self, state: &mut SetState) -> bool {
        let Some(policy) = self.set.failure_policy.as_ref() else { return false };
        let on = policy.restart_strategy == RestartStrategy::InPlaceRestart
            && self.engine.gates.in_place_restart;
        let exceeds_limit = |pods: &[MemberSlot]| {
            let attempts = pods.iter().map(|place| place.attempt);
            in_place_limit(policy.max_restarts, &state.counters, attempts)
        };
        if !on || !exceeds_limit(&state.places) {
            return false;
        }
        let mut members = self.moment.facts.iter().map(|fact| fact.member);
        let member = members.find(|member| {
            state.places.get(*member).is_some_and(|pod| exceeds_limit(std::slice::from_ref(pod)))
        });
        let member = member.unwrap_or_default();
        let place = state.places.get(member);
        let pod = place.map(|place| place.attempt).unwrap_or_default();
        let place = place.map_or(0, |place| place.child);
        let mut decision =
            self.about_set(state, place, SetCode::FailInPlaceLimit, RuleAction::InPlace);
        let max = u32::try_from(policy.max_restarts).unwrap_or(0);
        let uncounted = state.counters.restarts - state.counters.restarts_count_towards_max;
        let attempts = pod.attempt.unwrap_or(0).saturating_sub(uncounted);
        // The controller compares both, and either exceeds the limit.
        decision.used = Some((pod.container_restarts.max(attempts), max));
        self.fail(state, member, Terminal::ReachedMaxRestarts, decision);
        true
    }
}

/// Returns whether a decision with this code depends on `maxRestarts`.
pub(crate) fn checks_max_restarts(code: SetCode) -> bool {
    matches!(code, SetCode::RestartJobset | SetCode::RestartJob | SetCode::FailMaxRestarts)
}

fn set_code(evaluated: &Evaluated) -> (SetCode, RuleAction) {
    let action = evaluated.action.unwrap_or(Action::RestartJobSet);
    let code = match (evaluated.applied, action) {
        (Applied::Failed(Terminal::FailedJobs), _) => {
            return (SetCode::FailNoPolicy, RuleAction::NoPolicy);
        }
        (Applied::Stuck(why), _) => {
            return (SetCode::ReconcileError, RuleAction::Stuck(action, why));
        }
        (Applied::Failed(Terminal::FailJobSetFailurePolicyAction), _) => SetCode::FailRule,
        (Applied::Failed(Terminal::ReachedMaxRestarts), _) => SetCode::FailMaxRestarts,
        (_, Action::RestartJobSetAndIgnoreMaxRestarts) => SetCode::RestartJobsetIgnored,
        (_, Action::RestartJob) => SetCode::RestartJob,
        (_, Action::RestartJobAndIgnoreMaxRestarts) => SetCode::RestartJobIgnored,
        (_, Action::RestartJobSet | Action::FailJobSet) => SetCode::RestartJobset,
    };
    (code, RuleAction::Set(action))
}
