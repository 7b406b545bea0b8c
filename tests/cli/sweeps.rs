//! `--sweep` for every limit of every system: a column comes to what the policy with that value in its file comes to.
//!
//! Holds cli.md simulate.

use crate::sandbox::{Sandbox, snapshot};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use systems::airflow::AirflowEngine;
use systems::backendai::BackendAiEngine;
use systems::iris::IrisEngine;
use systems::job::JobEngine;
use systems::jobset::JobSetEngine;
use systems::{Limit, LimitPath, ManifestSystem};

/// A swept limit: its path, the text in the policy that sets it, that text with `{}` for the value, and the values, each
/// as `--sweep` and as the policy has it.
type Row = (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Replays each limit as a sweep and as edited policies, and compares the figures. At least two values have to differ.
fn compare(policy: &str, history: &str, flags: &str, rows: &[Row], limits: &'static [Limit]) {
    let sandbox = Sandbox::new();
    sandbox.file("policy.yaml", policy).file("history.jsonl", history);
    let line = format!("simulate --history history.jsonl --timelines none {flags} -o json");
    let mut swept = BTreeSet::new();
    for (path, from, to, values) in rows {
        assert_eq!(policy.matches(from).count(), 1, "{path}: {from} in\n{policy}");
        let list: Vec<&str> = values.iter().map(|(value, _)| *value).collect();
        let sweep = format!("-f policy.yaml --sweep {path}={}", list.join(","));
        let report = sandbox.run(&format!("{line} {sweep}")).exits(0).json();
        let mut summaries = Vec::new();
        for (at, (value, text)) in values.iter().enumerate() {
            sandbox.file("edited.yaml", policy.replace(from, &to.replace("{}", text)));
            let edited = sandbox.run(&format!("{line} -f edited.yaml")).exits(0).json();
            let column = &report["variants"][at + 1];
            assert_eq!(column["sweep"]["path"], *path, "{column:#}");
            assert_eq!(column["summary"], edited["summary"], "{path}={value}");
            summaries.push(column["summary"].to_string());
        }
        summaries.dedup();
        assert!(summaries.len() > 1, "{path}: every value comes to the same");
        swept.insert(LimitPath::parse(path, limits).expect(path).limit.title());
    }
    let all: BTreeSet<String> = limits.iter().map(Limit::title).collect();
    assert_eq!(swept, all, "every limit is swept");
}

const COUNTS: &[(&str, &str)] = &[("0", "0"), ("1", "1"), ("3", "3")];

/// Lines of records of a unit, each with a start and an end in minutes.
fn lines(records: &[(&str, u32, u32)]) -> String {
    let mut text = String::new();
    for (fields, from, to) in records {
        let time = |minutes: &u32| {
            format!(
                "2026-10-{:02}T{:02}:{:02}:00Z",
                1 + minutes / 1440,
                minutes / 60 % 24,
                minutes % 60
            )
        };
        let (from, to) = (time(from), time(to));
        let _ = writeln!(text, "{{{fields},\"startedAt\":\"{from}\",\"finishedAt\":\"{to}\"}}");
    }
    text
}

const JOB: &str = "
    backoffLimit: 9
    backoffLimitPerIndex: 2
    maxFailedIndexes: 2
    completionMode: Indexed
    completions: 4
    parallelism: 4
    # more
    template:
      spec:
        restartPolicy: Never
        containers: [{name: main, image: i}]
";

/// Failed pods of four indexes, three of each, then a success.
fn pods(fields: &str) -> String {
    let mut records = Vec::new();
    let names: Vec<String> = (0..4).map(|index| format!("{fields},\"podIndex\":{index}")).collect();
    let failed: Vec<String> =
        names.iter().map(|it| format!("{it},\"outcome\":\"Failed\"")).collect();
    let succeeded: Vec<String> =
        names.iter().map(|it| format!("{it},\"outcome\":\"Succeeded\"")).collect();
    for at in 0..3 {
        for (index, failed) in failed.iter().enumerate() {
            let start = 60 * at + u32::try_from(index).expect("a small number");
            records.push((failed.as_str(), start, start + 20));
        }
    }
    for succeeded in &succeeded {
        records.push((succeeded.as_str(), 200, 230));
    }
    lines(&records)
}

const DEADLINES: &[(&str, &str)] = &[("10m", "600"), ("3600", "3600"), ("10h", "36000")];

#[test]
fn limits_of_jobs() {
    let policy = format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\nspec:{}",
        JOB.replace("\n    ", "\n  ")
    );
    let rows: &[Row] = &[
        ("backoffLimit", "backoffLimit: 9", "backoffLimit: {}", COUNTS),
        ("j.backoffLimitPerIndex", "PerIndex: 2", "PerIndex: {}", COUNTS),
        ("activeDeadlineSeconds", "# more", "activeDeadlineSeconds: {}", DEADLINES),
    ];
    let history = pods("\"jobId\":\"j\"");
    compare(&policy, &history, "", &rows[..2], &JobEngine::LIMITS[..2]);
    compare(&policy, &history, "", &rows[2..], &JobEngine::LIMITS[3..]);
    // An index fails before the limit on failed indexes counts it.
    let policy = policy.replace("PerIndex: 2", "PerIndex: 0");
    let rows: &[Row] =
        &[("maxFailedIndexes", "maxFailedIndexes: 2", "maxFailedIndexes: {}", COUNTS)];
    compare(&policy, &history, "", rows, &JobEngine::LIMITS[2..3]);
}

