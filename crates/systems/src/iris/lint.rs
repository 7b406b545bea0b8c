//! Findings about a profile that is valid, and probably not what its author intended.

use super::manifest::{IrisProfile, Policy, Profile, Rules};
use crate::lint::{Bounds, Budget, WorstCase, retries_text, short_budget, surprising_default};
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
        // Upstream counts the failures of all tasks against the job's bound, and a task has at most its own budget.
        Profile::Upstream => at_least_0(max_retries_failure).min(borne),
        Profile::Seed => at_least_0(max_retries_failure),
    };
    let lost = if counts_lost { at_least_0(max_retries_preemption) } else { 0 };
    1 + failures + lost
}

/// Returns the attempts that follow lost ones of a task.
fn lost_retries(policy: &Policy) -> u64 {
    // Below 0 the first event ends the job.
    let limit = if policy.max_task_failures < 0 { 0 } else { policy.max_retries_preemption };
    u64::try_from(limit).unwrap_or(0)
}

/// Returns the information that a budget of lost attempts, if the profile sets it, is used up before an outage ends.
fn short_preemption_budget(
    document: &Document,
    rules: &Rules,
    bounds: &Bounds,
) -> Option<Diagnostic> {
    let lost = entry(document, PREEMPTION)?;
    let retries = lost_retries(&rules.policy);
    let wait = |_: u32| (0.0, 0.0);
    let budget = Budget {
        retries,
        wait: &wait,
        scope: " of a lost task",
        assumption: "",
        remedy: "leave out `max_retries_preemption` for its default of 100: Iris never waits before a retry",
        limit: &retries_text,
    };
    short_budget(document.place(lost.key_span), &budget, bounds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iris::{Event, IrisEngine, Job, Outcome, Phase};
    use crate::{ManifestSystem, Options};
    use document::diag::{Code, Source};
    use document::{Limits, parse};
    use proptest::option::weighted;
    use proptest::prelude::*;
    use proptest::sample::select;
    use serde_json::{Value, json};

    /// The findings about a policy under a profile, those on reading included, and what was read.
    fn linted(profile: Profile, policy: &Value) -> (Findings, IrisProfile) {
        let spec = json!({"system": "iris", "profile": profile.as_str(), "policy": policy});
        let document = json!({
            "apiVersion": "armadaproject.io/v1",
            "kind": "RetryProfile",
            "metadata": {"name": "p"},
            "spec": spec,
        });
        let (documents, mut findings) =
            parse(&Source::new("p.json", document.to_string()), Limits::POLICY);
        let read = IrisEngine::read(&documents[0], &Options::default(), &mut findings);
        let read = read.unwrap_or_else(|| panic!("{document}"));
        findings.extend(lint(&documents[0], &read, &Bounds::default()));
        (findings, read)
    }

    fn count(findings: &Findings, code: Code) -> usize {
        findings.iter().filter(|it| it.code == code).count()
    }

    /// The attempts of a task that is lost each time, by the engine.
    fn lost_attempts(rules: &Rules) -> u64 {
        let mut job = Job::new(rules.policy.replicas);
        let event = Event { task: 0, outcome: Outcome::Preempted, phase: Phase::Running };
        let retries = |_: &u64| job.apply(rules, event, &mut Vec::new()).retries();
        1 + (1..10_000).take_while(retries).count() as u64
    }

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
            let lost = attempts_by_engine(&rules, &job, &[Outcome::Preempted]);
            prop_assert_eq!(lost_retries(&rules.policy), lost - 1);
        }

        /// RP111 of lost attempts, with the cap at submission, and RP130, whose remedy has no other finding.
        #[test]
        fn lost_attempts_are_those_of_the_engine(
            profile in select(Profile::ALL.to_vec()),
            lost in weighted(0.9, select(vec![-1, 0, 1, 3, 48, 49, 50, 100, 101, 1000, 1001, 5000])),
            failures in weighted(0.5, 0..4_i32),
            borne in weighted(0.5, -1..4_i32),
        ) {
            let mut policy = json!({});
            for (field, value) in [
                ("max_retries_preemption", lost),
                ("max_retries_failure", failures),
                ("max_task_failures", borne),
            ] {
                if let Some(value) = value {
                    policy[field] = json!(value);
                }
            }
            let (findings, read) = linted(profile, &policy);
            let attempts = lost_attempts(&read.rules);
            let is_short = lost.is_some() && (2..=50).contains(&attempts);
            prop_assert_eq!(count(&findings, Code::ShortBudget) > 0, is_short, "{}", &policy);
            if profile == Profile::Upstream {
                prop_assert!(attempts <= 1001);
            }
            let failed = most_attempts(&read.rules, false) - 1;
            let is_own = lost.is_some_and(|it| it > 100);
            let expected = if is_own { attempts + failed } else { 1 + failed };
            let found = findings.iter().find(|it| it.code == Code::WorstCase);
            prop_assert_eq!(found.is_some(), expected > 50, "{}", &policy);
            let text = format!("can run {expected} times");
            prop_assert!(found.is_none_or(|it| it.message.contains(&text)), "{}", &policy);
            if is_short {
                policy.as_object_mut().unwrap().remove("max_retries_preemption");
                let (after, _) = linted(profile, &policy);
                prop_assert_eq!(count(&after, Code::ShortBudget), 0, "{}", &policy);
                for code in [Code::Misleading, Code::SurprisingDefault, Code::WorstCase] {
                    prop_assert!(count(&after, code) <= count(&findings, code), "{}", &policy);
                }
            }
        }
    }
}
