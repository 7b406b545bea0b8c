//! Converts a job definition to a `v1` policy.

use crate::awsbatch::Glob;
use crate::awsbatch::manifest::{EvaluateOnExit, JobDefinition, RetryAction, RetryStrategy};
use crate::convert::{Conversion, Notes, note_fleet_limit, policy_name};
use armada_retry::policy::{
    Action, Backoff, Condition, ExitCodes, Form, Operator, RetryPolicy, Rule,
};
use document::pattern::Pattern;
use document::units::GoDuration;

/// The conditions of Armada that correspond to a terminated host.
pub(super) const HOST_CONDITIONS: [Condition; 2] = [Condition::Evicted, Condition::Preempted];

/// The pattern for the status reason of a terminated host (aws-cdk, aws-batch, `Reason.SPOT_INSTANCE_RECLAIMED`).
pub(super) const HOST_PATTERN: &str = "Host EC2*";

/// The pattern for the reason of a container that exceeded its memory (ECS Developer Guide, "Stopped tasks error
/// messages").
pub(super) const MEMORY_PATTERN: &str = "OutOfMemoryError*";

const ATTEMPTS: &str = "retryStrategy.attempts";
const TIMEOUT: &str = "timeout.attemptDurationSeconds";

/// The largest exit code of a container on Linux.
const MAX_CODE: i32 = 255;

/// Converts the strategy of a checked definition to a `v1` policy; `None` if its name cannot be made a policy's name.
pub fn to_v1(definition: &JobDefinition) -> Option<Conversion<RetryPolicy>> {
    let name = policy_name(&definition.name)?;
    let strategy = &definition.strategy;
    let mut notes = Notes::default();
    let retries = strategy.attempts.saturating_sub(1);
    if retries == 0 {
        notes.carried(ATTEMPTS, "as `defaultAction: Fail`");
    } else {
        notes.carried(
            ATTEMPTS,
            format!("as `retryLimit: {retries}`: the first attempt is no retry"),
        );
        note_fleet_limit(retries, ATTEMPTS, &mut notes);
    }
    let mut rules = Vec::new();
    if let Some(seconds) = definition.timeout_seconds {
        rules.extend(timeout(seconds, retries, &mut notes));
    }
    let default =
        if retries == 0 { Action::Fail } else { entries(strategy, &mut rules, &mut notes) };
    let granting = rules.iter().filter(|rule| rule.action == Action::Retry).count();
    if granting + usize::from(default == Action::Retry) > 1 {
        let what = format!(
            "all retries of the job share {retries}; in v1 each rule that retries has as many of its own, and the default \
             too"
        );
        notes.approximated(ATTEMPTS, what);
    }
    let backoff =
        // AWS Batch does not wait between attempts.
        Backoff { initial_delay: (retries > 0).then_some(GoDuration::ZERO), ..Backoff::default() };
    let policy = RetryPolicy {
        name,
        form: Form::V1,
        retry_limit: (retries > 0).then_some(retries),
        default_action: Some(default),
        backoff,
        anti_affinity: None,
        rules,
    };
    Some(Conversion { result: policy, notes: notes.into_vec() })
}

/// Returns the rule for attempts that exceed the timeout, unless nothing is retried.
fn timeout(seconds: u32, retries: u32, notes: &mut Notes) -> Option<Rule> {
    let what = format!("a policy sets no time of a run: the {seconds} seconds are left out");
    notes
        .lost(TIMEOUT, what)
        .help(format!("set `activeDeadlineSeconds: {seconds}` in the pod of the job"));
    let conditions = vec![Condition::DeadlineExceeded];
    (retries > 0).then(|| Rule { conditions, ..Rule::new(Action::Fail) })
}

