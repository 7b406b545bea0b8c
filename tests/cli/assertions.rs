//! `--assert` on the report of a replay, and the verdict on each set of policies.
//!
//! Holds cli.md simulate.

use super::sandbox::{Run, Sandbox, snapshot};
use super::variants::STRICT;
use serde_json::{Value, json};
use std::fmt::Write;

/// Replays three jobs: `a` is preempted and then successful, `b` is out of memory, and the retry of `c` after a
/// preemption is not on record.
fn simulate(flags: &str) -> Run {
    let oom = json!([{"name": "main", "exitCode": 137, "reason": "OOMKilled"}]);
    let records = [
        json!({"jobId": "a", "queue": "ml", "outcome": "Preempted", "finishedAt": "1m", "category": "spot"}),
        json!({"jobId": "b", "queue": "ml", "outcome": "Failed", "finishedAt": "2m", "containers": oom}),
        json!({"jobId": "a", "queue": "ml", "outcome": "Succeeded", "startedAt": "2m", "finishedAt": "92m"}),
        json!({"jobId": "c", "queue": "a.b", "outcome": "Preempted", "finishedAt": "9m"}),
    ];
    let mut history = String::new();
    for record in &records {
        _ = writeln!(history, "{record}");
    }
    let sandbox = Sandbox::with_examples();
    sandbox.file("strict.yaml", STRICT).file("history.jsonl", history);
    sandbox.run(&format!(
        "simulate -f policies --queue-policies infra,ml-training --history history.jsonl {flags}"
    ))
}

#[test]
fn figures_of_every_part_of_the_report_are_compared() {
    for (code, flags) in [
        (0, "--assert retries==3 --assert summary.retries==3 --assert verdict.granted==3"),
        (1, "--assert retries==3 --assert retries<3"),
        (0, "--assert outcomes.Succeeded==1 --assert outcomes.Cancelled==0"),
        (0, "--assert byDecision.retry==3 --assert byDecision.fail_rule_limit==0"),
        (0, "--assert failedBy.fail_rule.jobs==0 --assert byRetry.1.granted==3"),
        (1, "--assert byRetry.4.successRate.share>=0"),
        (0, "--assert byRetry.4.granted==0 --assert byNoRule.granted==0 --assert cutOff==0"),
        (
            0,
            "--assert byRule.infra.rules[0].retried==2 --assert byRule.infra.defaultAction.matched==0",
        ),
        (0, "--assert byRule.infra.rules[0].successRate.share>=99%"),
        (0, "--assert byRule.infra.rules[0].byRetry.1.succeeded==1"),
        (0, "--assert byPolicy.ml-training.granted==1"),
        // A name of a queue with a dot.
        (0, "--assert byQueue.a.b.failures==1 --assert byQueue.ml.failures==2"),
        (0, "--assert byCategory.spot.failures==1 --assert byCategory.(none).failures==2"),
        (0, "--assert uncaught.failures==0 --assert nodes.count==0"),
        // An hour and a half: in hours, and as a duration.
        (0, "--assert retriedRuns.succeeded.hours==1.5 --assert verdict.cost.hours<=90m"),
        (1, "--assert verdict.cost.hours<89m"),
        // There are no core-hours: no comparison holds.
        (1, "--assert verdict.cost.cpuHours>=0"),
        (1, "--assert verdict.cost.cpuHours<0"),
    ] {
        simulate(flags).exits(code);
    }
}

