//! Random manifests of each system, and the failures that their rules distinguish.

use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

/// An object without null fields.
fn object(fields: &[(&str, Value)]) -> Value {
    let fields = fields.iter().filter(|(_, value)| !value.is_null());
    Value::Object(
        fields.map(|(key, value)| ((*key).to_owned(), value.clone())).collect::<Map<_, _>>(),
    )
}

fn exit_codes() -> impl Strategy<Value = Value> {
    (select(vec!["In", "NotIn"]), subsequence(vec![1, 2, 3], 1..3))
        .prop_map(|(operator, values)| json!({"operator": operator, "values": values}))
}

fn pod_rule() -> impl Strategy<Value = Value> {
    let action = select(vec!["FailJob", "Ignore", "Count", "FailIndex"]);
    (action, exit_codes(), any::<bool>()).prop_map(|(action, codes, is_condition)| {
        if is_condition {
            json!({"action": action, "onPodConditions": [{"type": "DisruptionTarget"}]})
        } else {
            json!({"action": action, "onExitCodes": codes})
        }
    })
}

fn job_spec() -> impl Strategy<Value = Value> {
    let limits = (of(0..5), of(0..3), of(0..3), 1..5);
    (any::<bool>(), limits, of(prop::collection::vec(pod_rule(), 0..4))).prop_map(
        |(is_indexed, (limit, per_index, failed, completions), rules)| {
            let indexed = |value: Option<i32>| if is_indexed { json!(value) } else { Value::Null };
            let failed = failed.filter(|failed| per_index.is_some() && *failed <= completions);
            object(&[
                ("completionMode", json!(if is_indexed { "Indexed" } else { "NonIndexed" })),
                ("completions", json!(completions)),
                ("parallelism", json!(completions)),
                ("backoffLimit", json!(limit)),
                ("backoffLimitPerIndex", indexed(per_index)),
                ("maxFailedIndexes", indexed(failed)),
                ("podFailurePolicy", json!(rules.map(|rules| json!({"rules": rules})))),
                ("template", json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "i"}]}})),
            ])
        },
    )
}

pub(super) fn jobs() -> impl Strategy<Value = Value> {
    job_spec().prop_map(|spec| json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": spec}))
}

/// Failures of the pods of a spec.
fn pods_of(spec: &Value) -> Vec<Value> {
    let indexes =
        if spec["completionMode"] == "Indexed" { spec["completions"].as_i64() } else { None };
    let mut kinds: Vec<Value> = (1..5).map(|code| json!({"exitCode": code})).collect();
    kinds.push(json!({"podConditions": [{"type": "DisruptionTarget", "status": "True"}]}));
    let Some(indexes) = indexes else { return kinds };
    let at = |kind: &Value, index: i64| {
        let mut kind = kind.clone();
        kind["podIndex"] = json!(index);
        kind
    };
    kinds.iter().flat_map(|kind| (0..indexes).map(move |index| at(kind, index))).collect()
}

/// Failures of the pods of a Job.
pub(super) fn pods(job: &Value) -> Vec<Value> {
    pods_of(&job["spec"])
}

const REASONS: [&str; 4] =
    ["BackoffLimitExceeded", "PodFailurePolicy", "DeadlineExceeded", "FailedIndexes"];

/// JobSets with two replicated Jobs.
pub(super) fn job_sets() -> impl Strategy<Value = Value> {
    let action = select(vec!["FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts"]);
    let reasons = subsequence(REASONS.to_vec(), 0..3);
    let rule = (action, reasons, subsequence(vec!["a", "b"], 0..2)).prop_map(
        |(action, reasons, targets)| {
            json!({"action": action, "onJobFailureReasons": reasons, "targetReplicatedJobs": targets})
        },
    );
    let policy = of((of(0..3), prop::collection::vec(rule, 0..3)));
    (policy, job_spec(), job_spec()).prop_map(|(policy, a, b)| {
        let policy = policy.map(|(restarts, rules)| {
            object(&[("maxRestarts", json!(restarts)), ("rules", json!(rules))])
        });
        let job = |name: &str, spec: Value| json!({"name": name, "replicas": 1, "template": {"spec": spec}});
        let jobs = json!([job("a", a), job("b", b)]);
        let spec = object(&[("failurePolicy", json!(policy)), ("replicatedJobs", jobs)]);
        json!({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "s"}, "spec": spec})
    })
}

