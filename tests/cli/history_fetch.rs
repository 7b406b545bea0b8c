//! `history fetch` from a small Lookout, which answers as the real one's source says.
//!
//! Holds cli.md Commands.

use super::quirks::{Fake, Script, answer};
use super::sandbox::{Run, Sandbox};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const POLICY: &str = "\
apiVersion: armadaproject.io/v1beta1
kind: RetryPolicy
name: p
retryLimit: 3
defaultAction: Fail
rules:
- action: Retry
  onCategory: infra
";

/// A Lookout with these jobs.
struct Server {
    fake: Fake,
    /// The answers before the next regular ones, by the number of the request.
    faults: Arc<Mutex<BTreeMap<usize, u16>>>,
    requests: Arc<AtomicUsize>,
}

/// Jobs of two queues within ten hours, of which every third has a failed run. Many are submitted in the same instant.
fn jobs(count: usize) -> Vec<Value> {
    let job = |index: usize| {
        // Half of the jobs are one submission.
        let second = if index.is_multiple_of(2) { 18_000 } else { index * 36_000 / count };
        let at = |second: usize| {
            format!(
                "2026-11-01T{:02}:{:02}:{:02}.5Z",
                second / 3_600,
                second / 60 % 60,
                second % 60
            )
        };
        let end = if index.is_multiple_of(3) { "RUN_FAILED" } else { "RUN_SUCCEEDED" };
        let state = match index % 7 {
            0 => "RUNNING",
            _ if index.is_multiple_of(3) => "FAILED",
            _ => "SUCCEEDED",
        };
        json!({
            "jobId": format!("01{index:06}"), "queue": if index.is_multiple_of(5) { "other" } else { "ml" },
            "jobSet": "s", "state": state, "submitted": at(second), "cpu": 1000, "annotations": {},
            "runs": [{
                "runId": format!("run-{index}"), "jobRunState": end, "started": at(second), "finished": at(second + 60),
                "exitCode": if end == "RUN_FAILED" { json!(137) } else { Value::Null }, "failureCategory": if end == "RUN_FAILED" { json!("infra") } else { Value::Null },
            }],
        })
    };
    (0..count).map(job).collect()
}

/// Whether a job passes a filter of a request.
fn passes(job: &Value, filter: &Value) -> bool {
    let (value, wanted) = (&job[filter["field"].as_str().unwrap()], &filter["value"]);
    match filter["match"].as_str().unwrap() {
        "anyOf" => wanted.as_array().unwrap().contains(value),
        "greaterThanOrEqualTo" => value.as_str() >= wanted.as_str(),
        "lessThan" => value.as_str() < wanted.as_str(),
        other => panic!("Lookout has no match `{other}`"),
    }
}

impl Server {
    fn start(jobs: Vec<Value>) -> Self {
        let faults = Arc::new(Mutex::new(BTreeMap::<usize, u16>::new()));
        let requests = Arc::new(AtomicUsize::new(0));
        let (shared, count) = (Arc::clone(&faults), Arc::clone(&requests));
        let fake = Fake::routed(move |request| {
            let number = count.fetch_add(1, Ordering::Relaxed);
            match shared.lock().unwrap().remove(&number) {
                Some(status) => answer(status, &[], ""),
                None => respond(&jobs, request),
            }
        });
        Self { fake, faults, requests }
    }

    fn fetch(&self, sandbox: &Sandbox, flags: &str) -> Run {
        sandbox.run(&format!("{} {flags}", self.line()))
    }

    fn line(&self) -> String {
        let period = "--since 2026-11-01T00:00:00Z --until 2026-11-02T00:00:00Z";
        format!(
            "history fetch --lookout-url {} {period} --rate 100000 --record h.jsonl",
            self.fake.url()
        )
    }
}

fn respond(jobs: &[Value], request: &str) -> Script {
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    let json = |body: Value| answer(200, &["Content-Type: application/json"], &body.to_string());
    match head.split(' ').nth(1).unwrap() {
        "/api/v1/jobs" => {
            assert_eq!(body["order"], json!({"field": "jobId", "direction": "ASC"}));
            let filters = body["filters"].as_array().unwrap();
            let found = jobs.iter().filter(|job| filters.iter().all(|filter| passes(job, filter)));
            let number = |key: &str| usize::try_from(body[key].as_u64().unwrap()).unwrap();
            let page: Vec<&Value> = found.skip(number("skip")).take(number("take")).collect();
            // Go writes an empty list as null.
            json(json!({"jobs": if page.is_empty() { Value::Null } else { json!(page) }}))
        }
        "/api/v1/jobRunError" => json(json!({"errorString": format!("why {}", body["runId"])})),
        // A run without debug JSON.
        "/api/v1/jobRunDebugMessage" => {
            let text =
                format!("no debug message found for run with id {}: not found", body["runId"]);
            answer(400, &[], &json!({"error": text}).to_string())
        }
        path => panic!("Lookout has no {path}"),
    }
}

