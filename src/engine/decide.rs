//! The decision about one failed run, in the order of semantics.md, section 5.

use super::decision::{Decision, DecisionCode, Grant, LegacyCause, LimitSource, RuleId, Use};
use super::evaluator::{Avoids, CompiledRule, Evaluator};
use super::failure::Failure;
use super::index::Scratch;
use super::memory::Growth;
use super::profile::{Avoidance, Counting, PodNames, Preempted, SpecialJobs, Waits};
use super::settings::Switches;
use super::state::JobState;
use crate::history::{Outcome, RunRecord};
use crate::policy::Action;
use crate::units::{GoDuration, Time};

/// A decision that has not been charged to the job yet: a gang may overrule it.
pub(super) struct Ruling {
    pub(super) decision: Decision,
    growth: Growth,
}

impl Evaluator {
    /// Decides about a run that failed, and charges the job.
    ///
    /// `at` is the time whose settings hold: that of the run, or the latest known before it. `run`
    /// is any that did not succeed and was not cancelled.
    pub fn decide(
        &self,
        job: &mut JobState,
        run: &RunRecord,
        at: Option<Time>,
        scratch: &mut Scratch,
    ) -> Decision {
        self.observe(job, run);
        let ruling = self.rule_on(job, Some(&self.failure(run)), at, scratch);
        Self::charge(job, &ruling);
        ruling.decision
    }

    /// Decides about a failure of which there is no error information: it is never retried.
    pub fn decide_without_error(
        &self,
        job: &mut JobState,
        at: Option<Time>,
        scratch: &mut Scratch,
    ) -> Decision {
        job.attempts = job.attempts.saturating_add(1);
        job.failures = job.failures.saturating_add(1);
        let ruling = self.rule_on(job, None, at, scratch);
        Self::charge(job, &ruling);
        ruling.decision
    }

    /// Takes note of a run that has ended, however it did.
    pub(super) fn observe(&self, job: &mut JobState, run: &RunRecord) {
        job.attempts = job.attempts.saturating_add(1);
        let failed = matches!(run.outcome, Outcome::Failed | Outcome::LeaseExpired)
            || run.outcome == Outcome::Preempted && self.profile.preempted == Preempted::Evaluated;
        job.failures = job.failures.saturating_add(u32::from(failed));
        if !job.route.avoids_nodes {
            return;
        }
        if let Some(node) = &run.node {
            match self.profile.avoidance {
                Avoidance::AllTried if job.nodes.contains(node) => {}
                Avoidance::AllTried => job.nodes.push(node.clone()),
                Avoidance::LastFailed => {
                    job.nodes.clear();
                    job.nodes.push(node.clone());
                }
            }
        } else if self.profile.avoidance == Avoidance::LastFailed {
            job.nodes.clear();
        }
    }

    /// What would be decided about the run just observed.
    pub(super) fn rule_on(
        &self,
        job: &JobState,
        failure: Option<&Failure<'_>>,
        at: Option<Time>,
        scratch: &mut Scratch,
    ) -> Ruling {
        let now = self.settings.at(at);
        let outcome = failure.map(|failure| failure.run.outcome);
        let decision = self.undecided(job, failure, now);
        let plain = |code| Ruling { decision: Decision { code, ..decision }, growth: job.growth };
        if let Some(outcome) = outcome
            && let Some(cause) = self.legacy_cause(job, outcome, now)
        {
            let decision = Decision { legacy: Some(cause), ..decision };
            let code = self.legacy(job, outcome);
            return Ruling { decision: Decision { code, ..decision }, growth: job.growth };
        }
        if job.fail_fast {
            return plain(DecisionCode::FailFast);
        }
        let (Some(failure), Some(default)) = (failure, job.route.default) else {
            return plain(DecisionCode::NoError);
        };
        let matched = job.route.index.first_match(failure, job.route.key, scratch);
        let id = matched.map_or(default, |rule| job.route.rules[rule]);
        self.by_rule(job, failure, id, now, decision)
    }

    /// Why the legacy path decides about a run, if it does.
    fn legacy_cause(&self, job: &JobState, outcome: Outcome, now: Switches) -> Option<LegacyCause> {
        let special = self.profile.special_jobs == SpecialJobs::Legacy;
        match outcome {
            Outcome::LeaseReturned => Some(LegacyCause::LeaseReturned),
            _ if !now.enabled => Some(LegacyCause::EngineOff),
            _ if job.route.default.is_none() => Some(LegacyCause::NoPolicy),
            _ if special && job.in_gang => Some(LegacyCause::Gang),
            _ if special && job.fail_fast => Some(LegacyCause::FailFast),
            Outcome::Preempted if self.profile.preempted == Preempted::EndsTheJob => {
                Some(LegacyCause::Preempted)
            }
            _ => None,
        }
    }

