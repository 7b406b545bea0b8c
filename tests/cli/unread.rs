//! Histories without records, and records with keys and conditions that nothing reads.
//!
//! Holds cli.md simulate.

use super::sandbox::{Run, Sandbox, snapshot};
use serde_json::Value;

const POLICY: &str = "apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: infra}
spec: {rules: [{action: Retry, onConditions: [Preempted]}]}
";

const LINES: &str = r#"{"jobId":"a","outcome":"Failed","catgory":"x","containers":[{"name":"m","exitcode":1}]}
{"jobId":"b","outcome":"Failed","conditions":["OOMKiled"],"zone":"eu"}

{"jobId":"c","outc\u006fme":"Failed","zone":"eu","containers":[{"name":"m","exitcode":1},{"name":"n","exitcode":2}]}
"#;

fn sandbox(history: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("policy.yaml", POLICY).file("h.jsonl", history);
    sandbox
}

fn simulate(sandbox: &Sandbox, flags: &str) -> Run {
    sandbox.run(&format!("simulate -f policy.yaml --history h.jsonl {flags}"))
}

/// The note of words that nothing reads.
fn note(run: &Run) -> Value {
    let report = run.json();
    let notes = report["notes"].as_array().expect("notes");
    let found = notes.iter().find(|note| note["kind"] == "unreadKeys");
    found.cloned().unwrap_or_default()
}

#[test]
fn words_that_nothing_reads_are_in_one_note() {
    let sandbox = sandbox(LINES);
    let run = simulate(&sandbox, "").exits(0);
    let first = run.stdout.lines().next().unwrap_or_default();
    let wanted = "warning: 3 unknown keys and 1 unknown condition: \
                  `exitcode` (2 records; did you mean `exitCode`?), \
                  `OOMKiled` (1 record; did you mean `OOMKilled`?), \
                  `catgory` (1 record; did you mean `category`?), `zone` (2 records)";
    assert_eq!(first, wanted, "{run}");
    let note = note(&simulate(&sandbox, "-o json").exits(0));
    assert_eq!((&note["severity"], &note["count"]), (&"warning".into(), &4.into()));
}

#[test]
fn words_that_are_like_no_other_are_no_warning() {
    let sandbox = sandbox("{\"jobId\":\"a\",\"outcome\":\"Failed\",\"zone\":\"eu\"}\n");
    let note = note(&simulate(&sandbox, "-o json").exits(0));
    assert_eq!(note["severity"], "note");
    assert_eq!(note["message"], "1 unknown key: `zone` (1 record)");
}

#[test]
fn records_that_are_read_whole_have_no_note() {
    let sandbox = Sandbox::with_examples();
    let line = "simulate -f policies --queue-policies infra --history ml-training.yaml -o json";
    assert_eq!(sandbox.run(line).exits(0).json()["notes"], Value::Array(Vec::new()));
}

#[test]
fn a_document_has_conditions_that_nothing_reads() {
    let document = "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec:\n  jobs:\n  - jobId: a\n    runs: [{outcome: Failed, conditions: [OOMKiled, Evicted]}]\n";
    let sandbox = sandbox(document);
    let message = note(&simulate(&sandbox, "-o json").exits(0))["message"].clone();
    let wanted = "1 unknown condition: `OOMKiled` (1 record; did you mean `OOMKilled`?)";
    assert_eq!(message, wanted);
    let run = simulate(&sandbox, "--strict-records").exits(3);
    assert!(run.stderr.contains("h.jsonl:6:42"), "{run}");
}

#[test]
fn strict_records_are_refused_at_the_first_place_of_each_word() {
    snapshot!("strict_records", simulate(&sandbox(LINES), "--strict-records"));
    simulate(&sandbox("{\"jobId\":\"a\",\"outcome\":\"Failed\"}\n"), "--strict-records").exits(0);
}

