//! Rights on queues: who has them after a write, and that a file can take each of them away.
//!
//! Holds cli.md Commands.

use super::http::Serving;
use super::quirks::{Fake, Script, answer};
use super::resources::{Bench, items};
use super::sandbox::Sandbox;
use serde_json::{Value, json};

const HEAD: &str = "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: q\n";

fn block(kind: &str, name: &str) -> Value {
    let verbs = json!(["submit", "cancel", "preempt", "reprioritize", "watch"]);
    json!({"subjects": [{"kind": kind, "name": name}], "verbs": verbs})
}

fn watch(name: &str) -> Value {
    json!({"subjects": [{"kind": "User", "name": name}], "verbs": ["watch"]})
}

/// A server with a queue that has these permissions.
fn with_rights(permissions: &Value) -> Bench {
    let bench = Bench::new("");
    let body = json!({"name": "q", "priorityFactor": 1, "permissions": permissions});
    bench.server.call("PUT", "/v1/queue/q", &body.to_string()).is(200, "{}");
    bench
}

/// A right that a file does not name differs, and applying the file takes it away. Then both agree.
#[test]
fn every_right_that_a_file_does_not_name_can_be_taken_away() {
    let live = json!([block("User", "mallory"), watch("bob")]);
    for (file, rest) in [
        ("permissions: []\n".to_owned(), json!(null)),
        ("userOwners: []\n".to_owned(), json!([watch("bob")])),
        ("userOwners: []\npermissions: []\n".to_owned(), json!(null)),
        (format!("permissions: {}\n", json!([watch("bob")])), json!([watch("bob")])),
        (
            format!("userOwners: [alice]\npermissions: {}\n", json!([watch("bob")])),
            json!([block("User", "alice"), watch("bob")]),
        ),
        ("userOwners: [alice]\n".to_owned(), json!([block("User", "alice"), watch("bob")])),
    ] {
        let bench = with_rights(&live);
        bench.sandbox.file("q.yaml", format!("{HEAD}{file}"));
        let diff = bench.run("diff -f q.yaml").exits(1);
        assert!(diff.stdout.contains("permissions"), "{file}{diff}");
        assert!(diff.stdout.contains("mallory"), "{file}{diff}");
        bench.run("apply -f q.yaml").exits(0);
        assert_eq!(bench.held("/v1/queue/q").get("permissions").unwrap_or(&Value::Null), &rest);
        bench.run("diff -f q.yaml").exits(0);
    }
}

/// An owner is whoever has all verbs, wherever among the permissions that is.
#[test]
fn a_second_owner_behind_the_first_is_seen() {
    let bench = with_rights(&json!([block("User", "alice"), watch("bob"), block("Group", "all")]));
    bench.sandbox.file("q.yaml", format!("{HEAD}userOwners: [alice]\ngroupOwners: []\n"));
    let diff = bench.run("diff -f q.yaml").exits(1);
    assert!(diff.stdout.contains("all"), "{diff}");
    bench.run("apply -f q.yaml").exits(0);
    let expected = json!([block("User", "alice"), watch("bob")]);
    assert_eq!(bench.held("/v1/queue/q")["permissions"], expected);
}

/// A file that names no rights changes none, and it is printed that there are some.
#[test]
fn rights_that_no_file_names_are_pointed_out() {
    let bench = with_rights(&json!([block("User", "mallory")]));
    bench.sandbox.file("q.yaml", HEAD);
    for (line, code) in [("diff -f q.yaml", 0), ("apply -f q.yaml", 0), ("update -f q.yaml", 0)] {
        let run = bench.run(line).exits(code);
        assert!(run.stderr.contains("rights on the queue `q` are left as the server has"), "{run}");
        assert!(!bench.run(&format!("{line} -q")).stderr.contains("rights"));
    }
    bench.sandbox.file("q.yaml", format!("{HEAD}userOwners: [mallory]\n"));
    let run = bench.run("diff -f q.yaml").exits(0);
    assert!(!run.stderr.contains("rights"), "{run}");
}

