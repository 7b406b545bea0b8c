//! One sync of a Job: the verdicts on the pods that ended at a moment, and on the Job.

use super::decision::{Decision, DecisionCode, JobEnd, LimitUse, Next, PodEnd, Successor};
use super::status::{Failure, FailureReason, Ruling};
use super::{JobEngine, JobUnit};
use crate::job::manifest::JobPolicy;
use crate::job::record::{PodFields, PodOutcome};
use replay::history::Run;
use replay::simulate::{Effect, End, Evaluation, Fact, FactKind, Moment, Verdict};

/// The inputs and outputs of one moment's sync.
pub(crate) struct JobSync<'l> {
    pub(crate) engine: &'l JobEngine,
    pub(crate) policy: &'l JobPolicy,
    pub(crate) unit: &'l mut JobUnit,
    pub(crate) rulings: &'l mut Vec<Ruling>,
    pub(crate) answer: &'l mut Evaluation<Decision>,
}

impl JobSync<'_> {
    /// Skips pods that were stopped; returns whether the Job was cancelled.
    pub(crate) fn skip_stopped_pods(&mut self, moment: &Moment<'_, PodFields>) -> bool {
        for (member, run) in moment.facts.iter().filter_map(fact_run) {
            let effect = match run.own.outcome {
                PodOutcome::Cancelled => Effect::End(End::Cancelled),
                PodOutcome::Stopped => Effect::Keep,
                _ => continue,
            };
            self.unit.job.stop_pod(member);
            self.answer.verdicts.push(Verdict { member, effect, decision: None });
            // `Cancelled` is the outcome of a pod whose Job a user deleted, so that the Job ends.
            if effect != Effect::Keep {
                self.answer.end = Some(End::Cancelled);
            }
        }
        self.answer.end.is_some()
    }

    /// Decides about the ends of a moment.
    pub(crate) fn judge(&mut self, ends: &[PodEnd<'_>], moment: &Moment<'_, PodFields>) {
        let rules = (self.policy, &self.engine.options);
        let over = self.unit.job.sync(rules, ends, moment.now, self.rulings);
        // Before any pod gets a verdict of its own: a failed Job replaces none of them.
        if let Some(JobEnd::Failed(failure)) = over {
            self.unit.job.stop_active(ends, |member| moment.live.has(member));
            return self.fail_job(ends, failure);
        }
        for (place, end) in ends.iter().enumerate() {
            let ruling = self.rulings.get(place).copied().unwrap_or_default();
            let next = self.unit.job.next(self.policy, &self.engine.options, end, &ruling);
            self.push_verdict(end, &ruling, next);
        }
        // After the verdicts, which may have brought the wait of another pod to its end.
        for member in self.unit.job.take_released() {
            let (effect, decision) = (Effect::Release, None);
            self.answer.verdicts.push(Verdict { member, effect, decision });
        }
        self.answer.end = over.map(|_| End::Succeeded);
    }

    /// Adds the verdict on a member of a Job that continues or is complete.
    fn push_verdict(&mut self, end: &PodEnd<'_>, ruling: &Ruling, next: Next) {
        let (effect, code) = match next {
            Next::Running => (Effect::Keep, None),
            Next::Succeeded => (Effect::End(End::Succeeded), None),
            Next::IndexFailed => (Effect::End(End::Failed), Some(DecisionCode::FailIndex)),
            Next::NotReplaced => (Effect::End(End::Failed), Some(DecisionCode::NotReplaced)),
            Next::Replaced { delay, not_before, by } => {
                let is_counted = ruling.counted;
                let code =
                    if is_counted { DecisionCode::Retry } else { DecisionCode::RetryIgnored };
                let delay = Some(delay);
                let effect = match by {
                    Successor::Same => Effect::Rerun { delay, not_before },
                    Successor::Other(by) => Effect::Replace { delay, not_before, by },
                };
                (effect, Some(code))
            }
        };
        let decision = code.map(|code| {
            let decision = self.decision(code, Some(end.member), ruling);
            match next {
                Next::Replaced { delay, not_before, .. } => {
                    Decision { delay: Some(delay), not_before, ..decision }
                }
                _ => decision,
            }
        });
        self.answer.verdicts.push(Verdict { member: end.member, effect, decision });
    }

    /// Adds the decisions of a failed Job: one for every pod that failed at this moment, that of the cause
    /// last.
    fn fail_job(&mut self, ends: &[PodEnd<'_>], failure: Failure) {
        let code = DecisionCode::Fail(failure.reason);
        // The cause may be the restarts of a pod that has not ended: another one is named then.
        let causing_pod = failure.causing_pod.unwrap_or(0).min(ends.len().saturating_sub(1));
        let others = (0..ends.len()).filter(|place| *place != causing_pod);
        let by_rule = failure.reason == FailureReason::PodFailurePolicy;
        let job_rule =
            self.rulings.get(causing_pod).filter(|_| by_rule).and_then(|one| one.matched);
        // With several ends the report needs the pod whose rule failed the Job, which need not be the last.
        if by_rule && ends.len() > 1 {
            self.unit.causing_pod = ends.get(causing_pod).map(|end| Box::new(end.fields.clone()));
        }
        // The cause is last, since reports take the reason of a unit from its last decision.
        for place in others.chain([causing_pod]) {
            let Some(end) = ends.get(place) else { continue };
            let ruling = self.rulings.get(place).copied().unwrap_or_default();
            // The rule that fails the Job decides about all of its pods.
            let ruling = Ruling { matched: job_rule.or(ruling.matched), ..ruling };
            let judged = ruling.failed || place == causing_pod;
            // A pod that succeeded in the same second stays successful.
            let done = end.fields.outcome == PodOutcome::Succeeded;
            let effect = Effect::End(if done { End::Succeeded } else { End::Failed });
            let decision = judged.then(|| self.decision(code, Some(end.member), &ruling));
            self.answer.verdicts.push(Verdict { member: end.member, effect, decision });
        }
        self.unit.failure = Some(failure.reason);
        self.answer.end = Some(End::Failed);
    }

    /// Fails the Job at its deadline, without an end of a pod.
    pub(crate) fn expire(&mut self, moment: &Moment<'_, PodFields>) {
        let failure = self.unit.job.expire(moment.now);
        self.unit.job.stop_active(&[], |member| moment.live.has(member));
        let member = self.unit.job.first_open().unwrap_or(0);
        let decision = self.decision(DecisionCode::Fail(failure.reason), None, &Ruling::default());
        let effect = Effect::End(End::Failed);
        self.answer.verdicts.push(Verdict { member, effect, decision: Some(decision) });
        self.unit.failure = Some(failure.reason);
        self.answer.end = Some(End::Failed);
    }

    fn decision(&self, code: DecisionCode, member: Option<usize>, ruling: &Ruling) -> Decision {
        let (job, status) = (&self.unit.job, self.unit.job.status());
        Decision {
            code,
            manifest: u32::try_from(self.unit.manifest).unwrap_or(u32::MAX),
            matched: ruling.matched,
            pod_failed: ruling.failed,
            used: self.used(code, member, ruling),
            failed: status.failed,
            ignored: status.ignored,
            failed_indexes: u32::try_from(status.failed_indexes.len()).unwrap_or(u32::MAX),
            presumed: job.presumed(),
            replaced: job.replaced(),
            has_success: status.succeeded > 0,
            delay: None,
            not_before: None,
        }
    }

    /// Returns the limit of a decision, and its use.
    fn used(&self, code: DecisionCode, member: Option<usize>, ruling: &Ruling) -> Option<LimitUse> {
        let (policy, status) = (self.policy, self.unit.job.status());
        let per_index = policy.backoff_limit_per_index.filter(|_| policy.is_indexed());
        let failed = self.unit.job.failed_before_end();
        let limit = |count, limit, source| LimitUse { count, limit, source, restarts: false };
        match (code, per_index) {
            (
                DecisionCode::Fail(FailureReason::DeadlineExceeded | FailureReason::FailedIndexes),
                _,
            ) => None,
            (DecisionCode::Fail(FailureReason::MaxFailedIndexesExceeded), _) => {
                let count = u32::try_from(status.failed_indexes.len()).unwrap_or(u32::MAX);
                let most = policy.max_failed_indexes.unwrap_or_default();
                Some(limit(count, most, "maxFailedIndexes"))
            }
            (DecisionCode::Fail(FailureReason::BackoffLimitExceeded), _)
                // The count of failed pods did not exceed the limit, so that the restarts of containers did.
                if failed <= policy.backoff_limit || !ruling.failed =>
            {
                let count = self.unit.job.restarts();
                Some(LimitUse {
                    restarts: true,
                    ..limit(count, policy.backoff_limit, BACKOFF_LIMIT)
                })
            }
            (
                DecisionCode::Retry | DecisionCode::RetryIgnored | DecisionCode::FailIndex,
                Some(most),
            ) => {
                let count = member.map(|member| self.unit.job.failures(member).counted);
                Some(limit(count.unwrap_or_default(), most, "backoffLimitPerIndex"))
            }
            _ => Some(limit(failed, policy.backoff_limit, BACKOFF_LIMIT)),
        }
    }
}

const BACKOFF_LIMIT: &str = "backoffLimit";

fn fact_run<'r>(fact: &Fact<'r, PodFields>) -> Option<(usize, &'r Run<PodFields>)> {
    match fact.kind {
        FactKind::Ended(run) | FactKind::Restarted(run) => Some((fact.member, run)),
        FactKind::Live | FactKind::Timer => None,
    }
}

/// Returns the end of a fact's run; `None` if the run was cancelled or stopped.
pub(crate) fn pod_end<'r>(fact: &Fact<'r, PodFields>) -> Option<PodEnd<'r>> {
    let (member, run) = fact_run(fact)?;
    let judged = !matches!(run.own.outcome, PodOutcome::Cancelled | PodOutcome::Stopped);
    judged.then(|| PodEnd { member, fields: &run.own, at: run.time() })
}