fn record(sandbox: &Sandbox) -> String {
    std::fs::read_to_string(sandbox.path().join("h.jsonl")).unwrap()
}

#[test]
fn a_fetch_has_each_ended_job_once() {
    let all = jobs(6_000);
    let server = Server::start(all.clone());
    let sandbox = Sandbox::new();
    let run = server.fetch(&sandbox, "--queue ml");
    let run = run.exits(0);
    let mut fetched: Vec<Value> =
        record(&sandbox).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut expected: Vec<Value> = all
        .iter()
        .filter(|job| job["queue"] == "ml" && job["state"] != "RUNNING")
        .cloned()
        .collect();
    let failed = expected.iter().filter(|job| job["state"] == "FAILED").count();
    assert!(
        run.stdout.contains(&format!("{failed} failed; {failed} have an error, 0 debug JSON")),
        "{run}"
    );
    for job in &mut fetched {
        let run = job["runs"][0].as_object_mut().unwrap();
        let text = run.remove("error");
        assert_eq!(text.is_some(), run["jobRunState"] == "RUN_FAILED");
    }
    let id = |job: &Value| job["jobId"].as_str().unwrap().to_owned();
    fetched.sort_by_key(id);
    expected.sort_by_key(id);
    assert!(fetched == expected, "{} of {}", fetched.len(), expected.len());
    let left = std::fs::read_dir(sandbox.path()).unwrap().count();
    assert_eq!(left, 1, "only the record");
}

#[test]
fn a_fetch_replays_as_pages_in_a_file_do() {
    let all = jobs(2_000);
    let server = Server::start(all.clone());
    let sandbox = Sandbox::new();
    sandbox.file("p.yaml", POLICY);
    server.fetch(&sandbox, "--without-errors").exits(0);
    let ended: Vec<&Value> = all.iter().filter(|job| job["state"] != "RUNNING").collect();
    sandbox.file("pages.json", json!({"jobs": ended}).to_string());
    let replay = |file: &str| {
        let line = format!("simulate -f p.yaml --queue-policies p -o json --history {file}");
        let mut report = sandbox.run(&line).exits(0).json();
        report.as_object_mut().unwrap().remove("provenance");
        report["summary"].clone()
    };
    assert_eq!(replay("h.jsonl"), replay("pages.json"));
    for name in ["h.jsonl.gz", "h.jsonl.zst"] {
        let line = server.line().replace("h.jsonl", name);
        sandbox.run(&format!("{line} --without-errors")).exits(0);
        assert_eq!(replay(name), replay("h.jsonl"), "{name}");
        let size = |name: &str| std::fs::metadata(sandbox.path().join(name)).unwrap().len();
        assert!(size(name) * 4 < size("h.jsonl"), "{name}");
    }
}

