//! What `serve` keeps, gives back and refuses, and what it has that Armada has not.
//!
//! Holds cli.md Commands.

use super::http::Serving;
use super::sandbox::Sandbox;
use serde_json::{Value, json};

const POLICY: &str = r#"{"name":"p1","defaultAction":"Fail"}"#;
const QUEUE: &str = r#"{"name":"q","priorityFactor":1}"#;

#[test]
fn headers_are_the_gateways() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    for (path, metadata) in [
        ("/v1/retry-policies", "application/grpc"),
        ("/v1/batched/queues", "application/grpc"),
        ("/v1/queue/missing", ""),
        ("/swagger.json", ""),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(answer.header("grpc-metadata-content-type"), metadata, "{path}");
    }
    assert_eq!(server.get("/v1/batched/queues").header("transfer-encoding"), "chunked");
    let plain = server.get("/v1/nothing");
    assert!(plain.header("content-type").starts_with("text/plain"), "{plain:?}");
    assert_eq!(server.call("HEAD", "/health", "").status, 204);
    let moved = server.call("GET", "/v1//queue/a%20b/../?x=%3Cb%3E&y", "");
    assert_eq!((moved.status, moved.header("location")), (307, "/v1/queue/?x=%3Cb%3E&y"));
    assert!(moved.body.contains("?x=%3Cb%3E&amp;y\""), "{moved:?}");
    let moved = server.call("PUT", "//other.example/v1/queue/q", QUEUE);
    assert_eq!((moved.status, moved.header("location")), (307, "/other.example/v1/queue/q"));
    assert_eq!((moved.body.as_str(), moved.header("content-type")), ("", ""));
    let wrong = server.call("HEAD", "/v1/retry-policies", "");
    assert_eq!((wrong.status, wrong.header("allow")), (405, "GET"));
}

