//! `serve` answers as Armada does: every row of what is known of its behaviour, one after the other.
//!
//! Holds cli.md Commands.

use super::http::Serving;
use super::sandbox::Sandbox;
use std::io::{ErrorKind, Read};
use std::net::TcpStream;

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

/// Clients that send nothing take no place: their own time is longer than that of the client.
#[test]
fn silent_connections_delay_nobody() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "--max-time 10m");
    let silent: Vec<_> = (0..400).map(|_| server.connect()).collect();
    server.get("/health").is(204, "");
    assert_eq!(silent.iter().filter(|stream| is_open(stream)).count(), 400);
}

/// Beyond 512 that wait and the one that is served, the oldest silent ones are closed, and nobody else.
#[test]
fn the_oldest_silent_connections_make_room() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "--max-time 10m --max-connections 1");
    let silent: Vec<_> = (0..520).map(|_| server.connect()).collect();
    server.get("/health").is(204, "");
    let open: Vec<bool> = silent.iter().map(is_open).collect();
    assert_eq!(open, (0..520).map(|number| number >= 8).collect::<Vec<_>>());
}

/// Whether the server has not closed a connection on which it has sent nothing.
fn is_open(mut stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    stream.read(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}