#[test]
fn limits_of_job_sets() {
    let set = format!(
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: s}}\nspec:\n  failurePolicy: {{maxRestarts: 0}}\n  replicatedJobs:\n  - name: w\n    replicas: 1\n    template:\n      spec:{}",
        JOB.replace("\n    ", "\n        ")
    );
    let fields = "\"jobId\":\"s\",\"jobName\":\"s-w-0\",\"replicatedJob\":\"w\",\"jobIndex\":0";
    let limits = JobSetEngine::LIMITS;
    let history = pods(fields);
    let rows: &[Row] = &[
        ("backoffLimit", "backoffLimit: 9", "backoffLimit: {}", COUNTS),
        ("replicatedJobs[w].backoffLimitPerIndex", "PerIndex: 2", "PerIndex: {}", COUNTS),
    ];
    compare(&set, &history, "", rows, &limits[1..3]);
    let rows: &[Row] =
        &[("activeDeadlineSeconds", "# more", "activeDeadlineSeconds: {}", DEADLINES)];
    compare(&set, &history, "", rows, &limits[4..]);
    let set = set.replace("PerIndex: 2", "PerIndex: 0");
    let rows: &[Row] = &[(
        "replicatedJobs[0].maxFailedIndexes",
        "maxFailedIndexes: 2",
        "maxFailedIndexes: {}",
        COUNTS,
    )];
    compare(&set, &history, "", rows, &limits[3..4]);
    let failed =
        format!("{fields},\"outcome\":\"Failed\",\"failureReason\":\"BackoffLimitExceeded\"");
    let records: Vec<(&str, u32, u32)> =
        (0..4).map(|at| (&*failed, 60 * at, 60 * at + 9)).collect();
    let rows: &[Row] = &[("s.maxRestarts", "maxRestarts: 0", "maxRestarts: {}", COUNTS)];
    compare(&set, &lines(&records), "", rows, &limits[..1]);
}

#[test]
fn limits_of_iris() {
    let policy = "apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {name: n}\nspec:\n  system: iris\n  policy: {max_retries_failure: 5, max_retries_preemption: 100, max_task_failures: 9, replicas: 2}\n";
    let record = |outcome: &str, at: u32| {
        (
            format!("\"jobId\":\"n\",\"task\":{},\"outcome\":\"{outcome}\"", at % 2),
            10 * at,
            10 * at + 5,
        )
    };
    let records: Vec<(String, u32, u32)> = (0..16)
        .map(|at| record(if at / 2 % 2 == 0 { "FAILED" } else { "PREEMPTED" }, at))
        .collect();
    let records: Vec<(&str, u32, u32)> =
        records.iter().map(|(fields, from, to)| (fields.as_str(), *from, *to)).collect();
    let rows: &[Row] = &[
        ("max_retries_failure", "retries_failure: 5", "retries_failure: {}", COUNTS),
        ("n.max_retries_preemption", "preemption: 100", "preemption: {}", COUNTS),
        ("max_task_failures", "max_task_failures: 9", "max_task_failures: {}", COUNTS),
    ];
    compare(policy, &lines(&records), "", rows, IrisEngine::LIMITS);
}

