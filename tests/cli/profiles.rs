//! RetryProfiles: systems that have no manifest of their own.
//!
//! Holds cli.md The other systems.

use super::sandbox::{Run, Sandbox, snapshot};
use super::systems::only_unit;
use serde_json::{Value, json};
use std::fmt::Write;

/// A sandbox with the examples of Iris, a Job, and a policy of Armada's.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_examples();
    let profiles = ["iris/nightly.yaml", "iris/seed.yaml"];
    sandbox.examples(&profiles).examples(&["iris/nightly.jsonl", "job/disruption.yaml"]);
    sandbox
}

fn run(line: &str) -> Run {
    sandbox().run(line)
}

const NIGHTLY: &str = "simulate -f iris/nightly.yaml --history iris/nightly.jsonl";

/// A profile of Iris.
fn profile(name: &str, policy: &str) -> String {
    format!(
        "apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {{name: {name}}}\nspec: \
         {{system: iris, profile: upstream, policy: {{{policy}}}}}\n"
    )
}

#[test]
fn the_example_tells_its_story() {
    snapshot!("nightly", run(&format!("{NIGHTLY} --timelines all")).exits(0));
    snapshot!("nightly_wide", run(&format!("{NIGHTLY} --job nightly-1042 -o wide")).exits(0));
    snapshot!("nightly_summary", run(NIGHTLY).exits(0));
    let report = run(&format!("{NIGHTLY} --job nightly-1043 --timelines all -o json")).exits(0);
    let job = only_unit(&report);
    assert_eq!((&job["outcome"], &job["systemOutcome"]), (&json!("Failed"), &json!("FAILED")));
    assert_eq!(job["notReached"], 1);
    let last = job["decisions"].as_array().unwrap().last().unwrap();
    assert_eq!(last["counts"], json!({"failure": 3, "preemption": 0}));
    assert_eq!((&last["taskState"], &last["jobState"]), (&json!("FAILED"), &json!("FAILED")));
    assert_eq!((&last["count"], &last["limit"]), (&json!(3), &json!(2)));
}

#[test]
fn what_no_attempt_ended_with_is_a_failure_too() {
    let sandbox = sandbox();
    let line = |unit: &str, outcome: &str| {
        format!(
            "{{\"jobId\": \"{unit}\", \"finishedAt\": \"2026-10-01T01:00:00Z\", \"outcome\": \"{outcome}\"}}\n"
        )
    };
    let lines = ["UNSCHEDULABLE", "TIMEOUT", "SUCCEEDED", "CANCEL_JOB"];
    sandbox.file("h.jsonl", lines.map(|outcome| line(outcome, outcome)).concat());
    let report = sandbox.run("simulate -f iris/nightly.yaml --history h.jsonl -o json").exits(0);
    let summary = &report.json()["summary"];
    assert_eq!((&summary["jobs"], &summary["failures"]), (&json!(4), &json!(2)), "{summary}");
}

#[test]
fn what_several_variants_have_is_told_once() {
    let sandbox = sandbox();
    let policy = "max_task_failures: -1, replicas: 4";
    sandbox.file("odd.yaml", profile("odd", policy)).file("other.yaml", profile("other", policy));
    let line =
        "simulate -f odd.yaml --variant a=odd.yaml --variant b=odd.yaml --variant c=other.yaml";
    let run = sandbox.run(&format!("{line} --history iris/nightly.jsonl")).exits(0);
    assert_eq!(run.stderr.matches("warning[RP040]").count(), 2, "{run}");
}

#[test]
fn examples_have_no_finding() {
    for name in ["nightly", "seed"] {
        let run = run(&format!("validate -f iris/{name}.yaml")).exits(0);
        assert!(run.stderr.is_empty() && run.stdout.contains("0 errors, 0 warnings"), "{run}");
    }
}

#[test]
fn profiles_are_compared_by_variant() {
    snapshot!("variants", run(&format!("{NIGHTLY} --variant seed=iris/seed.yaml")).exits(0));
}

