//! Success policies of Jobs and JobSets: what they end, and what is refused of them.
//!
//! Holds cli.md The other systems.

use super::kube_pods::{each, job, set};
use super::sandbox::Sandbox;
use super::systems::only_unit;
use serde_json::{Value, json};

/// Replays records as JSON Lines.
fn of_lines(manifest: &str, lines: &[Value]) -> Value {
    let sandbox = Sandbox::new();
    sandbox.file("manifest.yaml", manifest);
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    sandbox.file("h.jsonl", lines.join("\n"));
    let line = "simulate -f manifest.yaml --history h.jsonl --timelines all -o json";
    only_unit(&sandbox.run(line).exits(0))
}

/// A record of an index of a Job that ended at a second.
fn index(index: u32, second: u32, outcome: &str) -> Value {
    let code = i32::from(outcome == "Failed");
    json!({
        "jobId": "myjob", "podIndex": index, "outcome": outcome,
        "finishedAt": format!("{second}s"), "containers": [{"name": "main", "exitCode": code}],
    })
}

#[test]
fn a_success_policy_completes_a_job() {
    let of = |rules: &str, lines: &[Value]| {
        let spec =
            "completionMode: Indexed, completions: 5, parallelism: 5, backoffLimitPerIndex: 0";
        let job = job(&format!("{spec}, maxFailedIndexes: 1, successPolicy: {{rules: [{rules}]}}"));
        let unit = of_lines(&job, lines);
        let decisions = json!(each(&unit, "decision"));
        (unit["systemOutcome"].as_str().map(str::to_owned), unit["reason"].clone(), decisions)
    };
    let met =
        |rule| (Some("Complete".to_owned()), json!(format!("successPolicy rule {rule} is met")));
    let lines = [
        index(1, 10, "Failed"),
        index(0, 20, "Succeeded"),
        index(2, 30, "Failed"),
        index(3, 40, "Failed"),
    ];
    // What fails later does not fail the Job; what failed before it was met may.
    let (word, reason, decisions) = of("{succeededIndexes: '0'}", &lines);
    assert_eq!(((word, reason), decisions), (met(0), json!(["fail_index"])));
    let (word, _, decisions) = of("{succeededIndexes: '0,4'}", &lines);
    assert_eq!(word.as_deref(), Some("MaxFailedIndexesExceeded"));
    assert_eq!(decisions, json!(["fail_index", "fail_max_failed_indexes"]));
    let (word, reason, _) = of("{succeededIndexes: '1'}, {succeededCount: 1}", &lines);
    assert_eq!((word, reason), met(1));
    // Failures are judged before a success of the same second.
    let same = [index(1, 20, "Failed"), index(2, 20, "Failed"), index(0, 20, "Succeeded")];
    let (word, _, _) = of("{succeededIndexes: '0'}", &same);
    assert_eq!(word.as_deref(), Some("MaxFailedIndexesExceeded"));
    let (word, reason, decisions) = of("{succeededCount: 1}", &same[1..]);
    assert_eq!(((word, reason), decisions), (met(0), json!(["fail_index"])));
    // An index that is not on record is assumed to have succeeded, after all that is.
    let (word, _, _) = of("{succeededIndexes: '4'}", &lines[..1]);
    assert_eq!(word.as_deref(), Some("Complete"));
    let (word, _, _) = of("{succeededIndexes: '1'}", &lines[..1]);
    assert_eq!(word.as_deref(), Some("FailedIndexes"));
}

/// A pod that fails in the second in which the policy is met is not replaced.
#[test]
fn nothing_is_replaced_once_a_success_policy_is_met() {
    let spec = "completionMode: Indexed, completions: 2, parallelism: 2, successPolicy: \
                {rules: [{succeededIndexes: '0'}]}";
    let unit = of_lines(&job(spec), &[index(1, 10, "Failed"), index(0, 10, "Succeeded")]);
    assert_eq!(each(&unit, "decision"), ["not_replaced"]);
    let reason = "no rule matched; the successPolicy is met, so that none is replaced";
    assert_eq!(each(&unit, "reason"), [reason]);
    assert_eq!(unit["outcome"], "Succeeded");
}

