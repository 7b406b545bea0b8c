//! `get`: what the server holds, in every form, and servers that break off.
//!
//! Holds cli.md Commands, Output.

use super::http::Serving;
use super::quirks::{Fake, Script, answer, chunked};
use super::sandbox::{Run, Sandbox, snapshot};
use serde_json::{Value, json};

const POLICY: &str = r#"{"name":"infra","retryLimit":3,"defaultAction":"Fail","rules":[{"action":"Retry","onCategory":"node"}]}"#;

/// A server with two policies and three queues.
pub fn serving(sandbox: &Sandbox) -> Serving {
    let server = Serving::start(sandbox, "--full-api");
    let put = |path: &str, body: &str| assert_eq!(server.call("POST", path, body).status, 200);
    put("/v1/retry-policy", POLICY);
    put(
        "/v1/retry-policy",
        r#"{"name":"ml-training","backoff":{"initialDelay":"30s"},"rules":[{"action":"Retry","onConditions":["OOMKilled"],"retryLimit":0},{"action":"Fail","onCategory":"user"}]}"#,
    );
    put(
        "/v1/queue",
        r#"{"name":"ml","priorityFactor":1.5,"userOwners":["ann"],"labels":{"team":"ml","opts":"a=b"},"retryPolicies":["infra","ml-training"]}"#,
    );
    put(
        "/v1/queue",
        r#"{"name":"test","priorityFactor":2,"userOwners":["bob"],"permissions":[{"subjects":[{"kind":"Group","name":"all"}],"verbs":["watch"]}],"cordoned":true,"labels":{"team":"ml","tier":"test"}}"#,
    );
    put("/v1/queue", r#"{"name":"web","priorityFactor":1,"retryPolicies":["infra"]}"#);
    server
}

/// Runs a line against a server.
pub fn on(sandbox: &Sandbox, server: &Serving, line: &str) -> Run {
    let url = format!("http://{}", server.address);
    sandbox.run_with(line, |command| _ = command.env("ARMADACTL_ARMADA_REST_URL", url))
}

fn ask(fake: &Fake, line: &str) -> Run {
    Sandbox::new()
        .run_with(line, |command| _ = command.env("ARMADACTL_ARMADA_REST_URL", fake.url()))
}

fn fits(schema: &str, value: &Value) {
    let (_, schema) = armadactl::internals::report::schemas::all()
        .into_iter()
        .find(|(name, _)| *name == schema)
        .unwrap();
    assert!(jsonschema::is_valid(&schema, value), "{value:#}");
}

#[test]
fn tables_and_documents() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    let on = |line: &str| on(&sandbox, &server, line).exits(0);
    snapshot!("get_policies", on("get rp"));
    snapshot!("get_policies_wide", on("get retry-policies -o wide"));
    snapshot!("get_queues", on("get queues"));
    snapshot!("get_queues_wide", on("get queue -o wide"));
    snapshot!("get_policies_yaml", on("get retrypolicy -o yaml"));
    snapshot!("get_queues_json", on("get Queue ml web -o json"));
    assert_eq!(on("get rp -o name").stdout, "retrypolicy/infra\nretrypolicy/ml-training\n");
    assert_eq!(on("get queue/web queue/ml -o name").stdout, "queue/web\nqueue/ml\n");
    assert!(!on("get rp --no-headers").stdout.contains("NAME"));
}

#[test]
fn one_is_flat_and_several_are_a_list() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    let on = |line: &str| on(&sandbox, &server, line).exits(0);
    let one = on("get rp infra -o json").json();
    fits("retrypolicy-v1beta1.json", &one);
    let mut held: Value = serde_json::from_str(POLICY).unwrap();
    held["apiVersion"] = json!("armadaproject.io/v1beta1");
    held["kind"] = json!("RetryPolicy");
    assert_eq!(one, held);
    let full = on("get rp/ml-training -o json").json();
    fits("retrypolicy-v1.json", &full);
    assert_eq!(full["spec"]["rules"][1]["onFailureCategory"], json!(["user"]));
    fits("queue-v1beta1.json", &on("get queue ml -o json").json());
    for (line, schema) in [
        ("get rp", "retrypolicy-list.json"),
        ("get queue ml test", "queue-list.json"),
        ("get queue -l none", "queue-list.json"),
    ] {
        fits(schema, &on(&format!("{line} -o json")).json());
    }
    let yaml = on("get queue -o yaml").stdout;
    let documents: Vec<&str> = yaml.split("---\n").collect();
    assert_eq!(documents.len(), 3, "{yaml}");
    for document in documents {
        fits("queue-v1beta1.json", &serde_yaml::from_str(document).unwrap());
    }
    sandbox.file("policies.yaml", on("get rp -o yaml").stdout);
    sandbox.run("validate -f policies.yaml").exits(0);
}