#[test]
fn one_profile_judges_all() {
    let both = "-f iris/nightly.yaml iris/seed.yaml";
    snapshot!(
        "two_profiles",
        run(&format!("simulate {both} --history iris/nightly.jsonl")).exits(2)
    );
    run(&format!("explain decision {both} --failure task=1")).exits(2);
    run(&format!("validate {both}")).exits(0);
    let variant = format!("{NIGHTLY} --variant other=iris/nightly.yaml,iris/seed.yaml");
    let refused = run(&variant).exits(2);
    assert!(refused.stderr.contains("--variant"), "{refused}");
    let sandbox = sandbox();
    sandbox.file("again.yaml", profile("nightly", ""));
    let again = sandbox.run("validate -f iris/nightly.yaml again.yaml").exits(3);
    assert!(again.stdout.contains("error[RP014]: RetryProfile `nightly` is defined"), "{again}");
}

#[test]
fn a_decision_is_explained_check_by_check() {
    let explain = |flags: &str| run(&format!("explain decision -f iris/nightly.yaml {flags}"));
    snapshot!("explained", explain("--failure task=1 --retries-used 1").exits(0));
    snapshot!(
        "explained_free",
        explain("--failure outcome=WORKER_FAILED --failure phase=ASSIGNED")
    );
    snapshot!(
        "explained_spent",
        explain("--failure outcome=PREEMPTED --retries-used 100").exits(0)
    );
    snapshot!("explained_timeout", explain("--failure outcome=TIMEOUT").exits(0));
    let seed = "explain decision -f iris/seed.yaml --failure outcome=WORKER_FAILED";
    snapshot!("explained_seed_json", run(&format!("{seed} --failure phase=ASSIGNED -o json")));
    explain("--failure outcome=CANCEL_JOB").exits(2);
    explain("--failure outcome=SUCCEEDED").exits(2);
    let key = explain("--failure exitCode=1").exits(2);
    assert!(key.stderr.contains("its keys are") && key.stderr.contains("phase"), "{key}");
    let task = explain("--failure task=4").exits(3);
    assert!(task.stderr.contains("`replicas` is 4"), "{task}");
}

#[test]
fn what_is_no_profile_of_a_system_is_said_once() {
    let sandbox = sandbox();
    let good = profile("a", "");
    sandbox.file("near.yaml", good.replace("system: iris", "system: irsi"));
    sandbox.file("none.yaml", good.replace("system: iris, ", ""));
    sandbox.file("no-spec.yaml", good.lines().take(3).collect::<Vec<_>>().join("\n"));
    for (name, said) in [
        ("near", "did you mean `iris`?"),
        ("none", "has no `system`"),
        ("no-spec", "has no `spec`"),
    ] {
        for line in ["validate", "simulate --history iris/nightly.jsonl", "explain decision"] {
            let run = sandbox.run(&format!("{line} -f {name}.yaml --error-format short")).exits(3);
            assert_eq!(format!("{run}").matches("error[RP").count(), 1, "{run}");
            let run = sandbox.run(&format!("{line} -f {name}.yaml")).exits(3);
            assert!(format!("{run}").contains(said), "{run}");
        }
    }
}

#[test]
fn a_bad_profile_is_refused_where_it_is_bad() {
    let sandbox = sandbox();
    let policy = "max_retries_failure: 2, max_retry_preemption: 1, replicas: 0, coscheduled: maybe";
    sandbox.file("bad.yaml", profile("a", policy).replace("upstream", "main"));
    snapshot!("bad", sandbox.run("validate -f bad.yaml").exits(3));
}

#[test]
fn profiles_stand_beside_nothing_else() {
    for other in ["policies/infra.yaml", "job/disruption.yaml"] {
        let line = format!("simulate -f iris/nightly.yaml {other} --history iris/nightly.jsonl");
        let run = run(&line).exits(3);
        assert!(run.stderr.contains("error[RP033]"), "{run}");
        assert!(run.stderr.contains("a RetryProfile of iris"), "{run}");
    }
    for flag in ["--feature-gates RestartJob=true", "--engine v1"] {
        let run = run(&format!("{NIGHTLY} {flag}")).exits(2);
        assert!(run.stderr.contains("but the files contain"), "{run}");
    }
    let run = run(&format!("{NIGHTLY} --sweep retryLimit=0..2")).exits(2);
    assert!(run.stderr.contains("the limits are `max_retries_failure`"), "{run}");
}

