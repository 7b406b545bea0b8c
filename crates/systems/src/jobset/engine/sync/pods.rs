//! The pods of a child Job: the verdict on each, and whether the Job fails.

use super::{SetSync, fact_run, keep};
use crate::job::{Failure, FailureReason, JobEnd, Next, Pod, PodEnd, Ruling, Successor, pod_name};
use crate::jobset::engine::child::{Child, ChildStatus, StateBuffer};
use crate::jobset::engine::decision::{RuleAction, SetCode, SetDecision};
use crate::jobset::engine::memory::SetMemory;
use crate::jobset::engine::state::{Pending, Reason, SetState};
use replay::simulate::{Effect, Verdict};
use std::borrow::Cow;

impl SetSync<'_, '_> {
    /// Syncs each Job with its pods that have a fact.
    pub(crate) fn pods(&mut self, state: &mut SetState, memory: &mut SetMemory) {
        let SetMemory { rulings, ended, buffer, .. } = memory;
        let mut rest = ended.as_slice();
        while let Some(&(place, ..)) = rest.first() {
            // The list is sorted by Job.
            let (own, others) = rest.split_at(rest.partition_point(|end| end.0 <= place));
            rest = others;
            let facts = self.moment.facts;
            let end = |&(_, slot, number): &(usize, usize, usize)| {
                let run = fact_run(facts.get(number)?)?;
                Some(PodEnd { member: slot, fields: &run.own.pod, at: run.time() })
            };
            match own {
                // A single end needs no list.
                [one] => self.job(state, place, end(one).as_slice(), (rulings, buffer)),
                many => {
                    let ends: Vec<PodEnd<'_>> = many.iter().filter_map(end).collect();
                    self.job(state, place, &ends, (rulings, buffer));
                }
            }
        }
    }

    /// Fails the Jobs whose deadline has passed.
    pub(crate) fn deadlines(&mut self, state: &mut SetState, memory: &mut SetMemory) {
        for place in 0..state.children.len() {
            let Some(child) = state.children.get_mut(place) else { continue };
            let policy = self.engine.policy(self.set, child.replicated_job);
            let deadline = child.deadline(policy);
            if deadline.zip(self.moment.now).is_some_and(|(at, now)| now >= at) {
                let job = child.job(policy, &mut memory.buffer);
                let failure = job.expire(self.moment.now);
                let slot = job.first_open().unwrap_or_default();
                self.stop_active(child, &[]);
                self.job_failed(state, (place, slot), failure, None);
            }
        }
    }

