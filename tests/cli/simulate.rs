//! `simulate`: what it prints of good inputs.
//!
//! Holds semantics.md 5, 10; cli.md simulate.

use super::sandbox::{Run, Sandbox, root, snapshot};
use serde_json::Value;

const POLICIES: &str = "simulate -f policies --queue-policies infra,ml-training";

/// The examples, and the histories of `testdata/cli`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_examples();
    for entry in std::fs::read_dir(root().join("testdata/cli")).expect("testdata/cli") {
        let entry = entry.expect("an entry");
        let content = std::fs::read(entry.path()).expect("a file");
        sandbox.file(&entry.file_name().to_string_lossy(), content);
    }
    sandbox
}

/// Simulates with the example's policies.
fn simulate(flags: &str) -> Run {
    sandbox().run(&format!("{POLICIES} {flags}"))
}

#[test]
fn the_example_as_a_table() {
    snapshot!("example_table", simulate("--history ml-training.yaml"));
}

#[test]
fn the_example_as_a_wide_table() {
    snapshot!("example_wide", simulate("--history ml-training.yaml -o wide"));
}

#[test]
fn the_example_as_json() {
    let run = simulate("--history ml-training.yaml -o json");
    assert_eq!(run.json()["kind"], "SimulationReport");
    snapshot!("example_json", run);
}

#[test]
fn the_example_as_yaml() {
    let run = simulate("--history ml-training.yaml -o yaml");
    let yaml: Value = serde_yaml::from_str(&run.stdout).expect("YAML");
    assert_eq!(
        yaml,
        simulate("--history ml-training.yaml -o json").json(),
        "YAML says what JSON says"
    );
    snapshot!("example_yaml", run);
}

#[test]
fn a_table_without_headers() {
    snapshot!("no_headers", simulate("--history few.jsonl --timelines all --no-headers"));
}

#[test]
fn several_jobs_end_with_a_summary() {
    snapshot!("several_jobs", simulate("--history few.jsonl --timelines all"));
}