#[test]
fn a_history_of_iris_is_told_as_one() {
    let run = run("simulate -f job/disruption.yaml --history iris/nightly.jsonl").exits(3);
    assert!(run.stderr.contains("belongs to an Iris job's history"), "{run}");
    assert!(run.stderr.contains("RetryProfile of iris"), "{run}");
    let sandbox = sandbox();
    sandbox.file(
        "h.yaml",
        "{apiVersion: armadaproject.io/v1, kind: FailureHistory, metadata: {name: h}, spec: {jobs: \
         [{jobId: a, runs: [{task: 1, outcome: FAILED, phase: RUNING}]}]}}",
    );
    let run = sandbox.run("validate -f h.yaml").exits(3);
    assert!(run.stdout.contains("did you mean `RUNNING`?"), "{run}");
}

#[test]
fn a_field_is_explained_for_every_system_that_has_it() {
    snapshot!("field", run("explain RetryProfile.spec.policy.max_retries_failure").exits(0));
    snapshot!("field_without_spec", run("explain retryprofile.profile").exits(0));
    let near = run("explain RetryProfile.spec.policy.max_retries_failures").exits(3);
    assert!(near.stderr.contains("did you mean `max_retries_failure`?"), "{near}");
    let whole = run("explain RetryProfile").exits(0);
    assert!(whole.stdout.starts_with("SYSTEM:    iris\nDOCUMENT:  RetryProfile\n"), "{whole}");
}

#[test]
fn a_stream_says_what_memory_says() {
    let sandbox = sandbox();
    let limits = "max_retries_failure: 1, max_retries_preemption: 2, max_task_failures: 1";
    sandbox.file("one.yaml", profile("one", limits));
    sandbox.file("two.yaml", profile("two", "max_retries_preemption: 1"));
    let bears = profile("bears", "max_task_failures: 1").replace("upstream", "seed");
    sandbox.file("bears.yaml", bears);
    let outcomes = ["FAILED", "PREEMPTED", "TIMEOUT", "SUCCEEDED", "CANCEL_JOB", "WORKER_FAILED"];
    let phases = ["RUNNING", "ASSIGNED", "BUILDING"];
    // Long lines: the limit is in bytes, and most of the time is spent on runs.
    let (mut lines, pad) = (String::new(), "x".repeat(400));
    for number in 0_usize.. {
        let (unit, second) = (number * 7 % 8_009, number % 86_400);
        let outcome = outcomes[number * number % 11 % outcomes.len()];
        let (hour, minute) = (second / 3600, second / 60 % 60);
        let day = 1 + number / 86_400;
        writeln!(
            lines,
            r#"{{"jobId":"u{unit}","queue":"ml","finishedAt":"2026-10-{day:02}T{hour:02}:{minute:02}:{:02}Z","outcome":"{outcome}","pad":"{pad}","phase":"{}"}}"#,
            second % 60,
            phases[number % 5 % 3],
        )
        .unwrap();
        if lines.len() > 9 << 20 {
            break;
        }
    }
    sandbox.file("h.jsonl", lines);
    let summaries = |flags: &str| -> Value {
        let variants = "--variant two=two.yaml --variant bears=bears.yaml";
        let line = format!("simulate -f one.yaml {variants} --history h.jsonl {flags}");
        let report = sandbox.run(&format!("{line} -o json")).exits(0).json();
        report["variants"].as_array().unwrap().iter().map(|one| one["summary"].clone()).collect()
    };
    let streamed = summaries("");
    assert_eq!(streamed[0]["jobs"], json!(8_009));
    assert!(streamed[0] != streamed[1]);
    for flags in ["--timelines all", "--threads 3", "--seed 7"] {
        assert_eq!(summaries(flags), streamed, "{flags}");
    }
}

/// A record of a task that jobs do not have is bad as any other may be, in memory and in a stream.
#[test]
fn tasks_that_the_profile_does_not_have_are_bad_records() {
    let sandbox = sandbox();
    sandbox.file("two.yaml", profile("two", "replicas: 2"));
    sandbox.file("one.yaml", profile("one", ""));
    let line = |task: u32, node: usize| {
        let node = format!("{node:060}");
        format!("{}\n", json!({"jobId": "a", "task": task, "outcome": "PREEMPTED", "node": node}))
    };
    sandbox.file("short.jsonl", [line(0, 0), line(5, 1), line(1, 2)].concat());
    let refused = "simulate -f two.yaml --history short.jsonl";
    snapshot!("no_such_task", sandbox.run(refused).exits(3));
    let long = |number: usize| line(u32::from(number % 1000 == 999), number);
    sandbox.file("long.jsonl", (0..80_000).map(long).collect::<String>());
    let run = sandbox.run("simulate -f one.yaml --history long.jsonl").exits(3);
    assert!(run.stderr.contains("long.jsonl:1000:"), "{run}");
    for (profile, history, left_out, failures) in
        [("two", "short", 1, 2), ("one", "short", 2, 1), ("one", "long", 80, 101)]
    {
        let skip = format!("-f {profile}.yaml --history {history}.jsonl --on-bad-record skip");
        let report = sandbox.run(&format!("simulate {skip} -o json")).exits(0).json();
        let summary = &report["summary"];
        assert_eq!(summary["skippedRecords"], left_out, "{skip}");
        assert_eq!(summary["failures"], failures, "{skip}");
    }
    let variant = "--variant one=one.yaml --on-bad-record skip -o json";
    let report = sandbox.run(&format!("{refused} {variant}")).exits(0).json();
    assert_eq!(report["summary"]["skippedRecords"], 2);
}

