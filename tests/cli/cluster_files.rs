//! `--events` and `--series`: what they hold, and that the report is made of it.
//!
//! Holds cluster.md 7.

use super::cluster::{SIMULATE, sandbox};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// A study's report, events and series.
struct Files {
    /// The figures of the only variant.
    report: Value,
    events: Vec<Value>,
    series: Vec<HashMap<String, String>>,
}

fn files(study: &str, flags: &str) -> Files {
    let sandbox = sandbox(study);
    let line = format!("{SIMULATE} --events e.jsonl --series s.csv -o json {flags}");
    let mut report = sandbox.run(&line).exits(0).json();
    let read = |name: &str| std::fs::read_to_string(sandbox.path().join(name)).unwrap();
    let events = read("e.jsonl");
    let series = read("s.csv");
    let mut rows = series.lines().map(|line| line.split(',').map(str::to_owned));
    let header: Vec<String> = rows.next().unwrap().collect();
    Files {
        report: report["variants"][0].take(),
        events: events.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        series: rows.map(|row| header.iter().cloned().zip(row).collect()).collect(),
    }
}

/// A job between two events.
#[derive(Default)]
struct Job {
    submitted: f64,
    leased: f64,
    is_running: bool,
}

/// Figures worked out from events alone. All jobs have one core.
#[derive(Default)]
struct Counted {
    jobs: HashMap<String, Job>,
    waits: Vec<f64>,
    succeeded: u32,
    attempts: u32,
    preempted: u32,
    useful: f64,
    lost: f64,
    last: f64,
}

impl Counted {
    fn event(&mut self, event: &Value) {
        let time = event["time"].as_f64().unwrap();
        assert!(time >= self.last, "{event}");
        let id = event["jobId"].as_str().unwrap();
        assert!(id.starts_with(event["template"].as_str().unwrap()), "{event}");
        let job = self.jobs.entry(id.to_owned()).or_default();
        let name = event["event"].as_str().unwrap();
        if name == "Started" {
            assert!(job.is_running && event["resources"]["cpu"].is_number(), "{event}");
            return;
        }
        assert_eq!(job.is_running, matches!(name, "Preempted" | "Succeeded"), "{event}");
        assert_eq!(event["cause"].is_string(), name == "Preempted", "{event}");
        assert_eq!(event["node"].is_string(), name != "Submitted", "{event}");
        job.is_running = name == "Leased";
        match name {
            "Submitted" => job.submitted = time,
            "Leased" => {
                job.leased = time;
                self.attempts += 1;
                if event["runIndex"] == 0 {
                    self.waits.push(time - job.submitted);
                }
            }
            "Preempted" => {
                self.preempted += 1;
                self.lost += time - job.leased;
            }
            "Succeeded" => {
                self.succeeded += 1;
                self.useful += time - job.leased;
                self.last = time;
            }
            other => panic!("{other}"),
        }
    }
}

fn is_near(report: &Value, path: &str, expected: f64) {
    let found = report.pointer(path).and_then(Value::as_f64).unwrap();
    assert!((found - expected).abs() < 1e-6 * expected.max(1.0), "{path}: {found}, {expected}");
}

#[test]
fn the_report_is_that_of_the_events() {
    for study in ["two-teams", "seed-example"] {
        let Files { report, events, .. } = files(study, "");
        for queue in report["queues"].as_object().unwrap().keys().map(Some).chain([None]) {
            let is_of = |event: &&Value| queue.is_none_or(|queue| event["queue"] == **queue);
            let mut counted = Counted::default();
            events.iter().filter(is_of).for_each(|event| counted.event(event));
            let group = queue.map_or(&report["total"], |queue| &report["queues"][queue]);
            is_near(group, "/jobs/succeeded", f64::from(counted.succeeded));
            is_near(group, "/attempts", f64::from(counted.attempts));
            is_near(group, "/preemptions/fairShare", f64::from(counted.preempted));
            is_near(group, "/hours/core/useful", counted.useful / 3600.0);
            is_near(group, "/hours/core/lost", counted.lost / 3600.0);
            is_near(group, "/waste", counted.lost / (counted.lost + counted.useful));
            is_near(group, "/makespan", counted.last);
            let mut waits = counted.waits;
            waits.sort_by(f64::total_cmp);
            #[expect(clippy::cast_precision_loss, reason = "a few jobs")]
            let mean = waits.iter().sum::<f64>() / waits.len() as f64;
            is_near(group, "/wait/mean", mean);
            is_near(group, "/wait/p95", waits[(waits.len() * 95).div_ceil(100) - 1]);
            is_near(group, "/wait/max", *waits.last().unwrap());
        }
    }
}

