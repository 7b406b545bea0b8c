//! The pods of a child Job: what becomes of each, and whether the Job fails.

use super::super::super::job::{
    Failure, FailureReason, JobEnd, Next, Pod, PodEnd, Ruling, pod_name,
};
use super::super::child::{Child, Room, Standing};
use super::super::decision::{Said, SetCode, SetDecision};
use super::super::engine::SetMemory;
use super::super::state::{Pending, Reason, SetState};
use super::{Look, keep, told};
use crate::engine::Effect;
use std::borrow::Cow;

impl Look<'_, '_> {
    /// Asks each Job about its pods of which something is told.
    pub(super) fn pods(&mut self, state: &mut SetState, memory: &mut SetMemory) {
        let SetMemory { rulings, ended, room, .. } = memory;
        let mut rest = ended.as_slice();
        while let Some(&(place, ..)) = rest.first() {
            let (own, others) = rest.split_at(rest.partition_point(|end| end.0 <= place));
            rest = others;
            let facts = self.moment.facts;
            let end = |&(_, seat, number): &(usize, usize, usize)| {
                let run = told(facts.get(number)?)?;
                Some(PodEnd { member: seat, fields: &run.own.pod, at: run.time() })
            };
            match own {
                // One end needs no list.
                [one] => self.job(state, place, end(one).as_slice(), (rulings, room)),
                many => {
                    let ends: Vec<PodEnd<'_>> = many.iter().filter_map(end).collect();
                    self.job(state, place, &ends, (rulings, room));
                }
            }
        }
    }

    /// Fails the Jobs whose time is over.
    pub(super) fn deadlines(&mut self, state: &mut SetState, memory: &mut SetMemory) {
        for place in 0..state.children.len() {
            let Some(child) = state.children.get_mut(place) else { continue };
            let policy = self.engine.policy(self.set, child.replicated_job);
            let deadline = child.deadline(policy);
            if deadline.zip(self.moment.now).is_some_and(|(at, now)| now >= at) {
                let job = child.job(policy, &mut memory.room);
                let failure = job.expire();
                let seat = job.first_open().unwrap_or_default();
                self.stop_active(child, &[]);
                self.job_failed(state, (place, seat), failure, None);
            }
        }
    }

