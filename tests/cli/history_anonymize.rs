//! `history anonymize`: no name or text of the history is left, equal names stay equal, and the copy replays the same.
//!
//! Holds cli.md Commands.

use super::sandbox::{Run, Sandbox, root};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Policies that match messages, containers, categories and exit codes.
const POLICIES: &str = "\
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: platform}
spec:
  retryLimit: 3
  rules:
  - {action: Retry, onTerminationMessage: {pattern: 'connection (refused|reset)'}}
  - {action: Fail, onTerminationMessage: {pattern: '^fatal'}}
  - {action: Retry, retryLimit: 1, onTerminationMessage: {pattern: 'step \\d+ of \\d+$'}}
  - {action: Retry, containerName: training-loop, onExitCodes: {operator: In, values: [7]}}
  - {action: Retry, onFailureCategory: [gpu]}
  - {action: Retry, onConditions: [Preempted, Evicted, OOMKilled]}
---
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: by-annotation}
spec:
  rules:
  - {action: Retry, retryLimit: 2, onExitCodes: {operator: NotIn, values: [1]}}
";

/// A generator of numbers that a seed determines.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn one_in(&mut self, share: usize) -> bool {
        self.below(share) == 0
    }

    /// A name of twelve letters or more, of one of several alphabets.
    fn secret(&mut self) -> String {
        let alphabets =
            ["qxzjkvwy", "0123456789", "名前秘密機構", "qx\"\\\t/", "QXZ-_.", "ß\u{7f}é\u{1f600}"];
        let alphabet: Vec<char> = alphabets[self.below(alphabets.len())].chars().collect();
        (0..12 + self.below(9)).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }
}

/// Names of one kind: secrets, parts of each other, names of fields, and names like those of a copy.
fn names(random: &mut Random, count: usize) -> Vec<String> {
    let mut names: Vec<String> = (0..count).map(|_| random.secret()).collect();
    names.push(format!("{}x", names[0]));
    names.extend(
        ["outcome", "jobId", "node-1", "job-000001", "queue-2", "7", "null"].map(str::to_owned),
    );
    names
}

/// A random history as JSON Lines.
struct History {
    records: Vec<Value>,
}

impl History {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let r = &mut random;
        let pools: BTreeMap<&str, Vec<String>> =
            ["queue", "node", "cluster", "jobSet", "gang", "container", "message"]
                .into_iter()
                .map(|kind| (kind, names(r, 4)))
                .collect();
        let jobs = names(r, 30);
        let units: Vec<Value> = jobs.iter().map(|job| unit(r, &pools, job)).collect();
        let mut records = Vec::new();
        for step in 0..160 {
            let mut record = units[r.below(units.len())].clone();
            let at = |second: usize| {
                format!(
                    "2026-10-01T{:02}:{:02}:{:02}.25Z",
                    second / 3600,
                    second / 60 % 60,
                    second % 60
                )
            };
            let fields = record.as_object_mut().unwrap();
            fields.insert("startedAt".into(), at(step * 30).into());
            fields.insert("finishedAt".into(), at(step * 30 + 20 + r.below(10)).into());
            run(r, &pools, fields);
            records.push(record);
        }
        Self { records }
    }

    fn lines(&self) -> String {
        self.records.iter().map(Value::to_string).collect::<Vec<String>>().join("\n")
    }
}

fn pick(r: &mut Random, pool: &[String]) -> Value {
    pool[r.below(pool.len())].as_str().into()
}