#[test]
fn labels_select_queues() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    let names = |selector: &str| {
        on(&sandbox, &server, &format!("get queue -o name -l {selector}"))
            .exits(0)
            .stdout
            .replace("queue/", "")
            .replace('\n', " ")
    };
    for (selector, found) in [
        ("team=ml", "ml test "),
        ("team=ml,tier!=test", "ml "),
        ("opts=a=b", "ml "),
        ("tier", "test "),
        ("!team", "web "),
        ("team=ml -l tier", "test "),
        ("team=none", ""),
    ] {
        assert_eq!(names(selector), found, "{selector}");
    }
    let none = on(&sandbox, &server, "get queue -l team=none").exits(0);
    assert_eq!(
        (none.stdout.as_str(), none.stderr.as_str()),
        ("", "no queue of the server has the labels `team=none`\n")
    );
    for line in ["get rp -l a=b", "get queue ml -l a=b", "get queue -l =b"] {
        on(&sandbox, &server, line).exits(2);
    }
}

#[test]
fn what_is_not_there_is_named_and_the_others_are_printed() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    let on = |line: &str| on(&sandbox, &server, line);
    snapshot!("get_missing_one", on("get rp infar").exits(5));
    snapshot!("get_missing_some", on("get queue wep ml nosuch").exits(5));
    let json = on("get queue wep ml -o json").exits(5);
    assert_eq!(json.json()["items"].as_array().unwrap().len(), 1);
    assert!(json.json()["error"].as_str().unwrap().contains("`wep`"), "{json}");
    assert_eq!(on("get rp nosuch -o json").exits(5).json()["kind"], "ErrorReport");
    for line in
        ["get", "get pods", "get rp/a queue/b", "get queue a/b", "get queue a:b", "get rp -o html"]
    {
        on(line).exits(2);
    }
}

fn line(queue: &str) -> String {
    format!("{{\"result\":{{\"Event\":{{\"queue\":{queue}}}}}}}\n")
}

const END: &str = "{\"result\":{\"Event\":{\"end\":{}}}}\n";

#[test]
fn numbers_are_shown_as_they_are_held() {
    let queue =
        r#"{"name":"q","priorityFactor":1.0,"new":{"n":12345678901234567890123,"h":1e400}}"#;
    let fake = Fake::new(vec![answer(200, &[], queue)]);
    let json = ask(&fake, "get queue q -o json").exits(0).stdout;
    let yaml = ask(&fake, "get queue q -o yaml").exits(0).stdout;
    for text in ["12345678901234567890123", "1e400", "1.0"] {
        assert!(json.contains(text) && yaml.contains(text), "{json}{yaml}");
    }
    let compact: String = json.split_whitespace().collect();
    let head = r#"{"apiVersion":"armadaproject.io/v1beta1","kind":"Queue","#;
    assert_eq!(compact, queue.replacen('{', head, 1));
}