#[test]
fn a_run_that_its_gang_cuts_off_is_told() {
    let sandbox = sandbox();
    let record = |task: u32, outcome: &str, from: &str, to: &str| {
        let [from, to] = [from, to].map(|time| format!("2026-08-03T{time}:00Z"));
        let record = json!({"jobId": "a", "task": task, "outcome": outcome, "startedAt": from, "finishedAt": to});
        format!("{record}\n")
    };
    let mut lines = record(2, "PREEMPTED", "01:00", "02:00");
    lines += &record(1, "WORKER_FAILED", "01:00", "02:01");
    for task in 0..4 {
        lines += &record(task, "SUCCEEDED", "02:10", "05:00");
    }
    sandbox.file("h.jsonl", lines);
    let run = sandbox.run("simulate -f iris/nightly.yaml --history h.jsonl").exits(0);
    assert!(run.stdout.contains(". 1 recorded run was cut off."), "{run}");
    let report = sandbox.run("simulate -f iris/nightly.yaml --history h.jsonl -o json").exits(0);
    assert_eq!(
        (&report.json()["summary"]["cutOff"], &only_unit(&report)["cutOff"]),
        (&json!(1), &json!(1))
    );
}

/// Nothing is missing of a job that the seed has no end for, so that nothing is assumed of it.
#[test]
fn a_job_without_an_end_says_why() {
    let sandbox = sandbox();
    let bears = profile("bears", "max_task_failures: 1, replicas: 2").replace("upstream", "seed");
    sandbox.file("bears.yaml", bears);
    let outcome = |task: u32, outcome: &str| {
        format!("{}\n", json!({"jobId": "a", "task": task, "outcome": outcome}))
    };
    sandbox.file("h.jsonl", outcome(0, "FAILED") + &outcome(1, "SUCCEEDED"));
    let line = "simulate -f bears.yaml --history h.jsonl --assume succeed";
    snapshot!("no_end", sandbox.run(line).exits(0));
    let report = sandbox.run(&format!("{line} -o json")).exits(0).json();
    let (job, summary) = (&report["jobs"][0], &report["summary"]);
    assert_eq!((&job["outcome"], &job["assumedSuccess"]), (&json!("Unresolved"), &Value::Null));
    assert_eq!(
        (&summary["unresolved"], &summary["assumption"]["unresolved"]),
        (&json!(0), &json!(0))
    );
}

/// States of an attempt that are no outcomes: the one nearest by its letters means another thing.
#[test]
fn a_state_that_is_no_outcome_has_a_help_of_its_own() {
    let sandbox = sandbox();
    for (state, help) in
        [("KILLED", "write `CANCEL_JOB`"), ("COSCHED_FAILED", "leave the record out")]
    {
        sandbox.file("h.jsonl", format!("{}\n", json!({"jobId": "a", "outcome": state})));
        let run = sandbox.run("simulate -f iris/nightly.yaml --history h.jsonl").exits(3);
        assert!(run.stderr.contains(help) && !run.stderr.contains("did you mean"), "{run}");
    }
}

#[test]
fn a_limit_below_0_is_shown_as_it_is() {
    let sandbox = sandbox();
    sandbox.file("below.yaml", profile("below", "max_task_failures: -1, replicas: 2"));
    sandbox.file("h.jsonl", "{\"jobId\":\"a\",\"outcome\":\"PREEMPTED\"}\n");
    let run = sandbox.run("simulate -f below.yaml --history h.jsonl").exits(0);
    assert!(run.stdout.contains(" 0/-1 "), "{run}");
}
