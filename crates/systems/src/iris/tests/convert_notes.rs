//! The losses of conversions, and the fields that their notes name.

use super::convert::{policy, policy_of, profile, profile_of};
use crate::convert::{Fidelity, fields_noted};
use crate::iris::convert::{from_v1, to_v1};
use serde_json::{Value, json};

#[test]
fn what_armada_lacks_is_noted_at_its_field() {
    let notes = |text, policy: Value| {
        let notes = to_v1(&profile(&profile_of(text, &policy))).unwrap().notes;
        let (near, lost) =
            (fields_noted(&notes, Fidelity::Approximated), fields_noted(&notes, Fidelity::Lost));
        (near.join(" "), lost.join(" "))
    };
    let none = || (String::new(), String::new());
    let alone =
        json!({"max_retries_failure": 3, "max_retries_preemption": 0, "max_task_failures": 3});
    assert_eq!(notes("upstream", alone.clone()), none());
    assert_eq!(notes("seed", alone), ("max_task_failures".to_owned(), String::new()));
    // The sum of the two budgets exceeds the fleet's limit, although neither does alone.
    let both =
        json!({"max_retries_failure": 15, "max_retries_preemption": 15, "max_task_failures": 15});
    let made = to_v1(&profile(&profile_of("upstream", &both))).unwrap();
    assert!(made.notes.iter().any(|note| note.what.contains("before 30 retries")));
    let gang = json!({"replicas": 4, "coscheduled": true, "max_retries_preemption": 0});
    assert_eq!(notes("upstream", gang), ("coscheduled".to_owned(), "max_task_failures".to_owned()));
    let several = json!({"replicas": 4, "max_retries_preemption": 0});
    assert_eq!(notes("seed", several), ("replicas".to_owned(), "max_task_failures".to_owned()));
}

#[test]
fn what_iris_lacks_is_noted_at_its_field() {
    let notes = |spec: Value| {
        let notes = from_v1(&policy(&policy_of(&spec))).notes;
        let (near, lost) =
            (fields_noted(&notes, Fidelity::Approximated), fields_noted(&notes, Fidelity::Lost));
        (near.join(" "), lost.join(" "))
    };
    let spec = json!({
        "retryLimit": 3, "defaultAction": "Retry", "antiAffinity": {"mode": "node"},
        "backoff": {"initialDelay": "10s"},
        "rules": [{"action": "Fail", "onExitCodes": {"operator": "In", "values": [42]}}],
    });
    let lost = "antiAffinity backoff defaultAction rules[0]";
    assert_eq!(notes(spec), ("defaultAction".to_owned(), lost.to_owned()));
    let rules = json!([
        {"action": "Retry", "retryLimit": 2, "onConditions": ["Preempted", "Evicted"]},
        {"action": "Retry", "onConditions": ["Unschedulable"], "mutate": {"resources": {"memory": {"factor": 2}}}},
    ]);
    // An expired lease ends the job in `v1`; the budget for lost attempts would retry it.
    assert_eq!(
        notes(json!({"rules": rules})),
        ("defaultAction retryLimit".to_owned(), "mutate rules[1]".to_owned())
    );
}