#[test]
fn a_list_that_breaks_off_is_printed_so_far_and_is_an_error() {
    let queue = line(r#"{"name":"a","priorityFactor":1}"#);
    let cut = &queue[..20];
    for chunks in [vec![queue.as_str()], vec![&queue, cut], vec![&queue, "<html>\n", END]] {
        let fake = Fake::new(vec![chunked(&chunks, true)]);
        for output in ["table", "wide", "yaml", "name"] {
            let run = ask(&fake, &format!("get queue -o {output}")).exits(7);
            assert!(
                run.stdout.contains('a') && run.stderr.contains("error: cannot list the queues"),
                "{run}"
            );
        }
        let run = ask(&fake, "get queue -o json").exits(7);
        fits("queue-list.json", &run.json());
        assert_eq!(run.json()["items"][0]["name"], "a");
        assert!(run.json()["error"].as_str().unwrap().contains("list"), "{run}");
    }
    let fake = Fake::new(vec![chunked(&[], true)]);
    assert_eq!(ask(&fake, "get queue -o json").exits(7).json()["kind"], "ErrorReport");
    let deep = line(&format!(r#"{{"name":"b","x":{}{}}}"#, "[".repeat(5000), "]".repeat(5000)));
    let fake = Fake::new(vec![chunked(&[&queue, &deep, END], true)]);
    let run = ask(&fake, "get queue -o json").exits(7);
    assert!(run.json()["error"].as_str().unwrap().contains("nested"), "{run}");
}

#[test]
fn nothing_a_server_sends_steers_a_terminal() {
    let evil = "{\"name\":\"q\\u001b[2J\\u0007\u{9b}31m\u{202e}\",\"priorityFactor\":1,\"labels\":{\"k\\u001b\":\"v\u{85}\u{7f}\"},\"description\":\"\\u001b]0;x\\u0007\",\"permissions\":[{\"subjects\":[{\"kind\":\"User\",\"name\":\"\\u009b\"}]}],\"retryPolicies\":[\"p\\r\u{9b}\"]}";
    let list = format!("{{\"retryPolicies\":[{evil}]}}");
    let stream = || chunked(&[&line(evil), END], true);
    let refused = answer(403, &[], "{\"error\":\"no \\u001b[31m\u{9b}way\",\"code\":7}");
    let scripts: [(&str, Script); 4] = [
        ("get queue", stream()),
        ("get queue q", answer(200, &[], evil)),
        ("get rp", answer(200, &[], &list)),
        ("cordon queue q", refused),
    ];
    for (what, script) in scripts {
        let fake = Fake::new(vec![script]);
        for output in ["table", "json", "yaml", "name"] {
            let run = ask(&fake, &format!("{what} -o {output}"));
            let text = run.stdout.clone() + &run.stderr;
            let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
            assert!(!text.contains(steers), "{what} -o {output}: {text:?}");
            assert!(!text.is_empty());
        }
    }
}

#[test]
fn troubles_have_their_exit_codes() {
    let busy = || answer(503, &[], "busy");
    for (line, script, code) in [
        ("get rp", answer(401, &[], ""), 4),
        ("get queue", answer(403, &[], ""), 4),
        ("get queue a b", answer(403, &[], ""), 4),
        ("get rp", answer(404, &["Content-Type: text/plain"], "Not Found"), 7),
        ("get queue q", answer(404, &["Content-Type: text/plain"], "Not Found"), 7),
        ("get rp", answer(200, &["Content-Type: text/html"], "<html>"), 7),
    ] {
        let run = ask(&Fake::new(vec![script]), line).exits(code);
        assert!(run.stderr.starts_with("error: cannot"), "{run}");
    }
    let fake = Fake::new(vec![busy(), busy(), answer(200, &[], "{}")]);
    ask(&fake, "get rp").exits(0);
    assert_eq!(fake.requests().len(), 3);
}

#[test]
fn a_long_list_is_printed_as_it_comes() {
    use super::quirks::Piece;
    let mut script = chunked(&[&line(r#"{"name":"a"}"#)], false);
    script.push(Piece::Bytes(Vec::new()));
    for index in 0..5000 {
        let text = line(&format!(r#"{{"name":"q{index}","priorityFactor":1}}"#));
        script.push(Piece::Bytes(format!("{:x}\r\n{text}\r\n", text.len()).into()));
    }
    script.push(Piece::Bytes(format!("{:x}\r\n{END}\r\n0\r\n\r\n", END.len()).into()));
    let fake = Fake::new(vec![script]);
    assert_eq!(
        ask(&fake, "get queue -o json").exits(0).json()["items"].as_array().unwrap().len(),
        5001
    );
    assert_eq!(ask(&fake, "get queue -o name").exits(0).stdout.lines().count(), 5001);
}