/// What the server says of a policy.
fn said(server: &Serving, policy: &Value) -> (u16, String) {
    let answer = server.call("POST", "/v1/retry-policy", &policy.to_string());
    (answer.status, answer.json()["error"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn policies_are_kept_to_the_last_field() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    let policy = json!({"name": "p", "retryLimit": 3, "defaultAction": "Fail", "rules": [
        {"action": "Retry", "onCategory": "c", "onSubcategory": "s", "mutate": {
            "affinity": {"avoidSameNode": true}, "resources": {"memory": {"factor": 1.25}}}},
        {"action": "Retry", "onCategory": "c", "mutate": {"affinity": {}, "resources": {"memory": {"static": "256Mi"}}}},
    ]});
    assert_eq!(said(&server, &policy), (200, String::new()));
    assert_eq!(server.get("/v1/retry-policy/p").json(), policy);
    let more = json!({"name": "p", "defaultAction": 1, "rules": [
        {"action": 2, "onCategory": "c", "onExitCodes": {"operator": "In", "values": [1]}, "retryLimit": 3}]});
    assert_eq!(said(&server, &more), (200, String::new()));
    let kept = json!({"name": "p", "defaultAction": "Fail", "rules": [{"action": "Retry", "onCategory": "c"}]});
    assert_eq!(server.get("/v1/retry-policy/p").json(), kept, "what it does not know it drops");
    let (status, text) = said(&server, &json!({"name": "p", "retryLimit": -1}));
    assert_eq!(status, 400);
    assert_eq!(
        text,
        "json: cannot unmarshal number -1 into Go struct field RetryPolicy.retryLimit of type uint32"
    );
}

#[test]
fn queues_are_kept_to_the_last_field() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    let queue = json!({"name": "q", "priorityFactor": 1.5,
        "permissions": [{"subjects": [{"kind": "Group", "name": "g"}], "verbs": ["submit"]}],
        "resourceLimitsByPriorityClassName": {"high": {
            "maximumResourceFraction": {"cpu": 0.5},
            "maximumResourceFractionByPool": {"gpu": {"maximumResourceFraction": {"memory": 0.25}}}}},
        "cordoned": true, "labels": {"team": "ml", "<b>": "&"}});
    assert_eq!(server.call("PUT", "/v1/queue/q", &queue.to_string()).status, 200);
    let once = server.get("/v1/queue/q");
    assert_eq!(once.json(), queue);
    server.call("PUT", "/v1/queue/q", &once.body).is(200, "{}");
    assert_eq!(server.get("/v1/queue/q").body, once.body, "GET and PUT change nothing");
    server.call("POST", "/v1/queue", &once.body).is(200, "{}");
    server.call("POST", "/v1/queue", &once.body).is(200, "{}");
    let permissions = server.get("/v1/queue/q").json()["permissions"].clone();
    assert_eq!(permissions.as_array().unwrap().len(), 2, "POST puts the caller before them");
}

#[test]
fn a_queue_can_be_replaced_by_version() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    let put = |tag: &str, body: &str| {
        server.call_with("PUT", "/v1/queue/q", &[&format!("If-Match: {tag}")], body)
    };
    put("*", QUEUE).fails(412, 9, "queue \"q\" does not match the request's If-Match");
    let first = server.call("PUT", "/v1/queue/q", QUEUE).header("etag").to_owned();
    assert_eq!(server.get("/v1/queue/q").header("etag"), first);
    let second = put(&first, r#"{"priorityFactor":2}"#);
    second.is(200, "{}");
    assert_eq!(put(&first, QUEUE).status, 412);
    assert_eq!(server.get("/v1/queue/q").header("etag"), second.header("etag"));
    let stale = [&*format!("If-Match: {first}")];
    assert_eq!(server.call_with("DELETE", "/v1/queue/q", &stale, "").status, 412);
    put(&format!("\"other\", {}", second.header("etag")), QUEUE).is(200, "{}");
}

#[test]
fn twenty_writers_with_versions_lose_nothing() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    server.call("PUT", "/v1/queue/q", QUEUE).is(200, "{}");
    let attach = |index: usize| {
        let name = format!("p{index}");
        let policy = format!(r#"{{"name":"{name}","defaultAction":"Fail"}}"#);
        server.call("POST", "/v1/retry-policy", &policy).is(200, "{}");
        loop {
            let read = server.get("/v1/queue/q");
            let mut queue = read.json();
            let mut policies = queue["retryPolicies"].as_array().cloned().unwrap_or_default();
            policies.push(json!(name));
            queue["retryPolicies"] = json!(policies);
            let condition = format!("If-Match: {}", read.header("etag"));
            let put = server.call_with("PUT", "/v1/queue/q", &[&condition], &queue.to_string());
            if put.status == 200 {
                return;
            }
            assert_eq!(put.status, 412, "{put:?}");
        }
    };
    std::thread::scope(|scope| {
        for index in 0..20 {
            scope.spawn(move || attach(index));
        }
    });
    let queue = server.get("/v1/queue/q").json();
    assert_eq!(queue["retryPolicies"].as_array().unwrap().len(), 20);
}

#[test]
fn strictly_it_refuses_what_armada_ignores() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "--strict");
    server.call("POST", "/v1/retry-policy", POLICY).is(200, "{}");
    server.call("POST", "/v1/queue", QUEUE).is(200, "{}");
    for (method, path, body, status, said) in [
        ("POST", "/v1/retry-policy", POLICY, 409, "already exists"),
        ("POST", "/v1/queue", QUEUE, 409, "error creating queue: queue q already exists"),
        ("PUT", "/v1/queue/x", r#"{"priorityFactor":1}"#, 404, "could not find queue \"x\""),
        ("DELETE", "/v1/queue/x", "", 404, "could not find queue \"x\""),
        ("DELETE", "/v1/retry-policy/x", "", 404, "could not find retry policy \"x\""),
        (
            "PUT",
            "/v1/retry-policy/p1",
            r#"{"name":"p2","defaultAction":1}"#,
            400,
            "the path \"p1\"",
        ),
        ("PUT", "/v1/queue/q", r#"{"name":"r","priorityFactor":1}"#, 400, "the path \"q\""),
        (
            "PUT",
            "/v1/retry-policy/p1",
            r#"{"retry_limit":1,"defaultAction":1}"#,
            400,
            "no field \"retry_limit\"",
        ),
        (
            "PUT",
            "/v1/retry-policy/p1",
            r#"{"DefaultAction":1}"#,
            400,
            "is written \"defaultAction\"",
        ),
        ("PUT", "/v1/queue/q", r#"{"priorityFactor":1} x"#, 400, "something follows"),
        ("PUT", "/v1/queue/q", "", 400, "the body is empty"),
        (
            "POST",
            "/v1/queue",
            r#"{"name":"a/b","priorityFactor":1}"#,
            400,
            "cannot carry the name \"a/b\"",
        ),
        ("POST", "/v1/queue", r#"{"name":"a:b","priorityFactor":1}"#, 400, "cannot carry"),
        ("POST", "/v1/queue", r#"{"priorityFactor":1}"#, 400, "without a name"),
        (
            "PUT",
            "/v1/queue/q",
            r#"{"priorityFactor":1,"retryPolicies":["p1","p1"]}"#,
            400,
            "\"p1\" is named twice",
        ),
    ] {
        let answer = server.call(method, path, body);
        assert_eq!(answer.status, status, "{method} {path} {body}: {answer:?}");
        assert!(answer.json()["error"].as_str().unwrap().contains(said), "{answer:?}");
    }
    server.get("/v1/queue/q").json();
    server.call("PUT", "/v1/queue/q", r#"{"name":"q","priorityFactor":2}"#).is(200, "{}");
    let batch = r#"{"queues":[{"name":"q","priorityFactor":1},{"name":"r","priorityFactor":1}]}"#;
    let failed = server.call("POST", "/v1/batched/create_queues", batch).json();
    assert_eq!(failed["failedQueues"].as_array().unwrap().len(), 1);
    assert_eq!(
        failed["failedQueues"][0]["error"],
        "rpc error: code = AlreadyExists desc = error creating queue: queue q already exists"
    );
}

#[test]
fn the_full_form_is_taken_kept_and_given() {
    let sandbox = Sandbox::new();
    let (full, today) = (Serving::start(&sandbox, "--full-api"), Serving::start(&sandbox, ""));
    let rule = |server: &Serving| {
        server.get("/swagger.json").json()["definitions"]["apiRetryRule"]["properties"].clone()
    };
    assert!(rule(&full).get("onExitCodes").is_some());
    assert!(rule(&today).get("onExitCodes").is_none());
    let policy = json!({"name": "p", "retryLimit": 5, "backoff": {"initialDelay": "30s", "maxDelay": "1h", "multiplier": 2},
        "antiAffinity": {"mode": "node"}, "rules": [
        {"action": "Retry", "retryLimit": 0, "containerName": "main", "includeInitContainers": true,
         "onExitCodes": {"operator": "NotIn", "values": [1, 137]}, "onConditions": ["OOMKilled"],
         "onTerminationMessage": {"pattern": "NCCL.*timeout"}, "onFailureCategory": ["gpu"], "onFailureSubcategory": ["xid"],
         "backoff": {"initialDelay": "0s"}, "antiAffinity": {"mode": "none"},
         "mutate": {"resources": {"memory": {"factor": 1.5}}}}]});
    assert_eq!(said(&full, &policy), (200, String::new()));
    assert_eq!(full.get("/v1/retry-policy/p").json(), policy);
    let bad = json!({"name": "p", "rules": [{"action": "Retry", "onTerminationMessage": {"pattern": "a(?=b)"}}]});
    let (status, text) = said(&full, &bad);
    assert_eq!(status, 400);
    assert!(text.starts_with("invalid retry policy: retry policy \"p\": "), "{text}");
}