/// Adds the rules of the entries; returns the default action.
fn entries(strategy: &RetryStrategy, rules: &mut Vec<Rule>, notes: &mut Notes) -> Action {
    let all = &strategy.evaluate_on_exit;
    // Entries after one that matches everything decide nothing.
    let end = all.iter().position(EvaluateOnExit::matches_all);
    let default = match end.and_then(|end| all.get(end)).map(|last| last.action) {
        Some(RetryAction::Exit) => Action::Fail,
        Some(RetryAction::Retry) | None => Action::Retry,
    };
    let last = end.unwrap_or(all.len());
    for (number, entry) in all.iter().enumerate() {
        let path = format!("retryStrategy.evaluateOnExit[{number}]");
        if number > last {
            notes.carried(path, "left out: an earlier entry matches everything");
            continue;
        }
        // Only a tail of such entries can go: one before another entry shields it.
        let is_default = |it: &EvaluateOnExit| action(it.action) == default;
        if all[number..last].iter().all(is_default) {
            notes.carried(path, format!("as `defaultAction: {}`", default.as_str()));
        } else {
            rules.extend(rule(entry, &path, notes));
        }
    }
    default
}

fn action(action: RetryAction) -> Action {
    match action {
        RetryAction::Retry => Action::Retry,
        RetryAction::Exit => Action::Fail,
    }
}

/// Returns the rule of an entry; `None` if one of its conditions has no counterpart.
fn rule(entry: &EvaluateOnExit, path: &str, notes: &mut Notes) -> Option<Rule> {
    let mut rule = Rule::new(action(entry.action));
    let mut messages = Vec::new();
    for (field, pattern) in entry.patterns() {
        let Some(pattern) = pattern.filter(|pattern| !pattern.matches_all()) else { continue };
        let path = format!("{path}.{field}");
        match (field, &*pattern.start) {
            ("onExitCode", _) => rule.exit_codes = Some(exit_codes(pattern, path, notes)?),
            ("onStatusReason", start) if start.starts_with("Host EC2") => {
                rule.conditions.extend(HOST_CONDITIONS);
                let what = "as the conditions Evicted and Preempted; a lost node is an expired lease in Armada, which these do \
                            not match";
                notes.approximated(path, what);
            }
            ("onReason", start) if start.starts_with("OutOfMemoryError") => {
                rule.conditions.push(Condition::OomKilled);
                notes.carried(path, "as the condition OOMKilled");
            }
            _ => messages.push((path, pattern)),
        }
    }
    let mut messages = messages.into_iter();
    if let Some((path, pattern)) = messages.next() {
        rule.message = Some(message(pattern)?);
        let what =
            "as a pattern of `onTerminationMessage`: no run of Armada has the texts of AWS Batch";
        notes
            .approximated(path, what)
            .help("match what the containers write as their termination message");
    }
    // Both conditions have to be met, and a rule that drops one would match more.
    let is_complete = messages.next().is_none() && rule.conditions.len() <= HOST_CONDITIONS.len();
    if !is_complete {
        notes.lost(
            path,
            "a rule has one message, and conditions of which one is enough: this entry is left out",
        );
        return None;
    }
    notes.carried(format!("{path}.action"), format!("as `action: {}`", rule.action.as_str()));
    Some(rule)
}

/// Returns the list of the codes that a pattern matches; `None` if there is none.
fn exit_codes(pattern: &Glob, path: String, notes: &mut Notes) -> Option<ExitCodes> {
    let values: Vec<i32> =
        // From 1 on: 0 is a success, which no rule of `v1` matches (semantics.md, section 4).
        (1..=MAX_CODE).filter(|code| pattern.matches(&code.to_string())).collect();
    if values.is_empty() {
        let what = format!("no code from 1 to {MAX_CODE} matches it: this entry is left out");
        notes.lost(path, what);
        return None;
    }
    if pattern.is_open {
        let what = format!("as the codes up to {MAX_CODE} that begin with `{}`", pattern.start);
        notes.approximated(path, what);
    } else {
        notes.carried(path, "as `onExitCodes`");
    }
    Some(ExitCodes { operator: Operator::In, values })
}

/// Returns the pattern of a message that begins with, or is, a text.
fn message(pattern: &Glob) -> Option<Pattern> {
    let mut text = String::from("^");
    for c in pattern.start.chars() {
        if c == '.' {
            text.push('\\');
        }
        text.push(c);
    }
    if !pattern.is_open {
        text.push('$');
    }
    Pattern::parse(&text).ok()
}