#[test]
fn limits_of_backend_ai() {
    let policy = "apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {name: t}\nspec:\n  system: backendai\n  layers:\n    project: {max_retries: 3, backoff: exponential, backoff_multiplier: 3, retry_delay: 60, max_retry_delay: 7200}\n    session: {}\n";
    let records: Vec<(String, u32, u32)> = (0..5)
        .map(|at| {
            (format!("\"jobId\":\"t\",\"sessionId\":\"t-{at}\",\"outcome\":\"Failed\",\"cause\":\"agent_transient\""), 300 * at, 300 * at + 5)
        })
        .collect();
    let records: Vec<(&str, u32, u32)> =
        records.iter().map(|(fields, from, to)| (fields.as_str(), *from, *to)).collect();
    let rows: &[Row] = &[
        ("max_retries", "session: {}", "session: {max_retries: {}}", COUNTS),
        (
            "t.retry_delay",
            "session: {}",
            "session: {retry_delay: {}}",
            &[("30", "30"), ("5m", "300")],
        ),
        (
            "max_retry_delay",
            "session: {}",
            "session: {max_retry_delay: {}}",
            &[("90s", "90"), ("1h", "3600")],
        ),
        (
            "backoff_multiplier",
            "session: {}",
            "session: {backoff_multiplier: {}}",
            &[("1.5", "1.5"), ("4", "4")],
        ),
    ];
    compare(policy, &lines(&records), "", rows, BackendAiEngine::LIMITS);
}

#[test]
fn limits_of_airflow() {
    let policy = "apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {name: a}\nspec:\n  system: airflow\n  profile: \"3.4\"\n  policy:\n    retries: 4\n    retry_delay_seconds: 600\n    retry_exponential_backoff: 2.0\n    max_retry_delay_seconds: 7000\n    core.max_task_retry_delay: 8000\n    retry_policy:\n      rules:\n      - {exception: shop.Busy, action: reschedule, retry_delay: 120, max_reschedules: 2, reschedule_timeout: 80000}\n";
    let record = |at: u32, exception: &str| {
        (
            format!(
                "\"jobId\":\"a\",\"dagId\":\"d\",\"taskId\":\"t\",\"logicalDate\":\"2026-10-01T00:00:00Z\",\"outcome\":\"Failed\",\"exceptions\":[\"{exception}\",\"builtins.Exception\"]"
            ),
            400 * at,
            400 * at + 5,
        )
    };
    let records: Vec<(String, u32, u32)> =
        (0..8).map(|at| record(at, if at < 4 { "shop.Busy" } else { "shop.Other" })).collect();
    let records: Vec<(&str, u32, u32)> =
        records.iter().map(|(fields, from, to)| (fields.as_str(), *from, *to)).collect();
    let rows: &[Row] = &[
        ("retries", "retries: 4", "retries: {}", COUNTS),
        (
            "retry_delay_seconds",
            "retry_delay_seconds: 600",
            "retry_delay_seconds: {}",
            &[("1m", "60"), ("300", "300")],
        ),
        (
            "a.retry_exponential_backoff",
            "backoff: 2.0",
            "backoff: {}",
            &[("1.5", "1.5"), ("3", "3")],
        ),
        (
            "max_retry_delay_seconds",
            "max_retry_delay_seconds: 7000",
            "max_retry_delay_seconds: {}",
            &[("10m", "600"), ("1h", "3600")],
        ),
        (
            "core.max_task_retry_delay",
            "core.max_task_retry_delay: 8000",
            "core.max_task_retry_delay: {}",
            &[("700", "700"), ("1h", "3600")],
        ),
        (
            "rules[0].retry_delay",
            "retry_delay: 120",
            "retry_delay: {}",
            &[("1s", "1"), ("1h", "3600")],
        ),
        ("max_reschedules", "max_reschedules: 2", "max_reschedules: {}", &[("1", "1"), ("3", "3")]),
        (
            "rules[0].reschedule_timeout",
            "timeout: 80000",
            "timeout: {}",
            &[("1s", "1"), ("100h", "360000")],
        ),
    ];
    compare(policy, &lines(&records), "", rows, AirflowEngine::LIMITS);
}