/// The fields of a job.
fn unit(r: &mut Random, pools: &BTreeMap<&str, Vec<String>>, job: &str) -> Value {
    let mut unit = json!({"jobId": job, "queue": pick(r, &pools["queue"]), "resources": {"cpu": "2", "memory": "4Gi"}});
    if r.one_in(2) {
        unit["jobSet"] = pick(r, &pools["jobSet"]);
    }
    match r.below(6) {
        0 => unit["gang"] = json!({"id": pick(r, &pools["gang"]), "cardinality": 2}),
        1 => {
            unit["annotations"] = json!({
                "armadaproject.io/gangId": pick(r, &pools["gang"]), "armadaproject.io/gangCardinality": "2",
                "secret.example/qxzqxzqxzqxz": "kvwykvwykvwy",
            });
        }
        2 => unit["annotations"] = json!({"armadaproject.io/retry-policy": "by-annotation"}),
        3 => {
            unit["annotations"] = json!({"armadaproject.io/failFast": if r.one_in(2) { "true" } else { "qxzjqxzjqxzj" }});
        }
        _ => {}
    }
    unit
}

/// The fields of a run.
fn run(r: &mut Random, pools: &BTreeMap<&str, Vec<String>>, fields: &mut Map<String, Value>) {
    let outcomes = [
        "Failed",
        "Failed",
        "Failed",
        "Failed",
        "Preempted",
        "LeaseExpired",
        "LeaseReturned",
        "Succeeded",
    ];
    fields.insert("outcome".into(), outcomes[r.below(outcomes.len())].into());
    fields.insert("node".into(), pick(r, &pools["node"]));
    fields.insert("cluster".into(), pick(r, &pools["cluster"]));
    if r.one_in(4) {
        fields.insert("category".into(), ["gpu", "infra"][r.below(2)].into());
    }
    if r.one_in(4) {
        let conditions = ["Evicted", "NODE_FAIL", "DeadlineExceeded", "qxzjqxzjqxzj"];
        fields.insert("conditions".into(), json!([conditions[r.below(4)]]));
    }
    if r.one_in(6) {
        let errors = [
            "Preempted by scheduler using urgency preemption - preempted by qxzjkvwyqxzj",
            "Retry policy: retry granted, but no untried node fits the job\nqxzjkvwyqxzj",
        ];
        fields.insert("error".into(), errors[r.below(2)].into());
    }
    fields.insert("qxzjkvwyqxzjkv".into(), "kvwyqxzjkvwy".into());
    let mut containers = Vec::new();
    for number in 0..r.below(3) {
        let name = match r.below(3) {
            0 => "training-loop".into(),
            1 => "main".into(),
            _ => pick(r, &pools["container"]),
        };
        if containers.iter().any(|other: &Value| other["name"] == name) {
            continue;
        }
        let code = [0, 1, 7, 137][r.below(4)];
        let reason = ["Error", "OOMKilled", "Completed", "qxzjqxzjqxzj"][r.below(4)];
        let container = json!({"name": name, "init": number == 1, "exitCode": code, "reason": reason, "message": message(r, pools)});
        containers.push(container);
    }
    fields.insert("containers".into(), containers.into());
}

/// A message with a secret, and often a text that a pattern matches.
fn message(r: &mut Random, pools: &BTreeMap<&str, Vec<String>>) -> Value {
    let pool = &pools["message"];
    let secret = &pool[r.below(pool.len())];
    let number = r.below(40);
    let text = match r.below(7) {
        0 => String::new(),
        1 => format!("{secret}: connection refused by {number}"),
        2 => format!("fatal {secret}"),
        3 => format!("fatal {secret}: connection reset"),
        4 => format!("{secret} at step {number} of 40"),
        5 => format!("{secret}\nconnection refused, step 3 of {number}"),
        _ => format!("{secret} {number}"),
    };
    text.into()
}

/// The texts of a value that may not be in a copy: names and words of ten letters or more.
fn secrets(value: &Value, all: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let words = text.split([' ', '\n', ':', ',']).chain([text.as_str()]);
            all.extend(words.filter(|word| word.chars().count() >= 10).map(str::to_owned));
        }
        Value::Array(items) => items.iter().for_each(|item| secrets(item, all)),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            secrets(&key.as_str().into(), all);
            secrets(value, all);
        }),
        _ => {}
    }
}

