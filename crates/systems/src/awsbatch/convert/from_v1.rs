//! Converts a `v1` policy to a job definition: the input of `register-job-definition` for the user to complete.

use super::to_v1::{HOST_CONDITIONS, HOST_PATTERN, MEMORY_PATTERN};
use crate::awsbatch::RetryAction;
use crate::awsbatch::manifest::{MAX_ATTEMPTS, MAX_ENTRIES};
use crate::convert::{Budgets, Conversion, Notes};
use armada_retry::policy::{Action, AntiAffinity, Backoff, Condition, Operator, RetryPolicy, Rule};
use document::units::GoDuration;
use serde_json::{Value, json};

const ACTION: &str = "spec.defaultAction";
const LIMIT: &str = "spec.retryLimit";

/// The placeholder for a value that the user has to fill in.
const IMAGE: &str = "REPLACE-ME";

/// Converts a `v1` policy to a job definition of one container.
pub fn from_v1(policy: &RetryPolicy) -> Conversion<Value> {
    let mut notes = Notes::default();
    let retries = retries(policy, &mut notes);
    let entries = if retries == 0 { Vec::new() } else { entries(policy, &mut notes) };
    let attempts = retries.saturating_add(1).min(MAX_ATTEMPTS);
    if retries.saturating_add(1) > MAX_ATTEMPTS {
        let what = format!("a job of AWS Batch has at most {MAX_ATTEMPTS} attempts");
        notes.approximated(LIMIT, what);
    }
    let mut strategy = json!({"attempts": attempts});
    if !entries.is_empty() {
        strategy["evaluateOnExit"] = Value::Array(entries);
    }
    // Where nothing is retried, waits and other settings of retries have no effect to lose.
    if retries > 0 {
        note_unsupported(policy, &mut notes);
    }
    let definition = json!({
        "jobDefinitionName": policy.name.as_str(),
        "type": "container",
        "retryStrategy": strategy,
        "containerProperties": {
            "image": IMAGE,
            "resourceRequirements": [{"type": "VCPU", "value": "1"}, {"type": "MEMORY", "value": "1024"}],
        },
    });
    Conversion { result: definition, notes: notes.into_vec() }
}

/// Returns the retries that all failures share: the largest budget.
fn retries(policy: &RetryPolicy, notes: &mut Notes) -> u32 {
    let budgets = Budgets::new(policy);
    budgets.note_absent_limit(LIMIT, notes);
    let Budgets { ref rules, default, most, .. } = budgets;
    if rules.iter().chain([&default]).filter(|budget| **budget > 0).count() > 1 {
        let what = format!(
            "rules and the default have a budget each; here all failures share {most} retries"
        );
        notes.approximated(LIMIT, what);
    }
    if most == 0 {
        notes.carried(ACTION, "as `attempts: 1`");
    } else {
        notes.carried(LIMIT, format!("as `attempts`: {most} retries and the first attempt"));
    }
    most
}

/// Returns the entries of `evaluateOnExit`: those of the rules, and a last one if the default fails.
fn entries(policy: &RetryPolicy, notes: &mut Notes) -> Vec<Value> {
    let default = effect(policy, policy.default_action(), None);
    let fails = default == RetryAction::Exit;
    let mut entries: Vec<Value> = Vec::new();
    // The default that fails needs the last of the entries.
    let room = MAX_ENTRIES - usize::from(fails);
    let is_default = |rule: &Rule| effect(policy, rule.action, rule.retry_limit) == default;
    for (number, rule) in policy.rules.iter().enumerate() {
        let path = format!("spec.rules[{number}]");
        // Only a tail of such rules can go: one that is before another rule shields it.
        if policy.rules[number..].iter().all(is_default) {
            notes.carried(path, "as the default, which has the same action");
            continue;
        }
        let Some(own) = entries_of_rule(policy, rule, &path, notes) else { continue };
        if entries.len() + own.len() > room {
            let what = format!(
                "`evaluateOnExit` has at most {MAX_ENTRIES} entries: this rule is left out"
            );
            notes.lost(path, what);
            continue;
        }
        if !own.is_empty() {
            notes.carried(
                format!("{path}.action"),
                format!("as {}", effect(policy, rule.action, rule.retry_limit).as_str()),
            );
        }
        entries.extend(own);
    }
    if fails {
        notes.carried(ACTION, "as a last entry that exits");
        entries.push(json!({"onReason": "*", "action": RetryAction::Exit.as_str()}));
    } else {
        notes.carried(ACTION, "a failure that no entry matches is retried");
    }
    entries
}

