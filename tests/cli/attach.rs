//! `attach`, `detach`, `cordon`, `uncordon`: one field of a queue changes, and nothing else.
//!
//! Holds cli.md Commands.

use super::get::{on, serving};
use super::http::Serving;
use super::quirks::{Fake, Script, answer};
use super::resources::{Bench, QUEUE};
use super::sandbox::{Run, Sandbox, snapshot};
use serde_json::json;

const EVERYTHING: &str = "{ \"name\":\"q\", \"priorityFactor\":1.0,\n\"unheard\":{\"n\":12345678901234567890123,\"f\":1e400},\"retryPolicies\":[ \"old\" ] ,\"labels\":{\"z\":\"1\",\"a\":\"\\u00e9\"} }";

pub fn json(body: &str) -> Script {
    answer(200, &["Content-Type: application/json"], body)
}

pub fn ask(fake: &Fake, line: &str) -> Run {
    Sandbox::new()
        .run_with(line, |command| _ = command.env("ARMADACTL_ARMADA_REST_URL", fake.url()))
}

/// The bodies that were put.
pub fn puts(fake: &Fake) -> Vec<String> {
    let requests = fake.requests();
    let puts = requests.iter().filter(|request| request.starts_with("PUT "));
    puts.map(|request| request.split_once("\r\n\r\n").unwrap().1.to_owned()).collect()
}

#[test]
fn everything_else_stays_byte_for_byte() {
    let attached = EVERYTHING.replace("[ \"old\" ]", "[\"old\",\"new\"]");
    let detached = EVERYTHING.replace(",\"retryPolicies\":[ \"old\" ]", "");
    let cordoned = EVERYTHING.replace("\"} }", "\"},\"cordoned\":true }");
    for (line, reads, after) in [
        ("attach rp new --queue q", 2, attached),
        ("detach rp old --queue q", 1, detached),
        ("cordon queue q", 1, cordoned),
    ] {
        // The policy, where it is looked at, and the queue; then read, written, read twice.
        let mut scripts = vec![json(EVERYTHING); reads + 1];
        scripts.extend([json("{}"), json(&after), json(&after), answer(404, &[], "")]);
        let fake = Fake::new(scripts);
        let run = ask(&fake, line).exits(0);
        assert_eq!(puts(&fake), [after], "{run}");
        assert!(run.stdout.contains("configured"), "{run}");
    }
}

#[test]
fn a_change_that_is_not_there_afterwards_is_a_conflict() {
    let fake = Fake::new(vec![json(EVERYTHING)]);
    snapshot!("attach_dropped", ask(&fake, "attach rp new --queue q").exits(6));
    assert_eq!(puts(&fake).len(), 2, "a server that does not keep the field is written to twice");
}

#[test]
fn policies_come_and_go() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    let run = |line: &str| on(&sandbox, &server, line).exits(0);
    let held =
        |queue: &str| server.get(&format!("/v1/queue/{queue}")).json()["retryPolicies"].clone();
    let before = server.get("/v1/queue/test").json();
    snapshot!("attach", run("attach retrypolicy infra --queue test --queue ml"));
    assert_eq!(held("test"), json!(["infra"]));
    run("attach rp/ml-training --queue test --first");
    assert_eq!(held("test"), json!(["ml-training", "infra"]));
    snapshot!("attach_json", run("attach rp ml-training infra --queue test --replace -o json"));
    assert_eq!(run("attach rp ml-training --queue test --replace -o name").stdout, "queue/test\n");
    assert_eq!(held("test"), json!(["ml-training"]));
    snapshot!("detach", run("detach rp ml-training --all-queues"));
    assert_eq!(held("ml"), json!(["infra"]));
    assert_eq!(server.get("/v1/queue/test").json(), before, "an empty list is no list");
    assert_eq!(run("detach rp ml-training --all-queues -q").stderr, "");
}

#[test]
fn where_only_the_first_policy_counts_it_is_said() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    for name in ["a", "b"] {
        let policy = format!(r#"{{"name":"{name}","defaultAction":"Fail"}}"#);
        server.call("POST", "/v1/retry-policy", &policy).is(200, "{}");
    }
    server.call("POST", "/v1/queue", r#"{"name":"q","priorityFactor":1}"#).is(200, "{}");
    let named = format!("server http://{}\n", server.address);
    let run = |line: &str| on(&sandbox, &server, line).exits(0).stderr.replace(&named, "");
    let note = "warning: `b` has no effect on the queue `q`: this server evaluates only the first policy of a queue, `a`\n";
    assert_eq!(run("attach rp a --queue q"), "1 configured\n");
    assert_eq!(run("attach rp b --queue q"), format!("1 configured\n{note}"));
    assert_eq!(run("attach rp b --queue q"), format!("1 unchanged\n{note}"));
    assert_eq!(run("attach rp b --queue q --replace"), "1 configured\n");
    assert_eq!(run("attach rp a --queue q -q"), "");
}

#[test]
fn queues_are_cordoned_and_uncordoned() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    let run = |line: &str| on(&sandbox, &server, line).exits(0);
    let before = server.get("/v1/queue/ml").body;
    snapshot!("cordon", run("cordon queue ml test"));
    assert_eq!(server.get("/v1/queue/ml").json()["cordoned"], true);
    run("uncordon queue/ml");
    assert_eq!(server.get("/v1/queue/ml").body, before);
}

