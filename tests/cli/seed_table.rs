//! The design's own example: `infra` (limit 10) and `ml-training` (limit 5, OOMKilled 3), counted
//! apart, and together under `globalMaxRetries` 20.
//!
//! Holds semantics.md 5.

use super::sandbox::Sandbox;
use serde_json::{Value, json};

const INFRA: &str = "
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: infra}
spec:
  retryLimit: 10
  rules:
  - {action: Retry, onConditions: [Preempted]}
  - {action: Retry, onConditions: [Evicted]}
";

const TRAINING: &str = "
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: ml-training}
spec:
  retryLimit: 5
  rules:
  - {action: Retry, retryLimit: 3, onConditions: [OOMKilled]}
";

/// A job whose runs fail by these letters: Preempted, Evicted, OOMKilled; S is a success.
fn job(letters: &str) -> Value {
    let run = |letter| match letter {
        'P' => json!({"outcome": "Preempted"}),
        'E' => json!({"outcome": "Failed", "conditions": ["Evicted"]}),
        'O' => json!({"outcome": "Failed",
            "containers": [{"name": "main", "exitCode": 137, "reason": "OOMKilled"}]}),
        _ => json!({"outcome": "Succeeded"}),
    };
    json!({"jobId": letters, "queue": "ml", "runs": letters.chars().map(run).collect::<Vec<_>>()})
}

/// Simulates jobs and gives the report's.
fn simulate(jobs: &[&str]) -> Vec<Value> {
    let sandbox = Sandbox::new();
    sandbox.file("policies/infra.yaml", INFRA).file("policies/training.yaml", TRAINING);
    let history = json!({"apiVersion": "armadaproject.io/v1", "kind": "FailureHistory",
        "spec": {"jobs": jobs.iter().map(|letters| job(letters)).collect::<Vec<_>>()}});
    sandbox.file("history.json", history.to_string());
    let line =
        "simulate -f policies --queue-policies infra,ml-training --history history.json -o json";
    let report = sandbox.run(line).exits(0).json();
    report["jobs"].as_array().expect("timelines").clone()
}

fn last(job: &Value) -> &Value {
    job["decisions"].as_array().and_then(|all| all.last()).expect("a decision")
}

#[test]
fn ten_preemptions_and_three_ooms_are_retried_in_any_order() {
    for job in simulate(&["PPPPPPPPPPOOOS", "OOOPPPPPPPPPPS", "PPPOPPPOPPPOPS", "POPOPOPPPPPPPS"]) {
        assert_eq!(job["outcome"], "Succeeded", "{job}");
        assert_eq!(job["retries"], 13, "{job}");
        assert_eq!(job["notReached"], 0, "{job}");
    }
}

#[test]
fn the_eleventh_preemption_fails_by_the_policy_s_limit() {
    for job in simulate(&["PPPPPPPPPPP", "OOOPPPPPPPPPPPS", "EEEEEEEEEEPPPPPPPPPP"]) {
        let last = last(&job);
        let wanted = if job["jobId"] == "EEEEEEEEEEPPPPPPPPPP" {
            json!(["retry", "infra", 0, 10, 10, "policy"])
        } else {
            json!(["fail_policy_limit", "infra", 0, 10, 10, "policy"])
        };
        let keys = ["decision", "policy", "ruleIndex", "count", "limit", "limitSource"];
        assert_eq!(json!(keys.map(|key| &last[key])), wanted, "{job}");
    }
}

#[test]
fn the_fourth_oom_fails_by_the_rule_s_limit() {
    for job in simulate(&["OOOO", "OPOPOPPPOS", "PPPPPPPPPPOOOO"]) {
        let keys = ["decision", "policy", "ruleIndex", "count", "limit", "limitSource"];
        let wanted = json!(["fail_rule_limit", "ml-training", 0, 3, 3, "rule"]);
        assert_eq!(json!(keys.map(|key| &last(&job)[key])), wanted, "{job}");
        assert_eq!(job["outcome"], "Failed");
    }
}

#[test]
fn twenty_retries_are_all_there_are() {
    // Each rule on its own has room left: it is the total that is used up.
    for job in simulate(&["PPPPPPPPPPEEEEEEEEEEOS", "PPPPPPPPPEEEEEEEEEOOPS"]) {
        let twentieth = &job["decisions"][19];
        assert_eq!(
            (&twentieth["decision"], &twentieth["totalRetries"]),
            (&json!("retry"), &json!(20))
        );
        let last = last(&job);
        assert_eq!(last["decision"], "fail_global_limit", "{job}");
        assert_eq!((&last["limit"], &last["limitSource"]), (&json!(20), &json!("global")));
        assert_eq!(last["totalRetries"], 20);
        assert_eq!(job["notReached"], 1, "{job}");
    }
}
