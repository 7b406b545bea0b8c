//! One look at a JobSet: first at its Jobs, then at the set. Failures are judged before successes.

use super::super::job::{Failure, FailureReason, JobEnd, Next, PodEnd, PodOutcome, Ruling};
use super::apply::{Applied, Evaluated, Terminal, evaluate};
use super::child::Standing;
use super::decision::{Said, SetCode, SetDecision};
use super::engine::{JobSetEngine, SetMemory};
use super::in_place::{PodAttempt, in_place_limit};
use super::model::{Action, FailurePolicy, JobSet, RestartStrategy};
use super::record::SetFields;
use super::state::{Pending, Reason, SetState};
use crate::engine::{Effect, End, Evaluation, Fact, FactKind, Moment, Verdict};
use crate::history::MemberRun;
use crate::units::GoDuration;

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
        memory.ended.clear();
        self.gather(state, memory);
        self.pods(state, memory);
        self.deadlines(state);
        if !state.pending.is_empty() {
            self.decide(state);
        } else if !self.in_place(state) && state.is_complete() {
            self.answer.fate = Some(End::Succeeded);
        }
        let deadlines = state
            .children
            .iter()
            .filter_map(|child| child.deadline(self.engine.policy(self.set, child.replicated_job)));
        self.answer.next = deadlines.min();
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
            let Some(&(place, seat)) = state.places.get(fact.member) else { continue };
            if let Some(attempt) = state.attempts.get_mut(fact.member) {
                let failed = run.own.pod.outcome == PodOutcome::Failed;
                let told = run.own.in_place_restart_attempt.or(attempt.attempt);
                *attempt = PodAttempt {
                    container_restarts: run.own.pod.restarts,
                    attempt: told.filter(|_| !failed),
                };
            }
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
            if self.reads_messages() { run.own.failure_message.clone() } else { "".into() };
        let reason = Reason::Recorded(run.own.failure_reason.clone());
        let failed_at = run.time().or(self.moment.now);
        Pending { child, member, failed_at, reason, message, stuck: false }
    }

    fn reads_messages(&self) -> bool {
        self.set.failure_policy.as_ref().is_some_and(FailurePolicy::reads_messages)
    }

    /// Asks each Job about its pods of which something is told.
    fn pods(&mut self, state: &mut SetState, memory: &mut SetMemory) {
        let SetMemory { rulings, ended } = memory;
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
                [one] => self.job(state, place, end(one).as_slice(), rulings),
                many => {
                    let ends: Vec<PodEnd<'_>> = many.iter().filter_map(end).collect();
                    self.job(state, place, &ends, rulings);
                }
            }
        }
    }

    /// Fails the Jobs whose time is over.
    fn deadlines(&mut self, state: &mut SetState) {
        for place in 0..state.children.len() {
            let Some(child) = state.children.get_mut(place) else { continue };
            let deadline = child.deadline(self.engine.policy(self.set, child.replicated_job));
            let over = deadline.zip(self.moment.now).is_some_and(|(at, now)| now >= at);
            if let Some(job) = child.job.as_mut().filter(|_| over) {
                let failure = job.expire();
                let seat = job.first_open().unwrap_or_default();
                self.job_failed(state, (place, seat), failure, None);
            }
        }
    }

    /// Asks a Job about pods of it.
    fn job(
        &mut self,
        state: &mut SetState,
        place: usize,
        ends: &[PodEnd<'_>],
        rulings: &mut Vec<Ruling>,
    ) {
        let Some(child) = state.children.get_mut(place) else { return };
        let policy = self.engine.policy(self.set, child.replicated_job);
        let Some(job) = child.job.as_mut() else { return };
        let over = job.sync(policy, ends, self.moment.now, rulings);
        if let Some(JobEnd::Failed(failure)) = over {
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
        decision.rule = decided.and_then(|matched| u32::try_from(matched.rule).ok());
        decision.said = Said::Pod(decided.map(|matched| matched.action));
        decision.failure = Some(reason);
        let policy = self.engine.policy(self.set, child.replicated_job);
        let expired = child.job.as_ref().filter(|_| reason == FailureReason::DeadlineExceeded);
        decision.expired = expired.and_then(|job| job.deadline(policy));
        let said = |(end, ruling): (&PodEnd<'_>, &Ruling)| {
            let pod = child.job.as_ref()?.pod(end);
            ruling.failure_message(reason, &pod)
        };
        let fixed = || reason.message().map(str::to_owned);
        let wanted = self.reads_messages();
        let message = if wanted { culprit.and_then(said).or_else(fixed) } else { None };
        state.pending.push(Pending {
            child: place,
            member,
            failed_at: decision.expired.or(self.moment.now),
            reason: Reason::Derived(reason),
            message: message.unwrap_or_default().into(),
            stuck: false,
        });
        self.give(member, Effect::Keep, Some(decision));
    }

    /// A decision about a pod of a Job, with the Job's counts.
    fn of_job(&self, state: &SetState, place: usize, seat: usize, code: SetCode) -> SetDecision {
        let child = state.children.get(place);
        let policy = self.engine.policy(self.set, child.and_then(|child| child.replicated_job));
        let counts = child.map_or((0, 0), super::child::Child::counts);
        let by_index = policy.backoff_limit_per_index.filter(|_| policy.indexed());
        let used = match by_index {
            Some(limit) => (child.map_or(0, |child| child.failures_of(seat)), limit),
            None => (counts.0, policy.backoff_limit),
        };
        SetDecision {
            code,
            rule: None,
            said: Said::Pod(None),
            manifest: state.manifest.unwrap_or_default(),
            child: place,
            replicated_job: child.and_then(|child| child.replicated_job),
            used: Some(used),
            counts,
            others: 0,
            grant: None,
            failure: None,
            expired: None,
            total: state.total,
        }
    }

    /// Asks the failure policy about the Jobs that have failed.
    fn decide(&mut self, state: &mut SetState) {
        let SetState { pending, children, counters, .. } = state;
        let failed = pending.iter().filter_map(|pending| pending.seen(children));
        let policy = self.set.failure_policy.as_ref();
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
                state.restart_all(self.engine, self.set, self.moment.now);
                self.rerun(member, Some(decision));
                for other in (0..state.places.len()).filter(|other| *other != member) {
                    self.rerun(other, None);
                }
            }
            Applied::JobRestarted => {
                state.pending.remove(evaluated.job);
                let Some(child) = state.children.get_mut(place) else { return };
                let policy = self.engine.policy(self.set, child.replicated_job);
                child.restart(policy, self.moment.now);
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
            others: 0,
            grant: None,
            failure: None,
            expired: None,
            total: state.total,
        }
    }

    /// Whether restarts in place have failed the set.
    fn in_place(&mut self, state: &mut SetState) -> bool {
        let Some(policy) = self.set.failure_policy.as_ref() else { return false };
        let on = policy.restart_strategy == RestartStrategy::InPlaceRestart
            && self.engine.gates.in_place_restart;
        let exceeded = |pods: &[PodAttempt]| {
            in_place_limit(policy.max_restarts, &state.counters, pods.iter().copied())
        };
        if !on || !exceeded(&state.attempts) {
            return false;
        }
        let mut told = self.moment.facts.iter().map(|fact| fact.member);
        let member = told.find(|member| {
            state.attempts.get(*member).is_some_and(|pod| exceeded(std::slice::from_ref(pod)))
        });
        let member = member.unwrap_or_default();
        let place = state.places.get(member).map_or(0, |(place, _)| *place);
        let pod = state.attempts.get(member).copied().unwrap_or_default();
        let mut decision = self.about_set(state, place, SetCode::FailInPlaceLimit, Said::InPlace);
        let max = u32::try_from(policy.max_restarts).unwrap_or(0);
        let uncounted = state.counters.restarts - state.counters.restarts_count_towards_max;
        let attempts = pod.attempt.unwrap_or(0).saturating_sub(uncounted);
        decision.used = Some((pod.container_restarts.max(attempts), max));
        self.fail(state, member, Terminal::ReachedMaxRestarts, decision);
        true
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

/// Whether such a decision looks at `maxRestarts`.
fn limited(code: SetCode) -> bool {
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
