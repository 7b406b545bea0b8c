//! The limits of a Job, which decide beside its rules, its counts, and the fields that show only in other histories.

use super::{NO_LIMIT, exit_codes_of, lacks_pods, template};
use crate::job::engine::decision::DecisionCode;
use crate::job::engine::status::FailureReason;
use crate::job::manifest::JobPolicy;
use crate::job::{JobOptions, JobState, RestartPolicy};
use serde_json::{Value, json};
use std::fmt::Debug;

/// Returns the limits and what else determines decisions beside the rules.
pub(crate) fn parameters(policy: &JobPolicy) -> Value {
    let JobPolicy { backoff_limit, backoff_limit_per_index, max_failed_indexes, .. } = policy;
    json!({
        "backoffLimit": backoff_limit,
        "backoffLimitPerIndex": backoff_limit_per_index,
        "maxFailedIndexes": max_failed_indexes,
        "others": differing_fields().map(|(_, value)| value(policy)),
    })
}

type FieldValue = fn(&JobPolicy) -> String;

/// The fields on which decisions about a pod depend only together with other pods, with times or with what a history does not
/// have.
fn differing_fields() -> [(&'static str, FieldValue); 7] {
    fn text(value: impl Debug) -> String {
        format!("{value:?}")
    }
    [
        ("activeDeadlineSeconds", |it| text(it.active_deadline)),
        ("parallelism", |it| text(it.parallelism)),
        ("completions", |it| text(it.completions)),
        ("completionMode", |it| text(it.completion_mode)),
        ("successPolicy", |it| text(&it.success_rules)),
        ("restartPolicy", |it| text(it.restart_policy)),
        // A Job with a pod failure policy replaces pods only after their end.
        ("podReplacementPolicy", |it| text(it.waits_for_termination())),
    ]
}

/// Returns the fields that differ, and show only in histories that are left out.
pub(crate) fn incomparable(versions: [&JobPolicy; 2]) -> Option<String> {
    let [old, new] = versions;
    let mut fields: Vec<&str> = differing_fields()
        .into_iter()
        .filter(|(_, value)| value(old) != value(new))
        .map(|(field, _)| field)
        .collect();
    let codes = exit_codes_of(versions, false);
    let restarts = |policy: &JobPolicy, name: &str, code: i32| {
        template(policy, name)
            .is_some_and(|it| it.restarted_by(RestartPolicy::Never, code.into()).is_some())
    };
    let differs = |name: &str| {
        codes.iter().any(|code| restarts(old, name, *code) != restarts(new, name, *code))
    };
    let mut names = versions.into_iter().flat_map(|policy| &policy.containers);
    if names.any(|container| differs(&container.name)) {
        fields.push("the restarts in place of containers");
    }
    let decides = |policy: &JobPolicy| (format!("{:?}", policy.rules()), parameters(policy));
    if lacks_pods(versions) && decides(old) != decides(new) {
        fields.push("the rules and limits of a Job without indexes");
    }
    (!fields.is_empty())
        .then(|| format!("histories in which the difference in {} shows", fields.join(", ")))
}

/// Returns whether a Job replaces no pod, so that one pod does not show its limits: it is paused or needs no success.
fn replaces_nothing(policy: &JobPolicy) -> bool {
    !policy.is_indexed() && (policy.parallelism == 0 || policy.completions == Some(0))
}

/// Returns that failures of several indexes or pods may show a difference, if they reach a limit of the Job.
pub(crate) fn undecided(versions: [&JobPolicy; 2]) -> Option<String> {
    let depends = |policy: &JobPolicy| {
        let per_index = policy.backoff_limit_per_index.filter(|_| policy.is_indexed())?;
        let most = u64::from(policy.indexes()).saturating_mul(u64::from(per_index) + 1);
        let limit = policy.backoff_limit;
        (policy.indexes() > 1 && limit < NO_LIMIT && most > u64::from(limit)).then_some(())
    };
    if versions.into_iter().any(replaces_nothing) {
        return Some("failures of several pods".to_owned());
    }
    let [old, new] = versions;
    let is_limited = versions.into_iter().any(|policy| depends(policy).is_some());
    let is_other = old.indexes() > 1 && old.max_failed_indexes != new.max_failed_indexes;
    (is_limited || is_other).then(|| "failures of several indexes".to_owned())
}

/// The number of counts that decisions depend on.
pub(crate) const COUNTS: usize = 4;

/// Returns what decisions about a Job's further failures depend on.
pub(crate) fn progress(policy: &JobPolicy, options: &JobOptions, job: &JobState) -> [u64; COUNTS] {
    let status = job.status();
    let used = |count: u32, limit: u32| {
        // One beyond the limit is alike to any further, as both fail the Job.
        u64::from(if limit == NO_LIMIT { 0 } else { count.min(limit.saturating_add(1)) })
    };
    let own = job.failures(0);
    // With a deadline decisions depend on the time, which the number of failures determines.
    let waits = |count: u32| {
        let has_longest = options.delay(count) >= options.backoff_cap;
        // Waits at the cap grow no further, so that counts beyond it are alike.
        if has_longest && policy.active_deadline.is_none() { u64::MAX } else { u64::from(count) }
    };
    [
        used(status.failed, policy.backoff_limit),
        used(own.counted, policy.backoff_limit_per_index.unwrap_or(NO_LIMIT)),
        waits(own.total()),
        waits(status.backoff.failures),
    ]
}

/// Returns whether a Job has other pods than one and its replacements. A paused Job may have pods later.
pub(crate) fn has_other_pods(policy: &JobPolicy) -> bool {
    policy.completions != Some(1) || policy.parallelism == 0
}

/// Returns what happens to the other pods of a Job after a decision, if the Job of one of the versions has others.
pub(crate) fn others_after(versions: [&JobPolicy; 2], code: &str) -> &'static str {
    use FailureReason::{
        BackoffLimitExceeded, DeadlineExceeded, MaxFailedIndexesExceeded, PodFailurePolicy,
    };
    let reasons =
        [BackoffLimitExceeded, DeadlineExceeded, MaxFailedIndexesExceeded, PodFailurePolicy];
    let ends = reasons.into_iter().any(|reason| DecisionCode::Fail(reason).as_str() == code);
    if ends && versions.into_iter().any(has_other_pods) {
        "the other pods of the Job end"
    } else {
        ""
    }
}
