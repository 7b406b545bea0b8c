//! `compare`: tests and recorded failures of manifests of other systems.

use super::sandbox::{Sandbox, snapshot};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A manifest and an edit of it: the example, the text before and the text after.
type Edit = (&'static str, &'static str, &'static str);

const JOBS: [Edit; 3] = [
    ("compare/job-before.yaml", "values: [42]", "values: [42, 143]"),
    ("compare/job-before.yaml", "backoffLimit: 3", "backoffLimit: 1"),
    ("compare/job-before.yaml", "action: Ignore", "action: FailJob"),
];
const ARGO: [Edit; 3] = [
    ("argo/train.yaml", "limit: 4", "limit: 1"),
    ("argo/train.yaml", "duration: 10s", "duration: 20s"),
    ("argo/train.yaml", "[137, 143]", "[137]"),
];
const AIRFLOW: [Edit; 3] = [
    ("airflow/policy.yaml", "retries: 2", "retries: 1"),
    ("airflow/policy.yaml", "retry_delay: 30", "retry_delay: 60"),
    ("airflow/policy.yaml", "max_reschedules: 2", "max_reschedules: 1"),
];
const AWS_BATCH: [Edit; 2] = [
    ("awsbatch/training.json", "\"75\"", "\"7*\""),
    ("awsbatch/training.json", "\"attempts\": 4", "\"attempts\": 2"),
];
const OTHERS: [Edit; 6] = [
    ("jobset/restart-jobset.yaml", "maxRestarts: 10", "maxRestarts: 3"),
    ("jobset/restart-jobset.yaml", "backoffLimit: 0", "backoffLimit: 2"),
    ("jobset/restart-jobset.yaml", "action: RestartJobSet", "action: RestartJob"),
    ("iris/nightly.yaml", "max_retries_failure: 2", "max_retries_failure: 1"),
    ("iris/nightly.yaml", "max_retries_preemption: 100", "max_retries_preemption: 2"),
    ("backendai/training.yaml", "retry_delay: 120", "retry_delay: 60"),
];

/// Writes both versions of an edit, and returns their files.
fn versions(sandbox: &Sandbox, (example, before, after): Edit) -> [String; 2] {
    sandbox.examples(&[example]);
    let text = std::fs::read_to_string(sandbox.path().join(example)).expect("an example");
    let edited = text.replace(before, after);
    assert_ne!(text, edited, "{example}: {before}");
    let [old, new] = ["old", "new"].map(|version| format!("{version}/{example}"));
    sandbox.file(&old, text).file(&new, edited);
    [old, new]
}

/// The outcomes of the tests of a file.
fn outcomes(sandbox: &Sandbox, file: &str) -> Vec<String> {
    let report = sandbox.run(&format!("test {file} -o json")).json();
    let items = report["items"].as_array().expect("tests").iter();
    items.map(|item| item["outcome"].as_str().expect("an outcome").to_owned()).collect()
}

/// Tests of differences pass with the manifest after, and each fails with that before.
#[test]
fn tests_of_manifests_tell_the_versions_apart() {
    for edit in JOBS.into_iter().chain(ARGO).chain(AIRFLOW).chain(AWS_BATCH).chain(OTHERS) {
        let sandbox = Sandbox::new();
        let [old, new] = versions(&sandbox, edit);
        let run = sandbox.run(&format!("compare {old} {new} --as-tests t.yaml")).exits(1);
        assert!(!run.stderr.contains("no test"), "{run}");
        let text = std::fs::read_to_string(sandbox.path().join("t.yaml")).expect("tests");
        let differences = text.matches("# before: ").count();
        assert!(run.stderr.contains(&format!("wrote {differences} test")), "{run}");
        assert_eq!(outcomes(&sandbox, "t.yaml"), vec!["Passed"; differences], "{text}");
        sandbox.run("validate -f t.yaml").exits(0);
        let before = text.replace(&format!("policies: [{new}]"), &format!("policies: [{old}]"));
        assert_ne!(text, before);
        sandbox.file("before.yaml", &before);
        assert_eq!(outcomes(&sandbox, "before.yaml"), vec!["Failed"; differences], "{text}");
    }
}

fn job(name: &str, limit: u32) -> String {
    let template =
        json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "c"}]}});
    let spec = json!({"backoffLimit": limit, "template": template});
    let meta = json!({"name": name, "namespace": "ml"});
    json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": spec}).to_string()
}

