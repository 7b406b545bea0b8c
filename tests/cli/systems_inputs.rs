//! JobSet and Job manifests: what is refused, explained and compared, edges of their meaning, and
//! pods as histories.
//!
//! Holds cli.md The other systems.

use super::sandbox::{Run, Sandbox, root};
use super::systems::{
    GATES, REFUSED, STORIES, column, course, decisions, only_unit, replay, sandbox,
};
use serde_json::{Value, json};

#[test]
fn what_no_release_has_is_refused() {
    for (file, action) in REFUSED {
        for flags in ["", GATES] {
            let report = sandbox().run(&format!("validate -f {file} -o json {flags}"));
            let report = report.exits(3).json();
            let items = report["items"].as_array().unwrap();
            let mut never = items.iter().filter(|item| item["id"] == "RP038");
            let message = never.next().expect("RP038")["message"].as_str().unwrap();
            assert!(message.contains(action), "{message}");
            assert!(never.next().is_none(), "once");
        }
        let history = "jobset/fail-jobset.history.yaml";
        sandbox().run(&format!("simulate -f {file} --history {history} {GATES}")).exits(3);
    }
}

#[test]
fn a_gate_that_is_off_is_named() {
    for story in &STORIES {
        let validate = |flags: &str| {
            sandbox().run(&format!("validate -f {}.yaml -o json {flags}", story.name))
        };
        assert_eq!(validate(GATES).exits(0).json()["items"], json!([]), "{}", story.name);
        let ids = |run: Run| {
            let report = run.json();
            let items = report["items"].as_array().unwrap().iter();
            items.map(|item| item["id"].clone()).collect::<Vec<_>>()
        };
        let needed = if story.flags == GATES { vec![json!("RP037")] } else { vec![] };
        assert_eq!(ids(validate("")), needed, "{}", story.name);
    }
    let run = replay("jobset/simulations-today", "").exits(3);
    assert!(run.stderr.contains("RP037"), "{run}");
    let run = replay("jobset/simulations-today", "--feature-gates RestartJobs=true").exits(2);
    assert!(run.stderr.contains("RestartJob"), "{run}");
}

#[test]
fn systems_do_not_mix() {
    let history = "--history jobset/fail-jobset.history.yaml";
    let set = "simulate -f jobset/fail-jobset.yaml";
    let run = sandbox().run(&format!("{set} -f policies/infra.yaml {history}")).exits(3);
    assert!(run.stderr.contains("RP033"), "{run}");
    let run = sandbox().run(&format!("{set} --queue-policies infra {history}")).exits(2);
    assert!(run.stderr.contains("--queue-policies"), "{run}");
}

#[test]
fn a_variant_is_another_set() {
    let sandbox = sandbox();
    let name = "jobset/restart-jobset";
    let text = std::fs::read_to_string(sandbox.path().join(format!("{name}.yaml"))).unwrap();
    sandbox.file("few.yaml", text.replace("maxRestarts: 10", "maxRestarts: 3"));
    let line = "--variant few=few.yaml -o json";
    let run = sandbox.run(&format!("simulate -f {name}.yaml --history {name}.history.yaml {line}"));
    let report = run.exits(0).json();
    let of = |place: usize, field: &str| report["variants"][place]["summary"][field].as_u64();
    assert_eq!((of(0, "retries"), of(0, "notReached")), (Some(10), Some(0)));
    assert_eq!((of(1, "retries"), of(1, "notReached")), (Some(3), Some(28)));
    assert_eq!(report["variants"][1]["name"], "few");
}

/// What `explain decision` says of a failure.
fn explained(file: &str, failure: &str, flags: &str) -> Value {
    let keys: Vec<String> =
        failure.split_whitespace().map(|pair| format!("--failure {pair}")).collect();
    let keys = keys.join(" ");
    sandbox().run(&format!("explain decision -f {file} {keys} {flags} -o json")).exits(0).json()
}

