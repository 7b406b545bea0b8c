//! Converts a `v1` policy to a JobSet of one pod: a manifest for the user to complete.
//!
//! Every rule becomes a rule of the Job's `podFailurePolicy` that fails the Job, and a rule of the set that
//! recognizes the failure by its message: the reason is the same for all of them.

use crate::convert::{Conversion, Notes};
use crate::job::convert::{Consequence, FixedBackoff, MOST_RULES, RequiredRules, template_of};
use armada_retry::policy::RetryPolicy;
use document::units::GoDuration;
use serde_json::{Value, json};

/// The name of the only replicated Job.
const JOB: &str = "job";

/// Converts a `v1` policy to a JobSet of one pod.
pub fn from_v1(policy: &RetryPolicy) -> Conversion<Value> {
    let mut notes = Notes::default();
    let waits = FixedBackoff {
        matches: |backoff| backoff.initial_delay == Some(GoDuration::ZERO),
        what: "a JobSet restarts at once",
    };
    let required = RequiredRules::of(policy, waits, &mut notes);
    for left_out in required.rules.iter().skip(MOST_RULES) {
        let what =
            format!("a pod failure policy has {MOST_RULES} rules at most; this one is left out");
        notes.lost(format!("spec.rules[{}]", left_out.number), what);
    }
    let rules = || required.rules.iter().take(MOST_RULES);
    for kept in rules() {
        let path = format!("spec.rules[{}].action", kept.number);
        notes.carried(path, format!("as FailJob, and {} of the set", action(kept.consequence)));
    }
    let mut spec = json!({"parallelism": 1, "completions": 1, "backoffLimit": 0});
    if !required.rules.is_empty() {
        let rules: Vec<Value> = rules().map(|rule| fail_job(&rule.requirement)).collect();
        spec["podFailurePolicy"] = json!({"rules": rules});
    }
    spec["template"] = template_of(&required);
    let set_rules = rules().enumerate().map(|(index, rule)| {
        json!({
            "name": format!("rule{index}"),
            "action": action(rule.consequence),
            "onJobFailureReasons": ["PodFailurePolicy"],
            "onJobFailureMessagePatterns": [format!("rule at index {index}$")],
        })
    });
    let set_rules: Vec<Value> = set_rules.chain(default(&required, &mut notes)).collect();
    let mut failure_policy = json!({"maxRestarts": required.limit});
    if !set_rules.is_empty() {
        failure_policy["rules"] = json!(set_rules);
    }
    let manifest = json!({
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": policy.name.as_str()},
        "spec": {
            "failurePolicy": failure_policy,
            "replicatedJobs": [{"name": JOB, "replicas": 1, "template": {"spec": spec}}],
        },
    });
    Conversion { result: manifest, notes: notes.into_vec() }
}

/// Returns the rule of a Job that fails it if a requirement holds.
fn fail_job(requirement: &Value) -> Value {
    let mut rule = json!({"action": "FailJob"});
    for (key, value) in requirement.as_object().into_iter().flatten() {
        rule[key] = value.clone();
    }
    rule
}

/// Returns the rule that replaces the default action, if that differs from the set's own default: to restart
/// within `maxRestarts`.
fn default(required: &RequiredRules, notes: &mut Notes) -> Option<Value> {
    let path = "spec.defaultAction";
    if required.default == Consequence::Counted
        || required.default == Consequence::End && !required.counts()
    {
        notes.carried(path, format!("as `maxRestarts: {}`", required.limit));
        return None;
    }
    let action = action(required.default);
    notes.carried(path, format!("as a rule: {action} if the Job's backoffLimit is exceeded"));
    let reasons = ["BackoffLimitExceeded"];
    Some(json!({"name": "default", "action": action, "onJobFailureReasons": reasons}))
}

fn action(consequence: Consequence) -> &'static str {
    match consequence {
        Consequence::End => "FailJobSet",
        Consequence::Counted => "RestartJobSet",
        Consequence::Free => "RestartJobSetAndIgnoreMaxRestarts",
    }
}
