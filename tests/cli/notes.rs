//! The notes that a simulation's report begins with.
//!
//! Holds cli.md simulate.

use super::sandbox::{Run, Sandbox, snapshot};
use serde_json::{Value, json};

const POLICY: &str = "apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: infra}
spec: {rules: [{action: Retry, onConditions: [Preempted]}]}
";

const BETA: &str = "apiVersion: armadaproject.io/v1beta1
kind: RetryPolicy
name: infra
retryLimit: 3
defaultAction: Fail
rules: [{action: Retry, onCategory: infra}]
";

fn queue(name: &str, policies: &str) -> String {
    format!(
        "---\napiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: {name}\npriorityFactor: 1\nretryPolicies: [{policies}]\n"
    )
}

/// A failed run in each of these queues.
fn sandbox(queues: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    let line = |(number, queue): (usize, &&str)| {
        format!("{{\"jobId\":\"j{number}\",\"queue\":\"{queue}\",\"outcome\":\"Preempted\"}}\n")
    };
    sandbox.file("policy.yaml", POLICY);
    sandbox.file("h.jsonl", queues.iter().enumerate().map(line).collect::<String>());
    sandbox
}

fn simulate(sandbox: &Sandbox, flags: &str) -> Run {
    sandbox.run(&format!("simulate -f policy.yaml --history h.jsonl {flags}")).exits(0)
}

/// Kinds and messages of a report's notes.
fn notes(sandbox: &Sandbox, flags: &str) -> Vec<(String, String)> {
    let run = simulate(sandbox, &format!("{flags} -o json"));
    assert_eq!(run.stderr, "", "what the report notes is not on stderr too");
    let report = run.json();
    let text = |note: &Value, field: &str| note[field].as_str().expect("a text").to_owned();
    let notes = report["notes"].as_array().expect("notes");
    notes.iter().map(|note| (text(note, "kind"), text(note, "message"))).collect()
}

fn kinds(sandbox: &Sandbox, flags: &str) -> Vec<String> {
    notes(sandbox, flags).into_iter().map(|(kind, _)| kind).collect()
}

#[test]
fn an_engine_that_is_off_is_the_first_line() {
    let sandbox = sandbox(&["ml"]);
    for (config, wanted) in [
        ("scheduling: {retryPolicy: {enabled: false}}", vec!["engineOff"]),
        ("scheduling: {maxRetries: 3}", vec!["engineOff"]),
        ("scheduling: {retryPolicy: {enable: true}}", vec!["engineOff", "schedulerConfig"]),
        ("scheduling: {retryPolicy: {enabled: true, globalMaxRetries: 0}}", vec!["killSwitch"]),
        ("scheduling: {retryPolicy: {enabled: true}}", vec![]),
    ] {
        sandbox.file("config.yaml", config);
        assert_eq!(kinds(&sandbox, "--scheduler-config config.yaml"), wanted, "{config}");
    }
    sandbox.file("config.yaml", "scheduling: {retryPolicy: {enable: true}}\n");
    for flags in ["", "--timelines none", "--variant other=policy.yaml", "-o wide --no-headers"] {
        let run = simulate(&sandbox, &format!("--scheduler-config config.yaml {flags}"));
        let first = run.stdout.lines().next().unwrap_or_default();
        assert!(first.starts_with("warning: the retry engine is off: "), "{run}");
    }
    snapshot!("notes_engine_off", simulate(&sandbox, "--scheduler-config config.yaml"));
}

#[test]
fn a_policy_given_as_a_scheduler_configuration_is_refused() {
    let sandbox = sandbox(&["ml"]);
    let run = sandbox
        .run("simulate -f policy.yaml --history h.jsonl --scheduler-config policy.yaml")
        .exits(3);
    snapshot!("notes_policy_as_config", run);
}

#[test]
fn near_misses_of_a_configuration_warn_beside_an_explanation() {
    let sandbox = sandbox(&["ml"]);
    sandbox.file("config.yaml", "scheduling: {retryPolicy: {enabled: true, globalMaxRetry: 1}}\n");
    let line = "explain decision -f policy.yaml --failure condition=Preempted --scheduler-config config.yaml";
    let run = sandbox.run(line).exits(0);
    assert!(run.stderr.contains("did you mean `globalMaxRetries`?"), "{run}");
}

#[test]
fn queues_without_policies_and_queues_of_no_document_are_named() {
    let sandbox = sandbox(&["ml", "bio", "bio", "web", ""]);
    assert_eq!(notes(&sandbox, ""), [], "without Queue documents the only policy is for all");
    sandbox.file("policy.yaml", [POLICY, &queue("ml", "infra"), &queue("bio", "")].concat());
    let found = notes(&sandbox, "");
    let wanted = [
        ("queueWithoutPolicies", "queue `bio` has no policies, so no policy applies there"),
        (
            "unnamedQueue",
            "no document defines 2 queues (that of jobs without `queue`, `web`); the only policy, `infra`, applies there",
        ),
    ];
    assert_eq!(found, wanted.map(|(kind, message)| (kind.to_owned(), message.to_owned())));
    assert_eq!(notes(&sandbox, "--queue-policies infra"), [], "it is the list of every queue");
}

#[test]
fn many_queues_are_counted() {
    let names: Vec<String> = (0..40).map(|number| format!("q{number:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let sandbox = sandbox(&names);
    sandbox.file("policy.yaml", [POLICY, &queue("ml", "infra")].concat());
    let report = simulate(&sandbox, "-o json").json();
    let note = &report["notes"][0];
    assert_eq!(note["count"], 40);
    let message = note["message"].as_str().expect("a message");
    assert!(
        message.contains("40 queues (`q00`, `q01`, `q02`, `q03`, `q04` and 35 more)"),
        "{note}"
    );
}

#[test]
fn notes_name_the_variants_that_they_are_about() {
    let sandbox = sandbox(&["bio"]);
    sandbox.file("lax.yaml", [POLICY, &queue("bio", "infra")].concat());
    sandbox.file("strict.yaml", [POLICY, &queue("bio", "")].concat());
    let run = simulate(&sandbox, "--variant lax=lax.yaml --variant strict=strict.yaml");
    let first = run.stdout.lines().next().unwrap_or_default();
    assert!(first.starts_with("warning: strict: queue `bio` has no policies"), "{run}");
    let report = simulate(&sandbox, "-o json --variant strict=strict.yaml").json();
    assert_eq!(report["notes"][0]["variants"], json!(["strict"]));
}

#[test]
fn columns_and_sentences_name_their_engine() {
    let sandbox = sandbox(&["ml"]);
    sandbox.file("lax.yaml", BETA);
    snapshot!("notes_engines", simulate(&sandbox, "--variant lax=lax.yaml"));
    let run = simulate(&sandbox, "--sweep globalMaxRetries=0..1");
    assert!(run.stdout.contains("\nglobalMaxRetries (v1)  given (v1)  0  "), "{run}");
}
