//! JobSet and Job manifests: the story that every example tells.
//!
//! Holds cli.md The other systems.

use super::sandbox::{Run, Sandbox, root, snapshot};
use serde_json::{Value, json};

/// What `RestartJob` needs.
pub const GATES: &str = "--feature-gates RestartJob=true";
/// Examples that say what no release does.
pub const REFUSED: [(&str, &str); 2] = [
    ("jobset/restart-replicated-job.yaml", "RestartReplicatedJob"),
    ("jobset/simulations.yaml", "FailJob"),
];

/// What an example comes to.
pub struct Story {
    /// Of its files, without their ends.
    pub name: &'static str,
    /// What it needs on the command line.
    pub flags: &'static str,
    /// `Failed` or `Succeeded`.
    outcome: &'static str,
    /// The system's own word for it.
    system: &'static str,
    /// Retries or restarts granted.
    retries: u64,
    /// Decisions about Jobs: their codes in order, how often each if more than once.
    jobs: &'static str,
    /// The same about the set.
    set: &'static str,
    /// `restarts` and `restartsCountTowardsMax` in the end.
    restarts: Option<(u64, u64)>,
}

/// The examples that run.
pub const STORIES: [Story; 8] = [
    Story {
        name: "jobset/fail-jobset",
        flags: "",
        outcome: "Failed",
        system: "FailJobSetFailurePolicyAction",
        retries: 1,
        jobs: "fail_backoff_limit, fail_job",
        set: "restart_jobset, fail_rule",
        restarts: Some((1, 1)),
    },
    Story {
        name: "jobset/restart-jobset",
        flags: "",
        outcome: "Failed",
        system: "ReachedMaxRestarts",
        retries: 10,
        jobs: "fail_backoff_limit x11",
        set: "restart_jobset x10, fail_max_restarts",
        restarts: Some((10, 10)),
    },
    Story {
        name: "jobset/ignore-max-restarts",
        flags: "",
        outcome: "Succeeded",
        system: "Completed",
        retries: 13,
        jobs: "fail_job x7, fail_backoff_limit, fail_job x5",
        set: "restart_jobset_ignored x7, restart_jobset, restart_jobset_ignored x5",
        restarts: Some((13, 1)),
    },
    Story {
        name: "jobset/different-policies-for-different-replicated-jobs",
        flags: "",
        outcome: "Failed",
        system: "ReachedMaxRestarts",
        retries: 6,
        jobs: "",
        set: "restart_jobset_ignored, restart_jobset, restart_jobset_ignored, \
              restart_jobset x2, restart_jobset_ignored, fail_max_restarts",
        restarts: Some((6, 3)),
    },
    Story {
        name: "jobset/restart-replicated-job-today",
        flags: GATES,
        outcome: "Succeeded",
        system: "Completed",
        retries: 4,
        jobs: "fail_backoff_limit x4",
        set: "restart_job x3, restart_jobset",
        restarts: Some((1, 1)),
    },
    Story {
        name: "jobset/simulations-today",
        flags: GATES,
        outcome: "Failed",
        system: "FailJobSetFailurePolicyAction",
        retries: 2,
        jobs: "fail_job x3",
        set: "restart_job x2, fail_rule",
        restarts: Some((0, 0)),
    },
    Story {
        name: "job/per-index",
        flags: "",
        outcome: "Failed",
        system: "MaxFailedIndexesExceeded",
        retries: 4,
        jobs: "retry, fail_index, retry x3, fail_max_failed_indexes",
        set: "",
        restarts: None,
    },
    Story {
        name: "job/disruption",
        flags: "",
        outcome: "Failed",
        system: "PodFailurePolicy",
        retries: 4,
        jobs: "retry_ignored, retry, retry_ignored, retry, fail_job",
        set: "",
        restarts: None,
    },
];

/// A sandbox with the examples of these systems, and a policy of Armada's.
pub fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_examples();
    for folder in ["jobset", "job"] {
        let path = root().join("examples").join(folder);
        for entry in path.read_dir().unwrap() {
            let entry = entry.unwrap();
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            sandbox.file(&name, std::fs::read(entry.path()).unwrap());
        }
    }
    sandbox
}

/// Replays an example's own history.
pub fn replay(name: &str, flags: &str) -> Run {
    sandbox().run(&format!("simulate -f {name}.yaml --history {name}.history.yaml {flags}"))
}

/// What an example comes to.
fn unit(name: &str, flags: &str) -> Value {
    only_unit(&replay(name, &format!("{flags} -o json")).exits(0))
}