#[test]
fn failures_of_the_report_are_those_of_the_events() {
    let Files { report, events, .. } = files("failures", "");
    let mut down = HashSet::new();
    let mut leased: HashMap<(String, u64), f64> = HashMap::new();
    let (mut attempts, mut lost, mut nodes) = (HashMap::new(), 0.0, [0, 0]);
    for event in &events {
        let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        let (name, node, time) = (text("event"), text("node"), event["time"].as_f64().unwrap());
        let run = (text("jobId"), event["runIndex"].as_u64().unwrap_or_default());
        match name.as_str() {
            "NodeDown" => {
                nodes[usize::from(text("cause") == "spot")] += 1;
                assert!(down.insert(node), "{event}");
            }
            "NodeUp" => assert!(down.remove(&node), "{event}"),
            "Leased" => {
                assert!(!down.contains(&node), "{event}");
                leased.insert(run, time);
            }
            "Failed" | "Stopped" => {
                let cores = if text("template") == "train" { 16.0 } else { 4.0 };
                lost += cores * (time - leased[&run]) / 3600.0;
                *attempts.entry((text("cause"), name)).or_insert(0) += 1;
            }
            _ => {}
        }
    }
    is_near(&report, "/total/hours/core/lost", lost);
    is_near(&report, "/pools/default/nodes/failed", f64::from(nodes[0]));
    is_near(&report, "/pools/default/nodes/lost", f64::from(nodes[1]));
    for (name, cause) in report["causes"].as_object().unwrap() {
        let count = |event: &str| attempts.get(&(name.clone(), event.to_owned())).copied();
        is_near(cause, "/attempts", f64::from(count("Failed").unwrap_or(0)));
        is_near(cause, "/stopped", f64::from(count("Stopped").unwrap_or(0)));
    }
    assert!(nodes[0] > 10 && nodes[1] > 10 && lost > 100.0, "{nodes:?} {lost}");
}

#[test]
fn records_are_a_history_of_every_run_that_ended() {
    let policy = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec:\n  defaultAction: Fail\n  \
                  rules: [{action: Retry, onConditions: [Evicted, Preempted, OOMKilled, DeadlineExceeded]}]\n";
    for study in ["failures", "two-teams"] {
        let sandbox = sandbox(study);
        sandbox.file("policy.yaml", policy);
        let run = sandbox.run(&format!("{SIMULATE} -o json --record r.jsonl")).exits(0);
        let of_run = &run.json()["variants"][0]["total"];
        let replay = "simulate --history r.jsonl -f policy.yaml -o json --timelines none";
        let replay = sandbox.run(replay).exits(0);
        let summary = &replay.json()["summary"];
        let jobs = &of_run["jobs"];
        is_near(
            summary,
            "/jobs",
            jobs["succeeded"].as_f64().unwrap() + jobs["failed"].as_f64().unwrap(),
        );
        assert_eq!(summary["contradictions"].as_u64().unwrap_or(0), 0, "{replay}");
        let text = std::fs::read_to_string(sandbox.path().join("r.jsonl")).unwrap();
        let records: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let count = |outcome: &str| {
            let found = records.iter().filter(|record| record["outcome"] == outcome).count();
            f64::from(u32::try_from(found).unwrap())
        };
        is_near(of_run, "/jobs/succeeded", count("Succeeded"));
        is_near(of_run, "/preemptions/fairShare", count("Preempted"));
        is_near(of_run, "/jobs/failed", count("Failed") + count("Stopped"));
        is_near(of_run, "/attempts", f64::from(u32::try_from(records.len()).unwrap()));
    }
}

