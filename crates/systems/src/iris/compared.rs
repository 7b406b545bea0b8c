//! The attempts of a task that represent all attempts for a comparison of two profiles, and how a profile treats one.

use super::engine::outcome::{Outcome, Phase};
use super::engine::task::Budget;
use super::manifest::{Policy, Profile, Rules};
use super::record::IrisFields;
use crate::compare::Treatment;
use serde_json::{Value, json};

/// Returns an attempt of the first task for each outcome in each phase, without those that do not fail. A cancel and a
/// success are decided alike under all profiles.
pub(super) fn representatives() -> Vec<Value> {
    let outcomes = Outcome::ALL.iter().copied();
    let failures = outcomes.filter(|it| !matches!(it, Outcome::Succeeded | Outcome::CancelJob));
    let attempts = failures.flat_map(|outcome| {
        let phases = [Phase::Running, Phase::Assigned, Phase::Building];
        phases.map(|phase| match phase {
            Phase::Running => json!({"outcome": outcome.as_str()}),
            _ => json!({"outcome": outcome.as_str(), "phase": phase.as_str()}),
        })
    });
    attempts.collect()
}

/// Returns how a profile treats an attempt: whether its task may be queued again, and the budget that it charges.
pub(super) fn treatment(profile: Profile, attempt: IrisFields) -> Treatment {
    let IrisFields { outcome, phase, .. } = attempt;
    // Iris charges by the phase only whether a worker had begun.
    let has_started = phase.state().is_executing();
    let charge = profile.charge(outcome.attempt_state(profile), has_started);
    let may_retry = outcome.may_retry(profile);
    let budget = charge.map_or("no budget", Budget::field);
    let retries = if may_retry { "retried" } else { "final" };
    let action = format!("{retries}, charged to {budget}");
    Treatment { rule: None, action, is_counted: may_retry && charge.is_some() }
}

/// Returns the profile and its limits. A limit of retries below 0 is as 0, every `max_task_failures` below 0 is alike, and
/// `coscheduled` has no effect on one task.
pub(super) fn parameters(rules: &Rules) -> Value {
    let Policy { max_retries_failure, max_retries_preemption, max_task_failures, .. } =
        rules.policy;
    json!({
        "profile": rules.profile.as_str(),
        // 0 and less both refuse the first retry.
        "max_retries_failure": max_retries_failure.max(0),
        "max_retries_preemption": max_retries_preemption.max(0),
        // Below 0 the first event ends the job, whatever the number.
        "max_task_failures": max_task_failures.max(-1),
        "replicas": rules.policy.replicas,
        "coscheduled": rules.policy.replicas > 1 && rules.policy.coscheduled,
    })
}

/// Returns why jobs may be decided otherwise although no sequence of failures of their first task is.
pub(super) fn undecided(versions: [&Rules; 2]) -> Option<String> {
    if versions.iter().any(|rules| rules.policy.replicas > 1) {
        return Some("failures of more than one task of a job".to_owned());
    }
    // The seed has no state for a job whose only task failed within `max_task_failures`.
    let stays_running =
        |rules: &Rules| rules.profile == Profile::Seed && rules.policy.max_task_failures > 0;
    let [old, new] = versions.map(stays_running);
    let reason = "the state of a job after its last attempt: one version leaves it RUNNING";
    (old != new).then(|| reason.to_owned())
}