/// The only unit of a report.
#[track_caller]
pub fn only_unit(run: &Run) -> Value {
    let report = run.json();
    let units = report["jobs"].as_array().expect("timelines");
    assert_eq!(units.len(), 1, "{run}");
    units[0].clone()
}

/// The decisions about a unit.
pub fn decisions(unit: &Value) -> &[Value] {
    unit["decisions"].as_array().expect("decisions")
}

/// A field of every decision, in order.
pub fn column<'u>(unit: &'u Value, field: &str) -> Vec<&'u Value> {
    decisions(unit).iter().map(|decision| &decision[field]).collect()
}

/// The codes of the decisions about one level, in order, how often each if more than once.
pub fn course(unit: &Value, level: &str) -> String {
    let about = decisions(unit).iter().filter(|decision| decision["level"] == level);
    let codes: Vec<&str> = about.map(|decision| decision["decision"].as_str().unwrap()).collect();
    let alike = codes.chunk_by(|one, other| one == other);
    let words = alike.map(|codes| match codes.len() {
        1 => codes[0].to_owned(),
        times => format!("{} x{times}", codes[0]),
    });
    words.collect::<Vec<_>>().join(", ")
}

#[test]
fn every_example_tells_its_story() {
    for story in &STORIES {
        let unit = unit(story.name, story.flags);
        let name = story.name;
        assert_eq!(unit["outcome"], story.outcome, "{name}: {unit:#}");
        assert_eq!(unit["systemOutcome"], story.system, "{name}");
        assert_eq!(unit["retries"], story.retries, "{name}");
        assert_eq!(course(&unit, "job"), story.jobs, "{name}");
        assert_eq!(course(&unit, "jobset"), story.set, "{name}");
        assert_eq!(unit["notReached"], 0, "{name}");
        assert_eq!(unit["contradictions"], json!([]), "{name}");
        let counts = &decisions(&unit).last().unwrap()["counts"];
        let restarts = counts["restarts"].as_u64().zip(counts["restartsCountTowardsMax"].as_u64());
        assert_eq!(restarts, story.restarts, "{name}");
    }
}

#[test]
fn every_example_is_told_or_refused() {
    for folder in ["jobset", "job"] {
        for entry in root().join("examples").join(folder).read_dir().unwrap() {
            let file = entry.unwrap().file_name().to_string_lossy().into_owned();
            let name = file.trim_end_matches(".yaml").trim_end_matches(".history");
            let told = STORIES.iter().any(|story| story.name == format!("{folder}/{name}"));
            let refused = REFUSED.iter().any(|(file, _)| *file == format!("{folder}/{name}.yaml"));
            assert!(told || refused, "{folder}/{file}");
        }
    }
}

#[test]
fn exit_codes_say_whether_a_set_or_job_failed() {
    for story in &STORIES {
        let failed = i32::from(story.outcome == "Failed");
        replay(story.name, &format!("{} --exit-code", story.flags)).exits(failed);
        replay(story.name, story.flags).exits(0);
    }
}

#[test]
fn waits_are_those_of_the_job_controller() {
    let waits = |name: &str, flags: &str| {
        let unit = unit(name, flags);
        Value::Array(column(&unit, "delaySeconds").into_iter().cloned().collect())
    };
    let job_wide = json!([10.0, 20.0, 40.0, 10.0, null]);
    assert_eq!(waits("job/disruption", ""), job_wide, "ignored failures lengthen it");
    let capped = json!([10.0, 20.0, 20.0, 10.0, null]);
    assert_eq!(waits("job/disruption", "--pod-backoff-cap 20s"), capped);
    let by_index = json!([10.0, null, 10.0, 20.0, 20.0, null]);
    assert_eq!(waits("job/per-index", ""), by_index, "each index has its own");
    let set = unit("jobset/restart-jobset", "");
    let restarts = decisions(&set).iter().filter(|one| one["decision"] == "restart_jobset");
    assert!(restarts.clone().all(|one| one["delaySeconds"] == 0.0), "a set waits for nothing");
    assert_eq!(restarts.count(), 10);
}

#[test]
fn a_decision_names_what_it_went_by() {
    let unit = unit("jobset/simulations-today", GATES);
    let [.., of_job, of_set] = decisions(&unit) else { panic!("{unit:#}") };
    let message = "Container main for pod hpc/simulations-example-simulations-7-0-qw9rd failed \
                   with exit code 2 matching FailJob rule at index 0";
    for decision in [of_job, of_set] {
        assert_eq!(decision["jobName"], "simulations-example-simulations-7");
        assert_eq!(decision["failureReason"], "PodFailurePolicy");
        assert_eq!(decision["failureMessage"], message);
    }
    assert_eq!(of_job["policy"], "simulations-example/simulations");
    assert_eq!((&of_job["action"], &of_job["ruleIndex"]), (&json!("FailJob"), &json!(0)));
    assert_eq!(of_set["policy"], "simulations-example");
    assert_eq!((&of_set["action"], &of_set["ruleIndex"]), (&json!("FailJobSet"), &json!(1)));
    assert_eq!(of_set["event"], "FailJobSetFailurePolicyAction");
}