#[test]
fn a_misspelt_key_is_named_among_any_number_of_others() {
    let others: Vec<String> = (0..120).map(|number| format!("\"a{number:03}\":1")).collect();
    let line = format!(
        "{{\"jobId\":\"a\",\"outcome\":\"Failed\",{},\"containers\":[{{\"name\":\"m\",\"exitcode\":1}}]}}\n",
        others.join(",")
    );
    let sandbox = sandbox(&line.repeat(3));
    let note = note(&simulate(&sandbox, "-o json").exits(0));
    let wanted = "more than 100 unknown keys: \
                  `exitcode` (3 records; did you mean `exitCode`?), \
                  `a000` (3 records), `a001` (3 records), `a002` (3 records), `a003` (3 records) \
                  and 95 more; further ones are not listed (63 occurrences)";
    assert_eq!((&note["message"], &note["severity"]), (&wanted.into(), &"warning".into()));
    let run = simulate(&sandbox, "--strict-records").exits(3);
    assert!(run.stderr.contains("did you mean `exitCode`?"), "{run}");
}

const POD_CONDITIONS: &str = r#"{"jobId":"a","jobName":"a-w-0","outcome":"Failed","podConditions":[{"type":"Ready","status":"False"},{"type":"DisruptionTarge"},{"type":"DisruptionTarge"}]}
{"jobId":"a","jobName":"a-w-0","outcome":"Failed","podConditions":[{"type":"DisruptionTarget"},{"type":"PodReadyToStartContainers"}]}
"#;

#[test]
fn misspelt_types_of_pod_conditions_are_named() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {backoffLimit: 1, template: {spec: {restartPolicy: Never}}}\n";
    let set = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a}\nspec:\n  replicatedJobs:\n  - {name: w, template: {spec: {template: {spec: {restartPolicy: Never}}}}}\n";
    let of_job = POD_CONDITIONS.replace("\"jobName\":\"a-w-0\",", "");
    let document = "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec:\n  jobs:\n  - jobId: a\n    runs:\n    - {outcome: Failed, podConditions: [{type: Ready, status: 'False'}, {type: DisruptionTarge}]}\n    - {outcome: Failed, podConditions: [{type: DisruptionTarget}]}\n";
    let list = forms(&of_job)[1].clone();
    let wanted = "1 unknown condition: \
                  `DisruptionTarge` (1 record; did you mean `DisruptionTarget`?)";
    // The word itself, in a document the list that it is in.
    for (manifest, history, at) in [
        (job, of_job.as_str(), "DisruptionTarge\""),
        (set, POD_CONDITIONS, "DisruptionTarge\""),
        (job, document, "[{type: Ready"),
        (job, list.as_str(), "DisruptionTarge\""),
    ] {
        let before = &history[..history.find(at).expect("a place")];
        let lines = before.matches('\n').count();
        let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1);
        let place = format!("h:{}:{}:", lines + 1, column + 1);
        let sandbox = Sandbox::new();
        sandbox.file("m.yaml", manifest).file("h", history);
        let simulate =
            |flags: &str| sandbox.run(&format!("simulate -f m.yaml --history h {flags}"));
        let note = note(&simulate("-o json").exits(0));
        assert_eq!((&note["message"], &note["severity"]), (&wanted.into(), &"warning".into()));
        let run = simulate("--strict-records --error-format short").exits(3);
        assert!(run.stderr.contains(&place), "{place}: {run}");
    }
}

/// The same records in other forms: a list on one line, a list over several lines, and objects over
/// several lines one after another.
fn forms(lines: &str) -> [String; 3] {
    let records: Vec<Value> = lines
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect();
    let pretty = |value: &Value| serde_json::to_string_pretty(value).expect("JSON");
    let list = Value::Array(records.clone());
    [list.to_string(), pretty(&list), records.iter().map(pretty).collect::<Vec<_>>().join("\n")]
}

#[test]
fn lists_and_records_over_several_lines_count_as_lines_do() {
    let wanted = note(&simulate(&sandbox(LINES), "-o json").exits(0));
    assert_eq!(wanted["count"], 4);
    for form in forms(LINES) {
        let sandbox = sandbox(&form);
        assert_eq!(note(&simulate(&sandbox, "-o json").exits(0)), wanted, "{form}");
        let run = simulate(&sandbox, "--strict-records --error-format short").exits(3);
        // Each word at its first place.
        for word in ["\"exitcode\"", "\"OOMKiled\"", "\"catgory\"", "\"zone\""] {
            let at = form.find(word).expect("a word") + 1;
            let before = &form[..at];
            let line = before.matches('\n').count() + 1;
            let column = at - before.rfind('\n').map_or(0, |end| end + 1) + 1;
            let place = format!("h.jsonl:{line}:{column}:");
            // Columns of a list on one line count from the record's beginning.
            let place = if form.contains('\n') { place } else { format!("h.jsonl:{line}:") };
            assert!(run.stderr.contains(&place), "{word} at {place}: {run}");
        }
    }
}