/// Returns the action of a rule or of the default; a retry with a limit of 0 ends the job.
fn effect(policy: &RetryPolicy, action: Action, own: Option<u32>) -> RetryAction {
    match action {
        Action::Retry if own.or(policy.retry_limit) != Some(0) => RetryAction::Retry,
        Action::Retry | Action::Fail => RetryAction::Exit,
    }
}

/// Returns the entries that match what a rule matches; `None` if there are none.
fn entries_of_rule(
    policy: &RetryPolicy,
    rule: &Rule,
    path: &str,
    notes: &mut Notes,
) -> Option<Vec<Value>> {
    // An entry without the condition would match more than the rule did.
    let is_unmatched = rule.message.is_some()
        || !rule.categories.is_empty()
        || !rule.subcategories.is_empty()
        || rule.container.is_some();
    if is_unmatched {
        let what =
            "AWS Batch has no category, message or container name to match: this rule is left out";
        notes.lost(path, what).help("match its exit codes, if it has some");
        return None;
    }
    let codes = match &rule.exit_codes {
        Some(codes) if codes.operator == Operator::NotIn => {
            notes.lost(
                format!("{path}.onExitCodes"),
                "no pattern excludes exit codes: this rule is left out",
            );
            return None;
        }
        Some(codes) => codes.values.iter().map(|code| Some(code.to_string())).collect(),
        None => vec![None],
    };
    let conditions = conditions(rule, path, notes)?;
    let action = effect(policy, rule.action, rule.retry_limit).as_str();
    let mut entries = Vec::new();
    for condition in &conditions {
        for code in &codes {
            let mut entry = json!({});
            if let Some((field, pattern)) = condition {
                entry[*field] = json!(pattern);
            }
            if let Some(code) = code {
                entry["onExitCode"] = json!(code);
            }
            entry["action"] = json!(action);
            entries.push(entry);
        }
    }
    Some(entries)
}

type Matched = Option<(&'static str, &'static str)>;

/// Returns the patterns that stand for the conditions of a rule; `None` if none does.
fn conditions(rule: &Rule, path: &str, notes: &mut Notes) -> Option<Vec<Matched>> {
    if rule.conditions.is_empty() {
        return Some(vec![None]);
    }
    let path = format!("{path}.onConditions");
    let mut patterns: Vec<Matched> = Vec::new();
    let is_host = |condition: &Condition| HOST_CONDITIONS.contains(condition);
    if rule.conditions.iter().any(is_host) {
        patterns.push(Some(("onStatusReason", HOST_PATTERN)));
        let what = format!(
            "as `onStatusReason: \"{HOST_PATTERN}\"`: a host that was terminated for any reason"
        );
        notes.approximated(path.clone(), what);
    }
    for condition in rule.conditions.iter().filter(|condition| !is_host(condition)) {
        match condition {
            Condition::OomKilled => {
                patterns.push(Some(("onReason", MEMORY_PATTERN)));
                notes.carried(
                    path.clone(),
                    format!("OOMKilled as `onReason: \"{MEMORY_PATTERN}\"`"),
                );
            }
            Condition::DeadlineExceeded if rule.action == Action::Fail => {
                notes.carried(path.clone(), "a job that exceeds its timeout is never retried");
            }
            other => {
                let what = format!("AWS Batch does not retry or report {}", other.as_str());
                notes.lost(path.clone(), what);
            }
        }
    }
    (!patterns.is_empty()).then_some(patterns)
}

/// Notes what a job of AWS Batch cannot have.
fn note_unsupported(policy: &RetryPolicy, notes: &mut Notes) {
    let waits =
        |backoff: Backoff| backoff.or(Backoff::BUILT_IN).initial_delay != Some(GoDuration::ZERO);
    if waits(policy.backoff) {
        notes.lost("spec.backoff", "AWS Batch has no delay between attempts");
    }
    if policy.anti_affinity == Some(AntiAffinity::Node) {
        notes.lost("spec.antiAffinity", "AWS Batch cannot choose hosts");
    }
    for (number, rule) in policy.rules.iter().enumerate() {
        let path = format!("spec.rules[{number}]");
        if !rule.backoff.is_empty() && waits(rule.backoff.or(policy.backoff)) {
            notes.lost(format!("{path}.backoff"), "AWS Batch has no delay between attempts");
        }
        if rule.anti_affinity == Some(AntiAffinity::Node) {
            notes.lost(format!("{path}.antiAffinity"), "AWS Batch cannot choose hosts");
        }
        if rule.memory.is_some() {
            notes.lost(format!("{path}.mutate"), "AWS Batch retries with the same memory");
        }
    }
}
