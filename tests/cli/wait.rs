//! `wait` on `serve`.
//!
//! Holds cli.md Commands.

use super::get::{on, serving};
use super::http::Serving;
use super::quirks::{Fake, answer};
use super::sandbox::Sandbox;
use std::time::{Duration, Instant};

#[test]
fn a_condition_that_holds_is_met_at_once() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    for (line, lines) in [
        ("rp/infra --for create", "retrypolicy/infra condition met\n"),
        ("queue nosuch --for=delete --timeout 0s", "queue/nosuch condition met\n"),
        ("queues web ml --for create", "queue/web condition met\nqueue/ml condition met\n"),
    ] {
        let begun = Instant::now();
        let run = on(&sandbox, &server, &format!("wait {line}")).exits(0);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), (lines, ""));
        assert!(begun.elapsed() < Duration::from_secs(10), "{run}");
    }
}

#[test]
fn a_condition_is_waited_for() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    let queue = r#"{"name":"late","priorityFactor":1}"#;
    for (condition, method, path) in
        [("create", "POST", "/v1/queue"), ("delete", "DELETE", "/v1/queue/late")]
    {
        let run = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(700));
                assert_eq!(server.call(method, path, queue).status, 200);
            });
            on(&sandbox, &server, &format!("wait queue/late --for {condition}"))
        });
        assert_eq!(run.exits(0).stdout, "queue/late condition met\n");
    }
}

#[test]
fn the_time_ends_a_wait() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    for (line, stdout, stderr) in [
        (
            "queue a ml b --for create --timeout 600ms",
            "queue/ml condition met\n",
            "error: timed out waiting for the creation of `queue/a`, `queue/b`\n",
        ),
        (
            "rp/infra --for delete --timeout 0s",
            "",
            "error: timed out waiting for the deletion of `retrypolicy/infra`\n",
        ),
    ] {
        let run = on(&sandbox, &server, &format!("wait {line}")).exits(1);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), (stdout, stderr));
    }
}

#[test]
fn errors_end_a_wait() {
    for (status, code) in [(401, 4), (500, 7)] {
        let fake = Fake::new(vec![answer(status, &[], r#"{"error":"no","code":16}"#)]);
        let flags = "--for create --timeout 1s --armada-rest-url";
        let line = format!("wait queue a b {flags} {}", fake.url());
        Sandbox::new().run(&line).exits(code);
    }
    let line = "wait queue/a --for create --timeout 1s --armada-rest-url http://127.0.0.1:9";
    let run = Sandbox::new().run(line).exits(7);
    assert!(run.stderr.contains("http://127.0.0.1:9"), "{run}");
    for (line, part) in [
        ("wait queue a", "--for"),
        ("wait queue --for create", "`wait queue` needs a name"),
        ("wait pod/a --for create", "unknown kind of resource `pod`"),
        ("wait queue/a --for ready", "create, delete"),
        ("wait queue/a --for create --timeout=-1s", "it must not be negative"),
        ("wait queue/a --for create -o json", "`wait` cannot print `json`"),
    ] {
        let run = Sandbox::new().run(line).exits(2);
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
}