/// On a server that adds the caller of a POST to the owners, as Armada does, nobody is added.
#[test]
fn a_new_queue_has_the_rights_that_its_file_names_and_no_others() {
    let posted = Bench::new("");
    let body = json!({"name": "p", "priorityFactor": 1, "permissions": [watch("bob")]});
    posted.server.call("POST", "/v1/queue", &body.to_string()).is(200, "{}");
    let caller = json!([block("User", "anonymous"), watch("bob")]);
    assert_eq!(posted.held("/v1/queue/p")["permissions"], caller, "the server is like Armada's");
    for flags in ["", "--strict"] {
        for (file, rights) in [
            (format!("permissions: {}\n", json!([watch("bob")])), json!([watch("bob")])),
            ("groupOwners: [team]\n".to_owned(), json!([block("Group", "team")])),
            ("userOwners: [alice]\n".to_owned(), json!([block("User", "alice")])),
            (String::new(), json!(null)),
        ] {
            for line in ["apply -f q.yaml", "create -f q.yaml"] {
                let bench = Bench::new(flags);
                bench.sandbox.file("q.yaml", format!("{HEAD}priorityFactor: 2\n{file}"));
                assert_eq!(bench.report(line, 0), ["Queue/q created"]);
                let held = bench.held("/v1/queue/q");
                assert_eq!(held.get("permissions").unwrap_or(&Value::Null), &rights, "{flags}");
                bench.run("diff -f q.yaml").exits(0);
            }
        }
    }
}

#[test]
fn a_new_queue_without_rights_is_pointed_out_in_dry_runs_too() {
    let bench = Bench::new("");
    bench.sandbox.file("q.yaml", HEAD);
    for line in ["apply -f q.yaml --dry-run server", "create queue q", "delete queue q"] {
        let run = bench.run(line).exits(0);
        let is_told = run.stderr.contains("no user or group has rights on the new queue `q`");
        assert_eq!(is_told, !line.starts_with("delete"), "{run}");
    }
    let run = bench.run("create queue q --owners me --dry-run server").exits(0);
    assert!(!run.stderr.contains("no user or group"), "{run}");
}

/// A file without a priority factor changes only what it names.
#[test]
fn a_file_without_a_priority_factor_is_a_patch() {
    let bench = Bench::new("");
    bench.sandbox.file("q.yaml", format!("{HEAD}labels: {{team: ml}}\n"));
    for command in ["apply -f q.yaml --dry-run server", "create -f q.yaml"] {
        let run = bench.run(command).exits(0);
        let note = "`priorityFactor` is absent and becomes 1 in the new queue `q`";
        assert!(run.stderr.contains(note), "{run}");
    }
    assert_eq!(bench.held("/v1/queue/q")["priorityFactor"], 1);
    bench.run("update queue q --priority-factor 3.5").exits(0);
    bench.run("diff -f q.yaml").exits(0);
    bench.sandbox.file("q.yaml", format!("{HEAD}labels: {{team: x}}\n"));
    for command in ["apply", "update"] {
        let run = bench.run(&format!("{command} -f q.yaml")).exits(0);
        assert!(!run.stderr.contains("becomes 1"), "{run}");
        assert_eq!(bench.held("/v1/queue/q")["priorityFactor"], 3.5);
    }
    assert_eq!(bench.held("/v1/queue/q")["labels"], json!({"team": "x"}));
    bench.sandbox.file("q.yaml", format!("{HEAD}priorityFactor: 0.5\n"));
    bench.run("apply -f q.yaml").exits(3);
}

/// What a gateway keeps of a new queue's rights is compared too.
#[test]
fn rights_that_a_server_adds_are_a_failure() {
    let json = |status, body: &str| -> Script {
        answer(status, &["Content-Type: application/json"], body)
    };
    let held = json!({"name": "q", "priorityFactor": 1, "permissions": [block("User", "mallory")]});
    let missing = r#"{"error":"none","code":5,"message":"none"}"#;
    let fake = Fake::new(vec![json(404, missing), json(200, "{}"), json(200, &held.to_string())]);
    let sandbox = Sandbox::new();
    sandbox.file("q.yaml", format!("{HEAD}permissions: []\n"));
    let run = sandbox.run(&format!("apply -f q.yaml -o json --armada-rest-url {}", fake.url()));
    let run = run.exits(6);
    assert_eq!(items(&run), ["Queue/q failed"], "{run}");
    assert!(run.stderr.contains("permissions"), "{run}");
    let calls: Vec<String> =
        fake.requests().iter().map(|r| r.lines().next().unwrap().to_owned()).collect();
    assert_eq!(calls[1], "PUT /v1/queue/q HTTP/1.1");
}

