//! What becomes of one failed run (sections 5 and 8). Counts are taken from the decisions before it, anew each time.

use super::Engine;
use super::World;
use super::decision::{Code, Decision, Limit, Named, Source};
use super::history::{Job, RunOutcome};
use super::matching::matches;
use super::policy::{Action, Policy};
use super::retry;
use super::settings::Switches;

/// Everything a decision may look at.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    pub world: &'a World,
    pub job: &'a Job,
    /// The job's effective policies.
    pub policies: &'a [&'a Policy],
    /// The job's decisions so far.
    pub past: &'a [Decision],
    /// Which of the job's runs.
    pub position: usize,
    /// The settings at this instant.
    pub now: Switches,
}

/// Section 5, in its order.
pub fn decide(case: &Case) -> Decision {
    let fail_fast = case.job.annotation("failFast") == Some("true");
    let run = &case.job.runs[case.position];
    if run.outcome == RunOutcome::LeaseReturned || !case.now.enabled || case.policies.is_empty() {
        return legacy(case, fail_fast);
    }
    if case.world.engine == Engine::V1beta1 {
        let preempted = run.outcome == RunOutcome::Preempted;
        if case.job.gang.is_some() || fail_fast || preempted {
            return legacy(case, fail_fast);
        }
    }
    if fail_fast {
        return case.decision(Code::FailFast);
    }
    by_policy(case)
}

/// Section 8: "requeue = lease returned and not failFast and attempts < `scheduling.maxRetries`".
fn legacy(case: &Case, fail_fast: bool) -> Decision {
    let attempts = case.position as u64 + 1;
    let returned = case.job.runs[case.position].outcome == RunOutcome::LeaseReturned;
    let in_budget = attempts < case.world.settings.legacy_max_attempts;
    let requeue = returned && !fail_fast && in_budget;
    case.decision(if requeue { Code::LegacyRetry } else { Code::LegacyFail })
}

/// Section 5, steps 6 to 10.
fn by_policy(case: &Case) -> Decision {
    let (policy, rule) = deciding(case);
    let named = Named { policy: policy.name.clone(), rule };
    let count = case.count(&named);
    let global = case.now.global_max_retries;
    let mut decision = case.decision(Code::FailDefault);
    decision.named = Some(named);
    if global == 0 || case.total() >= global {
        decision.code = Code::FailGlobalLimit;
        decision.limit = Some(Limit { count, of: global, source: Source::Global });
        return decision;
    }
    if action(policy, rule) == Action::Fail {
        decision.code = rule.map_or(Code::FailDefault, |_| Code::FailRule);
        return decision;
    }
    let (limit, source) = limit(policy, rule, global);
    decision.limit = Some(Limit { count, of: limit, source });
    if count >= limit {
        decision.code = match source {
            Source::Rule => Code::FailRuleLimit,
            Source::Policy => Code::FailPolicyLimit,
            Source::Global => Code::FailGlobalLimit,
        };
        return decision;
    }
    decision.code = Code::Retry;
    retry::grant(case, policy, rule, &mut decision);
    decision
}

/// "the first matching rule, else the default: the **first** effective policy's `defaultAction`".
fn deciding<'a>(case: &Case<'a>) -> (&'a Policy, Option<usize>) {
    let run = &case.job.runs[case.position];
    for policy in case.policies {
        for (index, rule) in policy.rules.iter().enumerate() {
            if matches(rule, run) {
                return (policy, Some(index));
            }
        }
    }
    (case.policies[0], None)
}

fn action(policy: &Policy, rule: Option<usize>) -> Action {
    rule.map_or(policy.default_action, |index| policy.rules[index].action)
}

/// "limit = `rule.retryLimit ?? policy.retryLimit ?? globalMaxRetries`".
fn limit(policy: &Policy, rule: Option<usize>, global: u64) -> (u64, Source) {
    let own = rule.and_then(|index| policy.rules[index].limit);
    let of_rule = own.map(|limit| (limit, Source::Rule));
    let of_policy = policy.limit.map(|limit| (limit, Source::Policy));
    of_rule.or(of_policy).unwrap_or((global, Source::Global))
}

impl Case<'_> {
    /// A decision that names nobody and grants nothing.
    pub fn decision(&self, code: Code) -> Decision {
        Decision {
            position: self.position,
            code,
            named: None,
            limit: None,
            total: self.total(),
            global: self.now.global_max_retries,
            enabled: self.now.enabled,
            delay: None,
            retry_after: None,
            avoid: Vec::new(),
            memory: retry::memory(self.job, self.past, None),
            bump: None,
        }
    }

    /// "Counts hold granted engine retries only"; in `v1beta1` "max(0, failures − 1) of the whole job".
    pub fn total(&self) -> u64 {
        match self.world.engine {
            Engine::V1 => self.past.iter().filter(|past| past.code == Code::Retry).count() as u64,
            Engine::V1beta1 => self.counted_failures().saturating_sub(1),
        }
    }

    /// The retries this rule, or this default, has granted; in `v1beta1` the job's one count.
    fn count(&self, named: &Named) -> u64 {
        let same =
            |past: &&Decision| past.code == Code::Retry && past.named.as_ref() == Some(named);
        match self.world.engine {
            Engine::V1 => self.past.iter().filter(same).count() as u64,
            Engine::V1beta1 => self.total(),
        }
    }

    /// "failures = Failed and `LeaseExpired` runs so far, this one included".
    fn counted_failures(&self) -> u64 {
        use RunOutcome::{Failed, LeaseExpired};
        let so_far = &self.job.runs[..=self.position];
        let counted = so_far.iter().filter(|run| matches!(run.outcome, Failed | LeaseExpired));
        counted.count() as u64
    }

    /// Section 6: "this job's failures evaluated so far, this one included"; lease returns are none.
    pub fn failure_count(&self) -> usize {
        use RunOutcome::{Failed, LeaseExpired, Preempted};
        let failed = |position: usize| {
            let outcome = self.job.runs[position].outcome;
            matches!(outcome, Failed | Preempted | LeaseExpired)
        };
        1 + self.past.iter().filter(|past| failed(past.position)).count()
    }
}