#[test]
fn one_failure_of_a_job_is_explained() {
    for (failure, action, code, rule) in [
        ("exitCode=42", "FailJob", "fail_job", json!(0)),
        ("podCondition=DisruptionTarget", "Ignore", "retry_ignored", json!(1)),
        ("exitCode=1", "Retry", "retry", Value::Null),
    ] {
        let said = explained("job/disruption.yaml", failure, "");
        let decision = &said["decision"];
        assert_eq!((&decision["action"], &decision["decision"]), (&json!(action), &json!(code)));
        assert_eq!(decision["ruleIndex"], rule, "{failure}");
        let trace = said["trace"].as_array().unwrap();
        let matched = trace.iter().find(|tried| tried["matched"] == true).expect("one matched");
        assert_eq!((&matched["policy"], &matched["ruleIndex"]), (&json!("nightly"), &rule));
    }
}

#[test]
fn one_failure_of_a_set_is_explained() {
    let file = "jobset/different-policies-for-different-replicated-jobs.yaml";
    let of = |replicated: &str, flags: &str| {
        let job = format!("jobName=different-policies-example-{replicated}-0");
        let failure =
            format!("{job} replicatedJob={replicated} failureReason=BackoffLimitExceeded");
        let said = explained(file, &failure, flags);
        (said["decision"]["action"].clone(), said["decision"]["decision"].clone())
    };
    let free = (json!("RestartJobSetAndIgnoreMaxRestarts"), json!("restart_jobset_ignored"));
    assert_eq!(of("workers", ""), free);
    assert_eq!(of("workers", "--retries-used 3"), free);
    assert_eq!(of("parameter-server", "").1, "restart_jobset");
    assert_eq!(of("parameter-server", "--retries-used 2").1, "restart_jobset");
    assert_eq!(of("parameter-server", "--retries-used 3").1, "fail_max_restarts");
}

#[test]
fn a_failure_is_of_the_only_replicated_job_or_says_of_which() {
    let said = explained("jobset/fail-jobset.yaml", "exitCode=143", "");
    assert_eq!(said["decision"]["jobName"], "fail-jobset-example-buggy-job-0");
    let of_two = "jobset/different-policies-for-different-replicated-jobs.yaml";
    let line = |failure: &str| {
        sandbox().run(&format!("explain decision -f {of_two} --failure exitCode=1 {failure}"))
    };
    let run = line("").exits(2);
    assert!(run.stderr.contains("replicatedJob") && run.stderr.contains("workers"), "{run}");
    line("--failure replicatedJob=workers").exits(0);
    let run = line("--failure replicatedJob=worker").exits(3);
    assert!(run.stderr.contains("did you mean `workers`?"), "{run}");
}