/// Tests of one of several manifests of a file name its unit; files that `test` does not read are refused.
#[test]
fn tests_of_files_with_several_manifests() {
    let sandbox = Sandbox::new();
    let both = |limit| [job("a", 2), job("b", limit)].join("\n---\n");
    sandbox.file("old.yaml", both(1)).file("new.yaml", both(2));
    snapshot!(
        "tests_of_a_job",
        sandbox.run("compare old.yaml new.yaml --as-tests t.yaml").exits(1)
    );
    let text = std::fs::read_to_string(sandbox.path().join("t.yaml")).expect("tests");
    insta::assert_snapshot!("tests_of_a_job_file", text);
    assert_eq!(outcomes(&sandbox, "t.yaml"), ["Passed"]);
    sandbox.file("t.yaml", text.replace("new.yaml", "old.yaml"));
    assert_eq!(outcomes(&sandbox, "t.yaml"), ["Failed"]);
    sandbox.examples(&["iris/nightly.yaml", "iris/seed.yaml"]);
    let profiles = ["iris/nightly.yaml", "iris/seed.yaml"]
        .map(|file| std::fs::read_to_string(sandbox.path().join(file)).expect("an example"));
    let profiles = profiles.join("\n---\n");
    let edited = profiles.replace("max_retries_failure: 2", "max_retries_failure: 1");
    sandbox.file("old-profiles.yaml", profiles).file("new-profiles.yaml", edited);
    let several = "compare old-profiles.yaml new-profiles.yaml --as-tests p.yaml";
    snapshot!("tests_of_profiles", sandbox.run(several).exits(2));
    let infra = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: infra}\nspec:\n  \
                 rules: [{action: Retry, onConditions: [Evicted]}]\n";
    sandbox.file("mixed.yaml", format!("{infra}---\n{}", both(2)));
    snapshot!(
        "tests_of_mixed_files",
        sandbox.run("compare old.yaml mixed.yaml --as-tests m.yaml").exits(3)
    );
    assert!(!sandbox.path().join("m.yaml").exists());
}

/// A pod that is restarted in place goes on until a limit of restarts ends its Job: a test can expect only that end.
#[test]
fn tests_of_restarts_in_place_expect_their_end() {
    let sandbox = Sandbox::new();
    for (file, limit) in [("old.yaml", 3), ("new.yaml", 1)] {
        sandbox.file(file, job("a", limit).replace("Never", "OnFailure"));
    }
    sandbox.run("compare old.yaml new.yaml --as-tests t.yaml").exits(1);
    assert_eq!(outcomes(&sandbox, "t.yaml"), ["Passed"]);
    let text = std::fs::read_to_string(sandbox.path().join("t.yaml")).expect("tests");
    sandbox.file("before.yaml", text.replace("new.yaml", "old.yaml"));
    assert_eq!(outcomes(&sandbox, "before.yaml"), ["Failed"]);
    let back = "compare new.yaml old.yaml --as-tests back.yaml";
    snapshot!("tests_of_restarts", sandbox.run(back).exits(1));
}

/// A history of units with up to 7 failures, a minute apart.
fn history(seed: u64, failures: &[Value]) -> String {
    let mut state = seed;
    let mut random = |most: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % most
    };
    let mut lines = String::new();
    for unit in 0..150 {
        // A unit of Argo has failures of one template.
        let templates = ["fetch", "train"];
        let template = templates[random(templates.len())];
        let own: Vec<&Value> = failures
            .iter()
            .filter(|it| it.get("template").is_none_or(|own| own == template))
            .collect();
        for run in 0..=random(7) {
            let mut record = own[random(own.len())].clone();
            record["jobId"] = json!(format!("u{unit}"));
            record["startedAt"] = json!(format!("2026-03-02T10:{:02}:00Z", 2 * run));
            record["finishedAt"] = json!(format!("2026-03-02T10:{:02}:00Z", 2 * run + 1));
            lines += &format!("{record}\n");
        }
    }
    lines
}