/// SIGKILL at any time: the resumed fetch writes what one without an interruption does.
#[cfg(unix)]
#[test]
fn a_killed_fetch_goes_on() {
    let server = Server::start(jobs(4_000));
    let whole = Sandbox::new();
    server.fetch(&whole, "").exits(0);
    let sandbox = Sandbox::new();
    let mut kills = 0;
    for round in 0_u64.. {
        let line = if round == 0 {
            server.line()
        } else {
            "history fetch --record h.jsonl --resume --rate 100000".to_owned()
        };
        let mut command = sandbox.command();
        let mut child = command.args(line.split(' ')).spawn().unwrap();
        // Later ones have more time, so that each window ends at some time.
        std::thread::sleep(Duration::from_millis(20 + 37 * round % 90 + 30 * round));
        if child.try_wait().unwrap().is_some_and(|status| status.success()) {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        if !sandbox.path().join("h.jsonl.state").exists() {
            // It was killed before it began.
            sandbox.run("history fetch --record h.jsonl --resume").exits(3);
            std::fs::remove_file(sandbox.path().join("h.jsonl.part")).ok();
            server.fetch(&sandbox, "").exits(0);
            break;
        }
    }
    assert!(kills > 2, "{kills}");
    assert!(record(&sandbox) == record(&whole), "after {kills} kills");
}

#[test]
fn a_fault_of_lookout_ends_the_fetch_and_loses_nothing() {
    let server = Server::start(jobs(3_000));
    let whole = Sandbox::new();
    server.fetch(&whole, "").exits(0);
    let sandbox = Sandbox::new();
    let begun = server.requests.load(Ordering::Relaxed);
    // A fault of some moments is waited for; four in a row end the fetch.
    for request in [3, 20].into_iter().chain(400..440) {
        server.faults.lock().unwrap().insert(begun + request, 500);
    }
    let failed = server.fetch(&sandbox, "").exits(7);
    assert!(failed.stderr.contains("history fetch --record h.jsonl --resume"), "{failed}");
    let twice = server.fetch(&sandbox, "").exits(3);
    assert!(twice.stderr.contains("an interrupted fetch is in `h.jsonl.part`"), "{twice}");
    let other = sandbox.run("history fetch --record h.jsonl --resume --queue x").exits(2);
    assert!(other.stderr.contains("--resume"), "{other}");
    while sandbox.run("history fetch --record h.jsonl --resume --rate 100000").code != 0 {}
    assert!(record(&sandbox) == record(&whole));
    let exists = server.fetch(&sandbox, "").exits(3);
    assert!(exists.stderr.contains("`h.jsonl` exists"), "{exists}");
    let nothing = sandbox.run("history fetch --record h.jsonl --resume").exits(3);
    assert!(nothing.stderr.contains("no fetch of `h.jsonl` was interrupted"), "{nothing}");
}

#[test]
fn a_period_and_an_address_have_to_make_sense() {
    let sandbox = Sandbox::new();
    let line = "history fetch --record h --lookout-url";
    for (flags, code, part) in [
        ("http://127.0.0.1:1 --since 1h --until 2h", 2, "the period is empty"),
        ("http://127.0.0.1:1 --since=-1h", 2, "such as `30d` or `12h`"),
        ("http://127.0.0.1:1 --since yesterday", 2, "such as `30d` or `12h`"),
        ("ftp://x", 2, "given as `--lookout-url`"),
        ("http://127.0.0.1:1 --rate 0", 2, "0"),
        ("http://127.0.0.1:1", 7, "Check the address (`--lookout-url`)"),
    ] {
        let run = sandbox.run(&format!("{line} {flags}")).exits(code);
        assert!(run.stderr.contains(part), "{part}: {run}");
        let left = std::fs::read_dir(sandbox.path()).unwrap().count();
        assert_eq!(left, 0, "a fetch that wrote nothing leaves nothing");
    }
    let fake = Fake::new(vec![answer(404, &[], "<html>")]);
    let page = sandbox.run(&format!("{line} {}", fake.url())).exits(7);
    assert!(page.stderr.contains("Lookout's API is at `/api/v1` below it"), "{page}");
}

#[test]
fn an_answer_that_is_not_lookouts_is_no_empty_history() {
    let sandbox = Sandbox::new();
    let none = "no error found for run with id x: not found";
    for (status, body, code, part) in [
        (200, "{}", 7, "the server's answer cannot be read"),
        (200, "{\"jobs\":null}", 0, "0 jobs"),
        (400, "{\"error\":\"too many clients already\"}", 7, "too many clients"),
        (400, none, 7, "no error found"),
        (302, "", 7, "redirects"),
        (401, "<html>", 7, "set `--lookout-url` to it"),
        (403, "{}", 4, "ask the administrator of Lookout"),
    ] {
        let fake = Fake::new(vec![answer(status, &["Location: http://127.0.0.1:1/login"], body)]);
        let line =
            format!("history fetch --record h --rate 1000 --since 2h --lookout-url {}", fake.url());
        let run = sandbox.run(&line).exits(code);
        assert!(run.to_string().contains(part), "{part}: {run}");
        std::fs::remove_file(sandbox.path().join("h")).ok();
    }
}

#[test]
fn a_text_that_cannot_be_had_now_is_not_left_out() {
    let all = jobs(30);
    let fake = Fake::routed(move |request| {
        if request.contains("/api/v1/jobs ") {
            return respond(&all, request);
        }
        answer(400, &[], "{\"error\":\"sorry, too many clients already (SQLSTATE 53300)\"}")
    });
    let sandbox = Sandbox::new();
    let period = "--since 2026-11-01T00:00:00Z --until 2026-11-02T00:00:00Z";
    let line = format!("history fetch {period} --record h --lookout-url {}", fake.url());
    let run = sandbox.run(&line).exits(7);
    assert!(run.stderr.contains("too many clients already"), "{run}");
    assert!(!sandbox.path().join("h").exists());
}

/// Lookout removes old jobs while they are listed: those behind them move to earlier pages.
#[test]
fn jobs_that_are_removed_meanwhile_hide_no_others() {
    let all = Arc::new(Mutex::new(jobs(6_000)));
    let (shared, asked) = (Arc::clone(&all), AtomicUsize::new(0));
    let fake = Fake::routed(move |request| {
        let mut jobs = shared.lock().unwrap();
        // After the first page of a window with several.
        if request.contains("\"skip\":999") && asked.fetch_add(1, Ordering::Relaxed) == 0 {
            jobs.drain(..300);
        }
        respond(&jobs, request)
    });
    let sandbox = Sandbox::new();
    let period = "--since 2026-11-01T00:00:00Z --until 2026-11-02T00:00:00Z";
    let flags = "--without-errors --rate 100000 --record h.jsonl";
    sandbox.run(&format!("history fetch {period} {flags} --lookout-url {}", fake.url())).exits(0);
    let fetched = record(&sandbox);
    for job in all.lock().unwrap().iter().filter(|job| job["state"] != "RUNNING") {
        assert!(fetched.contains(job["jobId"].as_str().unwrap()), "{job}");
    }
}

#[test]
fn a_page_that_is_too_large_is_asked_for_in_parts() {
    let mut all = jobs(1_500);
    for job in &mut all {
        job["annotations"] = json!({"text": "x".repeat(40_000)});
    }
    let ended = all.iter().filter(|job| job["state"] != "RUNNING").count();
    let server = Server::start(all);
    let sandbox = Sandbox::new();
    let run = server.fetch(&sandbox, "--without-errors").exits(0);
    assert!(run.stdout.contains(&format!("{ended} jobs")), "{run}");
}

#[test]
fn one_process_writes_a_record() {
    let server = Server::start(jobs(3_000));
    let sandbox = Sandbox::new();
    let line = server.line().replace("--rate 100000", "--rate 20");
    let mut child = sandbox.command().args(line.split(' ')).spawn().unwrap();
    while !sandbox.path().join("h.jsonl.state").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = sandbox.run("history fetch --record h.jsonl --resume").exits(3);
    assert!(second.stderr.contains("another process writes `h.jsonl.part`"), "{second}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn files_of_a_fetch_that_are_not_as_they_were() {
    let server = Server::start(jobs(300));
    let sandbox = Sandbox::new();
    sandbox.file("h.jsonl.part", "mine");
    let foreign = server.fetch(&sandbox, "").exits(3);
    assert!(foreign.stderr.contains("`h.jsonl.part` exists"), "{foreign}");
    std::fs::remove_file(sandbox.path().join("h.jsonl.part")).unwrap();
    server.fetch(&sandbox, "").exits(0);
    let state = |next: &str, window: &str| {
        format!(
            r#"{{"url":"{}","queues":[],"texts":true,"from":"2026-11-01T00:00:00Z","to":"2026-11-02T00:00:00Z","next":"{next}","window":{window},"bytes":0,"counts":{{"jobs":7,"runs":7,"failed":0,"errors":0,"debug":0}}}}"#,
            server.fake.url()
        )
    };
    let resume = "history fetch --record h.jsonl --resume --rate 100000";
    // Killed between the last two steps.
    sandbox.file("h.jsonl.state", state("2026-11-02T00:00:00Z", "3600"));
    assert!(sandbox.run(resume).exits(0).stdout.contains("7 jobs"));
    assert!(!sandbox.path().join("h.jsonl.state").exists());
    std::fs::remove_file(sandbox.path().join("h.jsonl")).unwrap();
    for (next, window, code) in [
        ("oops", "3600", 3),
        ("2026-11-01T00:00:00Z", "-5", 0),
        ("2026-11-01T00:00:00Z", "9223372036854775807", 0),
    ] {
        sandbox.file("h.jsonl.part", "").file("h.jsonl.state", state(next, window));
        let run = sandbox.run(resume).exits(code);
        assert!(code == 0 || run.stderr.contains("cannot read `h.jsonl.state`"), "{run}");
        std::fs::remove_file(sandbox.path().join("h.jsonl")).ok();
    }
    sandbox.file("h.jsonl.part", "").file("h.jsonl.state", state("2026-11-01T00:00:00Z", "1"));
    let other = sandbox.run(&format!("{resume} --lookout-url http://127.0.0.1:1")).exits(2);
    assert!(other.stderr.contains("the interrupted fetch is of"), "{other}");
}