#[test]
fn pods_that_nothing_can_judge_are_refused() {
    let file = "jobset/fail-jobset.yaml";
    for (line, exit, says) in [
        (r#""jobName":"x","replicatedJob":"buggy-jobs""#, 3, "did you mean `buggy-job`?"),
        (r#""jobName":"x""#, 3, "no replicatedJob"),
        (r#""jobName":"x","replicatedJob":"buggy-jobs","failureReason":"FailedIndexes""#, 0, ""),
        (r#""jobName":"x","replicatedJob":"buggy-job","podIndex":99"#, 3, "podIndex 99"),
        (r#""jobName":"x","replicatedJob":"buggy-job","failureMessage":"m""#, 3, "failureReason"),
    ] {
        let sandbox = sandbox();
        let record = format!(r#"{{"jobId":"fail-jobset-example",{line},"outcome":"Failed"}}"#);
        sandbox.file("one.jsonl", format!("{record}\n"));
        let run = sandbox.run(&format!("simulate -f {file} --history one.jsonl")).exits(exit);
        assert!(run.stderr.contains(says), "{line}: {run}");
    }
}

#[test]
fn no_policy_is_not_an_empty_one() {
    for (policy, system, code) in [
        ("", "FailedJobs", "fail_no_policy"),
        ("failurePolicy: {}", "ReachedMaxRestarts", "fail_max_restarts"),
        ("failurePolicy: {maxRestarts: -1}", "ReachedMaxRestarts", "fail_max_restarts"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.file(
            "set.yaml",
            format!(
                "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: s}}\nspec:\n  \
                 {policy}\n  replicatedJobs:\n  - {{name: w, replicas: 1, template: {{spec: \
                 {{template: {{spec: {{containers: [{{name: main, image: i}}]}}}}}}}}}}\n"
            ),
        );
        let line = r#"{"jobId":"s","jobName":"s-w-0","replicatedJob":"w","finishedAt":"2026-10-01T10:00:00Z","outcome":"Failed","failureReason":"BackoffLimitExceeded"}"#;
        sandbox.file("failed.jsonl", format!("{line}\n"));
        let unit =
            only_unit(&sandbox.run("simulate -f set.yaml --history failed.jsonl -o json").exits(0));
        assert_eq!(unit["systemOutcome"], system, "{policy}");
        assert_eq!(column(&unit, "decision"), [code], "{policy}");
    }
}

#[test]
fn restarts_in_place_end_a_job_one_earlier_than_replacements() {
    for (limit, outcome) in [(0, "Failed"), (1, "Failed"), (2, "Succeeded")] {
        let sandbox = Sandbox::new();
        sandbox.file(
            "job.yaml",
            format!(
                "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\nspec:\n  backoffLimit: \
                 {limit}\n  template: {{spec: {{restartPolicy: OnFailure, containers: [{{name: \
                 main, image: i}}]}}}}\n"
            ),
        );
        let restarted =
            r#"{"jobId":"j","finishedAt":"2026-10-01T10:00:00Z","outcome":"Running","restarts":1}"#;
        let ended = r#"{"jobId":"j","finishedAt":"2026-10-01T11:00:00Z","outcome":"Succeeded","restarts":1}"#;
        sandbox.file("runs.jsonl", format!("{restarted}\n{ended}\n"));
        let unit =
            only_unit(&sandbox.run("simulate -f job.yaml --history runs.jsonl -o json").exits(0));
        assert_eq!(unit["outcome"], outcome, "backoffLimit {limit}");
    }
}

/// A failed pod as the API server has it.
fn pod(name: &str, labels: &Value, at: &str, exit_code: i32) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "hpc", "labels": labels},
        "spec": {"containers": [{"name": "main", "image": "i"}], "restartPolicy": "Never"},
        "status": {"phase": "Failed", "containerStatuses": [{
            "name": "main", "restartCount": 0,
            "state": {"terminated": {"exitCode": exit_code, "reason": "Error", "finishedAt": at}},
        }]},
    })
}

/// Replays pods as `kubectl get pods -o json` lists them.
fn of_pods(manifest: &str, pods: &[Value]) -> Value {
    let sandbox = sandbox();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": pods});
    sandbox.file("pods.json", list.to_string());
    let line = format!("simulate -f {manifest} --history pods.json --format pods -o json");
    only_unit(&sandbox.run(&format!("{line} --timelines all")).exits(0))
}

#[test]
fn pods_of_a_job_are_a_history() {
    let labels = json!({
        "batch.kubernetes.io/job-name": "simulations",
        "batch.kubernetes.io/job-completion-index": "1",
    });
    let unit = of_pods(
        "job/per-index.yaml",
        &[
            pod("simulations-1-a", &labels, "2026-10-01T09:10:00Z", 1),
            pod("simulations-1-b", &labels, "2026-10-01T09:20:00Z", 2),
        ],
    );
    assert_eq!(decisions(&unit)[0]["decision"], "retry");
    assert_eq!(decisions(&unit)[0]["podIndex"], 1);
    assert_eq!((&unit["outcome"], &unit["retries"]), (&json!("Failed"), &json!(1)));
}

#[test]
fn pods_of_a_set_are_a_history() {
    let labels = |attempt: u32| {
        json!({
            "jobset.sigs.k8s.io/jobset-name": "fail-jobset-example",
            "jobset.sigs.k8s.io/replicatedjob-name": "buggy-job",
            "jobset.sigs.k8s.io/job-index": "0",
            "jobset.sigs.k8s.io/restart-attempt": attempt.to_string(),
            "batch.kubernetes.io/job-name": "fail-jobset-example-buggy-job-0",
            "batch.kubernetes.io/job-completion-index": "0",
        })
    };
    let name = |end: &str| format!("fail-jobset-example-buggy-job-0-0-{end}");
    let unit = of_pods(
        "jobset/fail-jobset.yaml",
        &[
            pod(&name("a"), &labels(0), "2026-10-01T10:10:00Z", 143),
            pod(&name("b"), &labels(1), "2026-10-01T10:12:00Z", 1),
        ],
    );
    assert_eq!(course(&unit, "jobset"), "restart_jobset, fail_rule");
    assert_eq!(unit["systemOutcome"], "FailJobSetFailurePolicyAction");
}

#[test]
fn pods_of_nobody_are_counted_as_such() {
    let sandbox = sandbox();
    let labels = json!({"job-name": "simulations"});
    let list = json!({"items": [pod("simulations-a", &labels, "2026-10-01T09:10:00Z", 1)]});
    sandbox.file("pods.json", list.to_string());
    let simulate = |manifest: &str| {
        sandbox.run(&format!("simulate -f {manifest} --history pods.json --format pods"))
    };
    let set = simulate("jobset/fail-jobset.yaml").exits(3);
    let message = "error: the history has no records: 1 pod without a JobSet was skipped\n";
    assert!(set.stderr.starts_with(message), "{set}");
    let set = simulate("jobset/fail-jobset.yaml --allow-empty").exits(0);
    assert!(set.stdout.contains("\nnote: skipped 1 pod without a JobSet in pods.json\n"), "{set}");
    for system in ["iris", "backendai", "airflow"] {
        let policy = match system {
            "iris" => "{max_retries_failure: 1}",
            _ => "{}",
        };
        let layers = if system == "backendai" { "layers" } else { "policy" };
        let profile = format!(
            "apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {{name: p}}\nspec: {{system: {system}, \
             {layers}: {policy}}}\n"
        );
        sandbox.file("profile.yaml", profile);
        let refused = simulate("profile.yaml").exits(3);
        assert!(
            refused.stderr.contains("error[RP025]: this format does not record runs"),
            "{refused}"
        );
        assert!(
            refused.stderr.contains("help: give JSON Lines or a FailureHistory\n"),
            "{refused}"
        );
    }
}

/// A Job `train` of a namespace, with a limit.
fn job_of(namespace: &str, limit: u32) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: train, namespace: {namespace}}}\nspec:\n  backoffLimit: {limit}\n  template: {{spec: {{restartPolicy: Never}}}}\n"
    )
}

