//! The decision about one failed run, in the order of semantics.md, section 5.

use super::decision::{Decision, DecisionCode, Grant, LegacyCause, LimitSource, RuleId, Use};
use super::evaluator::{CompiledRule, Evaluator};
use super::failure::Failure;
use super::index::Scratch;
use super::memory::Growth;
use super::profile::{Avoidance, Counting, PodNames, Preempted, SpecialJobs, Waits};
use super::run::{EndedRun, Outcome, Unplaced};
use super::settings::Switches;
use super::state::JobState;
use crate::policy::Action;
use document::units::{GoDuration, Time};

impl Evaluator {
    /// Decides about a failed run and charges the job.
    ///
    /// The settings in force at `at` apply. This is the time of the run or, if that is not recorded, the
    /// latest known time before it. `run` has any outcome but Succeeded, Cancelled and Stopped.
    pub fn decide(
        &self,
        job: &mut JobState,
        run: EndedRun<'_>,
        at: Option<Time>,
        scratch: &mut Scratch,
    ) -> Decision {
        self.decide_failure(job, &self.failure(run), at, scratch)
    }

    /// [`decide`](Self::decide) by a rule or default that [`Route::matched`] has found.
    ///
    /// [`Route::matched`]: super::evaluator::Route::matched
    #[doc(hidden)]
    pub fn decide_matched(
        &self,
        job: &mut JobState,
        run: EndedRun<'_>,
        at: Option<Time>,
        rule: Option<u32>,
    ) -> Decision {
        self.observe(job, run.outcome, run.node);
        let decision = self.judge(job, Some(run), at, || rule.map(RuleId));
        self.charge(job, &decision, run.outcome);
        decision
    }

    /// [`decide`](Self::decide) for a failure that [`failure`](Self::failure) of the same evaluator has
    /// prepared. It saves the preparation to callers that decide more than once about a run.
    #[doc(hidden)]
    pub fn decide_failure(
        &self,
        job: &mut JobState,
        failure: &Failure<'_>,
        at: Option<Time>,
        scratch: &mut Scratch,
    ) -> Decision {
        self.observe(job, failure.run.outcome, failure.run.node);
        let decision = self.rule_on(job, failure, at, scratch);
        self.charge(job, &decision, failure.run.outcome);
        decision
    }

    /// Decides about a failure without error information, which is never retried (semantics.md, section 5,
    /// step 5).
    pub fn decide_without_error(&self, job: &mut JobState, at: Option<Time>) -> Decision {
        job.attempts = job.attempts.saturating_add(1);
        job.failures = job.failures.saturating_add(1);
        // Nothing is charged: only a granted retry costs.
        self.judge(&*job, None, at, || None)
    }

    /// Counts a run that has ended with any outcome, and remembers its node.
    #[doc(hidden)]
    #[inline]
    pub fn observe(&self, job: &mut JobState, outcome: Outcome, node: Option<&str>) {
        job.attempts = job.attempts.saturating_add(1);
        job.failures = job.failures.saturating_add(u32::from(self.counts_as_failure(outcome)));
        if job.route.avoids_nodes {
            self.observe_node(job, node);
        }
    }

    /// Whether a run with this outcome is one of the failures that the backoff counts (semantics.md, section
    /// 6).
    #[inline]
    pub(super) fn counts_as_failure(&self, outcome: Outcome) -> bool {
        matches!(outcome, Outcome::Failed | Outcome::LeaseExpired)
            || outcome == Outcome::Preempted && self.profile.preempted == Preempted::Evaluated
    }

    // Out of line: only the routes with anti-affinity need it.
    #[inline(never)]
    pub(super) fn observe_node(&self, job: &mut JobState, node: Option<&str>) {
        let nodes = &mut job.extras().nodes;
        match (self.profile.avoidance, node) {
            (Avoidance::LastFailed, node) => nodes.set(node),
            (Avoidance::AllTried, Some(node)) => nodes.add(node),
            (Avoidance::AllTried, None) => {}
        }
    }

    /// The decision about the run that [`observe`](Self::observe) counted last. It is not charged yet,
    /// because a gang may overrule it (semantics.md, section 9).
    #[doc(hidden)]
    pub fn rule_on(
        &self,
        job: &JobState,
        failure: &Failure<'_>,
        at: Option<Time>,
        scratch: &mut Scratch,
    ) -> Decision {
        self.judge(job, Some(failure.run), at, || job.route.first_match(failure, scratch))
    }

    /// The decision about a run, or about a failure without error information. `first_match` returns the
    /// first matching rule; it is called only if rules decide.
    #[inline]
    pub(super) fn judge(
        &self,
        job: &JobState,
        run: Option<EndedRun<'_>>,
        at: Option<Time>,
        first_match: impl FnOnce() -> Option<RuleId>,
    ) -> Decision {
        let now = self.settings.at(at);
        let decision = self.undecided(job, run.map_or(0, |run| run.run_index), now);
        let plain = |code| Decision { code, ..decision };
        // Section 5, steps 2 and 3, and the jobs and runs that `v1beta1` leaves to the legacy path.
        if let Some(outcome) = run.map(|run| run.outcome)
            && let Some(cause) = self.legacy_cause(job, outcome, now)
        {
            let decision = Decision { legacy: Some(cause), ..decision };
            let code = self.legacy(job, outcome);
            return Decision { code, ..decision };
        }
        // Step 4.
        if job.fail_fast {
            return plain(DecisionCode::FailFast);
        }
        // Step 5. A job without a default has no policy, which `legacy_cause` has handled.
        let (Some(run), Some(default)) = (run, job.route.default) else {
            return plain(DecisionCode::NoError);
        };
        // Steps 6 to 10. The match of step 7 is first, because step 6 names the rule.
        self.by_rule(job, run, first_match().unwrap_or(default), now, decision)
    }