#[test]
fn lists_of_other_systems_count_as_lines_do() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {backoffLimit: 1, template: {spec: {restartPolicy: Never}}}\n";
    let lines = r#"{"jobId":"a","podIndx":1,"outcome":"Failed","containers":[{"name":"m","exitcode":1}]}
{"jobId":"a","outcome":"Failed","zone":"eu","containers":[{"name":"m","exitCode":1}]}
"#;
    let simulate = |history: &str, flags: &str| {
        let sandbox = Sandbox::new();
        sandbox.file("job.yaml", job).file("h.jsonl", history);
        sandbox.run(&format!("simulate -f job.yaml --history h.jsonl {flags}"))
    };
    let wanted = note(&simulate(lines, "-o json").exits(0));
    assert_eq!(wanted["count"], 3);
    for form in forms(lines) {
        assert_eq!(note(&simulate(&form, "-o json").exits(0)), wanted, "{form}");
        let run = simulate(&form, "--strict-records").exits(3);
        assert!(run.stderr.contains("did you mean `podIndex`?"), "{run}");
    }
}

/// Lines of more than 8 MiB, which are read as a stream. Long lines take less time.
fn long(line: impl Fn(usize) -> String) -> String {
    let (mut lines, mut number) = (String::new(), 0);
    while lines.len() < 9 << 20 {
        lines += &line(number);
        number += 1;
    }
    lines
}

#[test]
fn a_stream_counts_as_memory_does_on_any_number_of_threads() {
    let line = |number: usize| {
        let more = match number {
            1_234 => "\"catgory\":\"x\",".to_owned(),
            _ if number.is_multiple_of(10) => format!("\"key-{}\":0,", number % 7_000),
            _ => String::new(),
        };
        let pad = "x".repeat(1_000);
        format!(
            "{{\"jobId\":\"job-{number}\",{more}\"outcome\":\"Failed\",\"containers\":[{{\"name\":\"{pad}\",\"exitcode\":1}}]}}\n"
        )
    };
    let sandbox = sandbox(&long(line));
    let held = note(&simulate(&sandbox, "-o json --timelines all").exits(0));
    let message = held["message"].as_str().expect("a note");
    assert!(message.contains("`catgory` (1 record; did you mean `category`?)"), "{message}");
    assert!(message.contains("further ones are not listed"), "{message}");
    for threads in [1, 2, 7] {
        let run = simulate(&sandbox, &format!("-o json --threads {threads}")).exits(0);
        assert_eq!(note(&run), held, "{threads} threads");
    }
    let run = simulate(&sandbox, "--strict-records --threads 3 --error-format short").exits(3);
    assert!(run.stderr.contains("h.jsonl:1235:"), "the line's number in the stream");
}

#[test]
fn streams_of_other_systems_count_as_memory_does() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {backoffLimit: 1, template: {spec: {restartPolicy: Never}}}\n";
    let line = |number: usize| {
        let pad = "x".repeat(1_000);
        let more = if number == 4_321 { "\"podindex\":0," } else { "" };
        format!(
            "{{\"jobId\":\"a-{number}\",{more}\"outcome\":\"Failed\",\"containers\":[{{\"name\":\"m\",\"exitCode\":1,\"{pad}\":1}}]}}\n"
        )
    };
    let sandbox = Sandbox::new();
    sandbox.file("job.yaml", job).file("h.jsonl", long(line));
    let simulate = |flags: &str| {
        sandbox.run(&format!("simulate -f job.yaml --history h.jsonl -o json {flags}"))
    };
    let held = note(&simulate("--timelines all").exits(0));
    let message = held["message"].as_str().expect("a note");
    assert!(message.contains("`podindex` (1 record; did you mean `podIndex`?)"), "{message}");
    for threads in [1, 3] {
        assert_eq!(note(&simulate(&format!("--threads {threads}")).exits(0)), held);
    }
    let run = simulate("--strict-records --error-format short").exits(3);
    assert!(run.stderr.contains("h.jsonl:4322:"), "{}", run.stderr);
}

