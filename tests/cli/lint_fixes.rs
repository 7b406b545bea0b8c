//! `lint --fix` on random policies: what it corrects is gone, and every failure is decided as before.
//!
//! Holds cli.md Commands.

use crate::sandbox::{Sandbox, root};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;
use std::fmt::Write;

/// The lines of a random rule, in block or flow style, with fields that have no effect.
fn rule() -> impl Strategy<Value = String> {
    let matcher = select(vec![
        "onExitCodes: {operator: In, values: [2, 3, 2]}",
        "onExitCodes: {operator: NotIn, values: [3, 3]}",
        "onConditions: [OOMKilled, Evicted, OOMKilled]",
        "onConditions: [Evicted]",
        "onFailureCategory: [gpu, net, gpu]",
        "onFailureCategory: [net]",
        "onTerminationMessage: {pattern: 'CUDA.*error'}",
    ]);
    let extra = subsequence(
        vec![
            "retryLimit: 2 # twice",
            "backoff: {initialDelay: 10s}",
            "antiAffinity: {mode: node}",
            "mutate: {resources: {memory: {factor: 1.5}}}",
            "containerName: main",
            "includeInitContainers: true",
        ],
        0..4,
    );
    (select(vec!["Retry", "Fail"]), matcher, extra, any::<bool>()).prop_map(
        |(action, matcher, extra, is_block)| {
            let fields: Vec<&str> = std::iter::once(matcher).chain(extra).collect();
            if is_block {
                let lines = format!("    {}\n", fields.join("\n    "));
                format!("  # A rule\n  - action: {action}\n{lines}")
            } else {
                let plain: Vec<&str> =
                    fields.iter().map(|it| it.split(" #").next().unwrap()).collect();
                format!("  - {{action: {action}, {}}}\n", plain.join(", "))
            }
        },
    )
}

fn policy(rules: &[String]) -> String {
    format!(
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: p}}\nspec:\n  retryLimit: 3\n  rules:\n{}",
        rules.concat()
    )
}