/// A server that does not PUT a new queue gets a POST, which may give the caller all rights, and then
/// the PUT that takes them away. Where that fails, the queue was created all the same.
#[test]
fn a_queue_that_is_created_with_a_post_is_not_called_failed() {
    for (second, code) in [(200, 0), (403, 4)] {
        let puts = std::sync::atomic::AtomicUsize::new(0);
        let created = std::sync::atomic::AtomicBool::new(false);
        let fake = Fake::routed(move |request| {
            use std::sync::atomic::Ordering::SeqCst;
            let json =
                |status, body: &str| answer(status, &["Content-Type: application/json"], body);
            let missing = r#"{"error":"none","code":5,"message":"none"}"#;
            match request.split(' ').next() {
                Some("POST") => {
                    created.store(true, SeqCst);
                    json(200, "{}")
                }
                Some("PUT") if puts.fetch_add(1, SeqCst) == 0 => json(404, missing),
                Some("PUT") if second == 200 => json(200, "{}"),
                Some("PUT") => json(403, r#"{"error":"no","code":7,"message":"no"}"#),
                _ if created.load(SeqCst) => {
                    let rights =
                        if second == 200 { json!([]) } else { json!([block("User", "me")]) };
                    let held = json!({"name": "q", "priorityFactor": 1, "permissions": rights});
                    json(200, &held.to_string())
                }
                _ => json(404, missing),
            }
        });
        let sandbox = Sandbox::new();
        sandbox.file("q.yaml", format!("{HEAD}priorityFactor: 1\npermissions: []\n"));
        let run =
            sandbox.run(&format!("create -f q.yaml -o json --armada-rest-url {}", fake.url()));
        let run = run.exits(code);
        assert_eq!(items(&run), ["Queue/q created"], "{run}");
        assert!(run.stderr.contains("`q` was created with POST"), "{run}");
        let words = "the queue `q` was created, but you have all rights on it: ";
        assert_eq!(run.stderr.contains(words), second == 403, "{run}");
    }
}

/// Every command that writes prints where to, before it does.
#[test]
fn every_write_names_its_context_and_server() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    let config = format!(
        "currentContext: prod\ncontexts:\n  prod: {{armadaRestUrl: 'http://{}'}}\n",
        server.address
    );
    sandbox.file(".armadactl.yaml", config);
    sandbox.file("p.yaml", super::resources::POLICIES);
    for line in [
        "create -f p.yaml",
        "apply -f p.yaml --dry-run server",
        "update -f p.yaml",
        "create queue q",
        "update queue q --cordon",
        "attach retrypolicy gpu --queue q",
        "detach retrypolicy gpu --queue q",
        "cordon queue q",
        "uncordon queue q --dry-run server",
        "delete -f p.yaml",
    ] {
        let run = sandbox.run(line).exits(0);
        let named = format!("server http://{} (context prod)\n", server.address);
        assert!(run.stderr.starts_with(&named), "{run}");
        assert_eq!(run.stderr.matches(&named).count(), 1, "{run}");
        assert!(!sandbox.run(&format!("{line} -q")).stderr.contains("(context"));
    }
    let bare = sandbox.run(&format!(
        "create queue x --config {} --armada-rest-url http://{}",
        "none.yaml", server.address
    ));
    bare.exits(3);
    sandbox.file("empty.yaml", "");
    let line = "create queue x --config empty.yaml --armada-rest-url";
    let run = sandbox.run(&format!("{line} http://{}", server.address)).exits(0);
    assert!(run.stderr.starts_with(&format!("server http://{}\n", server.address)), "{run}");
}
