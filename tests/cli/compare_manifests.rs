//! `compare`: tests and recorded failures of manifests of other systems.

use super::sandbox::Sandbox;
use serde_json::{Value, json};

/// A JobSet of two Jobs with these limits, and a rule on Jobs that failed by their limit.
fn set(restarts: u32, rule: &str, jobs: [Value; 2]) -> String {
    let jobs = ["driver", "worker"].into_iter().zip(jobs).map(|(name, limits)| {
        let template =
            json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "c"}]}});
        let mut spec = json!({"template": template});
        for (key, value) in limits.as_object().expect("limits") {
            spec[key] = value.clone();
        }
        json!({"name": name, "replicas": 1, "template": {"spec": spec}})
    });
    let jobs: Vec<Value> = jobs.collect();
    let rules =
        json!([{"name": "r", "action": rule, "onJobFailureReasons": ["BackoffLimitExceeded"]}]);
    json!({
        "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "s"},
        "spec": {"failurePolicy": {"maxRestarts": restarts, "rules": rules}, "replicatedJobs": jobs},
    })
    .to_string()
}

/// The titles of differences name the limit that differs, and the Job that has it.
#[test]
fn titles_name_the_limits_that_differ() {
    let limit = |most: u32| json!({"backoffLimit": most});
    let per_index = |most: u32| {
        json!({
            "backoffLimitPerIndex": most, "completionMode": "Indexed", "completions": 2, "parallelism": 2,
        })
    };
    let pairs = [
        (
            set(3, "RestartJobSet", [limit(1), limit(2)]),
            set(3, "RestartJobSet", [limit(1), limit(1)]),
        ),
        (set(3, "FailJobSet", [limit(1), limit(2)]), set(3, "FailJobSet", [limit(3), limit(2)])),
        (
            set(3, "RestartJobSet", [limit(0), limit(0)]),
            set(2, "RestartJobSet", [limit(0), limit(0)]),
        ),
        (
            set(3, "RestartJobSet", [limit(0), per_index(1)]),
            set(3, "RestartJobSet", [limit(0), per_index(2)]),
        ),
    ];
    let mut titles = String::new();
    for (old, new) in pairs {
        let sandbox = Sandbox::new();
        sandbox.file("old.yaml", old).file("new.yaml", new);
        let report = sandbox.run("compare old.yaml new.yaml -o json").exits(1).json();
        for group in report["items"][0]["groups"].as_array().expect("groups") {
            titles += &format!("{} ({}): {}\n", group["kind"], group["cause"], group["title"]);
        }
        titles += "\n";
    }
    insta::assert_snapshot!("titles", titles);
}
