//! Histories of other programs through `simulate`: each of them, how it is recognised, and what is
//! said of what cannot be read. Compressed histories, patterns, several files.
//!
//! Holds semantics.md 10; cli.md simulate.

use super::sandbox::{Run, Sandbox, root, snapshot};
use flate2::write::GzEncoder;
use serde_json::Value;
use std::io::Write;

const FOLDER: &str = "testdata/sources";
const POLICIES: &str = "simulate -f policies --queue-policies infra,ml-training";

fn fixture(file: &str) -> Vec<u8> {
    std::fs::read(root().join(FOLDER).join(file)).expect("a fixture")
}

/// The example's policies, and one source's fixture under its own name.
fn sandbox(file: &str) -> (Sandbox, String) {
    let sandbox = Sandbox::with_examples();
    let name = file.rsplit('/').next().expect("a name").to_owned();
    sandbox.file(&name, fixture(file));
    (sandbox, name)
}

fn simulate(file: &str, flags: &str) -> Run {
    let (sandbox, name) = sandbox(file);
    sandbox.run(&format!("{POLICIES} --history {name} {flags}"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// The jobs of a report.
fn jobs(run: &Run) -> Value {
    run.json()["jobs"].clone()
}

/// A report without the names of the files, which notes about files end with.
fn but_for_names(run: &Run) -> Value {
    let mut report = run.json();
    for note in report["notes"].as_array_mut().expect("notes") {
        let message = note["message"].as_str().expect("a message");
        if let Some((what, _)) = message.rsplit_once(" in ") {
            note["message"] = what.into();
        }
    }
    report
}

#[test]
fn armadas_events() {
    snapshot!("source_armada_events", simulate("armada-events/gateway.jsonl", "--timelines all"));
    let json = "--timelines all -o json";
    let gateway = simulate("armada-events/gateway.jsonl", json).exits(0);
    let raw = simulate("armada-events/watch-raw.txt", json).exits(0);
    assert_eq!(but_for_names(&gateway), but_for_names(&raw), "both notations say the same");
    let proto = simulate("armada-events/protojson.json", json).exits(0);
    assert_eq!(but_for_names(&gateway), but_for_names(&proto), "both encodings say the same");
    assert_eq!(gateway.json()["summary"]["jobs"], 4);
}

#[test]
fn lookouts_jobs() {
    snapshot!("source_lookout", simulate("lookout/pages.json", "--timelines all"));
    let report = simulate("lookout/pages.json", "-o json").exits(0).json();
    assert_eq!(report["summary"]["jobs"], 4);
}

#[test]
fn pods() {
    snapshot!("source_pods", simulate("pods/list.json", "--timelines all"));
    let run = simulate("pods/list.json", "--timelines all -o json").exits(0);
    let stream = simulate("pods/stream.json", "--job 01k6a -o json").exits(0);
    assert_eq!(jobs(&run)[0], jobs(&stream)[0], "a stream of pods says what a list does");
}

#[test]
fn sacct() {
    snapshot!("source_sacct", simulate("sacct/duplicates.txt", "--timelines all"));
    snapshot!("source_sacct_local_times", simulate("sacct/local-times.txt", ""));
    let report = simulate("sacct/duplicates.txt", "-o json").exits(0).json();
    assert_eq!(report["summary"]["jobs"], 6);
}

#[test]
fn what_cannot_be_read_is_said_with_its_line() {
    snapshot!("bad_events", simulate("armada-events/bad.jsonl", ""));
    snapshot!("bad_lookout", simulate("lookout/bad.json", "--error-format short"));
    snapshot!("bad_pods", simulate("pods/bad.json", "--error-format short"));
    snapshot!("bad_sacct", simulate("sacct/bad.txt", ""));
}

#[test]
fn compact_codes_of_slurm_are_its_states() {
    let sandbox = Sandbox::with_examples();
    let line = |(at, state): (usize, &str)| format!("{at}|{state}|1:0|1790000000|1790000{at}00\n");
    let report = |states: [&str; 7]| {
        let lines: String = states.into_iter().enumerate().map(line).collect();
        sandbox.file("jobs.txt", format!("JobID|State|ExitCode|Start|End\n{lines}"));
        let command = "simulate -f policies --queue-policies infra --history jobs.txt -o json";
        sandbox.run(command).exits(0).json()
    };
    let names =
        ["OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT", "NODE_FAIL", "CANCELLED", "FAILED", "COMPLETED"];
    assert_eq!(report(["OOM", "PR", "TO", "NF", "CA", "F", "CD"]), report(names));
}

#[test]
fn what_cannot_be_read_can_be_left_out() {
    for (file, skipped) in [
        ("armada-events/bad.jsonl", 4),
        ("lookout/bad.json", 5),
        ("pods/bad.json", 3),
        ("sacct/bad.txt", 6),
    ] {
        let run = simulate(file, "--on-bad-record skip -o json").exits(0);
        assert_eq!(run.json()["summary"]["skippedRecords"], skipped, "{run}");
    }
}

#[test]
fn a_format_that_is_given_wins() {
    let run = simulate("sacct/duplicates.txt", "--format lookout --error-format short").exits(3);
    assert!(run.stderr.contains("1:1: error[RP001]: invalid JSON: expected an object"), "{run}");
    let run = simulate("pods/stream.json", "--format pods -o json").exits(0);
    assert_eq!(run.json()["summary"]["jobs"], 2);
    let help = Sandbox::new().run("simulate --help").exits(0);
    for name in ["armada-events", "lookout", "pods", "sacct"] {
        assert!(help.stdout.contains(name), "{help}");
    }
}

#[test]
fn text_around_json_has_a_way_out() {
    let sandbox = Sandbox::with_examples();
    let pods = String::from_utf8(fixture("pods/list.json")).expect("UTF-8");
    let record = "{\"jobId\":\"a\",\"outcome\":\"Failed\"}\n";
    let behind_warning = format!("Warning: old API\n{pods}");
    sandbox.file("pods", &behind_warning);
    sandbox.file("events", format!("Warning: old API\n{}", "{\"result\":{}}\n"));
    sandbox.file("pages", "Warning: old API\n{\"jobs\":[]}\n");
    sandbox.file("runs.jsonl", format!("Warning: old API\n{record}{record}"));
    sandbox.file("marked.jsonl", format!("\u{feff}{record} {record}"));
    sandbox.file("behind", format!("{pods}\nWarning: old API\n"));
    let simulate = |flags: &str| sandbox.run(&format!("{POLICIES} {flags}"));
    for flags in [
        "--history pods --format pods",
        "--history - --format pods",
        "--history events --format armada-events",
        "--history pages --format lookout",
        "--history runs.jsonl",
        "--history runs.jsonl --format jsonl",
        "--history pods --format yaml",
    ] {
        let run = sandbox.run_on(&format!("{POLICIES} {flags}"), &behind_warning).exits(3);
        assert!(run.stderr.contains("line 1 is not JSON; the JSON begins after"), "{flags}: {run}");
        assert!(run.stderr.contains("COMMAND 2>warnings.txt >history.json"), "{flags}: {run}");
        assert_eq!(run.stderr.matches("error[").count(), 1, "{flags}: {run}");
    }
    // A line of lines can be left out.
    let run = simulate("--history runs.jsonl --on-bad-record skip -o json").exits(0);
    assert_eq!(run.json()["summary"]["skippedRecords"], 1, "{run}");
    assert_eq!(simulate("--history marked.jsonl -o json").exits(0).json()["summary"]["jobs"], 1);
    let run = simulate("--history behind").exits(3);
    assert!(run.stderr.contains("help: remove this text, or redirect"), "{run}");
}

#[test]
fn compressed_histories_are_what_they_are_without_it() {
    for file in ["armada-events/gateway.jsonl", "pods/list.json", "sacct/duplicates.txt"] {
        let plain = but_for_names(&simulate(file, "-o json").exits(0));
        for packed in [gzip(&fixture(file)), zstd(&fixture(file))] {
            let sandbox = Sandbox::with_examples();
            let run = sandbox.run_on(&format!("{POLICIES} --history - -o json"), &packed);
            assert_eq!(but_for_names(&run.exits(0)), plain, "{file}");
        }
    }
    // Documents too, and names play no part in it.
    let sandbox = Sandbox::with_examples();
    let document = std::fs::read(root().join("examples/ml-training.yaml")).expect("an example");
    sandbox.file("packed", gzip(&document));
    let plain = sandbox.run(&format!("{POLICIES} --history ml-training.yaml -o json"));
    let packed = sandbox.run(&format!("{POLICIES} --history packed -o json"));
    assert_eq!(packed.exits(0).json(), plain.json());
}

#[test]
fn compressed_data_that_is_cut_off_names_its_file() {
    let sandbox = Sandbox::with_examples();
    let lines = std::fs::read(root().join("examples/fleet.jsonl")).expect("an example");
    for (name, packed) in [("a.jsonl.gz", gzip(&lines)), ("b.jsonl.zst", zstd(&lines))] {
        sandbox.file(name, &packed[..packed.len() - 5]);
        sandbox.file(&format!("list-{name}"), {
            let list = if name.starts_with('a') {
                gzip(&fixture("pods/list.json"))
            } else {
                zstd(&fixture("pods/list.json"))
            };
            list[..list.len() - 5].to_vec()
        });
    }
    snapshot!("cut_off_gzip", sandbox.run(&format!("{POLICIES} --history a.jsonl.gz")));
    for name in ["b.jsonl.zst", "list-a.jsonl.gz", "list-b.jsonl.zst"] {
        let run = sandbox.run(&format!("{POLICIES} --history {name}")).exits(3);
        assert!(run.stderr.contains(name) && run.stderr.contains("is cut off"), "{run}");
    }
}

#[test]
fn several_files_of_several_kinds_are_one_history() {
    let sandbox = Sandbox::with_examples();
    sandbox.file("logs/a.json", fixture("lookout/pages.json"));
    sandbox.file("logs/b.json.gz", gzip(&fixture("pods/list.json")));
    sandbox.file("logs/deep/c.jsonl.zst", zstd(br#"{"jobId":"line","outcome":"Failed"}"#));
    sandbox.file("logs/notes.txt", "not looked at");
    let all = sandbox.run(&format!("{POLICIES} --history logs -o json")).exits(3);
    assert!(all.stderr.is_empty() || all.stdout.contains("RP029"), "{all}");
    sandbox.file("logs/a.json", fixture("sacct/duplicates.txt"));
    let all = sandbox.run(&format!("{POLICIES} --history logs -o json")).exits(0);
    // Slurm's six, five of pods, one of a line.
    assert_eq!(all.json()["summary"]["jobs"], 12);
    let some = sandbox.run(&format!("{POLICIES} --history logs/*.gz logs/deep -o json")).exits(0);
    assert_eq!(some.json()["summary"]["jobs"], 6);
}

#[test]
fn patterns_match_files_and_a_file_of_that_name_comes_first() {
    let sandbox = Sandbox::with_examples();
    let line = |job: &str| format!("{{\"jobId\":\"{job}\",\"outcome\":\"Failed\"}}\n");
    sandbox.file("logs/1.jsonl", line("a")).file("logs/2.jsonl", line("b"));
    sandbox.file("logs/[12].jsonl", line("c"));
    let jobs = |path: &str| {
        let run = sandbox.run(&format!("{POLICIES} --history {path} --timelines all -o json"));
        let report = run.exits(0).json();
        let jobs = report["jobs"].as_array().expect("jobs").clone();
        jobs.iter().map(|job| job["jobId"].as_str().expect("an id").to_owned()).collect::<String>()
    };
    assert_eq!(jobs("logs/?.jsonl"), "ab");
    assert_eq!(jobs("logs/[12].jsonl"), "c");
    assert_eq!(jobs("lo*"), "abc");
    snapshot!("nothing_matches", sandbox.run(&format!("{POLICIES} --history logs/*.zst")));
    snapshot!("no_pattern", sandbox.run(&format!("{POLICIES} --history logs/[.zst")));
}

/// The summary and the notes of a report.
fn without_jobs(run: &Run) -> Value {
    let mut report = run.json();
    report.as_object_mut().expect("a report").remove("jobs");
    for variant in report["variants"].as_array_mut().into_iter().flatten() {
        // A sample has both timelines only if its runs are in memory.
        variant.as_object_mut().expect("a variant").remove("example");
    }
    report
}

#[test]
fn a_history_that_is_streamed_has_the_summary_of_one_in_memory() {
    let sandbox = Sandbox::with_examples();
    let document = "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec:\n  \
                    jobs: [{jobId: d, queue: ml, runs: [{outcome: Failed}]}]\n  \
                    queues: [{name: ml, retryPolicies: [infra]}]\n";
    sandbox.file("document.yaml", document);
    sandbox.file("lines.jsonl", "{\"jobId\":\"01k6a\",\"outcome\":\"Failed\"}\n");
    let records = r#"[{"jobId":"l","outcome":"Failed"},{"jobId":"l","outcome":"Succeeded"}]"#;
    sandbox.file("list.json", records);
    let files = [
        ("events.jsonl", "armada-events/gateway.jsonl"),
        ("lookout.json", "lookout/pages.json"),
        ("bad-lookout.json", "lookout/bad.json"),
        ("pods.json", "pods/watch.json"),
        ("pods.yaml", "pods/list.yaml"),
        ("sacct.txt", "sacct/duplicates.txt"),
    ];
    for (name, file) in files {
        sandbox.file(name, fixture(file));
    }
    let all = "lines.jsonl list.json events.jsonl lookout.json bad-lookout.json pods.json pods.yaml sacct.txt";
    let mut succeeded = 0;
    for history in [all, "lookout.json", "sacct.txt", &format!("{all} document.yaml")] {
        for flags in ["", "--assume observed", "--sweep globalMaxRetries=0..3"] {
            let command = format!(
                "{POLICIES} --history {history} --on-bad-record skip {flags} -o json --timelines"
            );
            let streamed = sandbox.run(&format!("{command} none"));
            let in_memory = sandbox.run(&format!("{command} all"));
            assert_eq!(streamed.stderr, in_memory.stderr, "{command}");
            assert_eq!(streamed.code, in_memory.code, "{command}");
            if streamed.code == 0 {
                assert_eq!(without_jobs(&streamed), without_jobs(&in_memory), "{command}");
                succeeded += 1;
            }
        }
    }
    assert!(succeeded >= 6, "{succeeded} of 12 histories were replayed");
}