#[test]
fn limits_of_armada() {
    let policy = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec:\n  retryLimit: 5\n  backoff: {initialDelay: 10s, maxDelay: 300s, multiplier: 2}\n  rules:\n  - {action: Retry, retryLimit: 4, onConditions: [OOMKilled], backoff: {initialDelay: 7s, maxDelay: 70s, multiplier: 3}, mutate: {resources: {memory: {factor: 1.5}}}}\n  - {action: Retry, onExitCodes: {operator: In, values: [3]}}\n";
    let record = |at: u32| {
        let failure = if at.is_multiple_of(2) {
            "\"conditions\":[\"OOMKilled\"]"
        } else {
            "\"containers\":[{\"name\":\"main\",\"exitCode\":3}]"
        };
        (
            format!(
                "\"jobId\":\"j\",\"runIndex\":{at},\"memoryBytes\":1000000,\"outcome\":\"Failed\",{failure}"
            ),
            60 * at,
            60 * at + 5,
        )
    };
    let records: Vec<(String, u32, u32)> = (0..12).map(record).collect();
    let records: Vec<(&str, u32, u32)> =
        records.iter().map(|(fields, from, to)| (fields.as_str(), *from, *to)).collect();
    let rows: &[Row] = &[
        ("retryLimit", "retryLimit: 5", "retryLimit: {}", COUNTS),
        (
            "p.backoff.initialDelay",
            "initialDelay: 10s",
            "initialDelay: {}",
            &[("1s", "1s"), ("1m", "1m")],
        ),
        ("backoff.maxDelay", "maxDelay: 300s", "maxDelay: {}", &[("20s", "20s"), ("10m", "10m")]),
        ("backoff.multiplier", "multiplier: 2", "multiplier: {}", &[("1.5", "1.5"), ("4", "4")]),
        ("p.rules[0].retryLimit", "retryLimit: 4", "retryLimit: {}", COUNTS),
        (
            "rules[0].backoff.initialDelay",
            "initialDelay: 7s",
            "initialDelay: {}",
            &[("1s", "1s"), ("30s", "30s")],
        ),
        (
            "rules[0].backoff.maxDelay",
            "maxDelay: 70s",
            "maxDelay: {}",
            &[("9s", "9s"), ("10m", "10m")],
        ),
        (
            "rules[0].backoff.multiplier",
            "multiplier: 3",
            "multiplier: {}",
            &[("1.5", "1.5"), ("4", "4")],
        ),
    ];
    let limits = systems::armada::LIMITS;
    compare(policy, &lines(&records), "--queue-policies p", rows, &limits[1..9]);
    // `tests/cli/variants.rs` sweeps the limit of the scheduler.
    assert_eq!(limits[0].title(), "globalMaxRetries");
    // No figure of the summary depends on the memory of a retry: the decisions do.
    let sandbox = Sandbox::new();
    sandbox.file("policy.yaml", policy).file("history.jsonl", lines(&records));
    let line = "simulate --history history.jsonl --queue-policies p -o json -f policy.yaml";
    let path = "rules[0].mutate.resources.memory.factor";
    let sweep = format!("{line} --sweep {path}=2,3 --job j");
    let report = sandbox.run(&sweep).exits(0).json();
    assert_eq!(report["variants"][1]["sweep"]["unit"], "factor", "{report:#}");
    assert_eq!(LimitPath::parse(path, limits).expect(path).limit.title(), limits[9].title());
}