#[test]
fn jobs_of_two_namespaces_are_two_jobs() {
    let sandbox = Sandbox::new();
    sandbox.file("two.yaml", format!("{}---\n{}", job_of("ml", 0), job_of("bio", 3)));
    sandbox.file("one.yaml", format!("{}---\n{}", job_of("ml", 0), job_of("ml", 3)));
    sandbox.run("validate -f two.yaml").exits(0);
    let again = sandbox.run("validate -f one.yaml").exits(3);
    assert!(again.stdout.contains("error[RP014]: Job `train` is defined again"), "{again}");
    for (unit, outcome) in [("ml/train", "Failed"), ("east/bio/train", "Unresolved")] {
        let record = format!(r#"{{"jobId":"{unit}","queue":"q","runIndex":0,"outcome":"Failed"}}"#);
        sandbox.file("h.jsonl", record + "\n");
        let run = sandbox.run("simulate -f two.yaml --history h.jsonl -o json").exits(0);
        let outcomes = run.json()["summary"]["outcomes"].clone();
        assert_eq!(outcomes, json!({outcome: 1}), "{unit}");
    }
    for (unit, said) in [("train", "`ml/train` or `bio/train`"), ("no/train", "none is named")] {
        let record = format!(r#"{{"jobId":"{unit}","queue":"q","runIndex":0,"outcome":"Failed"}}"#);
        sandbox.file("h.jsonl", record + "\n");
        let run = sandbox.run("simulate -f two.yaml --history h.jsonl").exits(2);
        assert!(run.stderr.contains(said), "{run}");
    }
}

#[test]
fn a_list_is_read_as_its_items() {
    let sandbox = Sandbox::new();
    let items = [job_of("ml", 0), "apiVersion: v1\nkind: Secret\n".to_owned(), job_of("bio", 3)];
    let indented = |item: &String| format!("- {}\n", item.trim_end().replace('\n', "\n  "));
    let list: String = items.iter().map(indented).collect();
    let list = format!("apiVersion: v1\nkind: List\nmetadata: {{}}\nitems:\n{list}");
    sandbox.file("list.yaml", &list);
    let run = sandbox.run("validate -f list.yaml").exits(0);
    assert!(run.stderr.contains("note: skipped: list.yaml:11:3: a Secret"), "{run}");
    assert!(
        run.stdout.contains("2 documents in 1 file: 0 errors, 0 warnings; 1 document skipped"),
        "{run}"
    );
    sandbox.file(
        "h.jsonl",
        "{\"jobId\":\"ml/train\",\"queue\":\"q\",\"runIndex\":0,\"outcome\":\"Failed\"}\n",
    );
    let run = sandbox.run("simulate -f list.yaml --history h.jsonl -o json").exits(0);
    assert_eq!(run.json()["summary"]["outcomes"], json!({"Failed": 1}));
    // What is wrong is where it stands in the list.
    sandbox.file("bad.yaml", list.replace("backoffLimit: 3", "backoffLimit: many"));
    let report = sandbox.run("validate -f bad.yaml -o json").exits(3).json();
    let found = &report["items"].as_array().unwrap()[..];
    let place = |item: &Value| (item["id"].clone(), item["line"].clone(), item["column"].clone());
    assert_eq!(
        found.iter().map(place).collect::<Vec<_>>(),
        [("RP008".into(), 17.into(), 19.into())]
    );
    // Where nothing in it is read, each item is of an unknown kind, as documents are.
    sandbox
        .file("none.yaml", "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Secret}]}");
    let run = sandbox.run("validate -f none.yaml").exits(3);
    assert!(run.stdout.contains("RP004") && run.stdout.contains("`Secret`"), "{run}");
}

/// A document of one run.
fn history_of(run: &str) -> String {
    format!(
        "{{apiVersion: armadaproject.io/v1, kind: FailureHistory, metadata: {{name: h}}, spec: {{jobs: [{{jobId: a, queue: q, runs: [{{{run}}}]}}]}}}}"
    )
}

#[test]
fn a_history_of_another_system_is_told_as_one() {
    let sandbox = sandbox();
    let (armada, job) = ("policies/infra.yaml", "job/disruption.yaml");
    let set = "jobset/fail-jobset.yaml";
    for (file, run, said, manifest) in [
        (armada, "podIndex: 1, outcome: Failed, podConditions: []", "a Job's", "Job"),
        (armada, "podIndex: 1, outcome: Running", "a Job's", "Job"),
        (armada, "jobName: a-b-0, podIndex: 1, outcome: Failed", "a JobSet's", "JobSet"),
        (job, "outcome: Failed, conditions: [Evicted], category: gpu", "Armada's", "RetryPolicy"),
        (job, "outcome: Failed, jobName: a-b-0", "a JobSet's", "JobSet"),
        (set, "jobName: a-b-0, outcome: Preempted", "Armada's", "RetryPolicy"),
    ] {
        sandbox.file("h.yaml", history_of(run));
        let line = format!("simulate -f {file} --history h.yaml --error-format short");
        let run = sandbox.run(&line).exits(3);
        assert_eq!(run.stderr.lines().count(), 1, "{run}");
        let ends = format!("(give the {manifest} that the history belongs to with -f)");
        assert!(run.stderr.contains("error[RP033]: `") && run.stderr.contains(said), "{run}");
        assert!(run.stderr.trim_end().ends_with(&ends), "{run}");
    }
    // A mistake that is no other system's is told as what it is.
    sandbox.file("h.yaml", history_of("podIndx: 1, outcome: Failed"));
    let run = sandbox.run(&format!("simulate -f {job} --history h.yaml")).exits(3);
    assert!(run.stderr.contains("did you mean `podIndex`?"), "{run}");
}

#[test]
fn lines_of_another_system_that_cannot_be_read_are_told_as_that_alone() {
    let sandbox = sandbox();
    for name in ["iris/nightly.yaml", "airflow/etl.jsonl"] {
        sandbox.file(name, std::fs::read(root().join("examples").join(name)).unwrap());
    }
    let line = "simulate -f iris/nightly.yaml --history airflow/etl.jsonl --error-format short";
    for more in ["", " --on-bad-record skip"] {
        let run = sandbox.run(&format!("{line}{more}"));
        assert_eq!(run.stderr.matches("RP033").count(), 1, "{run}");
        assert!(run.stderr.contains("`dagId` belongs to a task instance's history"), "{run}");
    }
    let run = sandbox.run(line).exits(3);
    assert!(run.stderr.contains("error[RP033]") && run.stderr.lines().count() == 1, "{run}");
}

#[test]
fn lines_of_another_system_are_warned_of() {
    let sandbox = sandbox();
    let armada = "policies/infra.yaml --queue-policies infra";
    for (file, record, warned) in [
        (armada, r#"{"jobId":"a","podIndex":1,"outcome":"Failed"}"#, true),
        (armada, r#"{"jobId":"a","outcome":"Failed"}"#, false),
        (armada, r#"{"jobId":"a","outcome":"Failed","exporter":1,"podName":"b"}"#, false),
        ("job/disruption.yaml", r#"{"jobId":"a","outcome":"Failed","category":"gpu"}"#, true),
        ("job/disruption.yaml", r#"{"jobId":"a","outcome":"Failed","podIndex":0}"#, false),
    ] {
        sandbox.file("h.jsonl", record);
        let run = sandbox.run(&format!("simulate -f {file} --history h.jsonl")).exits(0);
        assert_eq!(run.stderr.contains("warning[RP033]"), warned, "{run}");
    }
}

#[test]
fn settings_of_other_systems_need_a_manifest() {
    let sandbox = sandbox();
    sandbox.file("broken.yaml", "kind: JobSet\napiVersion: [\n");
    sandbox.file("h.jsonl", "{\"jobId\":\"a\",\"outcome\":\"Failed\"}\n");
    for flag in ["--feature-gates RestartJob=true", "--pod-backoff-cap 6m"] {
        let lines = ["validate", "simulate --history h.jsonl", "explain decision"];
        for line in lines {
            let run = sandbox.run(&format!("{line} {flag} -f policies/infra.yaml")).exits(2);
            let said = "applies to JobSets and Jobs, but the files contain none";
            assert!(run.stderr.contains(said), "{run}");
            let run = sandbox.run(&format!("{line} {flag} -f broken.yaml")).exits(3);
            assert!(format!("{run}").contains("RP001"), "{run}");
        }
        sandbox.run(&format!("validate {flag} -f jobset/fail-jobset.yaml")).exits(0);
    }
}

#[test]
fn the_only_job_of_another_name_is_noted() {
    let sandbox = sandbox();
    let history =
        std::fs::read_to_string(root().join("examples/job/disruption.history.yaml")).unwrap();
    let note = |run: &Run| {
        run.to_string().contains("the only Job in the history has another name than the manifest")
    };
    let line = "simulate -f job/disruption.yaml --history";
    assert!(!note(&sandbox.run(&format!("{line} job/disruption.history.yaml"))));
    let other = history.replace("jobId: ", "jobId: other-");
    let run = sandbox.file("other.yaml", other).run(&format!("{line} other.yaml"));
    assert!(note(&run), "{run}");
}
