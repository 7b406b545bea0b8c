//! Handling of one HTTP request: reads head and body, writes the answer and a log line.

use super::body::{self, AnswerBody};
use super::{Limits, Log};
use crate::wire::{Code, Status};
use crate::{Answer, Api, Content, Head};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode, Version};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;

/// State that all requests of a server share.
pub(super) struct Shared {
    pub(super) api: Arc<Api>,
    pub(super) limits: Limits,
    pub(super) log: Log,
}

/// The maximum length of a path in the log, in characters, so that lines stay readable.
const MAX_LOGGED_PATH: usize = 200;

pub(super) async fn serve(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<AnswerBody>, Infallible> {
    let started = Instant::now();
    let (parts, body) = request.into_parts();
    let text = |name: HeaderName| {
        let value = parts.headers.get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let head = Head {
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        if_match: text(header::IF_MATCH),
        // As bytes: a token with replaced characters could not be told from another.
        authorization: parts.headers.get(header::AUTHORIZATION).map(|v| v.as_bytes().to_vec()),
        origin: text(header::ORIGIN),
        hosts: hosts(&parts),
    };
    let line = format!("{} {}", head.method, truncate(&head.path));
    // RFC 9112, section 3.2; the text is that of Go's HTTP server.
    let lacks_host = parts.version == Version::HTTP_11 && !parts.headers.contains_key(header::HOST);
    let answer = if lacks_host {
        Answer::new(400, Content::Bare, "400 Bad Request: missing required Host header")
    } else {
        answer(&shared, head, body).await
    };
    let ms = started.elapsed().as_secs_f64() * 1000.0;
    shared.log.send_line(format!("{line} {} {ms:.1} ms", answer.status));
    Ok(response(answer))
}

/// All hosts that a request names; [`Access`](crate::access::Access) checks each of them.
fn hosts(parts: &Parts) -> Vec<String> {
    let target = parts.uri.authority().map(ToString::to_string);
    let headers = parts.headers.get_all(header::HOST).iter();
    let headers = headers.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    target.into_iter().chain(headers).collect()
}

fn truncate(path: &str) -> String {
    match path.char_indices().nth(MAX_LOGGED_PATH) {
        Some((end, _)) => format!("{}..", &path[..end]),
        None => path.to_owned(),
    }
}

async fn answer(shared: &Shared, head: Head, body: Incoming) -> Answer {
    // Before the body is read: whoever may not call, or calls nothing, makes the server read nothing.
    if let Some(answer) = shared.api.answer_without_body(&head) {
        return answer;
    }
    let body = match body::read(body, shared.limits).await {
        Ok(body) => body,
        Err(status) => return Answer::of(Err(status)),
    };
    let api = Arc::clone(&shared.api);
    // This runs on a thread for blocking work, as it waits for the disk.
    let answer = tokio::task::spawn_blocking(move || api.answer(&head, &body)).await;
    answer.unwrap_or_else(|_| {
        Answer::of(Err(Status::new(Code::Internal, "the server failed; this is a mistake in it")))
    })
}

fn response(answer: Answer) -> Response<AnswerBody> {
    let mut headers = HeaderMap::new();
    let fixed = HeaderValue::from_static;
    let content_type = match answer.content {
        Content::None => None,
        Content::Plain | Content::Bare => Some("text/plain; charset=utf-8"),
        Content::Html => Some("text/html; charset=utf-8"),
        Content::Json | Content::Call => Some("application/json"),
    };
    if let Some(content_type) = content_type {
        headers.insert(header::CONTENT_TYPE, fixed(content_type));
    }
    if answer.content == Content::Plain {
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    }
    if answer.content == Content::Call {
        let name = HeaderName::from_static("grpc-metadata-content-type");
        headers.insert(name, fixed("application/grpc"));
    }
    if answer.status == 401 {
        headers.insert(header::WWW_AUTHENTICATE, fixed("Bearer"));
    }
    if let Some(Ok(allowed)) = answer.allowed.map(HeaderValue::try_from) {
        headers.insert(header::ALLOW, allowed);
    }
    if let Some(Ok(location)) = answer.location.map(HeaderValue::try_from) {
        headers.insert(header::LOCATION, location);
    }
    if let Some(Ok(version)) = answer.version.map(HeaderValue::try_from) {
        headers.insert(header::ETAG, version);
    }
    // The rest of a refused body is not read, so the connection cannot be reused.
    if matches!(answer.status, 408 | 413) {
        headers.insert(header::CONNECTION, fixed("close"));
    }
    let mut response = Response::new(AnswerBody::from(answer.payload));
    *response.headers_mut() = headers;
    *response.status_mut() =
        StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
}