    /// Counts the pods that the failure of their Job stops.
    fn stop_active(&self, child: &mut Child, ends: &[PodEnd<'_>]) {
        let Child { job, seats, .. } = child;
        let Some(job) = job else { return };
        let live =
            |seat: usize| seats.get(seat).is_some_and(|seat| self.moment.live.has(seat.member));
        job.stop_active(ends, live);
    }

    /// Asks a Job about pods of it.
    fn job(
        &mut self,
        state: &mut SetState,
        place: usize,
        ends: &[PodEnd<'_>],
        (rulings, room): (&mut Vec<Ruling>, &mut Room),
    ) {
        let Some(child) = state.children.get_mut(place) else { return };
        let policy = self.engine.policy(self.set, child.replicated_job);
        let over = child.job(policy, room).sync(policy, ends, self.moment.now, rulings);
        if let Some(JobEnd::Failed(failure)) = over {
            self.stop_active(child, ends);
            let culprit = failure.culprit.and_then(|place| ends.get(place).zip(rulings.get(place)));
            let blamed = culprit
                .map_or_else(|| ends.last().map_or(0, |end| end.member), |(end, _)| end.member);
            for end in ends.iter().filter(|end| end.member != blamed) {
                if let Some(seat) = child.seats.get(end.member) {
                    self.answer.verdicts.push(keep(seat.member));
                }
            }
            self.job_failed(state, (place, blamed), failure, culprit);
            return;
        }
        if over.is_some() {
            child.standing = Standing::Complete;
        }
        for (end, ruling) in ends.iter().zip(rulings.iter()) {
            self.pod(state, place, end, ruling);
        }
    }

    /// Says what becomes of a pod in a Job that has not failed.
    fn pod(&mut self, state: &mut SetState, place: usize, end: &PodEnd<'_>, ruling: &Ruling) {
        let Some(child) = state.children.get(place) else { return };
        let policy = self.engine.policy(self.set, child.replicated_job);
        let seat = child.seats.get(end.member).map(|seat| seat.member);
        let (Some(member), Some(job)) = (seat, &child.job) else { return };
        let (code, grant) = match job.next(policy, &self.engine.options, end, ruling) {
            Next::Running | Next::Succeeded | Next::NotReplaced => {
                self.answer.verdicts.push(keep(member));
                return;
            }
            Next::IndexFailed => (SetCode::FailIndex, None),
            Next::Replaced { delay, not_before } => {
                let code = if ruling.counted { SetCode::Retry } else { SetCode::RetryIgnored };
                (code, Some((delay, not_before)))
            }
        };
        state.total = state.total.saturating_add(u32::from(grant.is_some()));
        let mut decision = self.of_job(state, place, end.member, code);
        decision.rule = ruling.matched.and_then(|matched| u32::try_from(matched.rule).ok());
        decision.said = Said::Pod(ruling.matched.map(|matched| matched.action));
        decision.grant = grant;
        let effect = grant.map_or(Effect::Keep, |(delay, not_before)| Effect::Rerun {
            delay: Some(delay),
            not_before,
            counted: ruling.counted,
        });
        self.give(member, effect, Some(decision));
    }

    /// Tells of a Job's failure, and notes it for the failure policy. `culprit` is the pod that
    /// brought it about, if one did.
    fn job_failed(
        &mut self,
        state: &mut SetState,
        (place, seat): (usize, usize),
        failure: Failure,
        culprit: Option<(&PodEnd<'_>, &Ruling)>,
    ) {
        let reason = failure.reason;
        let mut decision = self.of_job(state, place, seat, SetCode::FailJob(reason));
        let Some(child) = state.children.get_mut(place) else { return };
        child.standing = Standing::Failed;
        let member = child.seats.get(seat).map_or(0, |seat| seat.member);
        let matched = culprit.and_then(|(_, ruling)| ruling.matched);
        let decided = matched.filter(|_| reason == FailureReason::PodFailurePolicy);
        // The rule that the pod went by, even where a limit then ends the Job.
        decision.rule = matched.and_then(|matched| u32::try_from(matched.rule).ok());
        decision.said = Said::Pod(decided.map(|matched| matched.action));
        decision.failure = Some(reason);
        let policy = self.engine.policy(self.set, child.replicated_job);
        let expired = child.job.as_ref().filter(|_| reason == FailureReason::DeadlineExceeded);
        decision.expired = expired.and_then(|job| job.deadline(policy));
        let said = |(end, ruling): (&PodEnd<'_>, &Ruling)| {
            // The record is at hand; the name that is remembered may be far away.
            let told = self.moment.facts.iter().find(|fact| fact.member == member);
            let job = told.and_then(super::told).map_or(&child.name, |run| &run.own.job_name);
            let name = pod_name(end.fields, job);
            let namespace = &self.set.namespace;
            let pod = Pod { name: &name, namespace, ..child.job.as_ref()?.pod(end) };
            ruling.failure_message(reason, &pod)
        };
        let fixed = || reason.message().map(Cow::Borrowed);
        let wanted = self.reads_messages();
        let message = if wanted { fixed().or_else(|| culprit.and_then(said)) } else { None };
        state.pending.push(Pending {
            child: place,
            member,
            failed_at: decision.expired.or(self.moment.now),
            reason: Reason::Derived(reason),
            message: message.unwrap_or_default(),
            stuck: false,
        });
        self.give(member, Effect::Keep, Some(decision));
    }

    /// A decision about a pod of a Job, with the Job's counts.
    fn of_job(&self, state: &SetState, place: usize, seat: usize, code: SetCode) -> SetDecision {
        let child = state.children.get(place);
        let policy = self.engine.policy(self.set, child.and_then(|child| child.replicated_job));
        let counts = child.map_or((0, 0), Child::counts);
        let used = child.and_then(|child| child.used(policy, seat, code));
        SetDecision {
            code,
            rule: None,
            said: Said::Pod(None),
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