/// A set of two Jobs, `driver` and `worker`, with a success policy.
fn of_two(policy: &str, lines: &[(&str, u32, &str)]) -> (Value, Value) {
    let job = |name: &str| {
        format!(
            "{{name: {name}, replicas: 1, template: {{spec: {{backoffLimit: 0, template: {{spec: \
             {{restartPolicy: Never}}}}}}}}}}"
        )
    };
    let set = format!(
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: js}}\nspec: \
         {{failurePolicy: {{maxRestarts: 0}}, {policy}replicatedJobs: [{}, {}]}}\n",
        job("driver"),
        job("worker")
    );
    let record = |(job, second, outcome): &(&str, u32, &str)| {
        let mut record = index(0, *second, outcome);
        (record["jobId"], record["jobName"]) = (json!("js"), json!(format!("js-{job}-0")));
        record
    };
    let unit = of_lines(&set, &lines.iter().map(record).collect::<Vec<_>>());
    (unit["systemOutcome"].clone(), unit["reason"].clone())
}

#[test]
fn a_success_policy_completes_a_set() {
    let driver = "successPolicy: {operator: All, targetReplicatedJobs: [driver]}, ";
    let any = "successPolicy: {operator: Any}, ";
    let worker_last = [("driver", 10, "Succeeded"), ("worker", 20, "Failed")];
    let worker_first = [("worker", 5, "Failed"), ("driver", 10, "Succeeded")];
    let together = [("driver", 10, "Succeeded"), ("worker", 10, "Failed")];
    let is_met = |of: &str| (json!("Completed"), json!(format!("successPolicy {of} is met")));
    assert_eq!(of_two(driver, &worker_last), is_met("All of driver"));
    assert_eq!(of_two(any, &worker_last), is_met("Any of all replicatedJobs"));
    for lines in [&worker_first, &together] {
        assert_eq!(of_two(driver, lines).0, "ReachedMaxRestarts");
        assert_eq!(of_two(any, lines).0, "ReachedMaxRestarts");
    }
    assert_eq!(of_two("", &worker_last).0, "ReachedMaxRestarts");
    let all = "successPolicy: {operator: All}, ";
    assert_eq!(of_two(all, &worker_last).0, "ReachedMaxRestarts");
    // A policy that looks at no Job on record is not met before all on record are done.
    let worker_only = [("worker", 20, "Failed")];
    assert_eq!(of_two(driver, &worker_only).0, "ReachedMaxRestarts");
    assert_eq!(of_two(driver, &[("worker", 20, "Succeeded")]).0, "Completed");
}

#[test]
fn a_success_policy_that_the_api_server_refuses_is_refused() {
    let indexed = "completionMode: Indexed, completions: 3, parallelism: 3, ";
    let of =
        |before: &str, rules: &str| job(&format!("{before}successPolicy: {{rules: [{rules}]}}"));
    let many = vec!["{succeededCount: 1}"; 21].join(", ");
    for (manifest, message) in [
        (of("", "{succeededCount: 1}"), "needs completionMode Indexed"),
        (of(indexed, ""), "`successPolicy` has no rules"),
        (of(indexed, &many), "21 rules, and at most 20 are taken"),
        (of(indexed, "{}"), "the rule requires nothing"),
        (of(indexed, "{succeededIndexes: '1,0'}"), "`1,0`: not a list of indexes"),
        (of(indexed, "{succeededIndexes: '1-1'}"), "`1-1`: not a list of indexes"),
        (of(indexed, "{succeededIndexes: '0-3'}"), "index 3 is not below `completions`, 3"),
        (
            of(indexed, "{succeededCount: 4}"),
            "`succeededCount` 4 is more than there are completions, 3",
        ),
        (
            of(indexed, "{succeededIndexes: '0,2', succeededCount: 3}"),
            "`succeededCount` 3 is more than there are indexes, 2",
        ),
        (
            set("successPolicy: {operator: All, targetReplicatedJobs: [v]}"),
            "`targetReplicatedJobs`: the replicatedJob `v` does not exist",
        ),
        (set("successPolicy: {operator: Most}"), "`Most` is neither All nor Any"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.file("m.yaml", &manifest);
        let run = sandbox.run("validate -f m.yaml").exits(3);
        assert!(run.stdout.contains(message), "{manifest}\n{run}");
    }
    for operator in ["All", "Any", "''"] {
        let sandbox = Sandbox::new();
        sandbox.file("m.yaml", set(&format!("successPolicy: {{operator: {operator}}}")));
        sandbox.run("validate -f m.yaml").exits(0);
    }
    for rules in ["{succeededIndexes: '0,2', succeededCount: 2}", "{succeededCount: 0}"] {
        let sandbox = Sandbox::new();
        sandbox.file("m.yaml", of(indexed, rules));
        sandbox.run("validate -f m.yaml").exits(0);
    }
}
