//! Findings about a profile that is valid, and probably not what its author intended.

use super::manifest::{IrisProfile, Policy, Profile, Rules};
use crate::lint::{Bounds, Budget, WorstCase, short_budget, surprising_default};
use document::diag::{Diagnostic, Findings, Severity};
use document::{Document, Entry};

const PREEMPTION: &str = "max_retries_preemption";

/// Returns the findings about a profile.
pub(super) fn lint(document: &Document, profile: &IrisProfile, bounds: &Bounds) -> Findings {
    let mut findings = Findings::new();
    findings.extend(only_preemptions(document, &profile.rules.policy));
    findings.extend(beyond_bounds(document, profile, bounds));
    findings.extend(short_preemption_budget(document, &profile.rules, bounds));
    findings
}

/// Returns the entry of a field of the policy that is present and not null.
fn entry<'d>(document: &'d Document, field: &str) -> Option<&'d Entry> {
    let policy = document.root.at(&["spec", "policy"])?;
    policy.entry(field).filter(|entry| !entry.value.is_null())
}

/// Returns the information that failures are final where a profile sets only the budget of lost attempts.
fn only_preemptions(document: &Document, policy: &Policy) -> Option<Diagnostic> {
    let lost = entry(document, PREEMPTION).filter(|_| policy.max_retries_preemption > 0)?;
    if entry(document, "max_retries_failure").is_some() {
        return None;
    }
    let place = document.place(lost.key_span);
    let effect = "a failed attempt is final, and only lost ones are retried";
    let help =
        "write `max_retries_failure: 0` if failures are to be final, else the number of retries";
    let found = surprising_default(place, ("max_retries_failure", "0"), effect, help);
    Some(Diagnostic { severity: Severity::Info, ..found })
}

/// Returns the finding that a task can run more often than the bound. A budget of lost attempts up to the default is not
/// counted: it is the system's, and lost attempts are not the author's.
fn beyond_bounds(
    document: &Document,
    profile: &IrisProfile,
    bounds: &Bounds,
) -> Option<Diagnostic> {
    let lost = entry(document, PREEMPTION);
    let default = Policy::default().max_retries_preemption;
    let counts_lost = profile.rules.policy.max_retries_preemption > default;
    let attempts = most_attempts(&profile.rules, counts_lost);
    let worst = WorstCase { attempts, wait: 0.0, memory_factor: 1.0 };
    let entries = [entry(document, "max_retries_failure"), lost];
    let value = |entry: &&Entry| entry.value.integer();
    let place = document.place(entries.into_iter().flatten().max_by_key(value)?.key_span);
    let subject = format!("a task under `{}`", profile.name);
    worst.finding(bounds, (place, &subject), [None, None, None], "")
}

/// Returns the most attempts of a task whose failures are its own. Iris never waits.
pub(super) fn worst_case(rules: &Rules) -> WorstCase {
    WorstCase { attempts: most_attempts(rules, false), wait: 0.0, memory_factor: 1.0 }
}

/// Returns the most attempts of a task that began to run, the first included: failures that a retry follows, and, if
/// `counts_lost`, lost attempts. Upstream ends the job at a failure above `max_task_failures`.
fn most_attempts(rules: &Rules, counts_lost: bool) -> u64 {
    let Policy { max_retries_failure, max_retries_preemption, max_task_failures, .. } =
        rules.policy;
    // Below 0 the first event ends the job.
    let Ok(borne) = u64::try_from(max_task_failures) else { return 1 };
    let at_least_0 = |limit: i32| u64::try_from(limit).unwrap_or(0);
    let failures = match rules.profile {
        Profile::Upstream => at_least_0(max_retries_failure).min(borne),
        Profile::Seed => at_least_0(max_retries_failure),
    };
    let lost = if counts_lost { at_least_0(max_retries_preemption) } else { 0 };
    1 + failures + lost
}

/// Returns the information that a budget of lost attempts, if the profile sets it, is used up before an outage ends.
fn short_preemption_budget(
    document: &Document,
    rules: &Rules,
    bounds: &Bounds,
) -> Option<Diagnostic> {
    let lost = entry(document, PREEMPTION)?;
    let retries = u64::try_from(rules.policy.max_retries_preemption).ok()?;
    let wait = |_: u32| (0.0, 0.0);
    let budget = Budget {
        retries,
        wait: &wait,
        scope: " of a lost task",
        assumption: "",
        remedy: "leave out `max_retries_preemption` for its default of 100: Iris never waits before a retry",
    };
    short_budget(document.place(lost.key_span), &budget, bounds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iris::{Event, Job, Outcome, Phase};
    use proptest::prelude::*;
    use proptest::sample::select;

    /// The most attempts over all sequences of these outcomes, by the engine.
    fn attempts_by_engine(rules: &Rules, job: &Job, outcomes: &[Outcome]) -> u64 {
        let mut most = 0;
        for outcome in outcomes {
            let mut next = job.clone();
            let event = Event { task: 0, outcome: *outcome, phase: Phase::Running };
            let decision = next.apply(rules, event, &mut Vec::new());
            let after =
                if decision.retries() { attempts_by_engine(rules, &next, outcomes) } else { 0 };
            most = most.max(1 + after);
        }
        most
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn attempts_are_the_most_of_all_sequences(
            profile in select(Profile::ALL.to_vec()),
            (failure, preemption, borne) in (-1..4_i32, -1..4_i32, -1..5_i32),
            replicas in 1..3_u32,
            coscheduled: bool,
        ) {
            let policy = Policy {
                max_retries_failure: failure,
                max_retries_preemption: preemption,
                max_task_failures: borne,
                replicas,
                coscheduled,
            };
            let rules = Rules { profile, policy };
            let job = Job::new(replicas);
            let all = attempts_by_engine(&rules, &job, &[Outcome::Failed, Outcome::Preempted]);
            prop_assert_eq!(most_attempts(&rules, true), all);
            let failed = attempts_by_engine(&rules, &job, &[Outcome::Failed]);
            prop_assert_eq!(most_attempts(&rules, false), failed);
        }
    }
}
