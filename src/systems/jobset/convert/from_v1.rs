//! From a `v1` policy to a JobSet of one pod: a manifest for somebody to complete.
//!
//! Every rule becomes a rule of the Job's `podFailurePolicy` that fails the Job, and a rule of the
//! set that knows it by its message: all of them have the same reason.

use crate::policy::RetryPolicy;
use crate::systems::conversion::{Conversion, Notes};
use crate::systems::job::convert::{Asked, Follows, MOST_RULES, Waits, template_of};
use crate::units::GoDuration;
use serde_json::{Value, json};

/// The name of the only replicated Job.
const JOB: &str = "job";

/// A `v1` policy as a JobSet of one pod.
pub fn from_v1(policy: &RetryPolicy) -> Conversion<Value> {
    let mut notes = Notes::default();
    let waits = Waits {
        alike: |backoff| backoff.initial_delay == Some(GoDuration::ZERO),
        what: "a JobSet restarts at once",
    };
    let asked = Asked::of(policy, waits, &mut notes);
    for left_out in asked.rules.iter().skip(MOST_RULES) {
        let what =
            format!("a pod failure policy has {MOST_RULES} rules at most; this one is left out");
        notes.lost(format!("spec.rules[{}]", left_out.number), what);
    }
    let rules = || asked.rules.iter().take(MOST_RULES);
    for kept in rules() {
        let path = format!("spec.rules[{}].action", kept.number);
        notes.carried(path, format!("as FailJob, and {} of the set", action(kept.follows)));
    }
    let fail_job = |requirement: &Value| {
        let mut rule = json!({"action": "FailJob"});
        for (key, value) in requirement.as_object().into_iter().flatten() {
            rule[key] = value.clone();
        }
        rule
    };
    let mut spec = json!({"parallelism": 1, "completions": 1, "backoffLimit": 0});
    if !asked.rules.is_empty() {
        let rules: Vec<Value> = rules().map(|rule| fail_job(&rule.requirement)).collect();
        spec["podFailurePolicy"] = json!({"rules": rules});
    }
    spec["template"] = template_of(&asked);
    let set_rules = rules().enumerate().map(|(index, rule)| {
        json!({
            "name": format!("rule{index}"),
            "action": action(rule.follows),
            "onJobFailureReasons": ["PodFailurePolicy"],
            "onJobFailureMessagePatterns": [format!("rule at index {index}$")],
        })
    });
    let set_rules: Vec<Value> = set_rules.chain(default(&asked, &mut notes)).collect();
    let mut failure_policy = json!({"maxRestarts": asked.limit});
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

/// The rule that stands for the default action, where the set's own default is another: to restart
/// within `maxRestarts`.
fn default(asked: &Asked, notes: &mut Notes) -> Option<Value> {
    let path = "spec.defaultAction";
    if asked.default == Follows::Counted || asked.default == Follows::End && !asked.counts() {
        notes.carried(path, format!("as `maxRestarts: {}`", asked.limit));
        return None;
    }
    let action = action(asked.default);
    notes.carried(path, format!("as a rule: {action} if the Job's backoffLimit is exceeded"));
    let reasons = ["BackoffLimitExceeded"];
    Some(json!({"name": "default", "action": action, "onJobFailureReasons": reasons}))
}

fn action(follows: Follows) -> &'static str {
    match follows {
        Follows::End => "FailJobSet",
        Follows::Counted => "RestartJobSet",
        Follows::Free => "RestartJobSetAndIgnoreMaxRestarts",
    }
}