/// The words of records and of these policies, which a copy may have.
fn is_word(text: &str) -> bool {
    let words = [
        "outcome",
        "LeaseExpired",
        "LeaseReturned",
        "DeadlineExceeded",
        "annotations",
        "cardinality",
        "containers",
        "conditions",
        "finishedAt",
        "connection",
        "preemption",
        "job-000001",
        "Preempted by scheduler using urgency preemption",
        "Retry policy",
        "armadaproject.io/",
    ];
    words.iter().any(|word| text.starts_with(word)) || text.starts_with("2026-10-01T")
}

/// The figures of a report: its numbers, in an order that does not depend on names.
fn figures(value: Value) -> Value {
    match value {
        Value::String(_) => "text".into(),
        Value::Array(items) => {
            let mut items: Vec<Value> = items.into_iter().map(figures).collect();
            items.sort_by_key(Value::to_string);
            items.into()
        }
        Value::Object(fields) => {
            let fields = fields.into_iter().filter(|(key, _)| key != "notes");
            fields.map(|(key, value)| (key, figures(value))).collect()
        }
        other => other,
    }
}

fn anonymize(sandbox: &Sandbox, history: &str, flags: &str) -> (Run, Vec<Value>) {
    let run = sandbox.run(&format!("history anonymize {history} --record - {flags}")).exits(0);
    sandbox.file("copy.jsonl", &run.stdout);
    let lines = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (run, lines)
}

fn simulate(sandbox: &Sandbox, history: &str, flags: &str) -> Value {
    let run =
        sandbox.run(&format!("simulate --history {history} --timelines none -o json {flags}"));
    figures(run.exits(0).json())
}

const WITH_POLICIES: &str = "-f p.yaml --queue-policies platform --advice none";

fn compare(sandbox: &Sandbox, history: &str, flags: &str) {
    let (old, new) = (simulate(sandbox, history, flags), simulate(sandbox, "copy.jsonl", flags));
    similar_asserts(&old, &new, "");
}

/// Compares two values, so that the path of a difference is printed.
fn similar_asserts(old: &Value, new: &Value, path: &str) {
    match (old, new) {
        (Value::Object(one), Value::Object(other)) => {
            let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for key in keys {
                similar_asserts(&old[key], &new[key], &format!("{path}/{key}"));
            }
        }
        _ => assert_eq!(old, new, "{path}"),
    }
}

#[test]
fn no_name_and_no_text_is_left() {
    for seed in 0..12 {
        let history = History::new(seed);
        let sandbox = Sandbox::new();
        sandbox.file("h.jsonl", history.lines()).file("p.yaml", POLICIES);
        let mut all = BTreeSet::new();
        history.records.iter().for_each(|record| secrets(record, &mut all));
        for flags in ["", "-f p.yaml"] {
            let (run, lines) = anonymize(&sandbox, "h.jsonl", flags);
            let mut left = BTreeSet::new();
            for line in &lines {
                secrets(line, &mut left);
            }
            // Only the policies and the containers of -f stay.
            let is_kept = |secret: &str| {
                !flags.is_empty() && ["training-loop", "by-annotation"].contains(&secret)
            };
            let is_exempt = |secret: &str| is_word(secret) || is_kept(secret);
            for secret in all.iter().filter(|secret| !is_exempt(secret)) {
                let escaped = Value::from(secret.as_str()).to_string();
                let escaped = escaped.trim_matches('"');
                assert!(!run.stdout.contains(escaped), "seed {seed} {flags}: {secret:?} is left");
                assert!(
                    !left.iter().any(|text| text.contains(secret)),
                    "seed {seed}: {secret:?} is left"
                );
            }
            assert!(all.len() > 50, "there are secrets");
        }
    }
}

/// The names of a record, each with its kind.
fn named(record: &Value) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    let mut add = |kind, value: &Value| {
        if let Some(text) = value.as_str().filter(|text| !text.is_empty()) {
            all.push((kind, text.to_owned()));
        }
    };
    for kind in ["jobId", "queue", "node", "cluster", "jobSet"] {
        add(kind, &record[kind]);
    }
    add("gang", &record["gang"]["id"]);
    add("gang", &record["annotations"]["armadaproject.io/gangId"]);
    for container in record["containers"].as_array().into_iter().flatten() {
        add("container", &container["name"]);
        add("message", &container["message"]);
    }
    all
}