    /// The reason that the legacy path decides about a run; `None` if the engine does.
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

    /// The legacy decision (semantics.md, section 8): only a returned lease is requeued, within
    /// `scheduling.maxRetries`.
    fn legacy(&self, job: &JobState, outcome: Outcome) -> DecisionCode {
        let requeue = outcome == Outcome::LeaseReturned
            && !job.fail_fast
            && job.attempts < self.settings.base().max_retries;
        if requeue { DecisionCode::LegacyRetry } else { DecisionCode::LegacyFail }
    }

    /// The decision of a rule or default (semantics.md, section 5, steps 6 to 10).
    fn by_rule(
        &self,
        job: &JobState,
        run: EndedRun<'_>,
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
        // Step 6 comes after the rule is known, because the reason names it. `>=` includes a limit of 0.
        if total >= global {
            let used = Use { count, limit: global, source: LimitSource::Global };
            return stop(DecisionCode::FailGlobalLimit, Some(used));
        }
        // Step 8.
        if rule.action == Action::Fail {
            let is_rule = rule.index.is_some();
            let code = if is_rule { DecisionCode::FailRule } else { DecisionCode::FailDefault };
            return stop(code, None);
        }
        // Step 9. `rule.limit` is the rule's, or that of its policy.
        let (limit, source) = rule.limit.unwrap_or((global, LimitSource::Global));
        if count >= limit {
            return stop(limit_code(source), Some(Use { count, limit, source }));
        }
        if let Some(cause) = run.unplaced.filter(|cause| is_unplaced(*cause, rule, job, run)) {
            let decision =
                stop(DecisionCode::RetryUnschedulable, Some(Use { count, limit, source }));
            return Decision { unplaced: Some(cause), ..decision };
        }
        // Step 10. `charge` adds the retry to the counts; the decision has them as they are after it.
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

    /// Charges the job for a granted retry; other decisions cost nothing.
    #[doc(hidden)]
    #[inline]
    pub fn charge(&self, job: &mut JobState, decision: &Decision, outcome: Outcome) {
        if let (DecisionCode::Retry, Some(id)) = (decision.code, decision.rule) {
            self.charge_retry(job, id, outcome);
        }
    }

    // Out of line, so that the code of decisions without a charge stays small.
    #[inline(never)]
    fn charge_retry(&self, job: &mut JobState, id: RuleId, outcome: Outcome) {
        if let Some((_, growth)) = job.memory_mut() {
            *growth = grown(*growth, &self.rules[id.index()], outcome);
        }
        job.count_retry(id);
    }

    /// A decision with the job's totals and no rule. Callers set the code.
    #[doc(hidden)]
    pub fn undecided(&self, job: &JobState, run_index: u32, now: Switches) -> Decision {
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
            unplaced: None,
        }
    }

    // A function of its own keeps the code of the many decisions that grant nothing small.
    #[inline(never)]
    fn grant(&self, failures: u32, run: EndedRun<'_>, rule: &CompiledRule) -> Grant {
        let delay = match self.profile.waits {
            Waits::Never => GoDuration::ZERO,
            Waits::BackoffAndPod => {
                let pod = run.pod_wait(self.settings.base().min_grace);
                rule.backoff.wait(failures).max(pod)
            }
        };
        Grant {
            delay: Some(delay),
            retry_after: run.finished_at.map(|end| end.plus(delay)),
            avoids_nodes: rule.avoids.applies(run.outcome),
        }
    }
}

fn limit_code(source: LimitSource) -> DecisionCode {
    match source {
        LimitSource::Rule => DecisionCode::FailRuleLimit,
        LimitSource::Policy => DecisionCode::FailPolicyLimit,
        LimitSource::Global => DecisionCode::FailGlobalLimit,
    }
}

/// Whether the scheduler takes back a retry as it did on record. A rule that does not change the job in that way grants
/// a retry that the scheduler did not try.
fn is_unplaced(cause: Unplaced, rule: &CompiledRule, job: &JobState, run: EndedRun<'_>) -> bool {
    match cause {
        Unplaced::GrownMemory => {
            let grows = rule.memory.is_some() && run.outcome == Outcome::Failed;
            grows || job.grown_memory().is_some()
        }
        Unplaced::UntriedNode => rule.avoids.applies(run.outcome),
    }
}

/// The growth of a job's memory after a retry that a rule grants. Only Failed runs grow it (semantics.md,
/// section 7).
fn grown(growth: Growth, rule: &CompiledRule, outcome: Outcome) -> Growth {
    match rule.memory {
        Some(bump) if outcome == Outcome::Failed => growth.plus(bump),
        _ => growth,
    }
}
