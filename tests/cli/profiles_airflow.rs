//! RetryProfiles of Airflow.
//!
//! Holds cli.md The other systems.

use super::sandbox::{Run, Sandbox, snapshot};
use super::systems::only_unit;
use serde_json::{Value, json};

/// A sandbox with the examples of Airflow.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let profiles = ["airflow/fixed.yaml", "airflow/growing.yaml", "airflow/growing-2.9.yaml"];
    sandbox.examples(&profiles).examples(&["airflow/etl.jsonl"]);
    sandbox.examples(&["airflow/policy.yaml", "airflow/sync.jsonl"]);
    sandbox
}

fn run(line: &str) -> Run {
    sandbox().run(line)
}

const GROWING: &str = "simulate -f airflow/growing.yaml --history airflow/etl.jsonl";

#[test]
fn the_example_tells_its_story() {
    snapshot!("growing", run(&format!("{GROWING} --timelines all")).exits(0));
    let fixed = GROWING.replace("growing", "fixed");
    snapshot!("fixed_json", run(&format!("{fixed} -o json")).exits(0));
    let report = run(&format!("{fixed} --job etl.report.2026-05-04 --timelines all -o json"));
    let task = only_unit(&report.exits(0));
    assert_eq!((&task["outcome"], &task["systemOutcome"]), (&json!("Failed"), &json!("failed")));
    assert_eq!(task["notReached"], 2);
    let decisions = task["decisions"].as_array().unwrap();
    let said =
        |name: &str| -> Vec<Value> { decisions.iter().map(|one| one[name].clone()).collect() };
    assert_eq!(said("delaySeconds"), [json!(600.0), json!(600.0), Value::Null]);
    assert_eq!(said("eligible"), [json!(true), json!(true), json!(false)]);
}

#[test]
fn mapped_instances_wait_equally_long_and_releases_differently() {
    let delays = |name: &str, unit: &str| -> Vec<f64> {
        let line = GROWING.replace("growing", name);
        let report = run(&format!("{line} --job {unit} --timelines all -o json")).exits(0);
        let task = only_unit(&report);
        let decisions = task["decisions"].as_array().unwrap().clone();
        decisions.iter().filter_map(|one| one["delaySeconds"].as_f64()).collect()
    };
    let first = delays("growing", "etl.load.2026-05-04[0]");
    assert_eq!(first.len(), 2);
    assert_eq!(first, delays("growing", "etl.load.2026-05-04[1]"));
    assert_ne!(first, delays("growing-2.9", "etl.load.2026-05-04[0]"));
}

#[test]
fn releases_are_compared_by_variant() {
    let others = "--variant on-2.9=airflow/growing-2.9.yaml --variant fixed=airflow/fixed.yaml";
    snapshot!("variants", run(&format!("{GROWING} {others}")).exits(0));
}

#[test]
fn ordinary_delays_are_no_finding() {
    for file in ["fixed.yaml", "growing.yaml", "growing-2.9.yaml"] {
        for line in ["validate", "lint --fail-on warning"] {
            let good = run(&format!("{line} -f airflow/{file}")).exits(0);
            assert!(good.stdout.contains("0 errors, 0 warnings"), "{good}");
            assert!(good.stderr.is_empty(), "{good}");
        }
    }
}

#[test]
fn a_bad_profile_is_refused_where_it_is_bad() {
    let sandbox = sandbox();
    sandbox.file(
        "bad.yaml",
        "apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {name: a}\nspec:\n  system: \
         airflow\n  profile: 3.5\n  options: {reduce: int_millis}\n  policy: {retries: -1, retry_delay: 5, max_tries: 4, \
         retry_exponential_backoff: fast, max_retry_delay_second: 60}\n",
    );
    snapshot!("bad", sandbox.run("validate -f bad.yaml").exits(3));
}

#[test]
fn a_decision_is_explained_check_by_check() {
    let explain = |flags: &str| run(&format!("explain decision -f airflow/fixed.yaml {flags}"));
    let task = "--failure dagId=etl --failure taskId=load --failure \
                logicalDate=2026-05-04T02:00:00+02:00";
    let growing = run(&format!(
        "explain decision -f airflow/growing.yaml {task} --retries-used 1 --error-format short"
    ));
    snapshot!("explained_growing", growing.exits(0));
    snapshot!("explained", explain("").exits(0));
    snapshot!("explained_json", explain("--failure tryNumber=2 -o json").exits(0));
    snapshot!("explained_spent", explain("--retries-used 2").exits(0));
    snapshot!("explained_forced", explain("--failure forceFail=true").exits(0));
    snapshot!("explained_cleared", explain("--failure state=restarting --retries-used 9").exits(0));
    snapshot!("explained_override", explain("--failure retryDelayOverride=0").exits(0));
    let key = explain("--failure cause=oom_killed").exits(2);
    assert!(key.stderr.contains("its keys are") && key.stderr.contains("tryNumber"), "{key}");
    explain("--failure outcome=Cancelled").exits(2);
    let date = explain("--failure logicalDate=2026-05-04").exits(3);
    assert!(date.stderr.contains("help: write a date and time"), "{date}");
}

#[test]
fn a_field_is_explained() {
    snapshot!("field", run("explain RetryProfile.spec.policy.retry_exponential_backoff").exits(0));
    let ceiling = run("explain RetryProfile.spec.policy.core.max_task_retry_delay").exits(0);
    assert!(
        ceiling.stdout.contains("FIELD:     spec.policy.core.max_task_retry_delay"),
        "{ceiling}"
    );
    snapshot!("policy", run("explain RetryProfile.spec.policy").exits(0));
}