#[test]
fn a_record_holds_what_a_policy_sees() {
    let sandbox = sandbox("failures");
    let causes = [
        "{name: a, hazardPerHour: 60, exitCode: 74, reason: Error, message: NCCL timeout, category: gpu, subcategory: link}",
        "{name: b, perAttempt: 1, at: {fixed: 1s}, reason: OOMKilled}",
    ];
    for (cause, expected) in causes.into_iter().zip([
        json!({"outcome": "Failed", "category": "gpu", "subcategory": "link", "containers":
            [{"name": "main", "exitCode": 74, "reason": "Error", "message": "NCCL timeout"}]}),
        json!({"outcome": "Failed", "startedAt": "2000-01-01T00:00:02Z", "finishedAt": "2000-01-01T00:00:03Z", "containers":
            [{"name": "main", "exitCode": 137, "reason": "OOMKilled"}]}),
    ]) {
        let workload = format!(
            "queues: [{{name: q, weight: 1, jobTemplates: [{{id: t, jobSet: s, number: 1, failures: [{cause}], requirements: \
             {{resourceRequirements: {{requests: {{cpu: 1500m, memory: 1Gi}}}}}}, runtimeDistribution: {{minimum: 100h}}}}]}}]\n"
        );
        sandbox.file("w.yaml", workload);
        sandbox.file("c.yaml", "pendingDelayDistribution: {minimum: 2s}\nclusters: [{name: c, pool: p, nodeTemplates: [{number: 1, totalResources: {resources: {cpu: 8, memory: 8Gi}}}]}]\n");
        sandbox.run("simulate --cluster c.yaml --workload w.yaml --record r.jsonl").exits(0);
        let text = std::fs::read_to_string(sandbox.path().join("r.jsonl")).unwrap();
        let record: Value = serde_json::from_str(text.trim()).unwrap();
        let same = json!({"jobId": "t-0", "queue": "q", "jobSet": "s", "resources": {"cpu": "1.5", "memory": "1Gi"},
            "runIndex": 0, "node": "c-0-0", "cluster": "c"});
        for (key, value) in same.as_object().unwrap().iter().chain(expected.as_object().unwrap()) {
            assert_eq!(&record[key], value, "{key} of {record}");
        }
    }
}

/// The retries that run at each time of the series are those that the events have leased and not ended.
#[test]
fn running_retries_of_the_series_are_those_of_the_events() {
    let Files { events, series, .. } = files("retry-storm", "-f strict.yaml");
    let mut most = 0;
    for row in series.iter().step_by(5) {
        let time: f64 = row["time"].parse().unwrap();
        let mut running = 0_i64;
        for event in &events {
            let is_retry = event["runIndex"].as_u64().is_some_and(|index| index > 0);
            if !is_retry || event["queue"] != row["queue"] || event["time"].as_f64().unwrap() > time
            {
                continue;
            }
            match event["event"].as_str().unwrap() {
                "Leased" => running += 1,
                "Preempted" | "Succeeded" | "Failed" | "Stopped" => running -= 1,
                _ => {}
            }
        }
        assert_eq!(row["runningRetries"].parse(), Ok(running), "{row:?}");
        most = most.max(running);
    }
    assert!(most > 5, "{most}");
}

#[test]
fn the_shares_of_the_report_are_those_of_the_series() {
    let Files { report, series, .. } = files("two-teams", "--scheduler-config protected-1.5.yaml");
    for queue in ["physics", "biology"] {
        let number = |row: &HashMap<String, String>, key: &str| row[key].parse::<f64>().unwrap();
        let rows: Vec<_> = series.iter().filter(|row| row["queue"] == queue).collect();
        let (mut entitled, mut actual, mut missing) = (0.0, 0.0, 0.0);
        for pair in rows.windows(2) {
            let [row, next] = pair else { continue };
            let elapsed = number(next, "time") - number(row, "time");
            assert!(elapsed >= 0.0);
            entitled += number(row, "entitled") * elapsed;
            actual += number(row, "actual") * elapsed;
            missing += (number(row, "entitled") - number(row, "actual")).max(0.0) * elapsed;
            // One core of 32 a job.
            assert!((number(row, "actual") * 32.0 - number(row, "running")).abs() < 1e-9);
        }
        let end = number(rows.last().unwrap(), "time");
        let group = &report["queues"][queue];
        is_near(group, "/entitled", entitled / end);
        is_near(group, "/actual", actual / end);
        is_near(group, "/fairnessError", missing / end);
    }
}

#[test]
fn the_files_of_a_run_are_the_same_twice() {
    let write = || {
        let sandbox = sandbox("gangs");
        let flags = "--scheduler-config large-first.yaml --events e.jsonl --series s.csv";
        sandbox.run(&format!("{SIMULATE} {flags}")).exits(0);
        ["e.jsonl", "s.csv"].map(|name| std::fs::read(sandbox.path().join(name)).unwrap())
    };
    assert_eq!(write(), write());
}

#[test]
fn a_file_that_cannot_be_written_to_the_end_is_an_error() {
    let full = std::path::Path::new("/dev/full");
    if full.exists() {
        for flag in ["--events", "--series"] {
            let run = sandbox("two-teams").run(&format!("{SIMULATE} {flag} /dev/full")).exits(3);
            assert!(run.stderr.contains("cannot write `/dev/full`"), "{run}");
        }
    }
}