/// The figures of a grid are those of the sweeps of its rows.
#[test]
fn a_grid_is_a_sweep_of_each_row() {
    let sandbox = Sandbox::new();
    let policy = format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\nspec:{}",
        JOB.replace("\n    ", "\n  ")
    );
    let history = pods("\"jobId\":\"j\"") + &pods("\"jobId\":\"k\"");
    sandbox.file("policy.yaml", &policy).file("history.jsonl", history);
    let line = "simulate --history history.jsonl --sweep backoffLimitPerIndex=0..3";
    let grid = sandbox.run(&format!("{line} -f policy.yaml --sweep backoffLimit=0,8,20 -o json"));
    let grid = grid.exits(0).json();
    let columns = grid["variants"].as_array().expect("variants");
    assert_eq!(columns.len(), 13);
    for (at, limit) in [0, 8, 20].into_iter().enumerate() {
        sandbox.file(
            "edited.yaml",
            policy.replace("backoffLimit: 9", &format!("backoffLimit: {limit}")),
        );
        let row = sandbox.run(&format!("{line} -f edited.yaml -o json")).exits(0).json();
        for index in 0..4 {
            let cell = &columns[1 + 3 * index + at];
            let sweep = &cell["sweep"];
            assert_eq!(
                (&sweep["path"], &sweep["value"]),
                (&Value::from("backoffLimitPerIndex"), &index.into())
            );
            let second = &sweep["second"];
            assert_eq!(
                (&second["path"], &second["value"]),
                (&Value::from("backoffLimit"), &limit.into())
            );
            assert_eq!(cell["name"], format!("backoffLimitPerIndex={index},backoffLimit={limit}"));
            assert_eq!(cell["summary"], row["variants"][index + 1]["summary"]);
        }
    }
    let table = sandbox.run(&format!("{line} -f policy.yaml --sweep backoffLimit=0,8,20")).exits(0);
    snapshot!("sweep_grid", table);
    // The report on one unit has the same table.
    let one = sandbox.run(&format!("{line} -f policy.yaml --sweep backoffLimit=0,8,20 --job j"));
    snapshot!("sweep_grid_of_one", one.exits(0));
}

/// Two sweeps may not set one field: a column would have the value of one of them.
#[test]
fn sweeps_of_one_limit_are_refused() {
    let sandbox = Sandbox::new();
    let jobs = ["a", "b"].map(|name| format!("{{name: {name}, template: {{spec: {{template: {{spec: {{containers: [{{name: m, image: i}}]}}}}}}}}}}"));
    let set = format!(
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: s}}\nspec: {{failurePolicy: {{maxRestarts: 1}}, replicatedJobs: [{}]}}\n",
        jobs.join(", ")
    );
    let rules = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec:\n  retryLimit: 1\n  rules:\n\
                 \u{20} - {action: Retry, retryLimit: 2, onExitCodes: {operator: In, values: [1]}}\n\
                 \u{20} - {action: Retry, retryLimit: 3, onExitCodes: {operator: In, values: [2]}}\n";
    sandbox.file("set.yaml", set).file("rules.yaml", rules);
    sandbox.file("set.jsonl", "{\"jobId\":\"s\",\"jobName\":\"s-a-0\",\"replicatedJob\":\"a\",\"jobIndex\":0,\"outcome\":\"Failed\"}\n");
    sandbox.file(
        "rules.jsonl",
        "{\"jobId\":\"j\",\"queue\":\"q\",\"outcome\":\"Failed\",\"retryPolicies\":[\"p\"]}\n",
    );
    for (file, one, other, is_refused) in [
        ("set", "backoffLimit", "s.backoffLimit", true),
        ("set", "backoffLimit", "replicatedJobs[a].backoffLimit", true),
        ("set", "replicatedJobs[b].backoffLimit", "replicatedJobs[1].backoffLimit", true),
        ("set", "replicatedJobs[b].backoffLimit", "s.replicatedJobs[0].backoffLimit", false),
        ("set", "maxRestarts", "s.backoffLimit", false),
        ("rules", "retryLimit", "p.retryLimit", true),
        ("rules", "rules[0].retryLimit", "p.rules[0].retryLimit", true),
        ("rules", "rules[0].retryLimit", "rules[1].retryLimit", false),
        ("rules", "retryLimit", "rules[1].retryLimit", false),
        ("rules", "globalMaxRetries", "retryLimit", false),
    ] {
        let line = format!(
            "simulate -f {file}.yaml --history {file}.jsonl --sweep {one}=1,2 --sweep {other}=1,2"
        );
        let run = sandbox.run(&line).exits(if is_refused { 2 } else { 0 });
        let text = format!("`{one}` and `{other}` set the same limit");
        assert_eq!(run.stderr.contains(&text), is_refused, "{line}: {run}");
    }
}

