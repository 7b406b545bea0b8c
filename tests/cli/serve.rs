//! `serve` answers as Armada does: every row of what is known of its behaviour, one after the other.

use super::http::Serving;
use super::sandbox::Sandbox;
use serde_json::{Value, json};

const POLICY: &str = r#"{"name":"p1","defaultAction":"Fail"}"#;
const QUEUE: &str = r#"{"name":"q","priorityFactor":1}"#;

/// One behaviour: what has happened before, a request, and its answer.
struct Row {
    case: &'static str,
    before: &'static [(&'static str, &'static str, &'static str)],
    request: (&'static str, &'static str, &'static str),
    status: u16,
    /// The body, or of an error its code and message.
    answer: Body,
    /// What a read gives afterwards.
    after: Option<(&'static str, &'static str)>,
}

use Body::{Error, Is};

enum Body {
    Is(&'static str),
    Error(u32, &'static str),
}

const fn row(
    case: &'static str,
    before: &'static [(&'static str, &'static str, &'static str)],
    request: (&'static str, &'static str, &'static str),
    status: u16,
    answer: Body,
) -> Row {
    Row { case, before, request, status, answer, after: None }
}

const fn leaving(row: Row, path: &'static str, body: &'static str) -> Row {
    Row { after: Some((path, body)), ..row }
}

const P1: (&str, &str, &str) = ("POST", "/v1/retry-policy", POLICY);
const P2: (&str, &str, &str) =
    ("POST", "/v1/retry-policy", r#"{"name":"p2","defaultAction":"Fail"}"#);
const Q: (&str, &str, &str) = ("PUT", "/v1/queue/q", QUEUE);
const WITH_P: (&str, &str, &str) =
    ("PUT", "/v1/queue/q", r#"{"priorityFactor":1,"retryPolicies":["p1","p2"]}"#);

const ROWS: &[Row] = &[
    leaving(
        row(
            "POST of a policy that exists replaces it",
            &[P1],
            ("POST", "/v1/retry-policy", r#"{"name":"p1","retryLimit":2,"defaultAction":"retry"}"#),
            200,
            Is("{}"),
        ),
        "/v1/retry-policy/p1",
        r#"{"name":"p1","retryLimit":2,"defaultAction":"Retry"}"#,
    ),
    leaving(
        row("a policy that is replaced stays on its queues", &[P1, P2, WITH_P], P1, 200, Is("{}")),
        "/v1/queue/q",
        r#"{"name":"q","priorityFactor":1,"retryPolicies":["p1","p2"]}"#,
    ),
    row(
        "PUT of a missing policy",
        &[],
        ("PUT", "/v1/retry-policy/x", r#"{"defaultAction":"Fail"}"#),
        404,
        Error(5, "error: could not find retry policy \"x\""),
    ),
    row(
        "GET of a missing policy",
        &[],
        ("GET", "/v1/retry-policy/x", ""),
        404,
        Error(5, "error: could not find retry policy \"x\""),
    ),
    row("DELETE of a missing policy", &[], ("DELETE", "/v1/retry-policy/x", ""), 200, Is("{}")),
    leaving(
        row(
            "DELETE of a policy on queues takes it from them",
            &[P1, P2, WITH_P],
            ("DELETE", "/v1/retry-policy/p1", ""),
            200,
            Is("{}"),
        ),
        "/v1/queue/q",
        r#"{"name":"q","priorityFactor":1,"retryPolicies":["p2"]}"#,
    ),
    leaving(
        row(
            "PUT of a policy: the name in the path counts",
            &[P1],
            ("PUT", "/v1/retry-policy/p1", r#"{"name":"Other","defaultAction":"Retry"}"#),
            200,
            Is("{}"),
        ),
        "/v1/retry-policies",
        r#"{"retryPolicies":[{"name":"p1","defaultAction":"Retry"}]}"#,
    ),
    leaving(
        row(
            "PUT of a queue: the name in the path counts",
            &[],
            ("PUT", "/v1/queue/q", r#"{"name":"other","priorityFactor":2}"#),
            200,
            Is("{}"),
        ),
        "/v1/queue/q",
        r#"{"name":"q","priorityFactor":2}"#,
    ),
    leaving(
        row(
            "POST of a queue that exists replaces it, and adds the caller",
            &[("PUT", "/v1/queue/q", r#"{"priorityFactor":2,"cordoned":true}"#)],
            ("POST", "/v1/queue", QUEUE),
            200,
            Is("{}"),
        ),
        "/v1/queue/q",
        r#"{"name":"q","priorityFactor":1,"permissions":[{"subjects":[{"kind":"User","name":"anonymous"}],"verbs":["submit","cancel","preempt","reprioritize","watch"]}]}"#,
    ),
    leaving(
        row("PUT of a missing queue makes it", &[], Q, 200, Is("{}")),
        "/v1/queue/q",
        r#"{"name":"q","priorityFactor":1}"#,
    ),
    row(
        "GET of a missing queue",
        &[],
        ("GET", "/v1/queue/x", ""),
        404,
        Error(5, "error: could not find queue \"x\""),
    ),
    row("DELETE of a missing queue", &[], ("DELETE", "/v1/queue/x", ""), 200, Is("{}")),
    leaving(
        row(
            "DELETE of a queue leaves its policies",
            &[P1, P2, WITH_P],
            ("DELETE", "/v1/queue/q", ""),
            200,
            Is("{}"),
        ),
        "/v1/retry-policy/p1",
        POLICY,
    ),
    leaving(
        row(
            "a queue that names unknown policies, created",
            &[P1],
            (
                "POST",
                "/v1/queue",
                r#"{"name":"q","priorityFactor":1,"retryPolicies":["a","p1","b"]}"#,
            ),
            400,
            Error(3, "error creating queue: retry policies do not exist: \"a\", \"b\""),
        ),
        "/v1/batched/queues",
        "{\"result\":{\"Event\":{\"end\":{}}}}\n",
    ),
    leaving(
        row(
            "a queue that names unknown policies, updated",
            &[Q],
            ("PUT", "/v1/queue/q", r#"{"priorityFactor":9,"retryPolicies":[" a"]}"#),
            400,
            Error(3, "error updating queue: retry policies do not exist: \" a\""),
        ),
        "/v1/queue/q",
        QUEUE,
    ),
    leaving(
        row(
            "a policy named twice on a queue counts once",
            &[P1, P2],
            ("PUT", "/v1/queue/q", r#"{"priorityFactor":1,"retryPolicies":["p2","p1","p2"]}"#),
            200,
            Is("{}"),
        ),
        "/v1/queue/q",
        r#"{"name":"q","priorityFactor":1,"retryPolicies":["p2","p1"]}"#,
    ),
    row(
        "an invalid policy",
        &[],
        ("POST", "/v1/retry-policy", r#"{"name":"p"}"#),
        400,
        Error(
            3,
            "invalid retry policy: retry policy \"p\" must set a default action (Fail or Retry)",
        ),
    ),
    row(
        "an invalid rule and no default action: the rule is named",
        &[],
        ("POST", "/v1/retry-policy", r#"{"name":"p","rules":[{"action":"Fail"}]}"#),
        400,
        Error(3, "invalid retry policy: retry policy \"p\" rule 0: on_category must be set"),
    ),
    row(
        "a queue without a priority factor, created",
        &[],
        ("POST", "/v1/queue", r#"{"name":"q"}"#),
        400,
        Error(
            3,
            "error validating queue: failed to map priority factor. priority factor cannot be lower than 1.0. Value: 0.000000",
        ),
    ),
    row(
        "a queue without a priority factor, updated",
        &[],
        ("PUT", "/v1/queue/q", "{}"),
        400,
        Error(
            3,
            "error: failed to map priority factor. priority factor cannot be lower than 1.0. Value: 0.000000",
        ),
    ),
    row("no policies", &[], ("GET", "/v1/retry-policies", ""), 200, Is("{}")),
    row(
        "policies in the order of their names",
        &[P2, P1],
        ("GET", "/v1/retry-policies", ""),
        200,
        Is(
            r#"{"retryPolicies":[{"name":"p1","defaultAction":"Fail"},{"name":"p2","defaultAction":"Fail"}]}"#,
        ),
    ),
    leaving(
        row(
            "an empty body is a queue of nothing, unknown keys are ignored",
            &[],
            (
                "PUT",
                "/v1/queue/a%20b",
                r#"{"PRIORITYFACTOR":1.5,"retry_policies":["x"],"cordoned":false} ]"#,
            ),
            200,
            Is("{}"),
        ),
        "/v1/queue/a%20b",
        r#"{"name":"a b","priorityFactor":1.5}"#,
    ),
    row("an unknown route", &[], ("GET", "/v2/queue/q", ""), 404, Is("Not Found\n")),
    row("a name with a slash", &[], ("GET", "/v1/queue/a%2Fb", ""), 404, Is("Not Found\n")),
    row("a name with a colon", &[], ("GET", "/v1/queue/a:b", ""), 404, Is("Not Found\n")),
    row("a wrong method", &[], ("GET", "/v1/queue", ""), 405, Is("Method Not Allowed\n")),
    row("health", &[], ("GET", "/health", ""), 204, Is("")),
    row(
        "a batch: each for itself, and 200 whatever came of them",
        &[],
        (
            "POST",
            "/v1/batched/create_queues",
            r#"{"queues":[{"name":"q","priorityFactor":1},{"name":"r"}]}"#,
        ),
        200,
        Is(
            r#"{"failedQueues":[{"queue":{"name":"r","userOwners":["anonymous"]},"error":"rpc error: code = InvalidArgument desc = error validating queue: failed to map priority factor. priority factor cannot be lower than 1.0. Value: 0.000000"}]}"#,
        ),
    ),
    leaving(
        row(
            "a batch that goes well",
            &[Q],
            (
                "PUT",
                "/v1/batched/update_queues",
                r#"{"queues":[{"name":"q","priorityFactor":3},{"name":"a","priorityFactor":1}]}"#,
            ),
            200,
            Is("{}"),
        ),
        "/v1/batched/queues",
        "{\"result\":{\"Event\":{\"queue\":{\"name\":\"a\",\"priorityFactor\":1}}}}\n{\"result\":{\"Event\":{\"queue\":{\"name\":\"q\",\"priorityFactor\":3}}}}\n{\"result\":{\"Event\":{\"end\":{}}}}\n",
    ),
    row(
        "the first queues only",
        &[Q, ("PUT", "/v1/queue/a", QUEUE)],
        ("GET", "/v1/batched/queues?num=1", ""),
        200,
        Is(
            "{\"result\":{\"Event\":{\"queue\":{\"name\":\"a\",\"priorityFactor\":1}}}}\n{\"result\":{\"Event\":{\"end\":{}}}}\n",
        ),
    ),
];

#[test]
fn it_behaves_as_armada_does() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    for Row { case, before, request, status, answer, after } in ROWS {
        for path in ["q", "a", "a%20b"] {
            server.call("DELETE", &format!("/v1/queue/{path}"), "").is(200, "{}");
        }
        for name in ["p", "p1", "p2"] {
            server.call("DELETE", &format!("/v1/retry-policy/{name}"), "").is(200, "{}");
        }
        for (method, path, body) in *before {
            server.call(method, path, body).is(200, "{}");
        }
        let (method, path, body) = request;
        let got = server.call(method, path, body);
        eprintln!("{case}: {got:?}");
        match answer {
            Is(text) => _ = got.is(*status, text),
            Error(code, message) => got.fails(*status, *code, message),
        }
        if let Some((path, body)) = after {
            server.get(path).is(200, body);
        }
    }
}

#[test]
fn headers_are_the_gateways() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    for path in ["/v1/retry-policies", "/v1/batched/queues", "/v1/queue/missing"] {
        let answer = server.get(path);
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(answer.header("grpc-metadata-content-type"), "application/grpc");
    }
    assert_eq!(server.get("/v1/batched/queues").header("transfer-encoding"), "chunked");
    let plain = server.get("/v1/nothing");
    assert!(plain.header("content-type").starts_with("text/plain"), "{plain:?}");
    assert_eq!(server.call("HEAD", "/health", "").status, 204);
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
    put("*", QUEUE).fails(412, 9, "queue \"q\" is not as the request's If-Match wants it");
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