#[test]
fn one_job_of_several_has_a_timeline_and_its_own_summary() {
    snapshot!("one_job", simulate("--history few.jsonl --job b"));
    let report = simulate("--history few.jsonl --job a -o json").json();
    assert_eq!(report["summary"]["jobs"], 1);
    assert_eq!(report["summary"]["failures"], 1);
    assert_eq!(report["jobs"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["jobs"][0]["jobId"], "a");
}

#[test]
fn a_job_of_a_gang_is_replayed_with_its_gang() {
    snapshot!("one_job_of_a_gang", simulate("--history gangs.yaml --job lost-0"));
}

#[test]
fn timelines_are_there_for_documents_and_single_jobs() {
    let has_jobs = |flags: &str| {
        let report = simulate(&format!("{flags} -o json")).json();
        assert!(report["summary"]["byRule"].is_array(), "the summary is always there");
        report.get("jobs").is_some()
    };
    assert!(has_jobs("--history gangs.yaml"), "a document of several jobs");
    assert!(has_jobs("--history gangs.yaml --timelines all"));
    assert!(!has_jobs("--history gangs.yaml --timelines none"));
    assert!(!has_jobs("--history few.jsonl"), "a stream of several jobs");
    assert!(!has_jobs("--history few.jsonl --timelines auto"));
    assert!(has_jobs("--history few.jsonl --timelines all"));
    assert!(has_jobs("--history few.jsonl --job a"));
    assert!(!has_jobs("--history few.jsonl --job a --timelines none"));
    let sandbox = Sandbox::with_examples();
    let line = r#"{"jobId":"a","queue":"ml","outcome":"Preempted"}"#;
    sandbox.file("one.jsonl", format!("{line}\n{line}\n"));
    let report = sandbox.run(&format!("{POLICIES} --history one.jsonl -o json")).exits(0).json();
    assert_eq!(report["jobs"][0]["decisions"].as_array().map(Vec::len), Some(2), "one job");
}

#[test]
fn timelines_leave_the_summary_whole() {
    for history in ["few.jsonl", "gangs.yaml", "reloads.yaml"] {
        let wide = |timelines: &str| {
            let flags = format!("--history {history} --timelines {timelines} -o wide");
            simulate(&flags).exits(0).stdout
        };
        let (summary, with) = (wide("none"), wide("all"));
        let (_, summary) = summary.split_once(" jobs: ").expect("a summary");
        assert!(with.contains("\nJob "), "{with}");
        assert!(with.ends_with(summary), "{with}\n---- does not end with\n{summary}");
    }
}

/// The summary of a history, as JSON.
fn summary(flags: &str) -> serde_json::Value {
    simulate(&format!("{flags} -o json")).exits(0).json()["summary"].clone()
}

#[test]
fn the_summary_is_the_same_whatever_the_timelines() {
    for history in ["few.jsonl", "gangs.yaml", "reloads.yaml", "ml-training.yaml"] {
        let all = summary(&format!("--history {history} --timelines all"));
        for timelines in ["none", "auto"] {
            let other = summary(&format!("--history {history} --timelines {timelines}"));
            assert_eq!(other, all, "{history} {timelines}");
        }
    }
}

/// Every retry is one of a rule or of none, and has a number or comes with its unit.
#[test]
fn the_retries_of_rules_and_numbers_are_all_retries() {
    for history in ["few.jsonl", "gangs.yaml", "reloads.yaml", "ml-training.yaml"] {
        let summary = summary(&format!("--history {history}"));
        let sum = |rows: &[&serde_json::Value], field: &str| -> u64 {
            rows.iter().map(|row| row[field].as_u64().expect("a count")).sum()
        };
        let rows = |name: &str| summary[name].as_array().expect("rows").iter().collect::<Vec<_>>();
        let no_rule = summary.get("byNoRule").into_iter();
        let rules: Vec<_> = rows("byRule").into_iter().chain(no_rule.clone()).collect();
        let policies: Vec<_> = rows("byPolicy").into_iter().chain(no_rule).collect();
        for all in [&rules, &policies, &rows("byRetry")] {
            assert_eq!(sum(all, "granted"), summary["retries"], "{history}");
            assert_eq!(sum(all, "recorded"), summary["replayed"], "{history}");
            assert_eq!(sum(all, "unrecorded"), summary["unresolved"], "{history}");
            assert_eq!(sum(all, "succeeded"), summary["retriedRuns"]["succeeded"]["runs"]);
        }
        for row in rules {
            let by_retry: Vec<_> = row["byRetry"].as_array().expect("rows").iter().collect();
            assert_eq!(sum(&by_retry, "granted"), row["granted"], "{history} {row}");
        }
        assert_eq!(sum(&policies, "recoveredJobs"), summary["recovered"], "{history}");
    }
}

#[test]
fn a_stream_of_several_jobs_gives_a_summary() {
    snapshot!("stream", simulate("--history few.jsonl"));
}

#[test]
fn a_summary_of_one_job() {
    snapshot!("summary_of_one_job", simulate("--history ml-training.yaml --timelines none"));
}

#[test]
fn assumptions_are_labelled() {
    snapshot!("assume_succeed", simulate("--history few.jsonl --assume succeed"));
    snapshot!("assume_fail", simulate("--history few.jsonl --assume fail --timelines all"));
    snapshot!("assume_observed", simulate("--history few.jsonl --assume observed"));
}

#[test]
fn assumed_outcomes_are_no_outcomes() {
    let summary = |how: &str| {
        let mut report = simulate(&format!("--history few.jsonl -o json {how}")).json();
        report["summary"].as_object_mut().expect("a summary").remove("assumption");
        report
    };
    assert_eq!(summary(""), summary("--assume succeed"));
    assert_eq!(summary(""), summary("--assume observed"));
}

#[test]
fn what_was_observed_of_all_jobs_settles_one() {
    let chance = |flags: &str| {
        let report = simulate(&format!("--history few.jsonl --assume observed -o json {flags}"));
        let report = report.exits(0).json();
        let jobs = report["jobs"].as_array().expect("timelines").clone();
        let job = jobs.iter().find(|job| job["jobId"] == "c").expect("job c");
        job["assumedSuccess"].clone()
    };
    assert_eq!(chance("--timelines all"), 1.0);
    assert_eq!(chance("--job c"), 1.0);
}

#[test]
fn exit_code_says_whether_a_job_failed() {
    simulate("--history ml-training.yaml").exits(0);
    simulate("--history ml-training.yaml --exit-code").exits(1);
    simulate("--history few.jsonl --exit-code").exits(0);
    simulate("--history few.jsonl --exit-code --assume fail").exits(0);
    simulate("--history gangs.yaml --exit-code --job rerun-0").exits(0);
    simulate("--history gangs.yaml --exit-code --job lost-2 -o json").exits(1);
}

#[test]
fn gangs_rerun_fail_and_are_cancelled_together() {
    snapshot!("gangs", simulate("--history gangs.yaml"));
}

#[test]
fn reloads_change_limits_and_turn_the_engine_off() {
    snapshot!("reloads", simulate("--history reloads.yaml"));
}

#[test]
fn contradictions_are_named() {
    snapshot!("contradictions", simulate("--history contradictions.yaml -o wide"));
    let report = simulate("--history contradictions.yaml -o json --timelines none").json();
    assert_eq!(report["summary"]["contradictions"], 2);
}

#[test]
fn a_real_scheduler_configuration_can_be_given() {
    let flags = "--history ml-training.yaml --scheduler-config scheduler.yaml";
    snapshot!("scheduler_config", simulate(flags));
    let report = sandbox().run(&format!("simulate -f policies {flags} -o json")).exits(0).json();
    let effective = &report["jobs"][0]["effectivePolicies"];
    assert_eq!(effective, &serde_json::json!(["ml-training"]), "its default policy");
}

#[test]
fn a_configuration_that_does_not_enable_the_engine_disables_it() {
    let sandbox = sandbox();
    sandbox.file("off.yaml", "scheduling: {maxRetries: 2}\n");
    let run =
        sandbox.run(&format!("{POLICIES} --history reloads.yaml --scheduler-config off.yaml"));
    snapshot!("engine_disabled", run);
}

#[test]
fn the_engine_of_today() {
    let run = sandbox().run("simulate -f beta.yaml --history beta-history.yaml -o wide");
    snapshot!("v1beta1", run);
}

#[test]
fn a_v1beta1_policy_under_v1_keeps_its_limit() {
    let run = sandbox().run("simulate -f beta.yaml --history beta-history.yaml --engine v1");
    snapshot!("v1beta1_under_v1", run);
}

#[test]
fn histories_come_from_standard_input() {
    let sandbox = sandbox();
    for name in ["few.jsonl", "gangs.yaml", "ml-training.yaml"] {
        let text = std::fs::read(sandbox.path().join(name)).expect("a history");
        let piped = sandbox.run_on(&format!("{POLICIES} --history - -o json"), text).exits(0);
        let read = sandbox.run(&format!("{POLICIES} --history {name} -o json"));
        assert_eq!(piped.stdout, read.stdout, "{name}");
        assert_eq!(piped.stderr, "", "{name}");
    }
}

#[test]
fn policies_come_from_standard_input() {
    let policy = std::fs::read(root().join("examples/policies/infra.yaml")).expect("a policy");
    let run = sandbox().run_on("simulate -f - --history few.jsonl", policy);
    snapshot!("policies_from_stdin", run);
}

#[test]
fn several_histories_are_one() {
    let flags = "--history few.jsonl gangs.yaml --history reloads.yaml --timelines none";
    snapshot!("several_histories", simulate(flags));
}

#[test]
fn a_directory_of_histories() {
    let sandbox = sandbox();
    for name in ["few.jsonl", "gangs.yaml"] {
        let text = std::fs::read(sandbox.path().join(name)).expect("a history");
        sandbox.file(&format!("histories/{name}"), text);
    }
    sandbox.file("histories/README.md", "not a history");
    let report = sandbox.run(&format!("{POLICIES} --history histories -o json")).exits(0).json();
    assert_eq!(report["summary"]["jobs"], 10);
}

#[test]
fn an_empty_history_is_a_history_if_it_is_allowed() {
    let sandbox = sandbox();
    sandbox.file("none.jsonl", "\n\n");
    snapshot!(
        "empty_stream",
        sandbox.run(&format!("{POLICIES} --history none.jsonl --allow-empty"))
    );
    let document = "{apiVersion: armadaproject.io/v1, kind: FailureHistory, spec: {jobs: []}}";
    sandbox.file("none.yaml", document);
    let report = sandbox.run(&format!("{POLICIES} --history none.yaml --allow-empty -o json"));
    let report = report.exits(0).json();
    assert_eq!(report["jobs"], serde_json::json!([]));
    assert_eq!(report["summary"]["jobs"], 0);
}

#[test]
fn a_document_on_one_line_is_a_document_whatever_its_name() {
    let sandbox = Sandbox::with_examples();
    let document = r#"{"apiVersion":"armadaproject.io/v1","kind":"FailureHistory","spec":{"jobs":[{"jobId":"a","runs":[{"outcome":"Preempted"}]},{"jobId":"b","runs":[{"outcome":"Succeeded"}]}]}}"#;
    for name in ["h.json", "h.jsonl", "h.txt"] {
        sandbox.file(name, document);
        let run = sandbox.run(&format!("{POLICIES} --history {name} -o json")).exits(0);
        assert_eq!(run.json()["jobs"].as_array().map(Vec::len), Some(2), "{name}");
    }
}

#[test]
fn the_layout_can_be_said() {
    let sandbox = sandbox();
    let lines = std::fs::read(sandbox.path().join("few.jsonl")).expect("a history");
    sandbox.file("few.txt", lines);
    let auto = sandbox.run(&format!("{POLICIES} --history few.txt -o json")).exits(0);
    let said =
        sandbox.run(&format!("{POLICIES} --history few.txt -o json --format jsonl")).exits(0);
    assert_eq!(auto.stdout, said.stdout);
    simulate("--history few.jsonl --format yaml").exits(3);
}

#[test]
fn annotations_add_policies_and_stop_retries() {
    let sandbox = Sandbox::with_examples();
    sandbox.file(
        "h.yaml",
        "apiVersion: armadaproject.io/v1
kind: FailureHistory
spec:
  queues: [{name: ml, retryPolicies: [infra]}]
  jobs:
  - jobId: adds
    queue: ml
    annotations: {armadaproject.io/retry-policy: ' ml-training ,, infra'}
    runs: [{outcome: Failed, containers: [{name: main, exitCode: 137, reason: OOMKilled}]}]
  - jobId: fails-fast
    queue: ml
    annotations: {armadaproject.io/failFast: 'true'}
    runs: [{outcome: Preempted}]
",
    );
    snapshot!("annotations", sandbox.run("simulate -f policies --history h.yaml"));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let report =
        |threads: &str| simulate(&format!("--history gangs.yaml -o json {threads}")).stdout;
    assert_eq!(report("--threads 1"), report("--threads 3"));
    let sandbox = sandbox();
    let by_environment = sandbox
        .run_with(&format!("{POLICIES} --history gangs.yaml -o json"), |command| {
            command.env("ARMADACTL_THREADS", "2");
        })
        .exits(0);
    assert_eq!(by_environment.stdout, report(""));
}