#[test]
fn sweeps_that_a_system_refuses() {
    let sandbox = Sandbox::new();
    let policy = format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\nspec:{}",
        JOB.replace("\n    ", "\n  ").replace("  maxFailedIndexes: 2\n", "")
    );
    sandbox.file("policy.yaml", &policy).file("history.jsonl", pods("\"jobId\":\"j\""));
    sandbox.file(
        "plain.yaml",
        policy
            .replace("  completionMode: Indexed\n", "")
            .replace("  backoffLimitPerIndex: 2\n", ""),
    );
    for (code, file, sweep, text) in [
        (2, "policy", "backofLimit=1", "did you mean `backoffLimit`?"),
        (2, "policy", "retryLimit=1", "the limits are `backoffLimit`, `backoffLimitPerIndex`"),
        (2, "policy", "backoffLimit=1m", "`backoffLimit` is a whole number, which `1m` is not"),
        (2, "policy", "activeDeadlineSeconds=1.5", "is a time in whole seconds"),
        (2, "policy", "backoffLimit=1m..3m", "is not of whole numbers"),
        (2, "policy", "backoffLimit=0..9:0", "has the step 0"),
        (2, "policy", "backoffLimit=0..9 --sweep backoffLimit=1", "is swept twice"),
        (2, "policy", "backoffLimit=0..9 --sweep maxFailedIndexes=0..10", "has 110 pairs"),
        (
            2,
            "policy",
            "backoffLimit=0 --sweep maxFailedIndexes=0 --sweep backoffLimitPerIndex=1",
            "3 limits are swept",
        ),
        (
            3,
            "plain",
            "backoffLimitPerIndex=1",
            "with `backoffLimitPerIndex=1` the Job `j` is invalid",
        ),
        (3, "policy", "k.backoffLimit=1", "the Job `k` does not exist"),
    ] {
        let line = format!("simulate -f {file}.yaml --history history.jsonl --sweep {sweep}");
        let run = sandbox.run(&line).exits(code);
        assert!(run.stderr.contains(text), "{line}: {run}");
    }
    let run = sandbox
        .run("simulate -f policy.yaml --history history.jsonl --sweep backoffLimit=0..9:3 -o json");
    let names: Vec<Value> = run.exits(0).json()["variants"]
        .as_array()
        .expect("variants")
        .iter()
        .map(|it| it["name"].clone())
        .collect();
    assert_eq!(
        names,
        ["given", "backoffLimit=0", "backoffLimit=3", "backoffLimit=6", "backoffLimit=9"]
    );
}

#[test]
fn a_sweep_names_a_job_definition() {
    let sandbox = Sandbox::new();
    sandbox.examples(&["awsbatch/training.json", "awsbatch/attempts.jsonl"]);
    let line = "simulate -f awsbatch/training.json --history awsbatch/attempts.jsonl --sweep";
    let own = sandbox.run(&format!("{line} training.attempts=1,2")).exits(0);
    let all = sandbox.run(&format!("{line} attempts=1,2")).exits(0);
    assert_eq!(own.stdout.replace("training.attempts", "attempts"), all.stdout);
    let other = sandbox.run(&format!("{line} other.attempts=1,2")).exits(3);
    assert!(other.stderr.contains("write one of training\n"), "{other}");
}

/// `spec`, with which paths in a document begin, is the name of no document.
#[test]
fn a_path_of_a_sweep_begins_with_spec() {
    let sandbox = Sandbox::new();
    sandbox.examples(&["releases/jobset.yaml", "releases/failures.jsonl"]);
    let line = "simulate -f releases/jobset.yaml --history releases/failures.jsonl --sweep";
    sandbox.run(&format!("{line} spec.replicatedJobs[0].backoffLimit=1")).exits(0);
    let wrong = sandbox.run(&format!("{line} spec.wrong.maxRestarts=1")).exits(2);
    assert!(wrong.stderr.contains("a JobSet has no `spec.wrong.maxRestarts`"), "{wrong}");
    assert!(wrong.stderr.contains("did you mean `maxRestarts`?"), "{wrong}");
}
