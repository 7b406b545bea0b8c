//! The failed tries that represent all failed tries for a comparison of two profiles, and how a profile treats one.
//!
//! A record has fields of another policy's decisions and of changes of a task instance by hand. `forceFail` beside exceptions
//! counts in a version without a retry policy, `retryDelayOverride` since the release that has these policies, and `maxTries`
//! where a task has no `retries`: records with them are in the list if the versions could differ by them. Left out are
//! `tryNumber`, and `maxTries` of a task with retries: they lead to counts that failures reach too; and `rescheduleCount`, as
//! each rule that bounds it reaches its bound by itself.

mod exceptions;

use super::engine::AirflowEngine;
use super::engine::decision::{TryCounts, is_killed_for_good};
use super::engine::delay::{base, first_overflow};
use super::engine::eligibility::InstanceState;
use super::engine::failed_try::FailedTry;
use super::engine::retry_policy::{Consultation, consult, ends_tries};
use super::manifest::AirflowPolicy;
use super::manifest::python_time::TimeDelta;
use super::manifest::retry_policy::{RetryAction, RetryRule, TaskRetryPolicy};
use crate::compare::Treatment;
use document::units::Time;
use serde_json::{Value, json};

/// The growths of a wait after which it is steady, or unknown to be: more than the states that a comparison visits.
const MAX_GROWTHS: i32 = 20_000;

/// Returns the failed tries: of exceptions, of processes that were killed, of tasks that were not running, and those with
/// recorded fields by which the versions could differ.
///
/// # Errors
///
/// If the retry policies distinguish too many exceptions.
pub(super) fn representatives(versions: [&AirflowEngine; 2]) -> Result<Vec<Value>, String> {
    let policies = versions.map(AirflowEngine::retry_policy);
    let raised = exceptions::representatives(policies)?;
    let raised = raised.into_iter().map(|classes| json!({"exceptions": classes}));
    let mut tries: Vec<Value> = raised.collect();
    let forced = tries.first().cloned();
    // A policy does not decide about a record without exceptions: where there is one, examples with exceptions come first.
    let has_policy = policies.iter().any(Option::is_some);
    tries.insert(if has_policy { tries.len() } else { 0 }, json!({}));
    tries.extend([
        json!({"workerDied": true}),
        json!({"processExit": -9}),
        json!({"state": "queued"}),
        json!({"state": "restarting"}),
        json!({"forceFail": true}),
    ]);
    for state in ["queued", "restarting"] {
        let ended = [exceptions::FAIL, exceptions::TERMINATED];
        tries.extend(ended.map(|class| json!({"state": state, "exceptions": [class]})));
    }
    tries.extend(recorded(versions, forced));
    if versions.iter().all(|engine| engine.manifest.policy.retries == 0) {
        // Clearing a task instance raises `max_tries`, which a worker compares alone.
        let cleared: Vec<Value> = tries.iter().map(|one| with(one, "maxTries", 1)).collect();
        tries.extend(cleared);
    }
    for one in &mut tries {
        one["outcome"] = json!("Failed");
    }
    Ok(tries)
}

/// Returns the tries with recorded decisions of a retry policy that only one version follows. `forced` is any exception: if
/// the only retry policy fails it, the versions differ without `forceFail`.
fn recorded(versions: [&AirflowEngine; 2], forced: Option<Value>) -> Vec<Value> {
    let mut tries = Vec::new();
    let [old, new] = versions.map(|engine| engine.retry_policy().is_some());
    if old != new {
        tries.extend(forced.map(|one| with(&one, "forceFail", true)));
    }
    let [old, new] = versions.map(|engine| engine.manifest.policy.profile.has_retry_policies());
    if old != new {
        // The other version may wait as long as one of two delays.
        for delay in [1, 2] {
            tries.push(json!({"retryDelayOverride": delay}));
            tries.push(json!({"state": "restarting", "retryDelayOverride": delay}));
        }
    }
    tries
}

/// Returns a record with a field more.
fn with(record: &Value, field: &str, value: impl Into<Value>) -> Value {
    let mut record = record.clone();
    record[field] = value.into();
    record
}

/// Returns how a profile treats a failed try: what its retry policy answers, or else what counts without one.
pub(super) fn treatment(policy: &AirflowPolicy, failed: &FailedTry) -> Treatment {
    let consultation = consult(policy.profile, policy.retry_policy.as_ref(), failed);
    let answer = match consultation {
        Consultation::Answered(answer) => Some(answer),
        Consultation::NoPolicy | Consultation::Skipped(_) => None,
    };
    let place = answer.and_then(|answer| answer.rule);
    let rule = policy.retry_policy.as_ref().zip(place).map(|(policy, place)| policy.index(place));
    let is_forced =
        ends_tries(policy.profile, &failed.exceptions) || failed.force_fail && answer.is_none();
    let answering = policy.answering_rule(&consultation);
    let mut action = match answer.map(|answer| answer.action) {
        _ if is_forced => "final".to_owned(),
        Some(RetryAction::Fail) => "final".to_owned(),
        _ if is_killed_for_good(policy, failed) => "final".to_owned(),
        Some(RetryAction::Reschedule) => {
            let bounds = answering.map(|rule| (rule.max_reschedules, rule.reschedule_timeout));
            format!("reschedule {:?} {bounds:?}", set_delay(answering))
        }
        Some(RetryAction::Retry) => format!("by retries {:?}", set_delay(answering)),
        Some(RetryAction::Default) => "by retries None".to_owned(),
        None => {
            let recorded = failed.retry_delay_override;
            // A release without retry policies does not have the column `retry_delay_override`.
            let recorded = recorded.filter(|_| policy.profile.has_retry_policies());
            let recorded = recorded.map(TimeDelta::as_micros);
            match failed.state {
                InstanceState::Running => format!("by retries {recorded:?}"),
                InstanceState::Restarting => format!("restarting {recorded:?}"),
                InstanceState::Other => format!("not running {recorded:?}"),
            }
        }
    };
    // Only a task whose record has `maxTries` can tell the two limits apart.
    if let Some(limit) = failed.max_tries {
        action = format!("{action}, limit {limit}, by a worker: {}", failed.ended_in_worker());
    }
    Treatment { rule, action, is_counted: true }
}