#[test]
fn nothing_is_written_unless_everything_is_there() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    let before = server.get("/v1/batched/queues").body;
    let run = |line: &str| on(&sandbox, &server, line);
    snapshot!("attach_unknown_policy", run("attach rp infar other --queue test").exits(5));
    snapshot!("attach_unknown_queue", run("attach rp infra --queue test --queue tset").exits(5));
    run("detach rp nosuch --queue ml").exits(5);
    run("detach rp nosuch --all-queues").exits(5);
    run("cordon queue ml nosuch").exits(5);
    let run_none = run("cordon queue -l team=nosuch").exits(5);
    assert!(run_none.stderr.contains("no queue of the server has the labels `team=nosuch`"));
    run("attach rp infra -l team=nosuch").exits(5);
    for line in [
        "attach rp infra",
        "attach rp --queue ml",
        "attach queue ml --queue ml",
        "attach rp infra --queue ml --first --replace",
        "attach rp infra --queue ml -l team=ml",
        "attach rp infra -l team=ml --all-queues",
        "attach rp infra -l ,",
        "attach rp infra -l =ml",
        "attach rp infra --all-queues --dry-run client",
        "detach rp infra -l team --dry-run client",
        "detach rp infra --queue ml -l team=ml",
        "cordon queue",
        "cordon queue ml -l team=ml",
        "cordon queue ml --all-queues",
        "uncordon queue -l team --dry-run client",
        "attach rp infra --queue a/b",
        "detach rp infra",
        "detach rp infra --queue ml --all-queues",
        "cordon rp infra",
        "cordon queue ml -o wide",
    ] {
        run(line).exits(2);
    }
    assert_eq!(server.get("/v1/batched/queues").body, before);
}

#[test]
fn a_dry_run_writes_nothing() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    let before = server.get("/v1/batched/queues").body;
    let run = |line: &str| on(&sandbox, &server, line);
    snapshot!(
        "attach_dry_run",
        run("attach rp infra --queue web --queue test --dry-run server").exits(0)
    );
    run("attach rp nosuch --queue web --dry-run server").exits(5);
    run("cordon queue ml --dry-run server").exits(0);
    let json = run("detach rp infra --all-queues --dry-run server -o json").exits(0).json();
    assert_eq!(
        (json["dryRun"].as_str(), json["summary"]["configured"].as_u64()),
        (Some("server"), Some(2))
    );
    assert_eq!(server.get("/v1/batched/queues").body, before);
    let nowhere = Fake::new(vec![json_error()]);
    for line in
        ["attach rp any --queue q", "detach rp any --queue q", "cordon queue q", "uncordon queue q"]
    {
        let run = ask(&nowhere, &format!("{line} --dry-run client")).exits(0);
        assert!(run.stderr.contains("dry run: client; nothing was written"), "{run}");
    }
    ask(&nowhere, "cordon queue a/b --dry-run client").exits(2);
    assert!(nowhere.requests().is_empty());
}

fn json_error() -> Script {
    answer(500, &[], "")
}

#[test]
fn reports_fit_their_schema_in_every_form() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    let (_, schema) = armadactl::internals::report::schemas::all()
        .into_iter()
        .find(|(name, _)| *name == "apply-report.json")
        .unwrap();
    let json = on(&sandbox, &server, "attach rp infra --queue test --queue ml -o json").exits(0);
    assert!(jsonschema::is_valid(&schema, &json.json()), "{json}");
    let yaml = on(&sandbox, &server, "attach rp infra --queue test --queue ml -o yaml").exits(0);
    let yaml: serde_json::Value = serde_yaml::from_str(&yaml.stdout).unwrap();
    assert!(jsonschema::is_valid(&schema, &yaml), "{yaml:#}");
}

