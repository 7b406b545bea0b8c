//! `--partial` and `--shard`: partial summaries of the shards of a history give the report of one process, to the byte.
//!
//! Holds cli.md simulate.

use super::sandbox::{Run, Sandbox, root};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

/// Copies of the units of an example, as lines: the fields of a unit are on each line of it.
fn copies(lines: &[Map<String, Value>], copies: usize) -> Vec<Map<String, Value>> {
    let of_copy = |copy: usize| {
        lines.iter().map(move |line| {
            let mut line = line.clone();
            let id = line["jobId"].as_str().unwrap();
            line.insert("jobId".to_owned(), Value::from(format!("{id}-{copy}")));
            line
        })
    };
    (0..copies).flat_map(of_copy).collect()
}

/// The lines of an example of JSON Lines.
fn lines(path: &str) -> Vec<Map<String, Value>> {
    let text = fs::read_to_string(root().join("examples").join(path)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The runs of an example that is a document, as lines.
fn runs(path: &str) -> Vec<Map<String, Value>> {
    let text = fs::read_to_string(root().join("examples").join(path)).unwrap();
    let document: Value = serde_yaml::from_str(&text).unwrap();
    let jobs = document["spec"]["jobs"].as_array().unwrap().iter().flat_map(|job| {
        let mut unit = job.as_object().unwrap().clone();
        let runs = unit.remove("runs").unwrap();
        let runs = runs.as_array().unwrap().clone();
        runs.into_iter().map(move |run| {
            let mut line = unit.clone();
            line.extend(run.as_object().unwrap().clone());
            line
        })
    });
    jobs.collect()
}

/// Armada's jobs, every fourth in a gang of two, with unknown keys here and there. Only the first record of a job names its
/// gang.
fn armada() -> Vec<Map<String, Value>> {
    let run = |number: u64| {
        let (job, turn) = (number % 60, number / 60);
        let time = |minutes: u64| {
            let minutes = turn * 90 + job % 50 + minutes;
            format!("2026-10-{:02}T{:02}:{:02}:00Z", 1 + job % 9, minutes / 60, minutes % 60)
        };
        let (outcome, reason) = match (job * 7 + turn * 3) % 11 {
            0..3 => ("Preempted", ""),
            3..6 => ("Failed", "OOMKilled"),
            6..8 => ("Failed", "Error"),
            8 => ("LeaseReturned", ""),
            _ => ("Succeeded", ""),
        };
        let mut line = json!({
            "jobId": format!("job-{job}"), "queue": if job % 3 == 0 { "ml" } else { "batch" },
            "outcome": outcome, "startedAt": time(0), "finishedAt": time(30),
            "node": format!("node-{}", (job + turn) % 4),
            "resources": {"cpu": "4", "nvidia.com/gpu": 1 + job % 2},
            "containers": [{"name": "main", "exitCode": 1 + job % 3, "reason": reason,
                "message": format!("TRANSIENT: worker {job} lost")}],
        });
        if job % 4 == 0 {
            line["queue"] = json!("ml");
            if turn == 0 {
                line["gang"] = json!({"id": format!("g{}", job / 8), "cardinality": 2});
            }
        }
        if job % 7 == 0 {
            line["colour"] = json!("red");
        }
        line.as_object().unwrap().clone()
    };
    (0..300).map(run).collect()
}

fn text(lines: &[Map<String, Value>]) -> String {
    lines.iter().fold(String::new(), |mut text, line| {
        writeln!(text, "{}", Value::Object(line.clone())).unwrap();
        text
    })
}

/// Asserts that the reports of shards, which are merged two at a time, equal those of one process.
#[track_caller]
fn assert_merges(sandbox: &Sandbox, flags: &str, history: &str, shards: u32) {
    let simulate = |more: &str| sandbox.run(&format!("simulate {flags} {more}"));
    for shard in 0..shards {
        simulate(&format!(
            "--history {history} --shard {shard}/{shards} --partial {shard}.partial"
        ))
        .exits(0);
    }
    let documents = if sandbox.path().join("known.yaml").exists() { "known.yaml" } else { "" };
    let merged = "--history 0.partial 1.partial";
    simulate(&format!("{merged} {documents} --partial merged.partial")).exits(0);
    let rest: Vec<String> = (2..shards).rev().map(|shard| format!("{shard}.partial")).collect();
    let parts = format!("{} merged.partial {documents}", rest.join(" "));
    for form in ["json", "table", "wide"] {
        let form = format!("--timelines none --advice none -o {form}");
        let whole = simulate(&format!("--history {history} {form}")).exits(0);
        let of_parts = simulate(&format!("--history {parts} {form}")).exits(0);
        assert_eq!(of_parts.stdout, whole.stdout, "{flags} {form}");
        assert!(whole.stdout.len() > 300, "{whole}");
    }
}

#[test]
fn shards_of_armadas_jobs_give_the_report_of_one_process() {
    let sandbox = Sandbox::with_examples();
    sandbox.file("h.jsonl", text(&armada()));
    let policies = "-f policies --queue-policies infra,ml-training";
    for flags in [
        "",
        policies,
        "-f policies --queue-policies infra,ml-training --variant no-retries --sweep globalMaxRetries=0..3 \
         --assume observed --samples 2",
    ] {
        assert_merges(&sandbox, flags, "h.jsonl", 5);
    }
    sandbox.file(
        "known.yaml",
        "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec:\n  jobs: []\n  queues:\n  \
         - {name: ml, retryPolicies: [ml-training]}\n  - {name: batch, retryPolicies: [infra]}\n  events:\n  \
         - {at: 2026-10-04T00:00:00Z, reload: {globalMaxRetries: 1}}\n",
    );
    assert_merges(&sandbox, "-f policies --assume fail", "h.jsonl known.yaml", 3);
}

#[test]
fn shards_of_other_systems_give_the_report_of_one_process() {
    let systems = [
        ("job/per-index.yaml", runs("job/per-index.history.yaml")),
        ("jobset/fail-jobset.yaml", runs("jobset/fail-jobset.history.yaml")),
        ("iris/nightly.yaml", lines("iris/nightly.jsonl")),
        ("backendai/training.yaml", lines("backendai/training.jsonl")),
        ("airflow/fixed.yaml", lines("airflow/etl.jsonl")),
    ];
    for (policy, lines) in systems {
        let sandbox = Sandbox::new();
        sandbox.examples(&[policy]);
        sandbox.file("h.jsonl", text(&copies(&lines, 7)));
        assert_merges(&sandbox, &format!("-f {policy} --variant no-retries"), "h.jsonl", 3);
        assert_merges(&sandbox, "", "h.jsonl", 2);
    }
}

/// An engine may cut the history itself: then each process reads the records of its shard alone, in any order of units.
#[test]
fn a_history_that_is_cut_by_unit_gives_the_report_of_one_process() {
    let sandbox = Sandbox::with_examples();
    let mut lines = armada();
    // The gang on every line, as a query puts it there.
    let gangs: BTreeMap<String, Value> = lines
        .iter()
        .filter_map(|line| Some((line["jobId"].to_string(), line.get("gang")?.clone())))
        .collect();
    for line in &mut lines {
        if let Some(gang) = gangs.get(&line["jobId"].to_string()) {
            line.insert("gang".to_owned(), gang.clone());
        }
    }
    sandbox.file("h.jsonl", text(&lines));
    let flags =
        "-f policies --queue-policies infra,ml-training --timelines none --advice none -o json";
    let whole = sandbox.run(&format!("simulate {flags} --history h.jsonl")).exits(0);
    let id = |line: &Map<String, Value>| match line.get("gang") {
        Some(gang) => {
            format!("{}\0\0{}", line["queue"].as_str().unwrap(), gang["id"].as_str().unwrap())
        }
        None => line["jobId"].as_str().unwrap().to_owned(),
    };
    lines.sort_by_key(id);
    for shard in 0..4 {
        let own = lines.iter().filter(|line| shard_of(&id(line), 4) == shard);
        let own: Vec<_> = own.cloned().collect();
        let command =
            format!("simulate {flags} --history - --shard {shard}/4 --partial p{shard}.partial");
        sandbox.run_on(&command, text(&own)).exits(0);
    }
    let parts = sandbox.run(&format!("simulate {flags} --history p*.partial")).exits(0);
    assert_eq!(parts.stdout, whole.stdout);
}

/// The shard of an id, as any program computes it.
fn shard_of(id: &str, shards: u32) -> u32 {
    let digest = Sha256::digest(id.as_bytes());
    u32::from_be_bytes(digest[..4].try_into().unwrap()) % shards
}

fn parts(sandbox: &Sandbox) -> &'static str {
    sandbox.file("h.jsonl", text(&armada()));
    let policies = "-f policies --queue-policies infra,ml-training";
    for shard in 0..3 {
        let flags = format!("--shard {shard}/3 --partial {shard}.partial");
        sandbox.run(&format!("simulate {policies} --history h.jsonl {flags}")).exits(0);
    }
    policies
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let sandbox = Sandbox::with_examples();
    let policies = parts(&sandbox);
    let refused = |flags: &str, names: &[&str]| {
        let run: Run = sandbox.run(&format!("simulate {flags}")).exits(3);
        for name in names {
            assert!(run.stderr.contains(name), "{name}: {run}");
        }
        assert!(run.stdout.is_empty() && run.stderr.contains("help: "), "{run}");
    };
    let of = |history: &str| format!("{policies} --history {history}");
    fs::copy(sandbox.path().join("0.partial"), sandbox.path().join("again.partial")).unwrap();
    refused(
        &of("0.partial 1.partial again.partial"),
        &["`again.partial` holds shard 0/3, which `0.partial` holds too"],
    );
    refused(&of("0.partial 2.partial"), &["1 of 3 shards is missing: 1"]);
    refused(&of("0.partial h.jsonl"), &["records beside partial summaries"]);
    refused(
        "-f policies --queue-policies infra --history 0.partial 1.partial 2.partial",
        &["`0.partial` was made with other policies"],
    );
    let seed = format!("{} --seed 2", of("1.partial 0.partial 2.partial"));
    refused(&seed, &["`1.partial` was made with other policies"]);
    let bytes = fs::read(sandbox.path().join("1.partial")).unwrap();
    sandbox.file("cut.partial", &bytes[..bytes.len() - 1]);
    refused(
        &of("0.partial cut.partial 2.partial"),
        &["`cut.partial`: the partial summary is damaged"],
    );
    sandbox.file("later.partial", b"armadactl partial 2 v1\nx");
    refused(&of("0.partial later.partial"), &["`later.partial`", "version of the format"]);
    let command = format!("simulate {} --shard 1/4 --partial 4.partial", of("h.jsonl"));
    sandbox.run(&command).exits(0);
    refused(&of("0.partial 4.partial"), &["`4.partial` is of 4 shards"]);
    // Cut by lines: each process skips records of other shards.
    let all = text(&armada());
    let lines: Vec<&str> = all.lines().collect();
    for (shard, part) in lines.chunks(110).enumerate() {
        let command =
            format!("simulate {policies} --history - --shard {shard}/3 --partial l{shard}.partial");
        sandbox.run_on(&command, part.join("\n")).exits(0);
    }
    refused(
        &of("l0.partial l1.partial l2.partial"),
        &["of its units and skipped", "cut the history by unit"],
    );
    refused(
        "--history 0.partial 1.partial 2.partial",
        &["`0.partial` was made with other policies"],
    );
    refused(
        "-f policies --history ml-training.yaml --shard 0/2 --partial x.partial",
        &["JSON Lines"],
    );
}

#[test]
fn missing_shards_are_allowed_by_a_flag_and_noted() {
    let sandbox = Sandbox::with_examples();
    let policies = parts(&sandbox);
    let history = "--history 0.partial 2.partial --allow-missing-shards";
    let run = sandbox.run(&format!("simulate {policies} {history}")).exits(0);
    assert!(run.stdout.starts_with("warning: 1 of 3 shards is missing: 1\n"), "{run}");
    let json = sandbox.run(&format!("simulate {policies} {history} -o json")).exits(0).json();
    assert_eq!(json["notes"][0]["kind"], json!("missingShards"));
    assert_eq!(json["notes"][0]["count"], json!(1));
}

#[test]
fn the_same_shard_has_the_same_bytes_and_none_is_an_empty_part() {
    let sandbox = Sandbox::with_examples();
    let policies = parts(&sandbox);
    let first = fs::read(sandbox.path().join("1.partial")).unwrap();
    for threads in [1, 2, 5] {
        let command = format!(
            "simulate {policies} --history h.jsonl --shard 1/3 --threads {threads} --partial -"
        );
        let output = sandbox.command().args(command.split_whitespace()).output().unwrap();
        assert!(output.status.success());
        assert!(output.stdout == first, "{threads} threads");
    }
    assert!(first.starts_with(b"armadactl partial 1 v1\n"));
    let empty = format!("simulate {policies} --history - --shard 0/2 --partial 0.partial");
    sandbox.run_on(&empty, "").exits(0);
    let empty = format!("simulate {policies} --history - --shard 1/2 --partial 1.partial");
    sandbox.run_on(&empty, "").exits(0);
    let both = format!("simulate {policies} --history 0.partial 1.partial");
    sandbox.run(&both).exits(3);
    sandbox.run(&format!("{both} --allow-empty")).exits(0);
}

#[test]
fn flags_of_a_report_may_differ_and_others_are_refused() {
    let sandbox = Sandbox::with_examples();
    let policies = parts(&sandbox);
    let report = format!("simulate {policies} --history 0.partial 1.partial 2.partial");
    for flags in ["--assume observed", "--unit run", "--show all", "-o csv --show rules"] {
        sandbox.run(&format!("{report} {flags}")).exits(0);
    }
    sandbox.run(&format!("{report} --assert jobs>1000")).exits(1);
    sandbox.run(&format!("{report} --exit-code")).exits(1);
    for flags in ["--job job-1", "--timelines all"] {
        let run = sandbox.run(&format!("{report} {flags}")).exits(2);
        assert!(run.stderr.contains("partial summaries have no runs"), "{run}");
    }
    for flags in ["--timelines all", "--exit-code", "--job x", "--assert jobs>1", "--shard 3/3"] {
        let write = format!("simulate {policies} --history h.jsonl --partial x.partial {flags}");
        sandbox.run(&write).exits(2);
    }
    sandbox.run("simulate --history h.jsonl --shard 0/2").exits(2);
}