/// Returns the delay that a rule sets, in microseconds.
fn set_delay(rule: Option<&RetryRule>) -> Option<i64> {
    rule.and_then(|rule| rule.retry_delay).map(TimeDelta::as_micros)
}

/// Returns the release, the limit, and all that waits depend on.
pub(super) fn parameters(policy: &AirflowPolicy) -> Value {
    json!({
        "profile": policy.profile.as_str(),
        "retries": policy.retries,
        "retry_delay": policy.retry_delay.as_micros(),
        "growth": growth(policy),
    })
}

/// Returns all that growing waits depend on; null if waits do not grow.
fn growth(policy: &AirflowPolicy) -> Value {
    let profile = policy.profile;
    let Some(multiplier) = profile.multiplier(policy.backoff) else { return Value::Null };
    json!({
        "retry_delay": policy.retry_delay.as_micros(),
        "multiplier": multiplier,
        "max_retry_delay": cap(policy).map(TimeDelta::as_micros),
        "ceiling": policy.ceiling(),
        "hashes_next": profile.is_property(),
        "guards_overflow": profile.guards_overflow(),
    })
}

fn cap(policy: &AirflowPolicy) -> Option<TimeDelta> {
    policy.max_retry_delay.filter(|cap| !cap.is_zero())
}

/// Returns all that decisions about later tries depend on, if the next one begins at a time: the number of the last try, the
/// limit, the try's reschedules, the time since the first of them, and the wait that its retry policy set.
pub(super) fn progress(
    policy: &AirflowPolicy,
    rules: Option<&TaskRetryPolicy>,
    counts: &TryCounts,
    time: Time,
) -> Vec<u64> {
    let rules = || rules.into_iter().flat_map(TaskRetryPolicy::rules).map(|(_, rule)| rule);
    let most = rules().filter_map(|rule| rule.max_reschedules).max().unwrap_or_default();
    let longest = rules().filter_map(|rule| rule.reschedule_timeout).max();
    let reschedules = counts.reschedules;
    // One more than the count, so that no open reschedules and none so far differ.
    let count = if reschedules.is_open { reschedules.count.min(most).saturating_add(1) } else { 0 };
    let passed = longest.zip(reschedules.first.filter(|_| reschedules.is_open));
    // Times beyond the longest bound are alike: no rule counts further.
    let passed = passed.map_or(0, |(longest, first)| {
        time.since(first).min(longest.to_duration()).as_nanos().unsigned_abs().saturating_add(1)
    });
    // After all retries, tries differ only in their waits.
    let steady = steady_from(policy).max(counts.max_tries).saturating_add(1);
    let delay_override = counts.delay_override().filter(|_| policy.profile.has_retry_policies());
    let delay =
        delay_override.map_or(0, |delay| delay.as_micros().unsigned_abs().saturating_add(1));
    let number = counts.try_number.min(steady).unsigned_abs();
    let limit = counts.max_tries.unsigned_abs();
    vec![u64::from(number), u64::from(limit), u64::from(count), passed, delay]
}

/// Returns the first try from which on all waits are equal; the largest number if none is known.
fn steady_from(policy: &AirflowPolicy) -> i32 {
    let Some(multiplier) = policy.profile.multiplier(policy.backoff) else { return 0 };
    let second = |cap: TimeDelta| cap.as_micros().unsigned_abs().div_ceil(1_000_000);
    let longest = cap(policy).map_or(u64::MAX, second).min(policy.ceiling());
    // The base grows or shrinks from try to try, down to a second, to which the hash adds nothing.
    let is_steady = |growths: i32| {
        base(policy.retry_delay, multiplier, growths).is_none_or(|base| {
            if multiplier > 1.0 { base.get() >= longest } else { base.get() == 1 }
        })
    };
    let (mut low, mut high) = (0, MAX_GROWTHS);
    if !is_steady(high) {
        return i32::MAX;
    }
    // Bisection is right here, since a base only grows or only shrinks.
    while low < high {
        let middle = i32::midpoint(low, high);
        if is_steady(middle) { high = middle } else { low = middle + 1 }
    }
    // The first try has not grown.
    low.saturating_add(1)
}

/// Returns why tasks may be decided otherwise although no sequence of the tries that were compared is.
pub(super) fn undecided(versions: [&AirflowEngine; 2]) -> Option<String> {
    let policies = versions.map(|engine| &engine.manifest.policy);
    let rules = versions.into_iter().filter_map(AirflowEngine::retry_policy);
    let has_timeout = rules.flat_map(TaskRetryPolicy::rules).any(|(_, rule)| {
        rule.action == RetryAction::Reschedule && rule.reschedule_timeout.is_some()
    });
    if has_timeout {
        return Some("tries of other lengths, which `reschedule_timeout` counts".to_owned());
    }
    if growth(policies[0]) == growth(policies[1]) {
        return None;
    }
    if policies.into_iter().any(|policy| first_overflow(policy).is_some()) {
        return Some("tasks whose wait is too large for the release".to_owned());
    }
    Some("waits of other tasks, whose ids are hashed".to_owned())
}
