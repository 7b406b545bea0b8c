//! `--variant` and `--sweep`: several sets of policies in one pass.
//!
//! Holds cli.md simulate.

use super::sandbox::{Run, Sandbox};
use serde_json::{Value, json};

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

/// A policy with these rules.
fn policy(rules: &str) -> String {
    let head = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\n";
    format!("{head}spec:\n  retryLimit: 2\n  rules: [{rules}]\n")
}

const EVICTED: &str = "{action: Retry, onConditions: [Evicted]}";
const CODE: &str = "{action: Retry, onExitCodes: {operator: In, values: [75]}}";

/// A history of one job, with this field.
fn history(field: &str) -> String {
    let run =
        "runs: [{outcome: Failed, containers: [{name: main, exitCode: 75}]}, {outcome: Succeeded}]";
    format!(
        "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec:\n  jobs:\n  - {{jobId: a, {field}, {run}}}\n"
    )
}

/// The output without line breaks.
fn words(run: &Run) -> String {
    run.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Equal figures of a record prove nothing: a variant that differs on other failures, or on other annotations, is not
/// marked.
#[test]
fn variants_that_decide_every_failure_alike_are_proved() {
    let sandbox = Sandbox::new();
    let fail = "{action: Fail, onFailureCategory: [c], retryLimit: 1}";
    sandbox.file("given.yaml", policy(&format!("{EVICTED}, {CODE}, {fail}")));
    // The rules on retries have one limit each, so that only their order differs.
    let other_fail = fail.replace(", retryLimit: 1", "");
    sandbox.file("alike.yaml", policy(&format!("{EVICTED}, {CODE}, {other_fail}, {CODE}")));
    sandbox.file("other.yaml", policy(&format!("{CODE}, {fail}")));
    sandbox.file("history.yaml", history("queue: ml"));
    let variants = "--variant alike=alike.yaml --variant other=other.yaml";
    let line = format!("simulate -f given.yaml {variants} --history history.yaml");
    let report =
        sandbox.run(&format!("{line} --sweep globalMaxRetries=20 -o json")).exits(0).json();
    let proved: Vec<&Value> =
        report["variants"].as_array().unwrap().iter().map(|it| &it["provedSame"]).collect();
    assert_eq!(
        retries(&report),
        [("given", 1), ("alike", 1), ("other", 1), ("globalMaxRetries=20", 1)]
    );
    assert_eq!(proved, [&Value::Null, &true.into(), &Value::Null, &Value::Null]);
    let one_job = sandbox.run(&line).exits(0);
    let text = "No difference between alike (v1) and given (v1): 1 decision of 1 job are the same, and no difference is possible: proved for all failures of these queues";
    assert_eq!(words(&one_job).matches("no difference is possible").count(), 1, "{one_job}");
    assert!(words(&one_job).contains(text), "{one_job}");
    let jobs: String = (0..20)
        .map(|job| {
            let failed =
                json!({"outcome": "Failed", "containers": [{"name": "main", "exitCode": 75}]});
            let last = json!({"outcome": "Succeeded"});
            let record = |run: Value, number: u64| {
                let mut run = run;
                run["jobId"] = format!("j{job}").into();
                run["queue"] = "ml".into();
                run["runIndex"] = number.into();
                format!("{run}\n")
            };
            record(failed, 0) + &record(last, 1)
        })
        .collect();
    sandbox.file("jobs.jsonl", jobs);
    let line = line.replace("history.yaml", "jobs.jsonl");
    let text = "No difference from `given` is possible under `alike`: proved for all failures of these queues.";
    let run = sandbox.run(&line).exits(0);
    assert!(words(&run).contains(text), "{run}");
}

/// Each list of policies is proved: those of queues, and those that annotations name.
#[test]
fn all_lists_of_policies_are_proved() {
    let sandbox = Sandbox::new();
    let other = |rule: &str| policy(rule).replace("name: p", "name: q");
    sandbox.file("given.yaml", format!("{}---\n{}", policy(CODE), other(EVICTED)));
    sandbox.file(
        "variant.yaml",
        format!("{}---\n{}", policy(CODE), other("{action: Fail, onConditions: [Evicted]}")),
    );
    let annotation = "annotations: {armadaproject.io/retry-policy: q}";
    for (fields, policies, expected) in [
        ("queue: ml", "p", Value::from(true)),
        ("queue: ml", "p,q", Value::Null),
        (annotation, "p", Value::Null),
    ] {
        sandbox.file("history.yaml", history(fields));
        let line = format!(
            "simulate -f given.yaml --variant v=variant.yaml --queue-policies {policies} --history history.yaml -o json"
        );
        let report = sandbox.run(&line).exits(0).json();
        assert_eq!(report["variants"][1]["provedSame"], expected, "{fields} {policies}");
    }
    // A reload may raise the limit of all retries.
    let reload =
        "  start: \"2026-01-01T00:00:00Z\"\n  events: [{at: 1h, reload: {globalMaxRetries: 30}}]\n";
    sandbox.file("history.yaml", history("queue: ml") + reload);
    let line = "simulate -f given.yaml --variant v=variant.yaml --queue-policies p --history history.yaml -o json";
    assert_eq!(sandbox.run(line).exits(0).json()["variants"][1]["provedSame"], Value::Null);
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
    for (code, sweep, said) in [
        (2, "globalMaxRetries", "write WHAT=VALUES"),
        (2, "globalMaxRetries=", "write WHAT=VALUES"),
        (2, "globalMaxRetries=a..3", "`a` is not a limit"),
        (2, "globalMaxRetries=0..-1", "`-1` is not a limit"),
        (2, "globalMaxRetries=3..0", "is empty"),
        (2, "globalMaxRetries=0..100", "more than 100 values"),
        (2, "globalMaxRetries=0..60,61..120", "more than 100 values"),
        (2, "globalMaxRetries=1,2,1", "`1` is listed twice"),
        (2, "maxRetries=0..3", "did you mean `globalMaxRetries`?"),
        (2, "infra.globalMaxRetries=0..3", "write it without a name"),
        (2, "infra.rules[x].retryLimit=0..3", "write the number of a rule"),
        (2, "backoffLimit=0..3", "a RetryPolicy has no `backoffLimit`"),
        (3, "nowhere.rules[0].retryLimit=0..3", "the policy `nowhere` does not exist"),
        (3, "infa.retryLimit=0..3", "did you mean `infra`?"),
        (3, "infra.rules.0.retryLimit=0..3", "did you mean `infra.rules[0].retryLimit`?"),
        (3, "infra.rules[1].retryLimit=0..3", "policy `infra` has 1 rule, counted from 0"),
    ] {
        let run = simulate(&format!("--sweep {sweep}")).exits(code);
        assert!(run.stderr.contains(said), "{run}");
    }
    let sandbox = Sandbox::with_examples();
    for file in ["policy.yaml", "history.jsonl"] {
        let folder = super::sandbox::root().join("examples/first");
        sandbox.file(file, std::fs::read(folder.join(file)).expect("a file"));
    }
    let line =
        "simulate -f policy.yaml --history history.jsonl --sweep training.rules[0].retryLimit=1";
    let run = sandbox.run(line).exits(2);
    assert!(run.stderr.contains("write `training.retryLimit`"), "{run}");
    let run = simulate("--sweep retryLimit=0..1 --sweep retryLimit=0..2").exits(2);
    assert!(run.stderr.contains("--sweep"), "{run}");
}

#[test]
fn a_sweep_takes_a_list_and_one_policy() {
    let report = simulate("--sweep ml-training.retryLimit=0,2..3,9").exits(0).json();
    let found = retries(&report);
    let names: Vec<&str> = found[1..].iter().map(|(name, _)| name.as_ref()).collect();
    let wanted = [0, 2, 3, 9].map(|value| format!("ml-training.retryLimit={value}"));
    assert_eq!(names, wanted);
    // The other policy keeps its own limit.
    let all = simulate("--sweep retryLimit=0").exits(0).json();
    assert!(found[1].1 > retries(&all)[1].1, "{found:?}");
}

#[test]
fn a_sweep_sets_the_limits_of_jobs_and_job_sets() {
    let sandbox = Sandbox::new();
    let pod = "{spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}";
    let job = format!("spec: {{backoffLimit: 1, completions: 1, template: {pod}}}");
    sandbox.file(
        "job.yaml",
        format!("apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\n{job}\n"),
    );
    let set = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: j}\nspec:\n  replicatedJobs:\n  - name: w\n    template:\n";
    sandbox.file("set.yaml", format!("{set}      {job}\n"));
    let line = |more: &str, at: usize| {
        format!(
            "{{\"jobId\":\"j\",\"outcome\":\"Failed\",\"finishedAt\":\"2026-10-01T10:{at:02}:00Z\"{more}}}\n"
        )
    };
    sandbox.file("pods.jsonl", (0..4).map(|at| line("", at)).collect::<String>());
    let of_set = ",\"jobName\":\"j-w-0\",\"failureReason\":\"BackoffLimitExceeded\"";
    sandbox.file("jobs.jsonl", (0..4).map(|at| line(of_set, at)).collect::<String>());
    let sweep = |files: &str, sweep: &str| {
        let run = sandbox.run(&format!("simulate {files} --sweep {sweep} -o json")).exits(0);
        let counts: Vec<u64> = retries(&run.json()).iter().map(|(_, count)| *count).collect();
        counts
    };
    assert_eq!(sweep("-f job.yaml --history pods.jsonl", "backoffLimit=0,1,3"), [1, 0, 1, 3]);
    assert_eq!(sweep("-f job.yaml --history pods.jsonl", "j.backoffLimit=2"), [1, 2]);
    assert_eq!(sweep("-f set.yaml --history jobs.jsonl", "maxRestarts=0,2"), [0, 0, 2]);
    for (code, sweep, said) in [
        (2, "retryLimit=1", "a Job has no `retryLimit`"),
        (3, "k.backoffLimit=1", "the Job `k` does not exist"),
    ] {
        let line = format!("simulate -f job.yaml --history pods.jsonl --sweep {sweep}");
        let run = sandbox.run(&line).exits(code);
        assert!(run.stderr.contains(said), "{run}");
    }
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