#[test]
fn equal_names_stay_equal_and_others_different() {
    for seed in 0..12 {
        let history = History::new(seed);
        let sandbox = Sandbox::new();
        sandbox.file("h.jsonl", history.lines()).file("p.yaml", POLICIES);
        let (_, copy) = anonymize(&sandbox, "h.jsonl", "-f p.yaml --map names.jsonl");
        assert_eq!(copy.len(), history.records.len());
        let (mut to, mut from) = (BTreeMap::new(), BTreeMap::new());
        for (old, new) in history.records.iter().zip(&copy) {
            let (old, new) = (named(old), named(new));
            assert_eq!(old.len(), new.len());
            for ((kind, old), (_, new)) in old.into_iter().zip(new) {
                assert_eq!(to.entry((kind, old.clone())).or_insert_with(|| new.clone()), &new);
                assert_eq!(from.entry((kind, new)).or_insert_with(|| old.clone()), &old);
            }
        }
        // The map has each name that was replaced.
        let map = std::fs::read_to_string(sandbox.path().join("names.jsonl")).unwrap();
        let map: BTreeSet<(String, String)> = map
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .map(|line| {
                (line["from"].as_str().unwrap().to_owned(), line["to"].as_str().unwrap().to_owned())
            })
            .collect();
        let kept = |name: &str| matches!(name, "main" | "training-loop");
        for ((kind, old), new) in &to {
            assert!(kept(old) || map.contains(&(old.clone(), new.clone())), "{kind} {old}");
        }
        let again = anonymize(&sandbox, "h.jsonl", "-f p.yaml").1;
        assert_eq!(again, copy, "the copy is the same again");
    }
}

#[test]
fn a_copy_replays_the_same() {
    for seed in 0..12 {
        let sandbox = Sandbox::new();
        sandbox.file("h.jsonl", History::new(seed).lines()).file("p.yaml", POLICIES);
        let (run, _) = anonymize(&sandbox, "h.jsonl", "-f p.yaml");
        assert!(!run.stderr.contains("other patterns"), "{run}");
        compare(&sandbox, "h.jsonl", WITH_POLICIES);
        compare(&sandbox, "h.jsonl", "");
        anonymize(&sandbox, "h.jsonl", "");
        compare(&sandbox, "h.jsonl", "");
    }
}

/// The sources, but for pods of jobs that have not ended: a copy has no field for these.
#[test]
fn copies_of_other_programs_output_replay_the_same() {
    let files = [
        "sources/armada-events-recorded/set-1.jsonl",
        "sources/armada-events-recorded/set-1.txt",
        "sources/armada-events-recorded/set-2.jsonl",
        "sources/armada-events/gateway.jsonl",
        "sources/lookout/debug-pages.json",
        "sources/lookout/debug-runs.jsonl",
        "sources/lookout/pages.json",
        "sources/pods/watch.json",
        "sources/sacct/duplicates.txt",
    ];
    for file in files {
        let sandbox = Sandbox::with_examples();
        sandbox.file("history", std::fs::read(root().join("testdata").join(file)).unwrap());
        let (run, _) = anonymize(&sandbox, "history", "-f policies");
        assert!(!run.stderr.contains("disruption"), "{file}: {run}");
        compare(&sandbox, "history", "");
        compare(&sandbox, "history", "-f policies --queue-policies infra,ml-training");
    }
    let sandbox = Sandbox::new();
    sandbox.file("history", std::fs::read(root().join("testdata/sources/pods/list.json")).unwrap());
    let (run, _) = anonymize(&sandbox, "history", "");
    assert!(run.stderr.contains("2 jobs have not ended by the source"), "{run}");
}