#[test]
fn a_pod_of_no_name_on_record_is_called_after_its_job() {
    let set = unit("jobset/fail-jobset", "");
    let last = decisions(&set).last().unwrap();
    let message = "Container main for pod default/fail-jobset-example-buggy-job-0-0 failed \
                   with exit code 1 matching FailJob rule at index 0";
    assert_eq!(last["failureMessage"], message);
}

#[test]
fn jobs_that_restart_alone_are_counted_alone_and_limited_together() {
    let unit = unit("jobset/restart-replicated-job-today", GATES);
    let last = decisions(&unit).last().unwrap();
    let restarts = |times: u64| json!({"restarts": times, "restartsCountTowardsMax": times});
    let by_job = json!({
        "restart-replicated-job-example-gpu-workers-0": restarts(1),
        "restart-replicated-job-example-gpu-workers-1": restarts(2),
    });
    assert_eq!(last["jobRestarts"], by_job);
    assert_eq!((&last["count"], &last["limit"]), (&json!(4), &json!(10)));
    assert_eq!(last["limitSource"], "maxRestarts");
}

#[test]
fn limits_of_a_job_are_named() {
    let job = unit("job/disruption", "");
    let forgiven = &decisions(&job)[3];
    assert_eq!((&forgiven["count"], &forgiven["limit"]), (&json!(2), &json!(2)));
    assert_eq!(forgiven["limitSource"], "backoffLimit");
    let per_index = unit("job/per-index", "");
    let of_five = &decisions(&per_index)[4];
    assert_eq!(of_five["podIndex"], 5);
    assert_eq!((&of_five["count"], &of_five["limit"]), (&json!(2), &json!(2)));
    assert_eq!(of_five["limitSource"], "backoffLimitPerIndex");
}

/// A replay of an example: manifests, history, flags.
fn replay_of(manifest: &str, history: &str, flags: &str) -> Run {
    let sandbox = Sandbox::new();
    sandbox.examples(&[manifest, history]);
    sandbox.run(&format!("simulate -f {manifest} --history {history} {flags}"))
}

#[test]
fn timelines_have_the_columns_of_their_system() {
    let (set, history) =
        ("jobset/ignore-max-restarts.yaml", "jobset/ignore-max-restarts.history.yaml");
    snapshot!("jobset_wide", replay_of(set, history, "-o wide").exits(0));
    let (set, history) = ("jobset/fail-jobset.yaml", "jobset/fail-jobset.history.yaml");
    let flags = "--variant no-retries --job fail-jobset-example -o wide";
    snapshot!("jobset_beside", replay_of(set, history, flags).exits(0));
    let (job, history) = ("job/per-index.yaml", "job/per-index.history.yaml");
    snapshot!("job_timeline", replay_of(job, history, "--timelines all").exits(0));
}

#[test]
fn every_field_of_a_decision_is_in_the_schema() {
    let schema = std::fs::read_to_string(root().join("schemas/simulation-report.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let known = schema["$defs"]["DecisionReport"]["properties"].as_object().unwrap();
    for (manifest, history, own) in [
        ("policies/ml-training.yaml", "ml-training.yaml", "action"),
        ("job/per-index.yaml", "job/per-index.history.yaml", "podIndex"),
        ("jobset/restart-jobset.yaml", "jobset/restart-jobset.history.yaml", "jobName"),
        ("iris/nightly.yaml", "iris/nightly.jsonl", "taskState"),
        ("airflow/policy.yaml", "airflow/etl.jsonl", "eligible"),
        ("backendai/training.yaml", "backendai/training.jsonl", "maxAttempts"),
        ("awsbatch/training.json", "awsbatch/attempts.jsonl", "counts"),
    ] {
        let report = replay_of(manifest, history, "--timelines all -o json").exits(0).json();
        let jobs = report["jobs"].as_array().unwrap();
        let decisions = jobs.iter().flat_map(|job| job["decisions"].as_array().unwrap());
        let fields: std::collections::BTreeSet<&String> =
            decisions.flat_map(|decision| decision.as_object().unwrap().keys()).collect();
        assert!(fields.iter().any(|field| *field == own), "{manifest}: {fields:?}");
        for field in fields {
            assert!(known.contains_key(field), "{manifest}: {field}");
        }
    }
}