/// A history with every combination of a few codes, conditions, containers and messages.
fn history() -> String {
    let mut text = String::new();
    let mut number = 0;
    for name in ["main", "side"] {
        for (code, reason) in [(2, "Error"), (3, "Error"), (137, "OOMKilled"), (1, "Error")] {
            for category in ["gpu", "net", ""] {
                for condition in ["Evicted", ""] {
                    for message in ["CUDA error 7", "x"] {
                        number += 1;
                        for run in 0..3 {
                            let _ = writeln!(
                                text,
                                r#"{{"jobId":"j{number}","runIndex":{run},"outcome":"Failed","node":"n{run}","resources":{{"memory":"1Gi"}},"conditions":["{condition}"],"category":"{category}","containers":[{{"name":"{name}","exitCode":{code},"reason":"{reason}","message":"{message}"}}]}}"#
                            );
                        }
                    }
                }
            }
        }
    }
    text.replace(r#""conditions":[""],"#, "")
}

/// The decisions of all failures, without the numbers of rules and their names in reasons.
fn decisions(sandbox: &Sandbox) -> Vec<Value> {
    let line = "simulate -f policy.yaml --history history.jsonl --timelines all -o json -q";
    let report = sandbox.run(line).exits(0).json();
    let jobs = report["jobs"].as_array().cloned().unwrap();
    jobs.iter()
        .flat_map(|job| job["decisions"].as_array().cloned().unwrap())
        .map(|mut decision| {
            for key in ["ruleIndex", "reason"] {
                decision.as_object_mut().unwrap().remove(key);
            }
            decision
        })
        .collect()
}

/// The number of policies; `LINT_FIX_CASES` sets it.
fn cases() -> usize {
    let number = std::env::var("LINT_FIX_CASES").ok();
    number.and_then(|text| text.parse().ok()).unwrap_or(60)
}

#[test]
fn corrected_policies_are_clean_of_it_and_decide_the_same() {
    let sandbox = Sandbox::new();
    sandbox.file("history.jsonl", history());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[3; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = prop::collection::vec(rule(), 1..6);
    let mut corrected = 0;
    for _ in 0..cases() {
        let rules = strategy.new_tree(&mut runner).unwrap().current();
        let text = policy(&rules);
        sandbox.file("policy.yaml", &text);
        let before = decisions(&sandbox);
        let diff = sandbox.run("lint -f policy.yaml --diff -q");
        assert_eq!(std::fs::read_to_string(sandbox.path().join("policy.yaml")).unwrap(), text);
        sandbox.run("lint -f policy.yaml --fix -q -o json --fail-on error").exits(0);
        let fixed = std::fs::read_to_string(sandbox.path().join("policy.yaml")).unwrap();
        assert_eq!(diff.code, i32::from(fixed != text), "{text}\n{diff}");
        corrected += usize::from(fixed != text);
        sandbox.run("lint -f policy.yaml --diff -q").exits(0);
        assert_eq!(decisions(&sandbox), before, "{text}\n{fixed}");
        // The fields that always have no effect are gone, and all comments stay.
        for id in ["RP104", "RP110", "RP118"] {
            let run = sandbox.run(&format!("lint -f policy.yaml --select {id} -q"));
            // A field with a comment is left to its author.
            let is_clean = (run.code, run.stdout.as_str()) == (0, "");
            assert!(is_clean || fixed.contains("# twice"), "{fixed}\n{run}");
        }
        let comments = |text: &str| text.matches("# A rule").count();
        assert_eq!(comments(&fixed), comments(&text), "{text}\n{fixed}");
    }
    assert!(corrected > cases() / 2, "{corrected} of {}", cases());
}

#[test]
fn a_file_with_an_error_is_left_alone() {
    let sandbox = Sandbox::new();
    let text = policy(&["  - {action: Fail, retryLimit: 2, onExitCodes: 3}\n".to_owned()]);
    sandbox.file("policy.yaml", &text);
    sandbox.run("lint -f policy.yaml --fix").exits(3);
    assert_eq!(std::fs::read_to_string(sandbox.path().join("policy.yaml")).unwrap(), text);
    sandbox.run_on("lint -f - --fix", &text).exits(2);
}

/// The note on corrections has the proof, the one on documents of other systems has none.
#[test]
fn corrections_are_proved_to_change_no_decision() {
    let sandbox = Sandbox::new();
    let codes = "onExitCodes: {operator: In, values: [2]}";
    let fail = format!("  - {{action: Fail, retryLimit: 2, {codes}}}\n");
    let proved = "note: 1 correction in 1 file";
    for (rules, end) in [
        (fail.clone(), "proved: every failure is decided as before"),
        (
            "  - {action: Retry, mutate: {resources: {memory: {factor: 2}}}, onFailureCategory: [internal], onFailureSubcategory: [lease-expired]}\n".to_owned(),
            "proved: every failure is decided as before, unless an executor assigns the category of expired leases (RP119)",
        ),
    ] {
        sandbox.file("policy.yaml", policy(&[rules]));
        let diff = sandbox.run("lint -f policy.yaml --diff --fail-on error");
        assert!(diff.stderr.contains(&format!("{proved} possible; {end}\n")), "{diff}");
        let run = sandbox.run("lint -f policy.yaml --fix --fail-on error");
        assert!(run.stderr.contains(&format!("{proved} written; {end}\n")), "{run}");
    }
    let job = root().join("testdata/lints/RP108/job-failed-indexes/bad.yaml");
    sandbox.file("policy.yaml", std::fs::read(job).unwrap());
    let alone = sandbox.run("lint -f policy.yaml --fix --fail-on error");
    assert!(alone.stderr.contains(&format!("{proved} written\n")), "{alone}");
}

#[test]
fn suppressed_findings_are_counted_and_not_corrected() {
    let sandbox = Sandbox::new();
    let rule = "  # armadactl:ignore RP110 -- kept for the day it retries\n  - action: Fail\n    retryLimit: 2\n    onExitCodes: {operator: In, values: [2]}\n  - {action: Retry, onExitCodes: {operator: In, values: [2, 75]}}\n";
    let text = policy(&[rule.to_owned()]);
    sandbox.file("policy.yaml", &text);
    let run = sandbox.run("lint -f policy.yaml --fix").exits(0);
    assert_eq!(run.stdout, "1 document in 1 file: 0 errors, 0 warnings, 0 infos, 1 suppressed\n");
    assert_eq!(std::fs::read_to_string(sandbox.path().join("policy.yaml")).unwrap(), text);
    let report = sandbox.run("lint -f policy.yaml -o json").exits(0).json();
    assert_eq!(report["suppressed"][0]["id"], "RP110");
    assert_eq!(report["suppressed"][0]["reason"], "kept for the day it retries");
    // An expired one is a finding, and no longer suppresses.
    sandbox.file("policy.yaml", text.replace("RP110 --", "RP110 until=2020-01-01 --"));
    let run = sandbox.run("lint -f policy.yaml --error-format short").exits(1);
    assert!(run.stdout.contains("[RP191]") && run.stdout.contains("[RP110]"), "{run}");
}