    /// Counts the pods that the failure of their Job stops.
    fn stop_active(&self, child: &mut Child, ends: &[PodEnd<'_>]) {
        let Child { job, slots, .. } = child;
        let Some(job) = job else { return };
        let live =
            |slot: usize| slots.get(slot).is_some_and(|slot| self.moment.live.has(slot.member));
        job.stop_active(ends, live);
    }

    /// Syncs a Job with some of its pods.
    fn job(
        &mut self,
        state: &mut SetState,
        place: usize,
        ends: &[PodEnd<'_>],
        (rulings, buffer): (&mut Vec<Ruling>, &mut StateBuffer),
    ) {
        let Some(child) = state.children.get_mut(place) else { return };
        let policy = self.engine.policy(self.set, child.replicated_job);
        let rules = (policy, &self.engine.options);
        let over = child.job(policy, buffer).sync(rules, ends, self.moment.now, rulings);
        if let Some(JobEnd::Failed(failure)) = over {
            self.stop_active(child, ends);
            let causing_pod =
                failure.causing_pod.and_then(|place| ends.get(place).zip(rulings.get(place)));
            // Without a pod that caused it (a deadline, restarts) the last one that ended is named.
            let blamed = causing_pod
                .map_or_else(|| ends.last().map_or(0, |end| end.member), |(end, _)| end.member);
            // The other pods wait for the set's decision, which `job_failed` queues once for the Job.
            for end in ends.iter().filter(|end| end.member != blamed) {
                if let Some(slot) = child.slots.get(end.member) {
                    self.answer.verdicts.push(keep(slot.member));
                }
            }
            self.job_failed(state, (place, blamed), failure, causing_pod);
            return;
        }
        let released = child.job(policy, buffer).take_released();
        let released = released.into_iter().filter_map(|slot| child.slots.get(slot));
        let (effect, decision) = (Effect::Release, None);
        let released = released.map(|slot| Verdict { member: slot.member, effect, decision });
        self.answer.verdicts.extend(released);
        if over.is_some() {
            child.status = ChildStatus::Complete;
        }
        for (end, ruling) in ends.iter().zip(rulings.iter()) {
            self.pod(state, place, end, ruling);
        }
    }

    /// Adds the verdict on a pod in a Job that has not failed.
    fn pod(&mut self, state: &mut SetState, place: usize, end: &PodEnd<'_>, ruling: &Ruling) {
        let Some(child) = state.children.get(place) else { return };
        let policy = self.engine.policy(self.set, child.replicated_job);
        let slot = child.slots.get(end.member).map(|slot| slot.member);
        let (Some(member), Some(job)) = (slot, &child.job) else { return };
        let (code, grant) = match job.next(policy, &self.engine.options, end, ruling) {
            Next::Running | Next::Succeeded | Next::NotReplaced => {
                self.answer.verdicts.push(keep(member));
                return;
            }
            Next::IndexFailed => (SetCode::FailIndex, None),
            Next::Replaced { delay, not_before, by } => {
                let code = if ruling.counted { SetCode::Retry } else { SetCode::RetryIgnored };
                (code, Some((delay, not_before, by)))
            }
        };
        // Before the decision, which reports the total with this retry.
        state.total = state.total.saturating_add(u32::from(grant.is_some()));
        let mut decision = self.decide_job(state, place, end.member, code);
        decision.rule = ruling.matched.and_then(|matched| u32::try_from(matched.rule).ok());
        decision.rule_action = RuleAction::Pod(ruling.matched.map(|matched| matched.action));
        decision.grant = grant.map(|(delay, not_before, _)| (delay, not_before));
        let effect = grant.map_or(Effect::Keep, |(delay, not_before, by)| match by {
            Successor::Same => Effect::Rerun { delay: Some(delay), not_before },
            Successor::Other(slot) => Effect::Replace {
                delay: Some(delay),
                not_before,
                by: slot.and_then(|slot| child.slots.get(slot)).map(|slot| slot.member),
            },
        });
        self.push_verdict(member, effect, Some(decision));
    }

    /// Adds the decision about a Job's failure, and queues it for the failure policy. `causing_pod` is
    /// the pod that caused it, if one did.
    fn job_failed(
        &mut self,
        state: &mut SetState,
        (place, slot): (usize, usize),
        failure: Failure,
        causing_pod: Option<(&PodEnd<'_>, &Ruling)>,
    ) {
        let reason = failure.reason;
        let mut decision = self.decide_job(state, place, slot, SetCode::FailJob(reason));
        let Some(child) = state.children.get_mut(place) else { return };
        child.status = ChildStatus::Failed;
        let member = child.slots.get(slot).map_or(0, |slot| slot.member);
        let matched = causing_pod.and_then(|(_, ruling)| ruling.matched);
        let decided = matched.filter(|_| reason == FailureReason::PodFailurePolicy);
        // The rule that matched the pod is reported, even if a limit then ends the Job.
        decision.rule = matched.and_then(|matched| u32::try_from(matched.rule).ok());
        decision.rule_action = RuleAction::Pod(decided.map(|matched| matched.action));
        decision.failure = Some(reason);
        let policy = self.engine.policy(self.set, child.replicated_job);
        let expired = child.job.as_ref().filter(|_| reason == FailureReason::DeadlineExceeded);
        decision.expired = expired.and_then(|job| job.deadline(policy));
        let pod_message = |(end, ruling): (&PodEnd<'_>, &Ruling)| {
            // The record is in the cache; the remembered name may not be.
            let fact = self.moment.facts.iter().find(|fact| fact.member == member);
            let job = fact.and_then(super::fact_run).map_or(&child.name, |run| &run.own.job_name);
            let name = pod_name(end.fields, job);
            let namespace = &self.set.namespace;
            let pod = Pod { name: &name, namespace, ..child.job.as_ref()?.pod(end) };
            ruling.failure_message(reason, &pod)
        };
        let fixed = || reason.message().map(Cow::Borrowed);
        let wanted = self.reads_messages();
        // Messages are long, and most policies do not read them.
        let message =
            if wanted { fixed().or_else(|| causing_pod.and_then(pod_message)) } else { None };
        state.pending.push(Pending {
            child: place,
            member,
            // A deadline passes at its own time, also if it was noticed at the end of a pod.
            failed_at: decision.expired.or(self.moment.now),
            reason: Reason::Derived(reason),
            message: message.unwrap_or_default(),
            stuck: false,
        });
        self.push_verdict(member, Effect::Keep, Some(decision));
    }

    /// Makes a decision about a pod of a Job, with the Job's counts.
    fn decide_job(
        &self,
        state: &SetState,
        place: usize,
        slot: usize,
        code: SetCode,
    ) -> SetDecision {
        let child = state.children.get(place);
        let policy = self.engine.policy(self.set, child.and_then(|child| child.replicated_job));
        let counts = child.map_or((0, 0), Child::counts);
        let used = child.and_then(|child| child.used(policy, slot, code));
        SetDecision {
            code,
            rule: None,
            rule_action: RuleAction::Pod(None),
            manifest: state.manifest.unwrap_or_default(),
            child: place,
            replicated_job: child.and_then(|child| child.replicated_job),
            used,
            counts,
            failed_indexes: child.map_or(0, Child::failed_indexes),
            others: 0,
            grant: None,
            failure: None,
            expired: None,
            total: state.total,
        }
    }
}
