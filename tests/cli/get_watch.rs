//! `get --watch` on `serve`: the list, then what changes.
//!
//! Holds cli.md Commands.
#![cfg(unix)]

use super::get::serving;
use super::http::Serving;
use super::quirks::{Fake, answer};
use super::sandbox::Sandbox;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A running `get --watch`. It is killed when it goes.
struct Watch {
    child: Child,
    output: Receiver<String>,
    _sandbox: Sandbox,
}

impl Watch {
    fn start(url: &str, line: &str) -> Self {
        let sandbox = Sandbox::new();
        let mut command = sandbox.command();
        command.args(["--armada-rest-url", url, "get", "--watch", "--watch-interval", "50ms"]);
        let mut child = command.args(line.split(' ')).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (lines, output) = channel();
        std::thread::spawn(move || {
            let _ =
                stdout.lines().map_while(Result::ok).try_for_each(|line| lines.send(line + "\n"));
        });
        Self { child, output, _sandbox: sandbox }
    }

    fn line(&self) -> String {
        self.output.recv_timeout(Duration::from_mins(1)).unwrap()
    }

    fn lines(&self, count: usize) -> String {
        (0..count).map(|_| self.line()).collect()
    }

    /// The next document of JSON.
    fn document(&self) -> Value {
        let mut text = String::new();
        loop {
            text += &self.line();
            if let Ok(value) = serde_json::from_str(&text) {
                return value;
            }
        }
    }

    /// Interrupts it. Returns the rest of its output, and its errors.
    fn interrupt(mut self) -> (String, String) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let (rest, mut errors) = (self.output.iter().collect(), String::new());
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0), "{errors}");
        (rest, errors)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn url(server: &Serving) -> String {
    format!("http://{}", server.address)
}

fn put(server: &Serving, queue: &str, factor: u32) {
    let body = format!(r#"{{"name":"{queue}","priorityFactor":{factor}}}"#);
    assert_eq!(server.call("POST", "/v1/queue", &body).status, 200);
}

#[test]
fn rows_follow_the_table() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    let watch = Watch::start(&url(&server), "queue --output-watch-events");
    let table = watch.lines(4);
    assert!(table.starts_with("EVENT  NAME  PRIORITY FACTOR"), "{table}");
    assert_eq!(table.matches("\nADDED  ").count(), 3, "{table}");
    put(&server, "later", 7);
    assert_eq!(watch.line(), "ADDED  later  7                no        -\n");
    put(&server, "later", 8);
    assert_eq!(watch.line(), "MODIFIED  later  8                no        -\n");
    assert_eq!(server.call("DELETE", "/v1/queue/later", "").status, 200);
    assert_eq!(watch.line(), "DELETED  later  8                no        -\n");
    assert_eq!(watch.interrupt(), (String::new(), String::new()));
}

#[test]
fn every_form_prints_one_resource_at_a_time() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    put(&server, "a", 1);
    let start = |flags: &str| Watch::start(&url(&server), flags);
    let json = start("queue a -o json");
    assert_eq!(json.document()["priorityFactor"], 1);
    let events = start("queue -o json --output-watch-events");
    assert_eq!(events.document()["type"], "ADDED");
    let yaml = start("queue -o yaml");
    assert!(yaml.line().starts_with("apiVersion: "));
    let name = start("queue -o name");
    assert_eq!(name.line(), "queue/a\n");
    put(&server, "a", 2);
    assert_eq!(json.document()["priorityFactor"], 2);
    let event = events.document();
    assert_eq!((&event["type"], &event["object"]["name"]), (&json!("MODIFIED"), &json!("a")));
    while yaml.line() != "---\n" {}
    assert!(yaml.line().starts_with("apiVersion: "));
    assert_eq!(name.line(), "queue/a\n");
    put(&server, "b", 2);
    assert_eq!(name.line(), "queue/b\n");
    assert_eq!(json.interrupt().0, "", "another queue is not watched");
}

/// The queues of a policy are a column, and labels select what is watched.
#[test]
fn a_row_has_what_other_resources_say_of_it() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    let wide = Watch::start(&url(&server), "rp -o wide --no-headers");
    let labelled = Watch::start(&url(&server), "queue -l team=web -o name");
    assert!(wide.lines(2).contains("infra"));
    let queue =
        r#"{"name":"new","priorityFactor":1,"retryPolicies":["infra"],"labels":{"team":"web"}}"#;
    assert_eq!(server.call("POST", "/v1/queue", queue).status, 200);
    let line = wide.line();
    assert!(line.starts_with("infra ") && line.contains("new"), "{line}");
    assert_eq!(labelled.line(), "queue/new\n");
    put(&server, "new", 1);
    assert_eq!(labelled.line(), "queue/new\n", "it has the label no longer");
    assert!(wide.line().starts_with("infra "));
    wide.interrupt();
    labelled.interrupt();
}

#[test]
fn a_server_that_fails_is_waited_for() {
    let list = |names: &[&str]| {
        let policies: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
        answer(200, &[], &json!({"retryPolicies": policies}).to_string())
    };
    let fault = answer(500, &[], "");
    let fake = Fake::new(vec![list(&["a"]), fault.clone(), fault, list(&["a", "b"])]);
    let watch = Watch::start(&fake.url(), "rp -o name");
    assert_eq!(watch.lines(2), "retrypolicy/a\nretrypolicy/b\n");
    let (rest, errors) = watch.interrupt();
    assert_eq!((rest.as_str(), errors.lines().count()), ("", 1), "{errors}");
    assert!(errors.contains("the server failed (500); trying again"), "{errors}");
    let fake = Fake::new(vec![list(&["a"]), answer(403, &[], r#"{"error":"no","code":7}"#)]);
    let mut watch = Watch::start(&fake.url(), "rp -o name");
    assert_eq!(watch.line(), "retrypolicy/a\n");
    assert_eq!(watch.child.wait().unwrap().code(), Some(4));
}

#[test]
fn flags_of_a_watch_have_to_make_sense() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    for (line, code, part) in [
        ("get queue -w nosuch", 5, "the server has no queue `nosuch`"),
        ("get queue --watch-interval 1s", 2, "--watch"),
        ("get queue -w --watch-interval 0s", 2, "it must be positive"),
        ("get queue -w --output-watch-events -o name", 2, "has no place for"),
    ] {
        let run = sandbox.run(&format!("{line} --armada-rest-url {}", url(&server))).exits(code);
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
    // A server that does not answer does not delay the end.
    let fake = Fake::new(vec![vec![super::quirks::Piece::Silence(600_000)]]);
    let watch = Watch::start(&fake.url(), "queue");
    while fake.requests().is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(200));
    watch.interrupt();
}