#[test]
fn a_retry_policy_decides_by_the_exception() {
    let line = "simulate -f airflow/policy.yaml --history airflow/sync.jsonl";
    snapshot!("policy_timelines", run(&format!("{line} --timelines all")).exits(0));
    let report =
        run(&format!("{line} --job sync.pull.2026-05-04 --timelines all -o json")).exits(0);
    let task = only_unit(&report);
    let of = |name: &str| -> Vec<Value> {
        task["decisions"].as_array().unwrap().iter().map(|one| one[name].clone()).collect()
    };
    assert_eq!(of("action"), ["up_for_reschedule", "up_for_reschedule", "up_for_retry"]);
    assert_eq!(of("ruleIndex"), [json!(1), json!(1), json!(1)]);
    assert_eq!(of("delaySeconds"), [json!(120.0), json!(120.0), json!(600.0)]);
    let stored =
        "Reschedule limit reached (max_reschedules=2): ExceptionRetryPolicy: Matched rule for Busy";
    assert_eq!(of("retryReason"), [Value::Null, Value::Null, json!(stored)]);
}

#[test]
fn every_rule_of_a_retry_policy_is_explained() {
    let explain = |flags: &str| {
        let line = "explain decision -f airflow/policy.yaml --error-format short";
        run(&format!("{line} {flags}")).exits(0)
    };
    let lost = explain("--failure exception=ConnectionResetError");
    snapshot!("policy_explained", lost);
    snapshot!("policy_explained_died", explain("--failure workerDied=true"));
    let bound = "--failure exception=shop.errors.Busy --failure rescheduleCount=2";
    snapshot!("policy_explained_bound", explain(bound));
}

#[test]
fn failures_without_exceptions_are_noted() {
    let report = run("simulate -f airflow/policy.yaml --history airflow/etl.jsonl").exits(0);
    let first = "warning: none of the 7 failures that were compared with it has `exceptions`, so no rule of `by-exception` can match; list the classes";
    assert!(report.stdout.starts_with(first), "{report}");
}

#[test]
fn a_retry_policy_is_checked() {
    snapshot!("policy_warned", run("validate -f airflow/policy.yaml").exits(0));
    let sandbox = sandbox();
    let policy = std::fs::read_to_string("examples/airflow/policy.yaml").unwrap();
    sandbox.file("old.yaml", policy.replace("3.4", "3.0"));
    sandbox.file("now.yaml", policy.replace("3.4", "3.3"));
    sandbox.file(
        "bad.yaml",
        "apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {name: a}\nspec:\n  system: \
         airflow\n  profile: '3.4'\n  policy:\n    retries: 1\n    retry_policy:\n      default: \
         reschedule\n      rules:\n      - exception: ValueError\n        retry_delay_seconds: 3\n      \
         - exception: a.B\n        action: reschedule\n      - exception: [a.C]\n        action: give_up\n        \
         max_reschedules: 0\n",
    );
    snapshot!("policy_bad", sandbox.run("validate -f old.yaml now.yaml bad.yaml").exits(3));
}

#[test]
fn a_retry_policy_is_lost_in_conversion() {
    snapshot!("policy_converted", run("convert -f airflow/policy.yaml --to v1").exits(0));
}

/// A task of 1,100 retries that doubles 300 s, as try 1017 fails.
#[test]
fn a_wait_that_is_no_number_ends_the_scheduler_before_3_0_6() {
    let sandbox = Sandbox::new();
    let profile = |release: &str| {
        format!(
            "apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {{name: p}}\nspec:\n  system: airflow\n  \
             profile: \"{release}\"\n  policy:\n    retries: 1100\n    retry_delay_seconds: 300\n    \
             retry_exponential_backoff: true\n"
        )
    };
    let record = |number: u32, minute: u32, outcome: &str| {
        json!({"jobId": "t", "dagId": "d", "taskId": "t", "tryNumber": number, "outcome": outcome,
            "finishedAt": format!("{minute}m")})
        .to_string()
    };
    let history =
        [record(1016, 1, "Failed"), record(1017, 2000, "Failed"), record(1018, 4000, "Succeeded")];
    sandbox.file("h.jsonl", history.join("\n"));
    for release in ["3.4", "3.3", "3.0", "2.10", "2.9", "2.6"] {
        sandbox.file("p.yaml", profile(release));
        let run =
            sandbox.run("simulate -f p.yaml --history h.jsonl --timelines all -o json").exits(0);
        let task = only_unit(&run);
        let codes: Vec<&str> = task["decisions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["decision"].as_str().unwrap())
            .collect();
        let warned = sandbox.run("validate -f p.yaml").exits(0);
        let explained =
            sandbox.run("explain decision -f p.yaml --failure tryNumber=1017").exits(0).stdout;
        let has_guard = release.starts_with('3');
        let last = &task["decisions"][1];
        if has_guard {
            assert_eq!(
                (codes, &task["outcome"]),
                (vec!["retry", "retry"], &json!("Succeeded")),
                "{run}"
            );
            assert_eq!(last["delaySeconds"], 86_400.0);
        } else {
            assert_eq!(codes, ["retry", "error_overflow"], "{run}");
            assert_eq!(
                (&task["outcome"], &task["notReached"]),
                (&json!("Unresolved"), &json!(1)),
                "{run}"
            );
            assert_eq!(
                (&last["action"], &last["delaySeconds"]),
                (&json!("up_for_retry"), &Value::Null)
            );
        }
        assert_eq!(warned.stdout.contains("OverflowError after try 1017"), !has_guard, "{warned}");
        assert_eq!(explained.contains("OverflowError"), !has_guard, "{explained}");
    }
}