/// The decisions of `simulate`, by unit and run: whether another run follows, and its wait.
fn decisions(sandbox: &Sandbox, file: &str) -> BTreeMap<(String, u64), (bool, f64)> {
    let line = format!("simulate -f {file} --history h.jsonl --timelines all -o json");
    let report = sandbox.run(&line).exits(0).json();
    let mut decisions = BTreeMap::new();
    for job in report["jobs"].as_array().expect("jobs") {
        for decision in job["decisions"].as_array().expect("decisions") {
            let key = (
                job["jobId"].as_str().expect("a unit").to_owned(),
                decision["runIndex"].as_u64().expect("a run"),
            );
            let code = decision["decision"].as_str().expect("a code");
            let is_retried = code.starts_with("retry") || code == "reschedule";
            let wait = decision["delaySeconds"].as_f64().unwrap_or_default();
            decisions.insert(key, (is_retried, if is_retried { wait } else { 0.0 }));
        }
    }
    decisions
}

/// The counts are those of two replays by `simulate`; each failure that is decided otherwise is in a difference.
#[test]
fn recorded_failures_of_manifests_are_counted_as_simulate_decides_them() {
    let exit = |name: &str, code: i32| json!({"outcome": "Failed", "containers": [{"name": name, "exitCode": code}]});
    let condition = json!([{"type": "DisruptionTarget", "status": "True"}]);
    let pods = vec![
        exit("main", 1),
        exit("main", 42),
        exit("main", 143),
        json!({"outcome": "Failed", "podConditions": condition}),
    ];
    let nodes = vec![
        json!({"template": "fetch", "outcome": "Failed", "exitCode": 1}),
        json!({"template": "fetch", "outcome": "Error", "message": "pod deleted"}),
        json!({"template": "train", "outcome": "Failed", "exitCode": 137}),
        json!({"template": "train", "outcome": "Failed", "exitCode": 143}),
        json!({"template": "train", "outcome": "Error", "message": "pod deleted"}),
    ];
    let raised = |classes: Value| json!({"outcome": "Failed", "exceptions": classes});
    let tries = vec![
        raised(json!(["shop.errors.Busy", "builtins.Exception"])),
        raised(json!(["ConnectionError"])),
        raised(json!(["ValueError"])),
    ];
    let code = |code: i32| json!({"outcome": "FAILED", "exitCode": code});
    let attempts = vec![
        code(75),
        code(76),
        json!({"outcome": "FAILED", "statusReason": "Host EC2 (i-0) terminated."}),
    ];
    let all: [(&[Edit], Vec<Value>); 4] =
        [(&JOBS, pods), (&ARGO, nodes), (&AIRFLOW, tries), (&AWS_BATCH, attempts)];
    for (edits, failures) in all {
        for (seed, edit) in (1..).zip(edits) {
            let sandbox = Sandbox::new();
            let [old, new] = versions(&sandbox, *edit);
            sandbox.file("h.jsonl", history(seed, &failures));
            let line = format!("compare {old} {new} --history h.jsonl -o json");
            let report = sandbox.run(&line).exits(1).json();
            let [before, after] = [old, new].map(|file| decisions(&sandbox, &file));
            let both = before.iter().filter_map(|(key, old)| Some((key, old, after.get(key)?)));
            let changed: Vec<&(String, u64)> =
                both.filter(|(_, old, new)| old != new).map(|(key, ..)| key).collect();
            let recorded = &report["recorded"];
            let lines = std::fs::read_to_string(sandbox.path().join("h.jsonl")).expect("a history");
            assert_eq!(recorded["failures"], lines.lines().count(), "{edit:?}");
            assert_eq!(recorded["decidedOtherwise"], changed.len(), "{edit:?}: {report}");
            assert!(changed.len() > 5, "{edit:?}: {changed:?}");
            let unexplained = &recorded["inNoDifference"];
            assert_eq!(unexplained["others"], 0, "{edit:?}: {recorded}");
            let groups = report["items"][0]["groups"].as_array().expect("groups");
            let otherwise = groups.iter().map(|it| it["recorded"]["decidedOtherwise"].as_u64());
            assert!(otherwise.flatten().sum::<u64>() > 0, "{edit:?}: {report}");
        }
    }
}

