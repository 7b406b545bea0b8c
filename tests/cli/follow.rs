//! `simulate --follow`: the decisions of a stream as they come, and an answer that equals that of a replay of the file.
//!
//! Holds cli.md simulate.

use super::sandbox::{Sandbox, root, snapshot};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const EVENTS: &str = "testdata/sources/armada-events-recorded";
const REPLAY: &str = "simulate -f policy.yaml --queue-policies p";

const POLICY: &str = "\
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: p}
spec:
  defaultAction: Fail
  retryLimit: 2
  rules:
  - {action: Retry, onExitCodes: {operator: In, values: [75, 137]}}
";

/// A decision is printed long before this time; a busy machine may be slow.
const PATIENCE: Duration = Duration::from_secs(30);

/// A process whose stream is written by the test.
struct Followed {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Followed {
    fn start(sandbox: &Sandbox, line: &str) -> Self {
        let mut command: Command = sandbox.command();
        let command = command.args(line.split_whitespace()).stdin(Stdio::piped());
        let mut child = command.spawn().expect("the binary runs");
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).for_each(|line| _ = sender.send(line));
        });
        let input = child.stdin.take();
        Self { child, input, lines }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// The next line of the output, while the stream is open.
    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line within the time")
    }

    fn interrupt(&self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    }

    /// The rest of the output, and the exit code.
    fn end(mut self) -> (Vec<String>, i32) {
        drop(self.input.take());
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        let code = self.child.wait().unwrap().code();
        (self.lines.iter().collect(), code.unwrap_or_else(|| panic!("no exit code: {errors}")))
    }
}

