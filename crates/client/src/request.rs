//! Requests as plain values, built by pure functions: one for each of Armada's calls that this
//! program uses.

use super::name::{check_name, segment};
use super::{ClientError, Fields};
use document::names;
use serde_json::{Value, json};

names! {
    /// The HTTP methods of Armada's gateway.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Method {
        /// Read.
        Get = "GET",
        /// Create; Armada overwrites an existing object.
        Post = "POST",
        /// Replace.
        Put = "PUT",
        /// Delete.
        Delete = "DELETE",
    }
}

impl Method {
    /// Whether a second request has no further effect.
    pub fn is_idempotent(self) -> bool {
        self != Self::Post
    }
}

/// A request, without the server's address and the credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The action for messages, such as ``get the queue `a` ``.
    pub doing: String,
    /// The method.
    pub method: Method,
    /// The path below the base address, percent-encoded.
    pub path: String,
    /// Parameters of the query; they need no encoding.
    pub query: Vec<(&'static str, String)>,
    /// Headers in addition to those of every request.
    pub headers: Vec<(&'static str, String)>,
    /// The body, which is JSON.
    pub body: Option<String>,
    /// Whether it may be sent again after a wait.
    pub repeat: Repeat,
}

/// Whether a request may be sent again after a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// Only if the method is idempotent.
    ByMethod,
    /// Never: the source of the body may have changed by then.
    Never,
    /// Always: it is a read, though its method is POST.
    Always,
}

impl Request {
    fn new(method: Method, path: impl Into<String>, doing: impl Into<String>) -> Self {
        Self {
            doing: doing.into(),
            method,
            path: path.into(),
            query: Vec::new(),
            headers: Vec::new(),
            body: None,
            repeat: Repeat::ByMethod,
        }
    }

    /// A request to another server than Armada, for its messages.
    pub(super) fn to_provider(method: Method, doing: impl Into<String>) -> Self {
        Self { repeat: Repeat::Never, ..Self::new(method, "", doing) }
    }

    /// Whether it may be sent again after a wait.
    pub fn is_repeatable(&self) -> bool {
        match self.repeat {
            Repeat::ByMethod => self.method.is_idempotent(),
            Repeat::Never => false,
            Repeat::Always => true,
        }
    }

    /// Whether the answer is a list.
    pub fn is_list(&self) -> bool {
        self.path == POLICIES || self.path == QUEUES
    }

    fn body(self, body: &impl ToString) -> Self {
        Self { body: Some(body.to_string()), ..self }
    }

    /// The path with the query.
    pub fn target(&self) -> String {
        let pairs = self.query.iter().map(|(name, value)| format!("{name}={}", segment(value)));
        let query: Vec<String> = pairs.collect();
        if query.is_empty() {
            self.path.clone()
        } else {
            format!("{}?{}", self.path, query.join("&"))
        }
    }
}

/// The path of the list of policies.
const POLICIES: &str = "/v1/retry-policies";
/// The path of the list of queues.
const QUEUES: &str = "/v1/batched/queues";

/// The kinds of objects of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Policy,
    Queue,
}

impl Kind {
    /// The name of the kind in messages.
    fn noun(self) -> &'static str {
        match self {
            Self::Policy => "retry policy",
            Self::Queue => "queue",
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::Policy => "/v1/retry-policy",
            Self::Queue => "/v1/queue",
        }
    }

    fn for_name(self, method: Method, verb: &str, name: &str) -> Result<Request, ClientError> {
        let name = check_name(self.noun(), name)?;
        let path = format!("{}/{}", self.path(), segment(name));
        Ok(Request::new(method, path, format!("{verb} the {} `{name}`", self.noun())))
    }
}

pub(super) fn get(kind: Kind, name: &str) -> Result<Request, ClientError> {
    kind.for_name(Method::Get, "get", name)
}

/// Creates or overwrites one object, whose name is in the body. A name that does not fit into a path is
/// refused, as later requests could not address the object.
pub(super) fn create(kind: Kind, body: &Fields) -> Result<Request, ClientError> {
    let name = body.value("name");
    let name = name.as_ref().and_then(|name| name.as_str()).unwrap_or_default();
    let request = kind.for_name(Method::Post, "create", name)?;
    Ok(Request { path: kind.path().to_owned(), ..request.body(body) })
}

/// Creates or overwrites one object under its name.
pub(super) fn put_new(kind: Kind, name: &str, body: &Fields) -> Result<Request, ClientError> {
    Ok(kind.for_name(Method::Put, "create", name)?.body(body))
}

/// Replaces one object. With `if_match`, only while that is its version. The body of a queue is the queue
/// that was read, with some fields changed: without a version it is sent once.
pub(super) fn put(
    kind: Kind,
    name: &str,
    body: &Fields,
    if_match: Option<&str>,
) -> Result<Request, ClientError> {
    let mut request = kind.for_name(Method::Put, "update", name)?.body(body);
    request.headers = if_match.map(|etag| ("If-Match", etag.to_owned())).into_iter().collect();
    if kind == Kind::Queue && if_match.is_none() {
        request.repeat = Repeat::Never;
    }
    Ok(request)
}

pub(super) fn delete(kind: Kind, name: &str) -> Result<Request, ClientError> {
    kind.for_name(Method::Delete, "delete", name)
}

