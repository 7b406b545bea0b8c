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
        self.decide_failure(job, &self.failure(run), at, scratch)
    }

    /// [`decide`](Self::decide), about a failure made before by [`failure`](Self::failure) of this
    /// very evaluator: for callers that decide more than once about a run.
    pub fn decide_failure(
        &self,
        job: &mut JobState,
        failure: &Failure<'_>,
        at: Option<Time>,
        scratch: &mut Scratch,
    ) -> Decision {
        self.observe(job, failure.run, failure.outcome);
        let decision = self.rule_on(job, failure, at, scratch);
        self.charge(job, &decision, failure.outcome);
        decision
    }

    /// Decides about a failure of which there is no error information: it is never retried.
    pub fn decide_without_error(&self, job: &mut JobState, at: Option<Time>) -> Decision {
        job.attempts = job.attempts.saturating_add(1);
        job.failures = job.failures.saturating_add(1);
        // Nothing to charge: it is no retry.
        self.judge(&*job, None, at, || None)
    }

    /// Takes note of a run that has ended, however it did.
    #[inline]
    pub(crate) fn observe(&self, job: &mut JobState, run: &RunRecord, outcome: Outcome) {
        job.attempts = job.attempts.saturating_add(1);
        job.failures = job.failures.saturating_add(u32::from(self.counts_as_failure(outcome)));
        if job.route.avoids_nodes {
            self.observe_node(job, run.node.as_deref());
        }
    }

    /// Whether a run that ended so is one of the failures that backoff goes by.
    #[inline]
    pub(super) fn counts_as_failure(&self, outcome: Outcome) -> bool {
        matches!(outcome, Outcome::Failed | Outcome::LeaseExpired)
            || outcome == Outcome::Preempted && self.profile.preempted == Preempted::Evaluated
    }

    #[inline(never)]
    pub(super) fn observe_node(&self, job: &mut JobState, node: Option<&str>) {
        let nodes = &mut job.extras().nodes;
        match (self.profile.avoidance, node, nodes.as_mut_slice()) {
            // The text of the node before is written over: no memory is asked for once it is warm.
            (Avoidance::LastFailed, Some(node), [last]) => {
                last.clear();
                last.push_str(node);
            }
            (Avoidance::LastFailed, None, _) => nodes.clear(),
            (Avoidance::AllTried, Some(node), known) if known.iter().any(|one| one == node) => {}
            (_, Some(node), _) => nodes.push(node.to_owned()),
            (Avoidance::AllTried, None, _) => {}
        }
    }

    /// What would be decided about the run just observed. It is not charged to the job yet: a gang
    /// may overrule it.
    pub(crate) fn rule_on(
        &self,
        job: &JobState,
        failure: &Failure<'_>,
        at: Option<Time>,
        scratch: &mut Scratch,
    ) -> Decision {
        self.judge(job, Some(failure), at, || job.route.first_match(failure, scratch))
    }

    /// The decision about a run, or about a failure of which nothing is known. `first_match` finds
    /// the first rule that matches, and is asked only if rules decide.
    #[inline]
    pub(super) fn judge(
        &self,
        job: &JobState,
        run: Option<&Failure<'_>>,
        at: Option<Time>,
        first_match: impl FnOnce() -> Option<RuleId>,
    ) -> Decision {
        let now = self.settings.at(at);
        let decision = self.undecided(job, run.map_or(0, |run| run.run_index), now);
        let plain = |code| Decision { code, ..decision };
        if let Some(outcome) = run.map(|run| run.outcome)
            && let Some(cause) = self.legacy_cause(job, outcome, now)
        {
            let decision = Decision { legacy: Some(cause), ..decision };
            let code = self.legacy(job, outcome);
            return Decision { code, ..decision };
        }
        if job.fail_fast {
            return plain(DecisionCode::FailFast);
        }
        let (Some(run), Some(default)) = (run, job.route.default) else {
            return plain(DecisionCode::NoError);
        };
        self.by_rule(job, run, first_match().unwrap_or(default), now, decision)
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
        run: &Failure<'_>,
        id: RuleId,
        now: Switches,
        decision: Decision,
    ) -> Decision {
        let rule = &self.rules[id.index()];
        let granted = matches!(self.profile.counting, Counting::GrantedRetries);
        let (count, total) = if granted {
            (job.count(id), job.total)
        } else {
            (decision.total_retries, decision.total_retries)
        };
        let global = now.global_max_retries;
        let decision = Decision { rule: Some(id), ..decision };
        let stop = |code, used| Decision { code, used, ..decision };
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
        let memory = job.memory();
        let memory = memory.map(|(memory, growth)| (memory, grown(growth, rule, run.outcome)));
        Decision {
            code: DecisionCode::Retry,
            used: Some(Use { count: count + 1, limit, source }),
            total_retries: total + 1,
            grant: Some(self.grant(job.failures, run, rule)),
            memory_bytes: memory.and_then(|(memory, growth)| growth.of(memory)),
            ..decision
        }
    }

    /// Charges what a decision about a run of this outcome costs.
    #[inline]
    pub(crate) fn charge(&self, job: &mut JobState, decision: &Decision, outcome: Outcome) {
        if let (DecisionCode::Retry, Some(id)) = (decision.code, decision.rule) {
            self.charge_retry(job, id, outcome);
        }
    }

    #[inline(never)]
    fn charge_retry(&self, job: &mut JobState, id: RuleId, outcome: Outcome) {
        if let Some((_, growth)) = job.memory_mut() {
            *growth = grown(*growth, &self.rules[id.index()], outcome);
        }
        job.count_retry(id);
    }

    /// A decision in which nothing has been decided.
    pub(crate) fn undecided(&self, job: &JobState, run_index: u32, now: Switches) -> Decision {
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
            memory_bytes: job.grown_memory(),
            run_index,
            indexed_pods: now.enabled && self.profile.pod_names == PodNames::ByRun,
            legacy: None,
        }
    }

    // Apart, so that the many decisions that grant nothing stay small.
    #[inline(never)]
    fn grant(&self, failures: u32, run: &Failure<'_>, rule: &CompiledRule) -> Grant {
        let delay = match self.profile.waits {
            Waits::Never => GoDuration::ZERO,
            Waits::BackoffAndPod => {
                let pod = run.pod_wait(self.settings.base().min_grace);
                rule.backoff.wait(failures).max(pod)
            }
        };
        let avoids_nodes = match rule.avoids {
            Avoids::Never => false,
            Avoids::AnyRun => true,
            Avoids::FailedRuns => run.outcome == Outcome::Failed,
        };
        Grant {
            delay: Some(delay),
            retry_after: run.run.finished_at.map(|end| end.plus(delay)),
            avoids_nodes,
        }
    }
}

/// How a retry that a rule grants after a run of this outcome makes the job's memory grow.
fn grown(growth: Growth, rule: &CompiledRule, outcome: Outcome) -> Growth {
    match rule.memory {
        Some(bump) if outcome == Outcome::Failed => growth.plus(bump),
        _ => growth,
    }
}