const DOCUMENT: &str = "\
apiVersion: armadaproject.io/v1
kind: FailureHistory
spec:
  queues: [{name: secretqueue, retryPolicies: [platform]}]
  events: [{at: 5m, reload: {globalMaxRetries: 1}}]
  jobs:
  - jobId: secretjob-1
    queue: secretqueue
    runs:
    - {finishedAt: 1m, outcome: Failed, category: gpu, node: secretnode}
    - {finishedAt: 6m, outcome: Failed, category: gpu, node: secretnode}
    - {finishedAt: 9m, outcome: Succeeded}
  - {jobId: secretjob-2, queue: secretqueue, runs: [{finishedAt: 2m, outcome: Preempted}]}
";

#[test]
fn queues_and_reloads_of_documents_stay() {
    let sandbox = Sandbox::new();
    sandbox.file("h.yaml", DOCUMENT).file("p.yaml", POLICIES);
    sandbox.run("history anonymize h.yaml --record copy.jsonl -f p.yaml").exits(0);
    let copy = std::fs::read_to_string(sandbox.path().join("copy.jsonl")).unwrap();
    assert!(!copy.contains("secret") && copy.contains("globalMaxRetries"), "{copy}");
    compare(&sandbox, "h.yaml", "-f p.yaml --advice none");
}

#[test]
fn files_are_written_whole_or_not_at_all() {
    let sandbox = Sandbox::new();
    let line = "{\"jobId\":\"secretjob\",\"queue\":\"secretqueue\",\"outcome\":\"Failed\"}\n";
    sandbox.file("h.jsonl", line).file("bad.jsonl", format!("{line}{{}}\n"));
    let names = || {
        let mut names: Vec<String> = std::fs::read_dir(sandbox.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.contains("copy") || name.contains("map"))
            .collect();
        names.sort();
        names
    };
    let bad = sandbox.run("history anonymize bad.jsonl --record copy --map map").exits(3);
    assert!(bad.stderr.contains("bad.jsonl:2:1") && names().is_empty(), "{bad}{:?}", names());
    let skip =
        "history anonymize bad.jsonl --record copy.gz --map map --on-bad-record skip --keep queue";
    let run = sandbox.run(skip).exits(0);
    assert_eq!(run.stdout, "copy.gz: 1 run of 1 job\n");
    assert!(run.stderr.contains("1 bad record was left out"), "{run}");
    assert_eq!(names(), ["copy.gz", "map"]);
    let map = std::fs::read_to_string(sandbox.path().join("map")).unwrap();
    assert_eq!(map, "{\"kind\":\"job\",\"from\":\"secretjob\",\"to\":\"job-000001\"}\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let line = "history anonymize h.jsonl --record - --map private.gz";
        sandbox.run(line).exits(0);
        for file in ["map", "private.gz"] {
            let mode = sandbox.path().join(file).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{file}");
        }
    }
    sandbox.run("simulate --history copy.gz").exits(0);
    for (flags, part) in
        [("--record copy --map copy", "one file"), ("--record copy --map -", "a file")]
    {
        let run = sandbox.run(&format!("history anonymize h.jsonl {flags}")).exits(2);
        assert!(run.stderr.contains(part), "{run}");
    }
    for flags in ["--record copy.gz", "--record other.copy --map map"] {
        let run = sandbox.run(&format!("history anonymize h.jsonl {flags}")).exits(3);
        assert!(run.stderr.contains("exists"), "{run}");
    }
    assert_eq!(names(), ["copy.gz", "map"]);
    sandbox.file("empty.jsonl", "");
    sandbox.run("history anonymize empty.jsonl --record copy").exits(3);
}

#[test]
fn histories_of_other_systems_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.file("h.jsonl", "{\"jobId\":\"a\",\"podIndex\":0,\"outcome\":\"Failed\"}\n");
    let run = sandbox.run("history anonymize h.jsonl --record -").exits(3);
    assert!(run.stderr.contains("another system's history"), "{run}");
}
