//! `--variant` and `--sweep`: several sets of policies in one pass.

use super::sandbox::{Run, Sandbox};
use serde_json::Value;

const SIMULATE: &str =
    "simulate -f policies --queue-policies infra,ml-training --history ml-training.yaml -o json";

/// Policies that grant no retry.
pub const STRICT: &str = "apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: infra}
spec: {rules: [{action: Fail, onConditions: [Preempted]}]}
---
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: ml-training}
spec: {defaultAction: Fail, rules: []}
";

fn simulate(flags: &str) -> Run {
    let sandbox = Sandbox::with_examples();
    sandbox.file("strict.yaml", STRICT);
    sandbox.run(&format!("{SIMULATE} {flags}"))
}

/// Names and retries of the variants.
fn retries(report: &Value) -> Vec<(&str, u64)> {
    let variants = report["variants"].as_array().expect("variants").iter();
    let row = |variant: &'_ Value| variant["summary"]["retries"].as_u64().expect("a count");
    variants.map(|variant| (variant["name"].as_str().expect("a name"), row(variant))).collect()
}

#[test]
fn a_variant_stands_beside_what_was_given() {
    let report = simulate(
        "--variant strict=strict.yaml --variant same=policies/infra.yaml,policies/ml-training.yaml",
    )
    .exits(0)
    .json();
    assert_eq!(retries(&report), [("given", 6), ("strict", 0), ("same", 6)]);
    let plain = simulate("").exits(0).json();
    assert_eq!(report["variants"][0]["summary"], plain["summary"]);
    assert_eq!(report["variants"][2]["summary"], plain["summary"]);
    assert_eq!((&report["summary"], &report["jobs"]), (&plain["summary"], &plain["jobs"]));
    assert!(plain.get("variants").is_none());
}

#[test]
fn variants_that_cannot_be() {
    for (code, flags, said) in [
        (2, "--variant a=strict.yaml --variant a=policies", "the name `a` is already used"),
        (2, "--variant given=strict.yaml", "the name `given` is already used"),
        (2, "--variant strict.yaml", "write NAME=FILES"),
        (2, "--variant a=", "write NAME=FILES"),
        (2, "--variant =strict.yaml", "write NAME=FILES"),
        (3, "--variant a=nowhere.yaml", "nowhere.yaml"),
        (3, "--variant a=policies/infra.yaml", "the policy `ml-training` does not exist"),
    ] {
        let run = simulate(flags).exits(code);
        assert!(run.stderr.contains(said), "{run}");
        assert_eq!(run.json()["kind"], "ErrorReport", "{run}");
    }
}

#[test]
fn a_sweep_sets_a_limit() {
    let report = simulate("--sweep globalMaxRetries=0..3").exits(0).json();
    let wanted = [
        ("given", 6),
        ("globalMaxRetries=0", 0),
        ("globalMaxRetries=1", 1),
        ("globalMaxRetries=2", 2),
        ("globalMaxRetries=3", 3),
    ];
    assert_eq!(retries(&report), wanted);
    let by_decision = &report["variants"][3]["summary"]["byDecision"];
    assert_eq!(by_decision["fail_global_limit"], 1, "{by_decision}");
    let report = simulate("--sweep retryLimit=0..=1").exits(0).json();
    assert_eq!(
        retries(&report)[1..].iter().map(|one| one.0).collect::<Vec<_>>(),
        ["retryLimit=0", "retryLimit=1"]
    );
    assert_eq!(retries(&report)[1].1, 0);
    let report = simulate("--sweep ml-training.rules[0].retryLimit=0..3").exits(0).json();
    let counts: Vec<u64> = retries(&report).iter().map(|(_, retries)| *retries).collect();
    assert_eq!(counts[4], counts[0], "its limit is 3 as it is");
    assert!(counts[1] < counts[2] && counts[2] < counts[3] && counts[3] < counts[4], "{counts:?}");
    assert_eq!(report["variants"][4]["summary"], report["summary"]);
}

#[test]
fn sweeps_and_variants_go_together() {
    let flags = "--sweep globalMaxRetries=1..1 --variant strict=strict.yaml";
    let report = simulate(flags).exits(0).json();
    assert_eq!(retries(&report), [("given", 6), ("strict", 0), ("globalMaxRetries=1", 1)]);
}

#[test]
fn sweeps_that_cannot_be() {
    for (sweep, said) in [
        ("globalMaxRetries", "write WHAT=FROM..TO"),
        ("globalMaxRetries=3", "write WHAT=FROM..TO"),
        ("globalMaxRetries=a..3", "`a` is not a limit"),
        ("globalMaxRetries=0..-1", "`-1` is not a limit"),
        ("globalMaxRetries=3..0", "is empty"),
        ("globalMaxRetries=0..100", "more than 100 values"),
        ("maxRetries=0..3", "the limits are"),
        ("infra.rules[x].retryLimit=0..3", "the limits are"),
        ("nowhere.rules[0].retryLimit=0..3", "the policy `nowhere` does not exist"),
        ("infra.rules[1].retryLimit=0..3", "policy `infra` has 1 rules, counted from 0"),
    ] {
        let run = simulate(&format!("--sweep {sweep}")).exits(2);
        assert!(run.stderr.contains(said), "{run}");
    }
    let run = simulate("--sweep retryLimit=0..1 --sweep retryLimit=0..2").exits(2);
    assert!(run.stderr.contains("--sweep"), "{run}");
}

#[test]
fn the_scheduler_configuration_is_read_once() {
    let sandbox = Sandbox::with_examples();
    let config = "scheduling: {retryPolicy: {enabled: true, globalMaxRetries: 2}}\n";
    let line = format!("{SIMULATE} --scheduler-config - --variant same=policies");
    let report = sandbox.run_on(&line, config).exits(0).json();
    assert_eq!(retries(&report), [("given", 2), ("same", 2)]);
}

#[test]
fn what_all_variants_pass_over_is_said_once() {
    let run = Sandbox::with_examples().run("simulate -f policies --queue-policies infra,gone --missing-policy skip --history ml-training.yaml -o json --sweep retryLimit=0..5");
    let report = run.exits(0).json();
    let notes = report["notes"].as_array().expect("notes");
    let [note] = notes.as_slice() else { panic!("{notes:?}") };
    assert_eq!(note["message"], "the policy `gone` does not exist; it is skipped");
    assert_eq!(note.get("variants"), None, "it holds for all of them");
}
