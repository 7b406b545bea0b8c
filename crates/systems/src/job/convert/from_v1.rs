//! Converts a `v1` policy to a Job: a manifest for the user to complete.

use super::required_rules::{FixedBackoff, RequiredRule, RequiredRules};
use super::steps::{Consequence, UNLIMITED};
use super::to_v1::JOB_BACKOFF;
use crate::convert::{Conversion, Notes};
use armada_retry::policy::RetryPolicy;
use serde_json::{Value, json};

/// The maximum number of rules in a pod failure policy (`pkg/apis/batch/validation/validation.go`).
pub(crate) const MOST_RULES: usize = 20;

/// The placeholder for a value that the user has to fill in.
const IMAGE: &str = "REPLACE-ME";

/// Converts a `v1` policy to a Job of one pod.
pub fn from_v1(policy: &RetryPolicy) -> Conversion<Value> {
    let mut notes = Notes::default();
    let waits = FixedBackoff {
        matches: |backoff| *backoff == JOB_BACKOFF,
        what: "a Job waits 10s and twice as long each time, up to 10m",
    };
    let required = RequiredRules::of(policy, waits, &mut notes);
    let (last, backoff_limit) = default(&required, &mut notes);
    let room = MOST_RULES - usize::from(last.is_some());
    let mut rules: Vec<Value> = required.rules.iter().take(room).map(rule).collect();
    for kept in required.rules.iter().take(room) {
        let path = format!("spec.rules[{}].action", kept.number);
        notes.carried(path, format!("as {}", action(kept.consequence)));
    }
    for left_out in required.rules.iter().skip(room) {
        let what =
            format!("a pod failure policy has {MOST_RULES} rules at most; this one is left out");
        notes.lost(format!("spec.rules[{}]", left_out.number), what);
    }
    rules.extend(last);
    let mut spec = json!({"backoffLimit": backoff_limit});
    if !rules.is_empty() {
        spec["podFailurePolicy"] = json!({"rules": rules});
    }
    spec["template"] = template_of(&required);
    let manifest = json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": policy.name.as_str()},
        "spec": spec,
    });
    Conversion { result: manifest, notes: notes.into_vec() }
}

/// Returns the limit, and a last rule that replaces the default action if one is needed.
///
/// A failure that no rule matches counts towards `backoffLimit`. If the default action does not count but
/// something else does, a last rule matches every exit code; 0 is never matched.
fn default(required: &RequiredRules, notes: &mut Notes) -> (Option<Value>, u32) {
    let path = "spec.defaultAction";
    let action = match required.default {
        Consequence::Counted => {
            notes.carried(path, format!("as `backoffLimit: {}`", required.limit));
            return (None, required.limit);
        }
        consequence if !required.counts() => {
            let limit = if consequence == Consequence::Free { UNLIMITED } else { 0 };
            notes.carried(path, format!("as `backoffLimit: {limit}`"));
            return (None, limit);
        }
        consequence => action(consequence),
    };
    let what = format!(
        "as a last rule, {action} on any exit code; a pod that ends without one counts towards backoffLimit"
    );
    notes.approximated(path, what);
    let every = json!({"operator": "NotIn", "values": [0]});
    (Some(json!({"action": action, "onExitCodes": every})), required.limit)
}

fn action(consequence: Consequence) -> &'static str {
    match consequence {
        Consequence::End => "FailJob",
        Consequence::Free => "Ignore",
        Consequence::Counted => "Count",
    }
}

fn rule(required: &RequiredRule) -> Value {
    let mut rule = json!({"action": action(required.consequence)});
    for (key, value) in required.requirement.as_object().into_iter().flatten() {
        rule[key] = value.clone();
    }
    rule
}

/// Makes a pod template with the containers that rules name, or with one container.
pub(crate) fn template_of(required: &RequiredRules) -> Value {
    let container = |name: &str| json!({"name": name, "image": IMAGE});
    let mut containers: Vec<Value> =
        required.containers.iter().map(|name| container(name)).collect();
    if containers.is_empty() {
        containers.push(container("main"));
    }
    json!({"spec": {"restartPolicy": "Never", "containers": containers}})
}
