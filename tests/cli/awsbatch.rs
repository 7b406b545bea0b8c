//! Job definitions of AWS Batch, as the service takes and prints them.

use super::sandbox::{Sandbox, root};
use std::process::{Command, Stdio};

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

#[test]
fn the_attempts_that_describe_jobs_prints_are_records() {
    let examples = root().join("examples/awsbatch");
    let jq = Command::new("jq")
        .args(["-cf", "attempts.jq", "describe-jobs.json"])
        .current_dir(&examples)
        .stderr(Stdio::inherit())
        .output();
    // Without `jq` there is nothing to compare.
    let Ok(output) = jq else { return };
    assert!(output.status.success());
    let sandbox = Sandbox::new();
    sandbox.examples(&["awsbatch/training.json"]);
    sandbox.file("h.jsonl", String::from_utf8(output.stdout).expect("text"));
    let flags = "--timelines all -o json";
    let run = sandbox.run(&format!("simulate -f awsbatch/training.json --history h.jsonl {flags}"));
    let report = run.exits(0).json();
    let jobs = report["jobs"].as_array().expect("jobs");
    let decisions = jobs.iter().flat_map(|job| job["decisions"].as_array().expect("decisions"));
    let mut codes: Vec<&str> =
        decisions.map(|decision| decision["decision"].as_str().expect("a code")).collect();
    codes.sort_unstable();
    assert_eq!(codes, ["fail_timeout", "retry", "retry"]);
}
