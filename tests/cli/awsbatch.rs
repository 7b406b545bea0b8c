//! Job definitions of AWS Batch, as the service takes and prints them.
//!
//! Holds cli.md The other systems.

use super::sandbox::{Sandbox, root};

const DEFINITION: &str = r#"{"jobDefinitionName": "train", "retryStrategy": {"attempts": 3, "evaluateOnExit": [{"onExitCode": "2", "action": "exit"}]}}"#;

#[test]
fn a_definition_is_read_alone_in_a_list_and_as_yaml() {
    let sandbox = Sandbox::new();
    let yaml = "jobDefinitionName: train\nretryStrategy:\n  attempts: 3\n  evaluateOnExit:\n  - {onExitCode: \"2\", action: EXIT}\n";
    let submission = DEFINITION.replace(
        "{\"jobDefinitionName\": \"train\"",
        r#"{"jobName": "train", "jobQueue": "q", "jobDefinition": "d""#,
    );
    sandbox
        .file("one.json", DEFINITION)
        .file("list.json", format!(r#"{{"jobDefinitions": [{DEFINITION}]}}"#))
        .file("one.yaml", yaml)
        .file("submission.json", &submission);
    for file in ["one.json", "list.json", "one.yaml", "submission.json"] {
        let decide = format!("explain decision -f {file} --failure exitCode");
        let exit = sandbox.run(&format!("{decide}=2")).exits(0);
        assert!(exit.stdout.starts_with("FAILED (fail_exit): evaluateOnExit[0]: EXIT\n"), "{exit}");
        let retry = sandbox.run(&format!("{decide}=1 --retries-used 1")).exits(0);
        assert!(retry.stdout.starts_with("RUNNABLE (retry): "), "{retry}");
        let last = sandbox.run(&format!("{decide}=1 --retries-used 2")).exits(0);
        assert!(last.stdout.starts_with("FAILED (fail_attempts): "), "{last}");
    }
}

#[test]
fn documents_of_aws_that_are_not_read_are_named() {
    let sandbox = Sandbox::new();
    let template =
        r#"{"Resources": {"J": {"Type": "AWS::Batch::JobDefinition", "Properties": {}}}}"#;
    let service = r#"{"jobName": "a", "jobQueue": "q", "serviceJobType": "SAGEMAKER_TRAINING"}"#;
    sandbox.file("template.json", template).file("service.json", service);
    for (file, message) in [
        ("template.json", "a CloudFormation template is not read"),
        ("service.json", "a service job of AWS Batch has another retry strategy"),
    ] {
        let run = sandbox.run(&format!("validate -f {file}")).exits(3);
        assert!(run.stdout.contains("RP004") && run.stdout.contains(message), "{run}");
    }
}

/// The lines that stand for the attempts of `describe-jobs.json`.
const LINES: &str = r#"
{"jobId":"4c1f0a3e-0001","queue":"spot","startedAt":"2026-06-01T01:00:00Z","finishedAt":"2026-06-01T01:40:00.123Z","node":"n1","outcome":"FAILED","statusReason":"Host EC2 (instance i-0a1b2c3d4e5f60718) terminated.","exitCode":137}
{"jobId":"4c1f0a3e-0001","queue":"spot","startedAt":"2026-06-01T01:50:00Z","finishedAt":"2026-06-01T03:20:00Z","node":"n2","outcome":"SUCCEEDED","statusReason":"Essential container in task exited","exitCode":0}
{"jobId":"4c1f0a3e-0002:1","queue":"spot","startedAt":"2026-06-01T02:00:00Z","finishedAt":"2026-06-01T06:00:00Z","outcome":"TIMED_OUT","statusReason":"Job attempt duration exceeded timeout","exitCode":137}
{"jobId":"4c1f0a3e-0003","queue":"spot","finishedAt":"2026-06-01T02:10:00Z","outcome":"FAILED","statusReason":"Task failed to start","reason":"CannotPullContainerError: pull access denied"}
{"jobId":"4c1f0a3e-0003","queue":"spot","startedAt":"2026-06-01T02:20:00Z","finishedAt":"2026-06-01T02:30:00Z","outcome":"TERMINATED","statusReason":"Essential container in task exited","exitCode":143}
"#;

#[test]
fn the_attempts_that_describe_jobs_prints_are_records() {
    let sandbox = Sandbox::new();
    sandbox.examples(&["awsbatch/training.json", "awsbatch/describe-jobs.json"]);
    sandbox.file("lines.jsonl", LINES.trim_start());
    let bare: serde_json::Value = serde_json::from_slice(
        &std::fs::read(root().join("examples/awsbatch/describe-jobs.json")).expect("an example"),
    )
    .expect("JSON");
    let bare = bare["jobs"].as_array().expect("jobs").iter().map(ToString::to_string);
    sandbox.file("bare.json", bare.collect::<Vec<_>>().join("\n"));
    let jobs = |file: &str| {
        let flags = "--timelines all -o json";
        let command = format!("simulate -f awsbatch/training.json --history {file} {flags}");
        sandbox.run(&command).exits(0).json()["jobs"].clone()
    };
    let expected = jobs("lines.jsonl");
    assert_eq!(expected.as_array().map(Vec::len), Some(3));
    assert_eq!(jobs("awsbatch/describe-jobs.json"), expected);
    assert_eq!(jobs("bare.json"), expected);
    let own = sandbox.run("simulate --history awsbatch/describe-jobs.json").exits(0);
    assert!(own.stdout.contains("jobs cancelled                      1"), "{own}");
}

#[test]
fn attempts_on_eks_and_of_several_containers_are_records() {
    let sandbox = Sandbox::new();
    let jobs = r#"{"jobs": [
        {"jobId": "eks", "jobQueue": "q", "status": "RUNNABLE", "eksAttempts": [
            {"containers": [{"exitCode": 0}, {"exitCode": 3, "reason": "Error"}], "nodeName": "n7", "startedAt": 1780275600000, "stoppedAt": 1780275601000}]},
        {"jobId": "ecs", "jobQueue": "q", "status": "FAILED", "attempts": [
            {"taskProperties": [{"containers": [{"exitCode": 4}]}], "stoppedAt": 1780275601000}]},
        {"jobId": "array", "jobQueue": "q", "status": "FAILED", "arrayProperties": {"statusSummary": {"FAILED": 2}, "size": 2}},
        {"jobId": "cancelled", "jobQueue": "q", "status": "FAILED", "attempts": [], "isCancelled": true},
        {"jobId": "new", "jobQueue": "q", "status": "SUBMITTED", "createdAt": 1480483387803}
    ]}"#;
    sandbox.file("jobs.json", jobs).file("one.json", DEFINITION);
    let run = sandbox.run("simulate -f one.json --history jobs.json --timelines all").exits(0);
    for text in ["exit 3", "exit 4", "n7", "jobs unresolved              1"] {
        assert!(run.stdout.contains(text), "{text}: {run}");
    }
    for note in ["1 array job", "1 job that ended before it ran", "1 attempt or job that has not"] {
        assert!(run.stdout.contains(note), "{note}: {run}");
    }
}

