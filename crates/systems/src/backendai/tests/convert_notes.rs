//! The losses of conversions, and the fields that their notes name.

use super::convert::{converted, policy};
use crate::backendai::convert::from_v1;
use crate::convert::{Fidelity, fields_noted};
use serde_json::json;

#[test]
fn what_differs_is_noted_where_it_is_written() {
    let text = json!({
        "apiVersion": "armadaproject.io/v1", "kind": "RetryProfile", "metadata": {"name": "p"},
        "spec": {"system": "backendai", "layers": {
            "cluster": {"max_retries": 30, "jitter": "random", "emit_retry_events": false},
            "session": {
                "backoff": "exponential", "backoff_multiplier": 0.5,
                "eligible_causes": ["scheduler_timeout", "agent_transient", "image_pull_failure"],
            },
        }},
    });
    let (_, made) = converted(&text);
    assert_eq!(
        fields_noted(&made.notes, Fidelity::Approximated),
        ["backoff_multiplier", "eligible_causes", "jitter", "max_retries"]
    );
    assert_eq!(fields_noted(&made.notes, Fidelity::Lost), ["eligible_causes", "emit_retry_events"]);
    let paths: Vec<&str> = made.notes.iter().map(|note| note.path.as_str()).collect();
    assert!(paths.contains(&"spec.layers.cluster.max_retries"), "{paths:?}");
    assert!(paths.contains(&"spec.layers.session.eligible_causes"), "{paths:?}");
    let rules = &made.result.rules;
    assert_eq!((rules.len(), made.result.retry_limit), (2, Some(30)));
}

#[test]
fn what_the_draft_lacks_is_noted_where_it_is_written() {
    let text = json!({
        "apiVersion": "armadaproject.io/v1", "kind": "RetryPolicy", "metadata": {"name": "p"},
        "spec": {
            "defaultAction": "Retry", "antiAffinity": {"mode": "node"},
            "rules": [
                {"action": "Retry", "retryLimit": 3, "onConditions": ["OOMKilled"]},
                {"action": "Fail", "onExitCodes": {"operator": "In", "values": [42]}},
            ],
        },
    });
    let made = from_v1(&policy(&text));
    assert_eq!(fields_noted(&made.notes, Fidelity::Lost), ["antiAffinity", "rules[1]"]);
    assert_eq!(fields_noted(&made.notes, Fidelity::Approximated), ["backoff", "retryLimit"]);
    assert_eq!(made.result["spec"]["layers"]["session"]["max_retries"], 20);
}
