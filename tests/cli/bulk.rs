//! Bulk work against servers that fail in the middle of it.
//!
//! Holds cli.md Exit codes.

use super::quirks::{Fake, Script, answer};
use super::resources::items;
use super::sandbox::{Run, Sandbox};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn json(status: u16, body: &str) -> Script {
    answer(status, &["Content-Type: application/json"], body)
}

fn error(status: u16) -> Script {
    json(status, r#"{"error":"no","code":7,"message":"no"}"#)
}

/// A server of policies; `refuse` may answer a write in its place, by its number.
fn server(refuse: impl Fn(usize, &str) -> Option<Script> + Send + Sync + 'static) -> Fake {
    let (held, writes) = (Mutex::new(BTreeMap::<String, String>::new()), AtomicUsize::new(0));
    Fake::routed(move |request| {
        let (line, body) = request.split_once("\r\n\r\n").unwrap();
        let mut held = held.lock().unwrap();
        if line.starts_with("POST /v1/retry-policy ") {
            let number = writes.fetch_add(1, Ordering::SeqCst);
            if let Some(script) = refuse(number, body) {
                return script;
            }
            let name = serde_json::from_str::<serde_json::Value>(body).unwrap()["name"].to_string();
            held.insert(name, body.to_owned());
            return json(200, "{}");
        }
        if line.starts_with("GET /v1/retry-policies ") {
            let list: Vec<&str> = held.values().map(String::as_str).collect();
            return json(200, &format!("{{\"retryPolicies\":[{}]}}", list.join(",")));
        }
        if let Some(name) = line.strip_prefix("GET /v1/retry-policy/") {
            let name = format!("\"{}\"", name.split(' ').next().unwrap());
            return held.get(&name).map_or_else(missing, |body| json(200, body));
        }
        if line.starts_with("GET /v1/batched/queues ") {
            return json(200, "{\"result\":{\"Event\":{\"end\":{}}}}\n");
        }
        missing()
    })
}

fn missing() -> Script {
    json(404, r#"{"error":"not found","code":5,"message":"not found"}"#)
}

/// A policy with fields of a later Armada is not read and written back without them in silence.
#[test]
fn what_is_unknown_of_a_policy_is_not_lost_in_silence() {
    let held = r#"{"name":"p0","defaultAction":"Fail","owner":"x","rules":[{"action":"Retry","onCategory":"c9","new":1}]}"#;
    let fake = Fake::routed(move |request| {
        if request.starts_with("GET /v1/retry-policy/p0 ") {
            json(200, held)
        } else {
            json(200, "{}")
        }
    });
    let sandbox = sandbox(1);
    let edit = format!("edit rp p0 --armada-rest-url {}", fake.url());
    let run = sandbox.run_with(&edit, |command| {
        command.env("EDITOR", "true");
    });
    let run = run.exits(6);
    assert!(run.stderr.contains("`owner`, `rules[0].new`"), "{run}");
    let apply =
        format!("apply -f many.yaml --dry-run server -o json --armada-rest-url {}", fake.url());
    let told = items(&sandbox.run(&apply).exits(0));
    assert_eq!(told, ["RetryPolicy/p0 configured rules[0].onCategory,owner,rules[0].new"]);
}

/// A new queue is read back too: an old gateway keeps no list of policies.
#[test]
fn what_a_gateway_drops_of_a_new_queue_is_said() {
    let there = std::sync::atomic::AtomicBool::new(false);
    let fake = Fake::routed(move |request| {
        there.fetch_or(request.starts_with("PUT "), Ordering::SeqCst);
        if request.starts_with("GET /v1/queue/") && !there.load(Ordering::SeqCst) {
            return missing();
        }
        let policies = r#"{"retryPolicies":[{"name":"p0"}],"name":"q","priorityFactor":1}"#;
        json(200, policies)
    });
    let line = format!("create queue q --retry-policy p0 -o json --armada-rest-url {}", fake.url());
    let run = Sandbox::new().run(&line).exits(6);
    assert_eq!(items(&run), ["Queue/q failed"]);
    assert!(run.stderr.contains("from what was sent: retryPolicies"), "{run}");
}

/// What was under way is finished, and the report says what was not begun.
#[cfg(unix)]
#[test]
fn an_interrupt_in_the_middle_is_told() {
    for signal in ["-INT", "-TERM"] {
        interrupted_by(signal);
    }
}

#[cfg(unix)]
fn interrupted_by(signal: &str) {
    let fake = server(|_, _| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        None
    });
    let sandbox = sandbox(400);
    let mut command = sandbox.command();
    let url = fake.url();
    command.args(["apply", "-f", "many.yaml", "-o", "json", "--armada-rest-url", &url]);
    // It prints a warning for each policy, which would fill a pipe that is not read.
    command.stderr(std::process::Stdio::null());
    let child = command.spawn().unwrap();
    while fake.requests().iter().filter(|request| request.starts_with("POST")).count() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let count = |action: &str| report["summary"][action].as_u64().unwrap_or(0);
    assert!(count("created") >= 20 && count("not done") > 100, "{}", report["summary"]);
    assert_eq!(count("created") + count("not done"), 400);
}

/// A sandbox with a file of so many policies.
pub fn sandbox(count: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    let documents: Vec<String> = (0..count)
        .map(|n| {
            format!("apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: p{n}\ndefaultAction: Fail\nrules:\n- {{action: Retry, onCategory: c{n}}}\n")
        })
        .collect();
    sandbox.file("many.yaml", documents.join("---\n"));
    sandbox
}

fn apply(sandbox: &Sandbox, fake: &Fake) -> Run {
    sandbox.run(&format!("apply -f many.yaml -o json --armada-rest-url {}", fake.url()))
}

fn count(items: &[String], action: &str) -> usize {
    items.iter().filter(|item| item.ends_with(action)).count()
}

#[test]
fn a_refused_one_does_not_stop_the_rest_and_a_second_run_finishes() {
    let fake = server(|number, _| (number == 3).then(|| error(400)));
    let sandbox = sandbox(40);
    let first = items(&apply(&sandbox, &fake).exits(6));
    assert_eq!((count(&first, "created"), count(&first, "failed")), (39, 1));
    let second = items(&apply(&sandbox, &fake).exits(0));
    assert_eq!((count(&second, "created"), count(&second, "unchanged")), (1, 39));
}

#[test]
fn what_would_fail_all_of_them_stops_the_work() {
    for (status, code) in [(401, 4), (403, 4), (503, 7)] {
        let fake = server(move |number, _| (number >= 20).then(|| error(status)));
        let sandbox = sandbox(100);
        let run = apply(&sandbox, &fake).exits(code);
        let report = items(&run);
        assert_eq!(count(&report, "created"), 20, "{status}");
        assert!(count(&report, "notDone") >= 60, "{status}: {report:?}");
        let posts = fake.requests().iter().filter(|request| request.starts_with("POST")).count();
        assert!(posts <= 36, "{posts} were sent: none twice, none after the stop");
        assert!(run.stderr.contains("not done"), "{run}");
    }
}

#[test]
fn a_creation_is_never_sent_twice() {
    let fake = server(|_, _| Some(error(503)));
    let sandbox = sandbox(1);
    apply(&sandbox, &fake).exits(7);
    let posts = fake.requests().iter().filter(|request| request.starts_with("POST")).count();
    assert_eq!(posts, 1);
}

#[test]
fn fields_that_a_gateway_drops_are_missed() {
    let held = Mutex::new(String::new());
    let fake = Fake::routed(move |request| {
        let (line, body) = request.split_once("\r\n\r\n").unwrap();
        let mut held = held.lock().unwrap();
        if line.starts_with("POST") {
            *held = body.replace("onCategory", "was");
            return json(200, "{}");
        }
        if held.is_empty() { missing() } else { json(200, &held) }
    });
    let sandbox = sandbox(1);
    let run = apply(&sandbox, &fake).exits(6);
    assert!(run.stderr.contains("stored the retry policy `p0` differently"), "{run}");
    assert!(run.stderr.contains("rules[0].onCategory"), "{run}");
    assert_eq!(items(&run), ["RetryPolicy/p0 failed"]);
}

#[test]
fn a_server_that_fails_while_it_is_read_is_sent_nothing() {
    for (status, code) in [(401, 4), (403, 4)] {
        let fake = Fake::new(vec![error(status)]);
        apply(&sandbox(40), &fake).exits(code);
        assert!(fake.requests().iter().all(|request| request.starts_with("GET")));
    }
}