#[test]
fn what_is_refused_to_all_is_not_asked_for_each() {
    let queue = r#"{"name":"q","priorityFactor":1}"#;
    let names: Vec<String> = (0..30).map(|index| format!("q{index}")).collect();
    let line = format!("cordon queue {} -o json", names.join(" "));
    let mut scripts = vec![json(queue); 30];
    scripts.push(answer(403, &[], r#"{"error":"USER lacks permission","code":7}"#));
    let fake = Fake::new(scripts);
    let run = ask(&fake, &line).exits(4);
    let summary = run.json()["summary"].clone();
    let (failed, not_done) = (summary["failed"].as_u64(), summary["not done"].as_u64());
    assert_eq!(failed.unwrap() + not_done.unwrap(), 30, "{run}");
    assert!(fake.requests().len() < 45, "{}", fake.requests().len());
}

#[test]
fn what_the_server_refuses_is_reported() {
    let mut scripts = vec![json(r#"{"name":"a","priorityFactor":1}"#); 3];
    scripts.push(answer(400, &[], r#"{"error":"error updating queue: no","code":3}"#));
    let run = ask(&Fake::new(scripts), "attach rp p --queue a").exits(6);
    assert!(run.stderr.contains("the server refused (400): error updating queue: no"), "{run}");
    assert!(run.stdout.contains("failed"), "{run}");
}

#[test]
fn what_is_refused_for_one_queue_stops_no_other() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    let queue = r#"{"name":"a/b","priorityFactor":1,"retryPolicies":["infra"]}"#;
    server.call("POST", "/v1/queue", queue).is(200, "{}");
    let run = on(&sandbox, &server, "detach rp infra --all-queues").exits(6);
    snapshot!("detach_one_refused", run);
    assert_eq!(server.get("/v1/queue/ml").json()["retryPolicies"], json!(["ml-training"]));
}

#[test]
fn twenty_at_once_lose_nothing() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    for index in 0..20 {
        let policy = format!(r#"{{"name":"p{index}","defaultAction":"Fail"}}"#);
        assert_eq!(server.call("POST", "/v1/retry-policy", &policy).status, 200);
    }
    std::thread::scope(|scope| {
        for index in 0..20 {
            let (sandbox, server) = (&sandbox, &server);
            scope.spawn(move || {
                on(sandbox, server, &format!("attach rp p{index} --queue test")).exits(0)
            });
        }
    });
    let held = server.get("/v1/queue/test").json();
    assert_eq!(held["retryPolicies"].as_array().unwrap().len(), 20, "{held}");
    assert_eq!(held["labels"]["tier"], "test");
}

#[test]
fn a_queue_that_has_changed_meanwhile_is_read_again() {
    let queue = r#"{"name":"q","priorityFactor":1}"#;
    let fake = Fake::new(vec![
        answer(200, &["ETag: \"1\""], queue),
        answer(200, &["ETag: \"1\""], queue),
        answer(412, &[], ""),
        answer(200, &["ETag: \"2\""], queue),
        json("{}"),
        json(r#"{"name":"q","priorityFactor":1,"cordoned":true}"#),
    ]);
    ask(&fake, "cordon queue q").exits(0);
    let tags: Vec<bool> = fake
        .requests()
        .iter()
        .filter(|r| r.starts_with("PUT"))
        .map(|r| r.contains("if-match: \"2\""))
        .collect();
    assert_eq!(tags, [false, true], "it is read again and written under the new version");
}

#[test]
fn queues_are_selected_by_labels() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    let run = |line: &str| on(&sandbox, &server, line).exits(0);
    let held =
        |queue: &str| server.get(&format!("/v1/queue/{queue}")).json()["retryPolicies"].clone();
    snapshot!("attach_selected", run("attach rp infra -l team=ml,tier"));
    assert_eq!(held("test"), json!(["infra"]));
    snapshot!("detach_selected", run("detach rp infra -l team=ml"));
    assert_eq!((held("ml"), held("web")), (json!(["ml-training"]), json!(["infra"])));
    run("attach rp infra --all-queues --first");
    for queue in ["ml", "test", "web"] {
        assert_eq!(held(queue)[0], "infra", "{queue}");
    }
    let cordoned =
        |queue: &str| server.get(&format!("/v1/queue/{queue}")).json()["cordoned"] == true;
    assert_eq!(run("cordon queue -l !team -o name").stdout, "queue/web\n");
    let uncordoned = run("uncordon queue --all-queues").stderr;
    assert_eq!(uncordoned.lines().last(), Some("2 configured, 1 unchanged"));
    assert!(!["ml", "test", "web"].iter().any(|queue| cordoned(queue)));
    run("cordon queue -l team=ml -l tier=test");
    assert!(cordoned("test") && !cordoned("ml"));
}

/// A second policy of a queue is warned of wherever it is written, on a server that reads the first.
#[test]
fn a_second_policy_has_no_effect() {
    let words = "`infra` has no effect on the queue `ml`: this server evaluates only the first policy of a queue, `gpu`";
    let deployed = Bench::new("");
    let full = Bench::new("--full-api");
    for (bench, warns) in [(&deployed, true), (&full, false)] {
        let two = QUEUE.replace("[gpu]", "[gpu, infra, gpu]");
        bench.sandbox.file("two.yaml", two);
        bench.run("apply -f policies.yaml").exits(0);
        for line in [
            "apply -f two.yaml --dry-run server",
            "create queue ml --retry-policy gpu,infra",
            "update queue ml --retry-policy gpu,infra",
            "apply -f two.yaml",
            "update -f two.yaml",
        ] {
            let run = bench.run(line).exits(0);
            assert_eq!(run.stderr.contains(words), warns, "{run}");
        }
        assert!(!bench.run("apply -f queue.yaml").exits(0).stderr.contains("no effect"));
    }
}
