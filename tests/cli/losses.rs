//! Policies that lose all their rules or retries in another form are refused, with a sentence on
//! what they would come to, unless a flag of its own accepts that.
//!
//! Holds cli.md Commands, Exit codes.

use super::resources::Bench;
use super::sandbox::Sandbox;
use serde_json::json;

/// A policy of the design that retries an exit code, which the deployed form does not match.
const CODES: &str = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: codes}\nspec:\n  retryLimit: 3\n  rules:\n  - {action: Retry, onExitCodes: {operator: In, values: [137]}}\n";
/// One of which a rule is left.
const PART: &str = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: part}\nspec:\n  retryLimit: 3\n  rules:\n  - {action: Retry, onFailureCategory: [gpu]}\n  - {action: Fail, onExitCodes: {operator: In, values: [1]}}\n";
const NOTHING: &str = "converted, the policy `codes` retries nothing: every failure is final";

#[test]
fn a_policy_that_would_retry_nothing_is_refused_although_differences_are_accepted() {
    let bench = Bench::new("");
    bench.sandbox.file("codes.yaml", CODES);
    for line in ["apply -f codes.yaml", "create -f codes.yaml", "diff -f codes.yaml"] {
        let run = bench.run(&format!("{line} --accept-differences")).exits(6);
        let first = run.stderr.lines().find(|line| line.starts_with("error"));
        assert_eq!(first, Some(format!("error[RP035]: {NOTHING}").as_str()), "{run}");
        let done = if line.starts_with("diff") { "compared" } else { "sent" };
        assert!(run.stderr.contains(&format!("1 error found; nothing was {done}")), "{run}");
        assert!(run.stderr.contains("--accept-no-retries"), "{run}");
    }
    assert!(!bench.server.log().contains("POST"), "{}", bench.server.log());
    let tried = bench.run("apply -f codes.yaml --accept-no-retries --dry-run server").exits(0);
    assert!(tried.stderr.contains("the rule would be left out"), "{tried}");
    let run = bench.run("apply -f codes.yaml --accept-no-retries").exits(0);
    assert!(run.stderr.contains(&format!("warning[RP035]: {NOTHING}")), "{run}");
    assert!(run.stderr.contains("the rule is left out"), "{run}");
    assert!(!run.stderr.contains("would be"), "{run}");
    let held = bench.held("/v1/retry-policy/codes");
    assert_eq!((held.get("rules"), &held["defaultAction"]), (None, &json!("Fail")));
}

#[test]
fn a_policy_of_which_only_the_default_action_is_left_is_refused() {
    let bench = Bench::new("");
    let text = CODES.replace("retryLimit: 3", "retryLimit: 3\n  defaultAction: Retry");
    bench.sandbox.file("codes.yaml", text.replace("{action: Retry", "{action: Fail"));
    let run = bench.run("apply -f codes.yaml --accept-differences").exits(6);
    let sentence = "has no rules: its default action, Retry, applies to every failure";
    assert!(run.stderr.contains(sentence), "{run}");
    bench.run("apply -f codes.yaml --accept-no-retries").exits(0);
}

#[test]
fn differences_that_leave_a_rule_are_accepted_as_before() {
    let bench = Bench::new("");
    bench.sandbox.file("part.yaml", PART);
    let refused = bench.run("apply -f part.yaml").exits(6);
    assert!(refused.stderr.contains("--accept-differences"), "{refused}");
    assert!(!refused.stderr.contains("left out"), "it is refused as a whole: {refused}");
    let run = bench.run("apply -f part.yaml --accept-differences").exits(0);
    assert!(run.stderr.contains("the rule is left out"), "{run}");
    assert_eq!(bench.held("/v1/retry-policy/part")["rules"].as_array().unwrap().len(), 1);
}

/// What is wrong with files is counted at the end, in a line that is an error in every format.
#[test]
fn refusals_end_with_their_count() {
    let bench = Bench::new("");
    bench.sandbox.file("bad.yaml", super::resources::POLICIES.replace("Retry,", "Rerun,"));
    for format in ["human", "short", "github", "json"] {
        for line in ["apply -f bad.yaml", "delete -f bad.yaml", "create -f bad.yaml"] {
            let run = bench.run(&format!("{line} --error-format {format}")).exits(3);
            let last = run.stderr.lines().last().unwrap();
            assert!(last.contains("error") && last.contains("2 errors found; nothing was sent"));
        }
    }
    let run = bench.run("apply -f bad.yaml -o json").exits(3);
    assert_eq!(run.json()["message"], "2 errors found; nothing was sent");
    assert_eq!(run.json()["items"].as_array().unwrap().len(), 2);
    bench.sandbox.file("queue.yaml", super::resources::QUEUE.replace("gpu", "none"));
    let run = bench.run("apply -f queue.yaml").exits(5);
    assert!(run.stderr.ends_with("error: 1 error found; nothing was sent\n"), "{run}");
}