/// Failures of the Jobs of a JobSet, and of their pods.
pub(super) fn failed_jobs(set: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for job in set["spec"]["replicatedJobs"].as_array().into_iter().flatten() {
        let name = &job["name"];
        all.extend(REASONS.map(|reason| json!({"replicatedJob": name, "failureReason": reason})));
        all.extend(pods_of(&job["template"]["spec"]).into_iter().map(|mut pod| {
            pod["replicatedJob"] = name.clone();
            pod
        }));
    }
    all
}

fn profile(system: &str, profile: &str, (field, value): (&str, &Value)) -> Value {
    let spec = json!({"system": system, "profile": profile, field: value});
    json!({"apiVersion": "armadaproject.io/v1", "kind": "RetryProfile", "metadata": {"name": "p"}, "spec": spec})
}

/// Profiles of Iris.
pub(super) fn iris() -> impl Strategy<Value = Value> {
    let limits = (of(0..4), of(0..4), of(0..4));
    (select(vec!["seed", "upstream"]), limits, 1..5, any::<bool>()).prop_map(
        |(name, (failure, preemption, tasks), replicas, coscheduled)| {
            let policy = object(&[
                ("max_retries_failure", json!(failure)),
                ("max_retries_preemption", json!(preemption)),
                ("max_task_failures", json!(tasks)),
                ("replicas", json!(replicas)),
                ("coscheduled", json!(coscheduled)),
            ]);
            profile("iris", name, ("policy", &policy))
        },
    )
}

/// Ends of attempts of the tasks of an Iris job.
pub(super) fn attempts(iris: &Value) -> Vec<Value> {
    let replicas = iris["spec"]["policy"]["replicas"].as_i64().unwrap_or(1);
    let outcomes = ["FAILED", "PREEMPTED", "WORKER_FAILED"];
    let of_task = |task: i64| outcomes.map(|outcome| json!({"task": task, "outcome": outcome}));
    (0..replicas).flat_map(of_task).collect()
}

const CAUSES: [&str; 4] =
    ["agent_transient", "scheduler_timeout", "image_pull_failure", "kernel_nonzero_exit"];

/// Profiles of the BEP-1053 draft.
pub(super) fn backend_ai() -> impl Strategy<Value = Value> {
    (of(0..4), of(0..4), of(subsequence(CAUSES.to_vec(), 0..4))).prop_map(
        |(cluster, session, causes)| {
            let cluster = object(&[("max_retries", json!(cluster))]);
            let session =
                object(&[("max_retries", json!(session)), ("eligible_causes", json!(causes))]);
            profile(
                "backendai",
                "draft",
                ("layers", &json!({"cluster": cluster, "session": session})),
            )
        },
    )
}

/// Failures of sessions.
pub(super) fn sessions(_: &Value) -> Vec<Value> {
    let other = json!({"cause": "user_terminated"});
    CAUSES.iter().map(|cause| json!({"cause": cause})).chain([other]).collect()
}

fn retry_policy() -> impl Strategy<Value = Value> {
    let exceptions = subsequence(vec!["x.A", "x.B", "x.C"], 1..3);
    let action = select(vec!["retry", "fail", "default", "reschedule"]);
    let rule = (exceptions, action).prop_map(|(exceptions, action)| {
        let most = if action == "reschedule" { json!(2) } else { Value::Null };
        object(&[
            ("exception", json!(exceptions)),
            ("action", json!(action)),
            ("max_reschedules", most),
        ])
    });
    let default = of(select(vec!["retry", "fail", "default"]));
    (prop::collection::vec(rule, 0..4), default).prop_map(|(rules, default)| {
        object(&[("rules", json!(rules)), ("default", json!(default))])
    })
}

/// Profiles of Airflow, with a retry policy or a chain of two.
pub(super) fn airflow() -> impl Strategy<Value = Value> {
    let policy = of((retry_policy(), of(retry_policy())));
    (of(0..4), policy, select(vec!["3.4", "3.3", "2.10"])).prop_map(|(retries, policy, release)| {
        let policy = policy.map(|(first, second)| match second {
            Some(second) => json!({"policies": [first, second]}),
            None => first,
        });
        let settings = object(&[("retries", json!(retries)), ("retry_policy", json!(policy))]);
        profile("airflow", release, ("policy", &settings))
    })
}

/// Ends of tries.
pub(super) fn tries(_: &Value) -> Vec<Value> {
    let exceptions = ["x.A", "x.B", "x.C", "x.D"];
    let mut all: Vec<Value> = exceptions.iter().map(|it| json!({"exceptions": [it]})).collect();
    all.extend([json!({"exceptions": ["x.A", "x.B"]}), json!({}), json!({"workerDied": true})]);
    all
}
