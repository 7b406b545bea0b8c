//! Inputs that cannot be used: what is said of them, and the exit codes 2 and 3.
//!
//! Holds cli.md Exit codes, Diagnostics.

use super::sandbox::{Run, Sandbox, root, snapshot};

const HISTORY: &str = "--history ml-training.yaml";

fn simulate(flags: &str) -> Run {
    Sandbox::with_examples().run(&format!("simulate -f policies {flags}"))
}

/// Thirty records, of which every one but each sixth is bad in some way.
fn bad_records() -> String {
    let line = |n: usize| match n % 6 {
        0 => format!(r#"{{"jobId":"job-{n}","queue":"ml","outcome":"Preempted"}}"#),
        1 => format!(r#"{{"jobId":"job-{n}","queue":"ml"}}"#),
        2 => format!(r#"{{"jobId":"job-{n}","outcome":"failed"}}"#),
        3 => format!(r#"{{"jobId":"job-{n}","outcome":"Failed""#),
        4 => format!(r#"{{"jobId":"job-{n}","outcome":"Failed","finishedAt":"2026-10-01"}}"#),
        _ => r#"{"jobId":"job-0","outcome":"Failed","runIndex":0}"#.to_owned(),
    };
    (0..30).map(|n| line(n) + "\n").collect()
}

#[test]
fn reading_stops_after_twenty_bad_records() {
    let sandbox = Sandbox::with_examples();
    sandbox.file("bad.jsonl", bad_records());
    let line = "simulate -f policies --queue-policies infra --history bad.jsonl";
    snapshot!("twenty_bad_records", sandbox.run(&format!("{line} --error-format short")));
    let report = sandbox.run(&format!("{line} -o json")).exits(3).json();
    assert_eq!(report["items"].as_array().map(Vec::len), Some(20));
}

#[test]
fn bad_records_can_be_left_out() {
    let sandbox = Sandbox::with_examples();
    sandbox.file("bad.jsonl", bad_records());
    let line = "simulate -f policies --queue-policies infra --history bad.jsonl";
    snapshot!("bad_records_left_out", sandbox.run(&format!("{line} --on-bad-record skip")));
    let report = sandbox.run(&format!("{line} --on-bad-record skip -o json")).exits(0).json();
    assert_eq!(report["summary"]["skippedRecords"], 25);
    assert_eq!(report["summary"]["jobs"], 5);
}

#[test]
fn a_stream_that_begins_in_the_middle_of_a_line_is_a_stream() {
    let sandbox = Sandbox::with_examples();
    let good = r#"{"jobId":"a","outcome":"Preempted"}"#;
    let line = "simulate -f policies --queue-policies infra --history - --error-format short";
    for cut in [r#"{"jobId":"a","outc"#.as_bytes(), b"{\"jobId\":\"caf\xe9\"}"] {
        let stream = [cut, good.as_bytes(), good.as_bytes()].join(&b'\n');
        let run = sandbox.run_on(line, &stream).exits(3);
        assert!(run.stderr.starts_with("-:1:"), "{run}");
        let run = sandbox.run_on(&format!("{line} --on-bad-record skip -o json"), &stream);
        assert_eq!(run.exits(0).json()["summary"]["skippedRecords"], 1);
    }
    let document = "{\n  \"apiVersion\": \"armadaproject.io/v1\", \"kind\": \"FailureHistory\",\n  \"spec\": {\"jobs\": []}\n}\n";
    assert_eq!(
        sandbox.run_on(&format!("{line} --allow-empty -o json"), document).exits(0).json()["summary"]
            ["jobs"],
        0
    );
}

#[test]
fn bad_records_of_documents_can_be_left_out() {
    let sandbox = Sandbox::with_examples();
    let mut text = std::fs::read_to_string(root().join("examples/ml-training.yaml")).expect("it");
    text.push_str(
        "    - {outcome: Stopped}\n    - {outcome: Nonsense}\n  - {jobId: none, runs: []}\n",
    );
    sandbox.file("bad.yaml", text);
    let line = "simulate -f policies --queue-policies infra --history bad.yaml";
    snapshot!("bad_records_of_a_document", sandbox.run(line));
    let report = sandbox.run(&format!("{line} --on-bad-record skip -o json")).exits(0).json();
    assert_eq!(report["summary"]["skippedRecords"], 3);
}

#[test]
fn several_policies_and_nothing_that_binds_them() {
    snapshot!("unbound", simulate(HISTORY).exits(2));
    let sandbox = Sandbox::with_examples();
    for name in ["a", "b"] {
        let head =
            format!("apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: {name}\n");
        let rules = "retryLimit: 1\ndefaultAction: Fail\nrules: [{action: Retry, onCategory: a}]\n";
        sandbox.file(&format!("p/{name}.yaml"), head + rules);
    }
    let refused = sandbox.run("simulate -f p --history ml-training.yaml").exits(2).stderr;
    assert!(
        refused.contains("evaluates one policy of a queue: name it, such as --queue-policies a\n")
    );
    sandbox.run("simulate -f p --history ml-training.yaml --queue-policies a").exits(0);
}

#[test]
fn an_unknown_policy_is_an_error() {
    snapshot!(
        "unknown_policy",
        simulate(&format!("{HISTORY} --queue-policies infra,ml-trainin")).exits(3)
    );
    let run = simulate(&format!("{HISTORY} --queue-policies zzz")).exits(3);
    snapshot!("unknown_policy_without_a_neighbour", run);
}

#[test]
fn an_unknown_policy_can_be_passed_over() {
    let flags = format!("{HISTORY} --queue-policies infra,zzz --missing-policy skip");
    snapshot!("missing_policy_skipped", simulate(&flags).exits(0));
    let flags = format!("{HISTORY} --queue-policies zzz --missing-policy skip");
    snapshot!("all_policies_skipped", simulate(&flags).exits(0));
}

#[test]
fn policies_of_both_forms() {
    let sandbox = Sandbox::with_examples();
    let beta = std::fs::read(root().join("testdata/cli/beta.yaml")).expect("a policy");
    sandbox.file("policies/zz-beta.yaml", beta);
    let line = format!("simulate -f policies --queue-policies infra {HISTORY}");
    snapshot!("mixed_forms", sandbox.run(&line).exits(3));
    sandbox.run("validate -f policies").exits(0);
}

#[test]
fn fields_that_v1beta1_lacks() {
    let flags = format!("{HISTORY} --queue-policies infra --engine v1beta1");
    snapshot!("lacking_fields", simulate(&flags).exits(3));
}

#[test]
fn an_unknown_job() {
    let flags = format!("{HISTORY} --queue-policies infra");
    snapshot!("unknown_job", simulate(&format!("{flags} --job 01k6fz8")).exits(3));
    snapshot!("unknown_job_far_off", simulate(&format!("{flags} --job nightly")).exits(3));
}

#[test]
fn files_that_cannot_be_read() {
    let sandbox = Sandbox::with_examples();
    sandbox.file("empty/README.md", "no policy");
    let line =
        "simulate -f policies nowhere.yaml empty --queue-policies infra --history nowhere.jsonl";
    snapshot!("unreadable_policies", sandbox.run(line).exits(3));
    let line = "simulate -f policies --queue-policies infra --history nowhere.jsonl empty";
    snapshot!("unreadable_histories", sandbox.run(line).exits(3));
    let line = format!("simulate -f policies --scheduler-config nowhere.yaml {HISTORY}");
    snapshot!("unreadable_scheduler_config", sandbox.run(&line).exits(3));
}

#[test]
fn a_policy_that_is_not_valid_stops_everything() {
    let sandbox = Sandbox::with_examples();
    sandbox.file("policies/bad.yaml", "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: bad}\nspec: {rules: [{action: Retry}]}\n");
    let line = format!("simulate -f policies --queue-policies infra {HISTORY}");
    snapshot!("invalid_policy", sandbox.run(&line).exits(3));
}

#[test]
fn a_scheduler_configuration_that_is_not_valid() {
    let sandbox = Sandbox::with_examples();
    sandbox.file("config.yaml", "scheduling:\n  retryPolicy:\n    enabled: \"true\"\n    globalMaxRetries: -1\n    defaultBackoff: {initialDelay: 5}\n");
    let line = format!(
        "simulate -f policies --queue-policies infra {HISTORY} --scheduler-config config.yaml"
    );
    snapshot!("invalid_scheduler_config", sandbox.run(&line).exits(3));
}

#[test]
fn a_default_policy_that_does_not_exist() {
    let sandbox = Sandbox::with_examples();
    sandbox.file(
        "config.yaml",
        "scheduling: {retryPolicy: {enabled: true, defaultPolicyName: standard}}\n",
    );
    let line = format!("simulate -f policies {HISTORY} --scheduler-config config.yaml");
    snapshot!("unknown_default_policy", sandbox.run(&line).exits(3));
}