#[test]
fn figures_of_a_variant_are_compared_with_those_of_the_first() {
    for (code, flags) in [
        (0, "--assert strict:retries==0 --assert strict:recovered<=BASE*0.5"),
        (0, "--assert strict:retries<=BASE"),
        (1, "--assert strict:outcomes.Failed<=BASE*1.01"),
        (0, "--assert strict:verdict.difference.granted==-3 --assert strict:changes.jobs==3"),
        (0, "--assert strict:verdict.difference.grantedShare==-100%"),
        (0, "--assert strict:changes.byDecision.retry.fail_rule.count==2"),
        (0, "--assert strict:changes.byOutcome.Unresolved.Failed.jobs==2"),
        (0, "--assert strict:failedBy.fail_rule.infra.rules[0].jobs==2"),
        (
            0,
            "--assert strict:failedBy.fail_rule.jobs==2 --assert strict:failedBy.fail_rule_limit.jobs==0",
        ),
        (1, "--assert strict:failedBy.fail_rule.jobs==0"),
        // What did not occur.
        (0, "--assert strict:changes.byOutcome.Failed.Succeeded.jobs==0"),
        (0, "--assert strict:changes.byDecision.not_reached.retry.count==0"),
        (2, "--assert strict:changes.byDecision.retry.bogus.count==0"),
        (0, "--assert strict:changes.byRule.infra.rules[0].infra.rules[0].count==2"),
        (0, "--assert strict:changes.byQueue.web.jobs==0"),
    ] {
        simulate(&format!("--variant strict=strict.yaml {flags}")).exits(code);
    }
    let groups = "--assert strict:uncaught.groups[0].failures==1 --assert strict:changes.byRule.ml-training.rules[0].infra.defaultAction.count==1";
    simulate(&format!("--variant strict=strict.yaml {groups}")).exits(0);
    let flags = "--sweep retryLimit=0..1 --assert retryLimit=0:retries==0";
    simulate(&format!("{flags} --assert retryLimit=1:retries==2")).exits(1);
}

#[test]
fn every_assertion_has_its_value() {
    let flags = "--assert retries==3 --assert byQueue.web.failures==0 --assert new:outcomes.Failed<=BASE*1.5 --assert new:peak.retries<1";
    let run = simulate(&format!("--variant new=strict.yaml {flags} -o json")).exits(1);
    let wanted = json!([
        {"assertion": "retries==3", "value": 3, "bound": 3, "holds": true},
        {"assertion": "byQueue.web.failures==0", "value": 0, "bound": 0, "holds": true,
         "note": "the report has no queue `web`"},
        {"assertion": "new:outcomes.Failed<=BASE*1.5", "value": 3, "bound": 0, "holds": false},
        {"assertion": "new:peak.retries<1", "value": null, "bound": 1, "holds": false},
    ]);
    assert_eq!(run.json()["assertions"], wanted);
    snapshot!(
        "assertions",
        simulate(&format!("--variant new=strict.yaml --samples 0 {flags}")).exits(1)
    );
}