#[test]
fn other_output_of_the_command_is_refused_with_the_way() {
    let sandbox = Sandbox::new();
    sandbox
        .file("one.json", DEFINITION)
        .file("jobs.json", r#"{"jobSummaryList": [{"jobId": "a"}]}"#);
    let run = sandbox.run("simulate -f one.json --history jobs.json").exits(3);
    assert!(format!("{run}").contains("aws batch describe-jobs --jobs ID.."), "{run}");
}

#[test]
fn older_and_inactive_revisions_are_skipped_and_named() {
    let sandbox = Sandbox::new();
    let list = r#"{"jobDefinitions": [
        {"jobDefinitionName": "train", "revision": 1, "status": "INACTIVE", "retryStrategy": {"attempts": 2}},
        {"jobDefinitionName": "train", "revision": 3, "status": "ACTIVE", "retryStrategy": {"attempts": 3}},
        {"jobDefinitionName": "train", "revision": 2, "status": "ACTIVE", "retryStrategy": {"attempts": 4}}]}"#;
    sandbox.file("list.json", list).file("empty.json", r#"{"jobDefinitions": []}"#);
    let run = sandbox.run("explain decision -f list.json --failure exitCode=1 --retries-used 2");
    assert!(run.exits(0).stdout.starts_with("FAILED (fail_attempts): attempts 3: "));
    let run = sandbox.run("validate -f list.json").exits(0);
    let message = "2 revisions are skipped of job definition `train`: 1 (INACTIVE), 2; 3 is the newest that is ACTIVE";
    assert!(run.stdout.contains(message), "{run}");
    let run = sandbox.run("validate -f empty.json").exits(3);
    assert!(
        run.stdout.contains("`jobDefinitions` is empty") && run.stdout.contains("--status ACTIVE"),
        "{run}"
    );
    assert_eq!(run.stdout.matches("error[").count(), 1, "{run}");
}

/// Lookout's page without jobs is the same text: the policies decide.
#[test]
fn an_answer_without_jobs_is_a_history_without_records() {
    let sandbox = Sandbox::new();
    sandbox.file("train.json", DEFINITION).file("empty.json", r#"{"jobs": []}"#);
    let job = r#"{"jobs": [{"jobId": "a", "jobQueue": "q", "status": "FAILED", "attempts": [{"startedAt": 1000, "stoppedAt": 2000, "container": {"exitCode": 1}}]}]}"#;
    sandbox.file("pages.json", format!("{{\"jobs\": []}}\n{job}\n"));
    let empty = sandbox.run("simulate -f train.json --history empty.json");
    assert!(!empty.stderr.contains("does not record"), "{empty}");
    assert!((empty.stdout.clone() + &empty.stderr).contains("no records"), "{empty}");
    let pages = sandbox.run("simulate -f train.json --history pages.json -o json").exits(0).json();
    assert_eq!(pages["jobs"].as_array().map(Vec::len), Some(1), "{pages}");
    let policy = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: a}\nspec: {defaultAction: Fail, retryLimit: 1}\n";
    sandbox.file("policy.yaml", policy);
    let armada = sandbox.run("simulate -f policy.yaml --history empty.json");
    assert!(!armada.stderr.contains("does not record"), "{armada}");
}