impl Drop for Followed {
    /// A test that fails leaves no process behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

/// A line of a record. Every third job is retried by the policy.
fn record(job: usize, run: usize) -> String {
    let code = if job.is_multiple_of(3) { 137 } else { 1 };
    let outcome = if run == 2 { "Succeeded" } else { "Failed" };
    let containers = format!(r#"[{{"name":"main","exitCode":{code}}}]"#);
    format!(
        r#"{{"jobId":"job-{job}","queue":"q{}","startedAt":"2026-10-01T1{run}:00:00Z","finishedAt":"2026-10-01T1{run}:{:02}:00Z","outcome":"{outcome}","node":"n{}","containers":{}}}"#,
        job % 4,
        job % 60,
        job % 7,
        if outcome == "Failed" { &containers } else { "[]" },
    ) + "\n"
}

/// The records of some jobs, run by run.
fn records(jobs: usize) -> String {
    (0..3).map(|run| records_of_run(jobs, run)).collect()
}

fn records_of_run(jobs: usize, run: usize) -> String {
    (0..jobs).map(|job| record(job, run)).collect()
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("policy.yaml", POLICY);
    sandbox
}

/// A report without the timelines of a short history, which a stream has not.
fn without_timelines(mut report: Value) -> Value {
    report.as_object_mut().unwrap().remove("jobs");
    report
}

#[test]
fn each_decision_is_printed_while_the_stream_is_open() {
    let sandbox = sandbox();
    let mut followed = Followed::start(&sandbox, &format!("{REPLAY} --follow --history -"));
    for job in 0..5 {
        let record = record(job, 0);
        // A line may come in parts.
        let (head, tail) = record.split_at(40);
        followed.write(head.as_bytes());
        std::thread::sleep(Duration::from_millis(5));
        followed.write(tail.as_bytes());
        let line = followed.line();
        let decided = if job % 3 == 0 { "Retry  p[0] 1/2" } else { "Fail   p default" };
        assert!(line.contains(&format!("job-{job}  {decided}")), "{line}");
    }
    followed.interrupt();
    let (rest, code) = followed.end();
    assert_eq!(code, 0, "{rest:?}");
    assert!(rest.join("\n").contains("5 jobs, 1 Oct 2026"), "{rest:?}");
}

#[test]
fn the_answer_equals_that_of_the_file() {
    let sandbox = sandbox();
    // More than is read into memory, so that the replay of the file streams too.
    let lines = records(20_000);
    sandbox.file("history.jsonl", &lines);
    for flags in ["", "--variant no-retries"] {
        let replay = format!("{REPLAY} {flags} -o json --advice none");
        let file = sandbox.run(&format!("{replay} --history history.jsonl")).exits(0).json();
        let stream =
            sandbox.run_on(&format!("{replay} --follow --history - --every 1s"), &lines).exits(0);
        let printed: Vec<Value> =
            stream.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let (answers, decisions): (Vec<&Value>, Vec<&Value>) =
            printed.iter().partition(|line| line["kind"] == "SimulationReport");
        assert_eq!(without_timelines((**answers.last().unwrap()).clone()), without_timelines(file));
        let failures = &answers.last().unwrap()["summary"]["failures"];
        let is_first = |line: &&&Value| line["variant"].is_null() || line["variant"] == "given";
        let of_first = decisions.iter().filter(is_first).count() as u64;
        assert_eq!(Some(of_first), failures.as_u64());
    }
}

/// The lines are in the order of the stream, and have what the timelines of the file have.
#[test]
fn decisions_are_those_of_the_timelines() {
    let sandbox = sandbox();
    sandbox.file("policy.yaml", std::fs::read(root().join(EVENTS).join("policy.yaml")).unwrap());
    for file in ["set-1.jsonl", "set-1.txt"] {
        let events = std::fs::read(root().join(EVENTS).join(file)).unwrap();
        let stream = sandbox
            .run_on("simulate -f policy.yaml --follow --history - -o json", &events)
            .exits(0);
        let printed: Vec<Value> =
            stream.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        sandbox.file(file, &events);
        let replayed = sandbox.run(&format!(
            "simulate -f policy.yaml --history {file} --timelines all --advice none -o json"
        ));
        let replayed = replayed.exits(0).json();
        for job in replayed["jobs"].as_array().unwrap() {
            let of_job = printed.iter().filter(|line| line["jobId"] == job["jobId"]);
            let decisions: Vec<Value> = of_job
                .map(|line| {
                    let mut decision = line.clone();
                    for name in ["apiVersion", "kind", "jobId", "queue"] {
                        decision.as_object_mut().unwrap().remove(name);
                    }
                    decision
                })
                .collect();
            assert_eq!(Value::from(decisions), job["decisions"], "{}", job["jobId"]);
        }
        let answer = printed.last().unwrap().clone();
        assert_eq!(without_timelines(answer), without_timelines(replayed));
    }
}

#[test]
fn a_screen() {
    let sandbox = sandbox();
    sandbox.file("policy.yaml", std::fs::read(root().join(EVENTS).join("policy.yaml")).unwrap());
    let events = std::fs::read(root().join(EVENTS).join("set-1.jsonl")).unwrap();
    let line = "simulate -f policy.yaml --follow --history - --metrics retries.prom";
    snapshot!("follow_screen", sandbox.run_on(line, events));
    let metrics = std::fs::read_to_string(sandbox.path().join("retries.prom")).unwrap();
    insta::assert_snapshot!("follow_metrics", metrics);
}

#[test]
fn an_answer_comes_at_intervals_only_with_new_runs() {
    let sandbox = sandbox();
    let line = format!("{REPLAY} --follow --history - --every 1s -o json");
    let mut followed = Followed::start(&sandbox, &line);
    for (jobs, job) in [(1, 0), (2, 3)] {
        followed.write(record(job, 0).as_bytes());
        let decision: Value = serde_json::from_str(&followed.line()).unwrap();
        assert_eq!(decision["kind"], "Decision");
        let answer: Value = serde_json::from_str(&followed.line()).unwrap();
        assert_eq!(answer["summary"]["jobs"], jobs, "{answer}");
        assert_eq!(answer["summary"]["outcomes"]["Unresolved"], jobs);
        assert!(followed.lines.recv_timeout(Duration::from_millis(1_500)).is_err());
    }
    let (rest, code) = followed.end();
    assert_eq!((rest.len(), code), (1, 0), "{rest:?}");
}

#[test]
fn a_bad_record_ends_the_stream_with_the_answer_so_far() {
    let sandbox = sandbox();
    let stream = [record(0, 0), "{\"jobId\":\"x\"\n".to_owned(), record(1, 0)].concat();
    let run = sandbox.run_on(&format!("{REPLAY} --follow --history -"), &stream).exits(3);
    assert!(run.stderr.contains("error[RP001]: "), "{run}");
    assert!(run.stderr.contains("--> -:2:12"), "{run}");
    let lines = sandbox.run_on(&format!("{REPLAY} --follow --history - -o json"), &stream).exits(3);
    let kinds: Vec<String> = lines
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["kind"].to_string())
        .collect();
    assert_eq!(kinds.last().unwrap(), "\"ErrorReport\"", "{lines}");
    let skipped = format!("{REPLAY} --follow --history - --on-bad-record skip");
    let run = sandbox.run_on(&skipped, &stream).exits(0);
    assert!(run.stdout.contains("1 bad record was left out"), "{run}");
}

/// Jobs of a gang, which are kept until the end.
fn gang(run: usize) -> String {
    let member = |job: usize| {
        record(job, run).replace(
            "\"jobId\":\"job-",
            "\"gang\":{\"id\":\"g\",\"cardinality\":2},\"jobId\":\"gang-",
        )
    };
    // Both of one queue.
    member(0) + &member(4)
}

#[test]
fn an_answer_so_far_changes_nothing() {
    let sandbox = sandbox();
    let parts: Vec<String> = (0..3).map(|run| records_of_run(20_000, run) + &gang(run)).collect();
    sandbox.file("history.jsonl", parts.concat());
    let replay = format!("{REPLAY} --variant no-retries -o json --advice none");
    let file = sandbox.run(&format!("{replay} --history history.jsonl")).exits(0).json();
    let mut followed =
        Followed::start(&sandbox, &format!("{replay} --follow --history - --every 1s"));
    let mut so_far = Vec::new();
    for part in &parts[..2] {
        followed.write(part.as_bytes());
        let answer = loop {
            let line: Value = serde_json::from_str(&followed.line()).unwrap();
            if line["kind"] == "SimulationReport" {
                break line;
            }
        };
        so_far.push(answer["answer"]["runs"].as_u64().unwrap());
    }
    assert!(so_far[0] >= 1 && so_far[1] > so_far[0], "{so_far:?}");
    followed.write(parts[2].as_bytes());
    let (rest, code) = followed.end();
    let last: Value = serde_json::from_str(rest.last().unwrap()).unwrap();
    assert_eq!((without_timelines(last), code), (without_timelines(file), 0));
}

/// The jobs that go on are unresolved on record, as at the end of the same events.
#[test]
fn an_answer_so_far_is_that_of_the_events_so_far() {
    let sandbox = sandbox();
    sandbox.file("policy.yaml", std::fs::read(root().join(EVENTS).join("policy.yaml")).unwrap());
    let events = std::fs::read_to_string(root().join(EVENTS).join("set-1.jsonl")).unwrap();
    for lines in [50, 70, 84] {
        let text: String = events.split_inclusive('\n').take(lines).collect();
        let line = "simulate -f policy.yaml --follow --history - --every 1s -o json";
        let mut followed = Followed::start(&sandbox, line);
        followed.write(text.as_bytes());
        let so_far = loop {
            let line: Value = serde_json::from_str(&followed.line()).unwrap();
            if line["kind"] == "SimulationReport" {
                break line;
            }
        };
        let (rest, _) = followed.end();
        let at_end: Value = serde_json::from_str(rest.last().unwrap()).unwrap();
        for part in ["answer", "summary", "verdict"] {
            assert_eq!(so_far[part], at_end[part], "{lines} lines: {part}");
        }
        let unresolved = &so_far["answer"]["rows"][4]["values"][0];
        assert_eq!(*unresolved == 0.0, lines == 84, "{lines} lines");
    }
}

#[test]
fn an_interrupt_leaves_out_the_line_that_it_cuts() {
    let sandbox = sandbox();
    let events = std::fs::read_to_string(root().join(EVENTS).join("set-1.jsonl")).unwrap();
    sandbox.file("policy.yaml", std::fs::read(root().join(EVENTS).join("policy.yaml")).unwrap());
    let (first, rest) = events.split_at(events.match_indices('\n').nth(49).unwrap().0 + 1);
    for (text, lines) in [(first.to_owned() + &rest[..50], 5), (events[..50].to_owned(), 0)] {
        let line = "simulate -f policy.yaml --follow --history -";
        let mut followed = Followed::start(&sandbox, line);
        followed.write(text.as_bytes());
        (0..lines).for_each(|_| _ = followed.line());
        // The bytes have to be read before the signal.
        std::thread::sleep(Duration::from_millis(300));
        followed.interrupt();
        let code = followed.child.wait().unwrap().code();
        let (rest, _) = followed.end();
        assert_eq!(code, Some(0), "{rest:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_without_a_writer_can_be_interrupted() {
    let sandbox = sandbox();
    let pipe = sandbox.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut followed = Followed::start(&sandbox, &format!("{REPLAY} --follow --history pipe"));
    std::thread::sleep(Duration::from_millis(500));
    followed.interrupt();
    assert_eq!(followed.child.wait().unwrap().code(), Some(0));
}

#[test]
fn streams_that_cannot_be_followed_are_refused() {
    let sandbox = sandbox();
    sandbox.file("h.jsonl", record(0, 0));
    let refused = |line: &str, code: i32| sandbox.run(&format!("{REPLAY} {line}")).exits(code);
    refused("--follow --history h.jsonl h.jsonl", 2);
    refused("--follow", 2);
    refused("--every 1m --history h.jsonl", 2);
    refused("--follow --history h.jsonl --every 10ms", 2);
    refused("--follow --history h.jsonl -o yaml", 2);
    refused("--follow --history missing.jsonl", 3);
    refused("--follow --history h.jsonl --report markdown=-", 2);
    refused("--follow --history h.jsonl --metrics -", 2);
    refused("--follow --history h.jsonl --metrics missing/m.prom", 3);
    sandbox.run("simulate --follow --history h.jsonl").exits(2);
    let pods = std::fs::read(root().join("testdata/sources/pods/stream.json")).unwrap();
    let run = sandbox.run_on(&format!("{REPLAY} --follow --history -"), pods).exits(3);
    assert!(run.stderr.contains("is not a stream that --follow reads"), "{run}");
    let run = sandbox.run_on(&format!("{REPLAY} --follow --history -"), "").exits(0);
    assert!(run.stdout.contains("the history has no records"), "{run}");
}