#[test]
fn paths_that_no_report_has_are_refused_before_the_replay() {
    for (flags, said) in [
        ("--assert retrys<1", "did you mean `retries`?"),
        ("--assert byRule.infra.rules[0].retryed<1", "did you mean `retried`?"),
        ("--assert byQueue.a.b.failurs<1", "did you mean `failures`?"),
        ("--assert byQueue.ml<1", "write `byQueue.ml.FIGURE`"),
        ("--assert verdict.granted.of<1", "a number has no part `of`"),
        ("--assert verdict<1", "it is a group of figures"),
        (
            "--assert byQueue<1",
            "write `byQueue.NAME.FIGURE`; figures are failures, retries, failedJobs",
        ),
        (
            "--assert byRule.x<1",
            "write `byRule.x.FIGURE`; figures are matched, retried, exhausted,",
        ),
        ("--assert retries.x<1", "leave out `.x`"),
        ("--assert peak.minute<1", "it is not a number"),
        ("--assert changes.jobs<1", "nothing differs from itself"),
        ("--assert retries<BASE", "compares the first variant with itself"),
        ("--assert strct:retries<1", "the variant `strct` is not defined"),
        ("--assert retries<10m", "is not a time"),
        ("--assert retries<10%", "is not a share"),
        ("--assert verdict.cost.hours<10%", "is not a share"),
        ("--variant b=strict.yaml --samples 0 --assert b:changes.jobs<1", "leave out --samples 0"),
        ("--variant b=strict.yaml --assert jobs<BASE", "name another variant: `b:jobs<BASE`"),
    ] {
        let run = simulate(flags).exits(2);
        assert!(run.stderr.contains(said), "{flags}: {run}");
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn a_name_that_the_report_lacks_is_refused_after_it() {
    for (flags, said) in [
        ("--assert byQueue.mll.failures<1", "did you mean `ml`?"),
        ("--assert byRule.infra.rules[7].retried<1", "did you mean `infra.rules[0]`?"),
        ("--assert failedBy.fail_rule.infra.rules[7].jobs<1", "unknown rule `infra.rules[7]`"),
        ("--assert byRetry.22.granted<1", "no row is of retry 22 alone"),
        ("--assert byRetry.01.granted<1", "no row is of retry 01 alone"),
        ("--assert uncaught.groups[7].failures<1", "unknown name `[7]`"),
        ("--assert byDay.monday.failures<1", "`monday` is not a day"),
        ("--assert byRule.x.matched<1", "write one of infra.rules[0]"),
        ("--assert byPolicy.infr.granted<1", "did you mean `infra`?"),
        ("--assert missingParts.x.failures<1", "unknown name `x`"),
        ("--assert outcomes.Faild<1", "did you mean `Failed`?"),
        ("--assert byDecision.fail_rules<1", "did you mean `fail_rule`?"),
        ("--assert byRetry.first.granted<1", "write a number from 1 to 21"),
    ] {
        let run = simulate(flags).exits(2);
        assert!(run.stderr.contains(said), "{flags}: {run}");
        assert!(run.stdout.contains("retries (succeeded)"), "{flags}: {run}");
    }
}

#[test]
fn the_verdict_is_in_the_report() {
    let report = simulate("--variant strict=strict.yaml -o json").exits(0).json();
    let verdict = &report["variants"][1]["verdict"];
    assert_eq!(report["verdict"], report["variants"][0]["verdict"]);
    assert_eq!(report["verdict"].get("difference"), None);
    let wanted = json!({
        "granted": -3, "grantedShare": -1.0, "recorded": -1, "succeeded": -1, "hours": -1.5, "cpuHours": null,
        "gpuHours": null, "recoveredJobs": -1, "failedJobs": 3, "unresolvedJobs": -2,
    });
    assert_eq!(verdict["difference"], wanted);
    let counts =
        ["granted", "recorded", "succeeded", "recoveredJobs", "failedJobs", "unresolvedJobs"];
    assert_eq!(
        counts.map(|name| &report["verdict"][name]),
        [3, 1, 1, 1, 0, 2].map(|it| json!(it)).each_ref()
    );
}

#[test]
fn the_path_of_a_figure_is_found_by_its_name_alone() {
    for (name, path) in [
        ("Failed", "`outcomes.Failed`"),
        ("failed", "`outcomes.Failed`"),
        ("summary.Cancelled", "`outcomes.Cancelled`"),
        ("x.Succeeded", "`outcomes.Succeeded`"),
    ] {
        let refused = simulate(&format!("--assert {name}<1")).exits(2);
        let help = refused.stderr.lines().find(|line| line.contains("help:")).unwrap_or_default();
        assert!(help.contains(path), "{name}: {refused}");
    }
    // Many figures have this name.
    let refused = simulate("--assert hours<1").exits(2);
    assert!(!refused.stderr.contains(" or `"), "{refused}");
}

#[test]
fn what_did_not_occur_is_0_where_names_are_open() {
    for name in
        ["byQueue.other.failures", "byCategory.none-such.failures", "byDay.2020-01-01.failures"]
    {
        let run = simulate(&format!("--assert {name}<1")).exits(0);
        assert!(run.stdout.contains("it is 0: the report has no "), "{name}: {run}");
    }
    for name in ["survivedMemory", "ignoredIndexes", "missingIndexes", "cutOff"] {
        simulate(&format!("--assert {name}==0")).exits(0);
    }
}

/// A code that has not occurred is 0 under every system, and one that the system does not have is refused.
#[test]
fn codes_of_other_systems_that_have_not_occurred_are_0() {
    let sandbox = Sandbox::new();
    sandbox.examples(&["job/per-index.yaml", "job/per-index.history.yaml"]);
    let run = |assertion: &str| {
        sandbox.run(&format!(
            "simulate -f job/per-index.yaml --history job/per-index.history.yaml --assert {assertion}"
        ))
    };
    run("byDecision.fail_deadline==0").exits(0);
    run("failedBy.fail_deadline.jobs==0").exits(0);
    run("byDecision.bogus==0").exits(2);
}

/// The paths of the numbers in a part of a report, with their values. Of lists those whose elements have names here.
fn numbers(part: &Value, path: &str, found: &mut Vec<(String, String)>) {
    let name = |item: &Value| {
        let text = |key: &str| item[key].as_str().map(str::to_owned);
        let rule = text("policy").map(|policy| match item["ruleIndex"].as_u64() {
            Some(index) => format!("{policy}.rules[{index}]"),
            None => format!("{policy}.defaultAction"),
        });
        // The elements of `byPolicy` have no rule.
        let rule = rule.filter(|_| item.get("ruleIndex").is_some());
        // Those of `failedBy` begin with the decision.
        let decision = text("decision").map_or_else(String::new, |code| format!("{code}."));
        let rule = rule.map(|rule| decision + &rule);
        rule.or_else(|| ["policy", "queue", "day"].into_iter().find_map(text))
    };
    match part {
        Value::Object(map) => {
            for (key, value) in map.iter().filter(|(key, _)| *key != "ruleIndex") {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                numbers(value, &path, found);
            }
        }
        Value::Array(items) => {
            for (name, item) in items.iter().filter_map(|item| Some((name(item)?, item))) {
                numbers(item, &format!("{path}.{name}"), found);
            }
        }
        Value::Number(number) => found.push((path.to_owned(), number.to_string())),
        _ => {}
    }
}

/// Every figure of the report of every system is compared by its path.
#[test]
fn every_figure_of_every_system_is_compared() {
    let sandbox = Sandbox::with_examples();
    sandbox.examples(&["job/per-index.yaml", "job/per-index.history.yaml"]);
    sandbox.examples(&["jobset/restart-jobset.yaml", "jobset/restart-jobset.history.yaml"]);
    sandbox.examples(&["iris/nightly.yaml", "iris/nightly.jsonl"]);
    sandbox.examples(&["backendai/training.yaml", "backendai/training.jsonl"]);
    sandbox.examples(&["airflow/policy.yaml", "airflow/sync.jsonl"]);
    for (files, least) in [
        ("-f policies --queue-policies infra,ml-training --history ml-training.yaml", 150),
        ("-f job/per-index.yaml --history job/per-index.history.yaml", 80),
        ("-f jobset/restart-jobset.yaml --history jobset/restart-jobset.history.yaml", 80),
        ("-f iris/nightly.yaml --history iris/nightly.jsonl", 80),
        ("-f backendai/training.yaml --history backendai/training.jsonl", 60),
        ("-f airflow/policy.yaml --history airflow/sync.jsonl", 80),
    ] {
        let report = sandbox.run(&format!("simulate {files} -o json")).exits(0).json();
        let mut found = Vec::new();
        for part in ["summary", "verdict"] {
            numbers(&report[part], part, &mut found);
        }
        found.retain(|(path, _)| !path.contains(' '));
        assert!(found.len() > least, "{files}: {} figures", found.len());
        let asserts: Vec<String> =
            found.iter().map(|(path, value)| format!(" --assert {path}=={value}")).collect();
        let asserts = asserts.concat();
        let run = sandbox.run(&format!("simulate {files} -o json{asserts}")).exits(0);
        let held = run.json()["assertions"].as_array().expect("assertions").clone();
        assert!(held.iter().all(|it| it["holds"] == true && it.get("note").is_none()), "{run}");
        assert_eq!(held.len(), found.len());
    }
}