#[test]
fn an_empty_history_is_refused_unless_it_is_allowed() {
    for (name, history) in [
        ("empty", ""),
        ("blank", "\n\n"),
        ("document", "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec: {jobs: []}\n"),
    ] {
        let sandbox = sandbox(history);
        let run = simulate(&sandbox, "").exits(3);
        assert!(run.stderr.starts_with("error: the history has no records\n"), "{name}: {run}");
        assert!(run.stderr.contains("--allow-empty"), "{name}: {run}");
        let run = simulate(&sandbox, "--allow-empty").exits(0);
        assert!(run.stdout.starts_with("warning: the history has no records\n"), "{run}");
        let report = simulate(&sandbox, "--allow-empty -o json").exits(0).json();
        assert_eq!(report["summary"]["jobs"], 0, "{name}");
        assert_eq!(report["notes"][0]["kind"], "emptyHistory", "{name}");
    }
    let bad = sandbox("{\"jobId\":\"a\"}\n");
    let run = simulate(&bad, "--on-bad-record skip").exits(3);
    assert!(run.stderr.contains("no records: 1 bad record was left out"), "{run}");
}

/// A pod of Armada's job `a` in a phase, and of no Job.
fn pod(name: &str, phase: &str) -> Value {
    serde_json::json!({
        "kind": "Pod", "apiVersion": "v1",
        "metadata": {"name": name, "labels": {"armada_job_id": "a"}},
        "spec": {"containers": [{"name": "m"}]},
        "status": {"phase": phase},
    })
}

#[test]
fn a_history_of_something_else_is_refused_with_what_was_skipped() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {backoffLimit: 1, template: {spec: {restartPolicy: Never}}}\n";
    let deployment = serde_json::json!({"kind": "Deployment", "metadata": {"name": "d"}});
    let mut bad = pod("bad", "Failed");
    bad["status"]["startTime"] = "soon".into();
    for (manifest, items, flags, message) in [
        (
            POLICY,
            vec![deployment.clone(), deployment.clone()],
            "",
            "no records: 2 objects that are not pods were skipped",
        ),
        (
            job,
            vec![pod("p", "Failed"), deployment],
            "",
            "no records: 1 pod without a Job was skipped, 1 object that is not a pod was skipped",
        ),
        (
            POLICY,
            vec![pod("p", "Pending"), bad],
            "--on-bad-record skip",
            "no run that has ended: 1 bad record was left out, 1 pod that has not ended was skipped",
        ),
    ] {
        let sandbox = Sandbox::new();
        let list = serde_json::json!({"kind": "List", "items": items});
        sandbox.file("m.yaml", manifest).file("h.json", list.to_string());
        let line = format!("simulate -f m.yaml --history h.json {flags}");
        let run = sandbox.run(&line).exits(3);
        assert_eq!(
            run.stderr,
            format!("error: the history has {message}\n  help: use --allow-empty to accept it\n")
        );
        let run = sandbox.run(&format!("{line} --allow-empty")).exits(0);
        assert!(run.stdout.starts_with(&format!("warning: the history has {message}\n")), "{run}");
    }
}

#[test]
fn runs_that_have_not_ended_are_no_empty_history() {
    let pending = r#"{"kind":"PodList","apiVersion":"v1","items":[{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","labels":{"armada_job_id":"a"}},"spec":{"containers":[{"name":"m"}]},"status":{"phase":"Pending"}}]}"#;
    let run = simulate(&sandbox(pending), "").exits(0);
    let wanted = "warning: the history has no run that has ended\nNo run is on record.\n\
                  note: skipped 1 pod that has not ended in h.jsonl\n";
    assert!(run.stdout.starts_with(wanted), "{run}");
    let cancelled = "JobID|State|ExitCode|NodeList|Start|End\n\
                     1|CANCELLED by 0|0:0||Unknown|2026-01-01T00:00:00\n";
    let run = simulate(&sandbox(cancelled), "").exits(0);
    assert!(run.stdout.contains("note: skipped 1 job that ended before it ran"), "{run}");
}
