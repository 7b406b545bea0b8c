//! From a `v1` policy to a Job: a manifest for somebody to complete.

use super::asked::{Asked, AskedRule, Waits};
use super::step::{Follows, UNLIMITED};
use super::to_v1::WAITS;
use crate::policy::RetryPolicy;
use crate::systems::conversion::{Conversion, Notes};
use serde_json::{Value, json};

/// How many rules a pod failure policy may have (facts, B1).
pub(in crate::systems) const MOST_RULES: usize = 20;

/// What stands where only the reader knows what belongs there.
const IMAGE: &str = "REPLACE-ME";

/// A `v1` policy as a Job of one pod.
pub fn from_v1(policy: &RetryPolicy) -> Conversion<Value> {
    let mut notes = Notes::default();
    let waits = Waits {
        alike: |backoff| *backoff == WAITS,
        what: "a Job waits 10s and twice as long each time, up to 10m",
    };
    let asked = Asked::of(policy, waits, &mut notes);
    let (last, backoff_limit) = default(&asked, &mut notes);
    let room = MOST_RULES - usize::from(last.is_some());
    let mut rules: Vec<Value> = asked.rules.iter().take(room).map(rule).collect();
    for kept in asked.rules.iter().take(room) {
        let path = format!("spec.rules[{}].action", kept.number);
        notes.carried(path, format!("as {}", action(kept.follows)));
    }
    for left_out in asked.rules.iter().skip(room) {
        let what =
            format!("a pod failure policy has {MOST_RULES} rules at most; this one is left out");
        notes.lost(format!("spec.rules[{}]", left_out.number), what);
    }
    rules.extend(last);
    let mut spec = json!({"backoffLimit": backoff_limit});
    if !rules.is_empty() {
        spec["podFailurePolicy"] = json!({"rules": rules});
    }
    spec["template"] = template_of(&asked);
    let manifest = json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": policy.name.as_str()},
        "spec": spec,
    });
    Conversion { result: manifest, notes: notes.into_vec() }
}

/// The rule that stands for the default action, where one is needed, and the limit.
///
/// What no rule matches counts towards `backoffLimit`. Where the default action does not and
/// something else does, a last rule takes in every exit code: 0 is never looked at.
fn default(asked: &Asked, notes: &mut Notes) -> (Option<Value>, u32) {
    let path = "spec.defaultAction";
    let action = match asked.default {
        Follows::Counted => {
            notes.carried(path, format!("as `backoffLimit: {}`", asked.limit));
            return (None, asked.limit);
        }
        follows if !asked.counts() => {
            let limit = if follows == Follows::Free { UNLIMITED } else { 0 };
            notes.carried(path, format!("as `backoffLimit: {limit}`"));
            return (None, limit);
        }
        follows => action(follows),
    };
    let what = format!(
        "as a last rule, {action} on any exit code; a pod that ends without one counts towards backoffLimit"
    );
    notes.approximated(path, what);
    let every = json!({"operator": "NotIn", "values": [0]});
    (Some(json!({"action": action, "onExitCodes": every})), asked.limit)
}

fn action(follows: Follows) -> &'static str {
    match follows {
        Follows::End => "FailJob",
        Follows::Free => "Ignore",
        Follows::Counted => "Count",
    }
}

fn rule(asked: &AskedRule) -> Value {
    let mut rule = json!({"action": action(asked.follows)});
    for (key, value) in asked.requirement.as_object().into_iter().flatten() {
        rule[key] = value.clone();
    }
    rule
}

/// A template of pods with the containers that rules name, or one.
pub(in crate::systems) fn template_of(asked: &Asked) -> Value {
    let container = |name: &str| json!({"name": name, "image": IMAGE});
    let mut containers: Vec<Value> = asked.containers.iter().map(|name| container(name)).collect();
    if containers.is_empty() {
        containers.push(container("main"));
    }
    json!({"spec": {"restartPolicy": "Never", "containers": containers}})
}