/// Pods of several Jobs in a set, and units of other names.
#[test]
fn the_answer_counts_recorded_failures_of_manifests() {
    let sandbox = Sandbox::new();
    let [old, new] = versions(&sandbox, JOBS[1]);
    let record = |unit: &str, minute: u32, code: i32| {
        let container = json!([{"name": "main", "exitCode": code}]);
        let [start, end] = [minute, minute + 1].map(|at| format!("2026-03-02T10:{at:02}:00Z"));
        let times = json!({"startedAt": start, "finishedAt": end});
        let mut record = json!({"jobId": unit, "outcome": "Failed", "containers": container});
        for key in ["startedAt", "finishedAt"] {
            record[key] = times[key].clone();
        }
        format!("{record}\n")
    };
    let pods: String = (0..3).map(|it| record("train", it * 10, 1)).collect();
    sandbox.file("h.jsonl", pods + &record("other", 0, 42));
    let line = format!("compare {old} {new} --history h.jsonl");
    snapshot!("history_of_a_job", sandbox.run(&line).exits(1));
    let both = |limit| [job("a", 2), job("b", limit)].join("\n---\n");
    sandbox.file("old.yaml", both(2)).file("new.yaml", both(0));
    let units = [record("ml/a", 0, 1), record("b", 0, 1), record("ml/b", 0, 1), record("c", 0, 1)];
    sandbox.file("units.jsonl", units.concat());
    let line = "compare old.yaml new.yaml --history units.jsonl";
    snapshot!("history_of_jobs", sandbox.run(line).exits(1));
    snapshot!("history_of_a_set", {
        let [old, new] = versions(&sandbox, OTHERS[1]);
        let set = |index: u32, minute: u32| {
            let line = record("restart-jobset-example", minute, 1);
            let mut pod: Value = serde_json::from_str(&line).expect("JSON");
            let fields = json!({"jobName": "restart-jobset-example-workers-0", "podIndex": index});
            for (key, value) in fields.as_object().expect("fields") {
                pod[key] = value.clone();
            }
            format!("{pod}\n")
        };
        sandbox.file("set.jsonl", [set(0, 0), set(1, 2), set(0, 4), set(2, 6)].concat());
        sandbox.run(&format!("compare {old} {new} --history set.jsonl")).exits(1)
    });
}

/// A history is of one system, and of one profile.
#[test]
fn histories_of_several_systems_are_refused() {
    let sandbox = Sandbox::new();
    let [set, profile, other] =
        ["jobset/restart-jobset.yaml", "iris/nightly.yaml", "iris/seed.yaml"];
    sandbox.examples(&[set, profile, other, "compare/job-before.yaml"]);
    let text = |file: &str| std::fs::read_to_string(sandbox.path().join(file)).expect("an example");
    sandbox.file("mixed.yaml", [text(set), text("compare/job-before.yaml")].join("\n---\n"));
    sandbox.file("profiles.yaml", [text(profile), text(other)].join("\n---\n"));
    sandbox.file("h.jsonl", "");
    let line = |file: &str| format!("compare {file} {file} --history h.jsonl");
    snapshot!("history_of_mixed_files", sandbox.run(&line("mixed.yaml")).exits(2));
    snapshot!("history_of_profiles", sandbox.run(&line("profiles.yaml")).exits(2));
    snapshot!("history_of_none", sandbox.run(&line(set)).exits(3));
    let records = r#"{"jobId": "a", "task": 0, "outcome": "FAILED"}"#;
    sandbox.file("h.jsonl", format!("{records}\n"));
    snapshot!("history_of_another_system", sandbox.run(&line(set)).exits(3));
}

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
