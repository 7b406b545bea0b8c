//! What users of Armada's own armadactl type, and what it prints.
//!
//! Holds cli.md Commands.

use super::http::Serving;
use super::sandbox::Sandbox;

/// Its output of `get queues`, which is no YAML, and of `get retry-policies`, which its `create -f` refuses.
const QUEUES: &str = "apiVersion: armadaproject.io/v1beta1\nkind: Queue\n- name: a\n  priorityFactor: 1\n- name: b\n  priorityFactor: 2\n  cordoned: true\n";
const POLICIES: &str = "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nretryPolicies:\n- name: p\n  retryLimit: 1\n  defaultAction: Retry\n";

#[test]
fn its_lists_are_read_by_every_command() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    sandbox.file("queues.yaml", QUEUES).file("policies.yaml", POLICIES);
    let run =
        |line: &str| sandbox.run(&format!("{line} --armada-rest-url http://{}", server.address));
    for (file, count) in [("queues.yaml", 2), ("policies.yaml", 1)] {
        let checked = sandbox.run(&format!("validate -f {file}")).exits(0);
        assert!(
            checked.stdout.contains("prints this list, but its `create -f` refuses it"),
            "{checked}"
        );
        assert!(checked.stdout.contains("warning"), "{checked}");
        run(&format!("diff -f {file}")).exits(1);
        let applied = run(&format!("apply -f {file}")).exits(0);
        assert_eq!(applied.stdout.matches("created").count(), count, "{applied}");
        run(&format!("diff -f {file}")).exits(0);
        run(&format!("delete -f {file}")).exits(0);
    }
}

#[test]
fn its_commands_and_flags_are_named() {
    let sandbox = Sandbox::new();
    for (line, part) in [
        ("submit job.yaml", "`submit` is a command of Armada's own armadactl"),
        ("docs", "`docs` is a command of Armada's own armadactl"),
        ("watch q s --raw", "`-o json` prints the lines of the server"),
        ("watch q s --exit-if-inactive", "`--no-follow` ends after the last event"),
        ("get scheduling-report", "`get scheduling-report` is a command of Armada's own armadactl"),
        ("get queue-report q", "`get queue-report` is a command of Armada's own armadactl"),
        ("get job-report j", "`get job-report` is a command of Armada's own armadactl"),
        ("cordon executor e", "`cordon executor` is a command of Armada's own armadactl"),
        ("uncordon executor e", "`uncordon executor` is a command of Armada's own armadactl"),
        ("get queues --inverse", "`get --inverse` is a flag of Armada's own armadactl"),
        ("get queues --only-cordoned", "`get --only-cordoned` is a flag of Armada's own"),
        ("get queues --match-labels a=b", "use `-l KEY=VALUE`"),
        ("cordon queues --inverse q", "`cordon --inverse` is a flag of Armada's own armadactl"),
        ("create -f f.yaml --dry-run", "`--dry-run client` checks the input alone"),
    ] {
        let run = sandbox.run(line).exits(2);
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
}

#[test]
fn no_queue_with_these_labels_is_not_no_queue() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    server.call("POST", "/v1/queue", r#"{"name":"q","priorityFactor":1}"#).is(200, "{}");
    let run =
        |line: &str| sandbox.run(&format!("{line} --armada-rest-url http://{}", server.address));
    let none = run("get queue -l x=nope").exits(0);
    assert!(none.stderr.contains("no queue of the server has the labels `x=nope`"), "{none}");
}

/// A client that closes its sending side after the request gets its answer; a request without `Host` is refused,
/// as by Go's server.
#[test]
fn a_half_closed_connection_is_answered_and_host_is_required() {
    use std::io::{Read, Write};
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    for _ in 0..30 {
        let mut stream = server.connect();
        let request = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 2"), "{answer:?}");
    }
    for (head, status) in [("HTTP/1.1\r\nConnection: close", "400"), ("HTTP/1.0", "2")] {
        let mut stream = server.connect();
        stream.write_all(format!("GET /health {head}\r\n\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(
            answer.split(' ').nth(1).map(|s| s.starts_with(status)),
            Some(true),
            "{answer:?}"
        );
    }
}