    /// Section 8: only a returned lease is tried again, within the attempts allowed.
    fn legacy(&self, job: &JobState, outcome: Outcome) -> DecisionCode {
        let requeue = outcome == Outcome::LeaseReturned
            && !job.fail_fast
            && job.attempts < self.settings.base().max_retries;
        if requeue { DecisionCode::LegacyRetry } else { DecisionCode::LegacyFail }
    }

    /// Section 5, steps 6 to 10, for the rule or default that decides.
    fn by_rule(
        &self,
        job: &JobState,
        failure: &Failure<'_>,
        id: RuleId,
        now: Switches,
        decision: Decision,
    ) -> Ruling {
        let rule = &self.rules[id.index()];
        let granted = matches!(self.profile.counting, Counting::GrantedRetries);
        let (count, total) = if granted {
            (job.counts.get(id), job.total)
        } else {
            (decision.total_retries, decision.total_retries)
        };
        let global = now.global_max_retries;
        let decision = Decision { rule: Some(id), ..decision };
        let stop = |code, used| Ruling {
            decision: Decision { code, used, ..decision },
            growth: job.growth,
        };
        if total >= global {
            let used = Use { count, limit: global, source: LimitSource::Global };
            return stop(DecisionCode::FailGlobalLimit, Some(used));
        }
        if rule.action == Action::Fail {
            let code = if rule.index.is_some() {
                DecisionCode::FailRule
            } else {
                DecisionCode::FailDefault
            };
            return stop(code, None);
        }
        let (limit, source) = rule.limit.unwrap_or((global, LimitSource::Global));
        if count >= limit {
            let code = match source {
                LimitSource::Rule => DecisionCode::FailRuleLimit,
                LimitSource::Policy => DecisionCode::FailPolicyLimit,
                LimitSource::Global => DecisionCode::FailGlobalLimit,
            };
            return stop(code, Some(Use { count, limit, source }));
        }
        let growth = match rule.memory {
            Some(bump) if failure.run.outcome == Outcome::Failed => job.growth.plus(bump),
            _ => job.growth,
        };
        let decision = Decision {
            code: DecisionCode::Retry,
            used: Some(Use { count: count + 1, limit, source }),
            total_retries: total + 1,
            grant: Some(self.grant(job, failure, rule)),
            memory_bytes: job.memory.and_then(|memory| growth.of(memory)),
            ..decision
        };
        Ruling { decision, growth }
    }

    /// Charges what a ruling costs.
    pub(super) fn charge(job: &mut JobState, ruling: &Ruling) {
        job.growth = ruling.growth;
        if let (DecisionCode::Retry, Some(id)) = (ruling.decision.code, ruling.decision.rule) {
            job.counts.add(id);
            job.total = job.total.saturating_add(1);
        }
    }

    /// A decision in which nothing has been decided.
    pub(super) fn undecided(
        &self,
        job: &JobState,
        failure: Option<&Failure<'_>>,
        now: Switches,
    ) -> Decision {
        let total_retries = match self.profile.counting {
            Counting::GrantedRetries => job.total,
            Counting::FailuresLessOne => job.failures.saturating_sub(1),
        };
        Decision {
            code: DecisionCode::NoError,
            rule: None,
            used: None,
            total_retries,
            global_max_retries: now.global_max_retries,
            grant: None,
            memory_bytes: job.memory.and_then(|memory| job.growth.of(memory)),
            run_index: failure.map_or(0, |failure| failure.run.run_index),
            indexed_pods: now.enabled && self.profile.pod_names == PodNames::ByRun,
            legacy: None,
        }
    }

    fn grant(&self, job: &JobState, failure: &Failure<'_>, rule: &CompiledRule) -> Grant {
        let delay = match self.profile.waits {
            Waits::Never => GoDuration::ZERO,
            Waits::BackoffAndPod => rule.backoff.wait(job.failures).max(self.pod_wait(failure)),
        };
        let avoids_nodes = match rule.avoids {
            Avoids::Never => false,
            Avoids::AnyRun => true,
            Avoids::FailedRuns => failure.run.outcome == Outcome::Failed,
        };
        Grant {
            delay: Some(delay),
            retry_after: failure.run.finished_at.map(|end| end.plus(delay)),
            avoids_nodes,
        }
    }

    /// Section 7: how long the pod of a preempted run may take to end.
    fn pod_wait(&self, failure: &Failure<'_>) -> GoDuration {
        if !failure.is_preempted() {
            return GoDuration::ZERO;
        }
        let run = failure.run;
        let asked = run.termination_grace.filter(|grace| *grace != GoDuration::ZERO);
        let grace = asked.unwrap_or(self.settings.base().min_grace);
        let confirmed = run.finished_at.zip(run.termination_confirmed_at);
        let confirmed =
            confirmed.map(|(end, confirmed)| confirmed.since(end).max(GoDuration::ZERO));
        confirmed.map_or(grace, |confirmed| grace.min(confirmed))
    }
}