/// Lists all policies.
pub(super) fn policies() -> Request {
    Request::new(Method::Get, POLICIES, "list the retry policies")
}

/// Lists all queues, one per line.
pub(super) fn queues() -> Request {
    Request::new(Method::Get, QUEUES, "list the queues")
}

/// Lists one queue.
pub(super) fn first_queue() -> Request {
    let request = Request::new(Method::Get, QUEUES, "check access to the server");
    Request { query: vec![("num", "1".to_owned())], ..request }
}

/// Tests the health of the server.
pub(super) fn health() -> Request {
    Request::new(Method::Get, "/health", "check the server's health")
}

/// The start of the paths of job sets, whose events they have.
pub(super) const JOB_SETS: &str = "/v1/job-set/";

/// Reads the events of a job set behind the one with this id, all if it is empty; with `follow`, also those to come.
pub(super) fn events(
    queue: &str,
    job_set: &str,
    from: &str,
    follow: bool,
) -> Result<Request, ClientError> {
    let (queue, job_set) = (check_name("queue", queue)?, check_name("job set", job_set)?);
    let path = format!("{JOB_SETS}{}/{}", segment(queue), segment(job_set));
    let doing = format!("read the events of the job set `{job_set}` of the queue `{queue}`");
    let body = json!({"watch": follow, "fromMessageId": from, "errorIfMissing": true});
    let request = Request::new(Method::Post, path, doing);
    Ok(Request { repeat: Repeat::Always, ..request.body(&body) })
}

/// Reads the description of the API.
pub(super) fn swagger() -> Request {
    Request::new(Method::Get, "/swagger.json", "read the server's API description")
}

names! {
    /// The texts that Lookout has of a run, by the calls that return them.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RunText {
        /// The error.
        Error = "jobRunError",
        /// The debug JSON.
        Debug = "jobRunDebugMessage",
    }
}

/// Lists jobs of Lookout.
pub(super) fn lookout_jobs(body: &Value) -> Request {
    lookout("jobs", "list Lookout's jobs", body)
}

/// Reads a text of a run.
pub(super) fn lookout_run_text(text: RunText, run: &str) -> Request {
    lookout(text.as_str(), "get the texts of a run of Lookout", &json!({"runId": run}))
}

fn lookout(call: &str, doing: &str, body: &Value) -> Request {
    let request = Request::new(Method::Post, format!("/api/v1/{call}"), doing);
    Request { repeat: Repeat::Always, ..request.body(body) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClientErrorKind;

    fn fields(text: &str) -> Fields {
        Fields::parse(text).unwrap()
    }

    #[test]
    fn requests_are_armada_s() {
        let display =
            |request: Request| format!("{} {}", request.method.as_str(), request.target());
        let body = fields(r#"{"name":"a b","x":1.0}"#);
        for (request, line) in [
            (get(Kind::Policy, "a"), "GET /v1/retry-policy/a"),
            (get(Kind::Queue, "é b"), "GET /v1/queue/%C3%A9%20b"),
            (create(Kind::Policy, &body), "POST /v1/retry-policy"),
            (create(Kind::Queue, &body), "POST /v1/queue"),
            (put(Kind::Queue, "a", &body, None), "PUT /v1/queue/a"),
            (put_new(Kind::Queue, "a", &body), "PUT /v1/queue/a"),
            (delete(Kind::Policy, "a?b"), "DELETE /v1/retry-policy/a%3Fb"),
            (Ok(policies()), "GET /v1/retry-policies"),
            (Ok(queues()), "GET /v1/batched/queues"),
            (events("q", "a b", "", true), "POST /v1/job-set/q/a%20b"),
        ] {
            assert_eq!(display(request.unwrap()), line);
        }
    }

    #[test]
    fn bodies_go_out_as_they_are() {
        let body = fields(r#"{ "name": "a", "weight": 1e400, "x": 1.0 }"#);
        let request = put(Kind::Queue, "a", &body, Some("\"7\"")).unwrap();
        assert_eq!(request.body.as_deref(), Some(body.text()));
        assert_eq!(request.headers, [("If-Match", "\"7\"".to_owned())]);
        assert_eq!(request.doing, "update the queue `a`");
    }

    #[test]
    fn a_name_that_no_path_could_carry_is_not_created_either() {
        for text in ["{}", r#"{"name":""}"#, r#"{"name":"a/b"}"#, r#"{"name":1}"#] {
            let error = create(Kind::Queue, &fields(text)).unwrap_err();
            assert_eq!(error.kind, ClientErrorKind::BadName, "{text}");
        }
    }

    #[test]
    fn a_queue_without_a_version_is_written_once() {
        for (kind, version, is_repeatable) in [
            (Kind::Queue, None, false),
            (Kind::Queue, Some("\"1\""), true),
            (Kind::Policy, None, true),
        ] {
            let request = put(kind, "a", &fields("{}"), version).unwrap();
            assert_eq!(request.is_repeatable(), is_repeatable, "{request:?}");
        }
    }

    #[test]
    fn only_post_is_never_tried_again() {
        let again =
            [Method::Get, Method::Post, Method::Put, Method::Delete].map(Method::is_idempotent);
        assert_eq!(again, [true, false, true, true]);
    }
}