#[test]
fn a_conversion_that_leaves_no_retries_is_refused_unless_that_is_accepted() {
    let sandbox = Sandbox::new();
    let iris = CODES.replace("retryLimit: 3", "retryLimit: 3\n  backoff: {initialDelay: 10s}");
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: codes}\nspec:\n  backoffLimit: 0\n  podFailurePolicy:\n    rules:\n    - {action: Ignore, onPodConditions: [{type: Strange, status: 'True'}]}\n  template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}\n";
    let oom =
        CODES.replace("onExitCodes: {operator: In, values: [137]}", "onConditions: [OOMKilled]");
    for (text, to) in [
        (CODES, "v1beta1"),
        (iris.as_str(), "iris"),
        (CODES, "backendai"),
        (oom.as_str(), "job"),
        (oom.as_str(), "jobset"),
        (job, "v1"),
    ] {
        let line = format!("convert -f - --to {to}");
        for strict in ["", " --strict"] {
            let run = sandbox.run_on(&format!("{line}{strict}"), text).exits(6);
            assert_eq!(run.stdout, "", "{run}");
            assert!(run.stderr.starts_with(&format!("error[RP035]: {NOTHING}\n")), "{to}: {run}");
            assert!(run.stderr.contains("1 policy without retries or rules; nothing was written"));
            assert!(run.stderr.contains("--accept-no-retries"), "{run}");
        }
        let accepted = sandbox.run_on(&format!("{line} --accept-no-retries"), text).exits(0);
        let findings = accepted.stderr.lines().find(|line| line.starts_with("warning"));
        assert_eq!(findings, Some(format!("warning[RP035]: {NOTHING}").as_str()), "{accepted}");
        assert!(accepted.stdout.contains("kind: "), "{accepted}");
        sandbox.run_on(&format!("{line} --accept-no-retries --strict"), text).exits(1);
    }
}

#[test]
fn a_conversion_that_leaves_retries_needs_no_flag() {
    let sandbox = Sandbox::new();
    for (text, to) in [
        (CODES, "job"),
        (CODES, "jobset"),
        (CODES, "airflow"),
        (PART, "v1beta1"),
        (&CODES.replace("retryLimit: 3", "retryLimit: 0"), "iris"),
    ] {
        let run = sandbox.run_on(&format!("convert -f - --to {to}"), text).exits(0);
        assert!(!run.stderr.contains("retries nothing"), "{run}");
    }
}

/// A Retry rule behind a Fail rule for the same failures retries nothing.
#[test]
fn a_retry_rule_that_no_failure_reaches_is_no_retry() {
    let text = CODES.replace(
        "  rules:\n",
        "  rules:\n  - {action: Fail, onFailureCategory: [gpu]}\n  - {action: Retry, onFailureCategory: [gpu]}\n",
    );
    let bench = Bench::new("");
    bench.sandbox.file("codes.yaml", &text);
    let run = bench.run("apply -f codes.yaml --accept-differences").exits(6);
    assert!(run.stderr.contains(NOTHING), "{run}");
    assert!(!bench.server.log().contains("POST"), "{}", bench.server.log());
    let run = bench.sandbox.run_on("convert -f - --to v1beta1", &text).exits(6);
    assert!(run.stderr.contains(NOTHING), "{run}");
}

/// The limit of the only rule that retries becomes the policy's.
#[test]
fn a_limit_of_a_rule_is_written_without_a_warning_on_its_absence() {
    let sandbox = Sandbox::new();
    let rule = "{action: Retry, onFailureCategory: [gpu], retryLimit: 2}";
    let head = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec:\n  rules:\n";
    let none = "no retry at all in v1beta1";
    let run = sandbox.run_on("convert -f - --to v1beta1", format!("{head}  - {rule}\n")).exits(0);
    assert!(run.stdout.contains("retryLimit: 2"), "{run}");
    assert!(!run.stderr.contains(none), "{run}");
    let two = format!("{head}  - {rule}\n  - {}\n", rule.replace("gpu", "net"));
    let run = sandbox.run_on("convert -f - --to v1beta1 --accept-no-retries", &two).exits(0);
    assert!(run.stdout.contains("retryLimit: 0") && run.stderr.contains(none), "{run}");
}
