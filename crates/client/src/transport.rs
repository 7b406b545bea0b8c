//! The connection: sends requests, repeats them if that is safe, and reads answers within limits.

use super::answer::{self, Answer, Redirect, unreadable_answer};
use super::backoff::{self, Failure};
use super::credential::{Credential, Identity};
use super::redact::redact;
use super::request::Repeat;
use super::request_context::{Peer, Protocol, RequestContext};
use super::stream_timeout::StreamTimeout;
use super::{ClientError, Effect, Method, Request, connection_error, http};
use crate::config::{BaseUrl, Connection};
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER,
};
use reqwest::{Response, Url};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::time::timeout;

/// The maximum size of one answer, so that a faulty server cannot fill the memory. It is four times the limit
/// of one gRPC message, as JSON takes more bytes.
const MAX_ANSWER_BYTES: usize = 16 << 20;
/// The maximum of redirects that are followed, within one host: more are most likely a loop.
const MAX_REDIRECTS: usize = 5;

/// The HTTP client of one server.
#[derive(Debug)]
pub(super) struct Transport {
    http: reqwest::Client,
    base: BaseUrl,
    base_text: String,
    peer: Peer,
    credential: Credential,
    /// The credentials that were sent: several, if a token was renewed.
    sent: Mutex<Vec<HeaderValue>>,
    auth: Option<&'static str>,
    ca_file: Option<PathBuf>,
    timeout: Duration,
    log: Option<fn(&str)>,
    /// Whether any request has been answered in HTTP.
    has_answered: AtomicBool,
}

/// An answer that is read in pieces.
#[derive(Debug)]
pub(super) struct Incoming {
    response: Response,
    stream_timeout: StreamTimeout,
}

impl Incoming {
    /// Starts the time of the next item of the answer.
    pub fn begin_item(&mut self) {
        self.stream_timeout.begin_item();
    }
}

/// The part of an answer that the request timeout covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TimeLimit {
    /// The whole answer.
    Whole,
    /// The start of the answer: it is a stream, and [`StreamTimeout`] limits the rest.
    Piece,
}

impl Transport {
    /// Prepares a connection. `log` receives every request and the status of its answer.
    pub fn new(
        connection: &Connection,
        peer: Peer,
        log: Option<fn(&str)>,
    ) -> Result<Self, ClientError> {
        Self::with_client(connection, peer, log, http::client)
    }

    /// Prepares a connection for streams of events.
    pub fn for_events(connection: &Connection, log: Option<fn(&str)>) -> Result<Self, ClientError> {
        Self::with_client(connection, Peer::Armada, log, http::client_of_events)
    }

    fn with_client(
        connection: &Connection,
        peer: Peer,
        log: Option<fn(&str)>,
        client: impl FnOnce(&Connection, &BaseUrl) -> Result<reqwest::Client, ClientError>,
    ) -> Result<Self, ClientError> {
        let base = connection.base.clone();
        let credential = Credential::new(connection, log)?;
        let http = client(connection, &base)?;
        let base_text = base.to_string();
        let auth = connection.auth.name();
        let (timeout, has_answered) = (connection.timeout, AtomicBool::new(false));
        let ca_file = connection.ca_file.clone();
        let sent = Mutex::default();
        Ok(Self {
            http,
            base,
            base_text,
            peer,
            credential,
            sent,
            auth,
            ca_file,
            timeout,
            log,
            has_answered,
        })
    }

    /// The base address.
    pub fn base(&self) -> &BaseUrl {
        &self.base
    }

    /// The properties of the connection that messages mention.
    pub fn context(&self) -> RequestContext<'_> {
        let has_answered = self.has_answered.load(Ordering::Relaxed);
        RequestContext {
            base: &self.base_text,
            auth: self.auth,
            ca_file: self.ca_file.as_deref(),
            protocol: if has_answered { Protocol::Known } else { Protocol::Unknown },
            peer: self.peer,
        }
    }

    /// The user of the credentials.
    pub async fn identity(&self) -> Result<Identity, ClientError> {
        self.credential.identity().await
    }

    /// Sends a request and reads the whole answer; an error unless the request succeeded. The effect of the
    /// error is that of all attempts: the first one may have been carried out, and the last one refused.
    pub async fn send(&self, request: &Request) -> Result<Answer, ClientError> {
        let mut earlier = Effect::None;
        let answer = self.send_and_check(request, &mut earlier).await;
        answer.map_err(|error| match request.method {
            // A read changes nothing, whatever came back.
            Method::Get => error.effect(Effect::None),
            _ => ClientError { effect: error.effect.max(earlier), ..error },
        })
    }

    fn note_sent(&self, authorization: Option<&HeaderValue>) {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(header) = authorization.filter(|header| !sent.contains(header)) {
            sent.push(header.clone());
        }
    }

    /// Removes the credentials from the body of an error: a server may repeat them.
    fn redact(&self, answer: &mut Answer) {
        // An answer that succeeded is data, which must stay as it is.
        if (200..300).contains(&answer.status) {
            return;
        }
        // A panic elsewhere does not make the list of sent headers wrong.
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let headers = sent.iter().filter_map(|header| header.to_str().ok()?.split_once(' '));
        let text =
            redact(&String::from_utf8_lossy(&answer.body), headers.map(|(_, secret)| secret));
        answer.body = text.into_bytes();
    }

    /// Sends a request and reads the whole answer; `None` if that says that the server has no such object.
    pub async fn find(
        &self,
        request: &Request,
        is_missing: impl Fn(&Answer) -> bool,
    ) -> Result<Option<Answer>, ClientError> {
        match self.send_and_read(request, &mut Effect::default()).await? {
            (answer, _) if is_missing(&answer) => Ok(None),
            (answer, _) => answer.check_status(request, &self.context()).map(Some),
        }
    }

    async fn send_and_check(
        &self,
        request: &Request,
        earlier: &mut Effect,
    ) -> Result<Answer, ClientError> {
        let (answer, retry_after) = self.send_and_read(request, earlier).await?;
        answer
            .check_status(request, &self.context())
            .map_err(|error| ClientError { retry_after, ..error })
    }

    /// The answer, and the wait after which the request may succeed if it did not.
    async fn send_and_read(
        &self,
        request: &Request,
        earlier: &mut Effect,
    ) -> Result<(Answer, Option<Duration>), ClientError> {
        let response = self.send_repeatedly(request, TimeLimit::Whole, earlier).await?;
        let retry_after = retry_wait(request, failure_of(&response));
        let status = response.status();
        let answer = self.read(request, response).await.map_err(|error| {
            // The status is enough to know that the server refused the request.
            if status.is_success() || status.is_server_error() {
                error
            } else {
                error.effect(Effect::None)
            }
        })?;
        Ok((answer, retry_after))
    }

    /// Sends a request whose answer is a stream; an error unless the stream begins.
    pub async fn open(&self, request: &Request) -> Result<Incoming, ClientError> {
        let response =
            self.send_repeatedly(request, TimeLimit::Piece, &mut Effect::default()).await?;
        self.begin(request, response, StreamTimeout::new(self.timeout)).await
    }

    /// Sends a request whose answer is a stream of events. One that is `prompt` has to begin within the timeout of a request.
    /// Others may have no event yet, before which Armada sends nothing, not even a status.
    pub async fn open_events(
        &self,
        request: &Request,
        prompt: bool,
    ) -> Result<Incoming, ClientError> {
        let limits = if prompt { StreamTimeout::new } else { StreamTimeout::events };
        let limit = limits(self.timeout).remaining();
        let mut effect = Effect::default();
        let response = self.send_repeatedly(request, TimeLimit::Piece, &mut effect);
        let response = timeout(limit, response).await;
        let response =
            response.map_err(|_| connection_error::timed_out(request, &self.base_text))??;
        self.begin(request, response, StreamTimeout::events(self.timeout)).await
    }

    /// The stream of an answer; an error unless the request succeeded.
    async fn begin(
        &self,
        request: &Request,
        response: Response,
        stream_timeout: StreamTimeout,
    ) -> Result<Incoming, ClientError> {
        let html = content_type(response.headers()).to_ascii_lowercase().contains("text/html");
        if response.status().is_success() && !html {
            return Ok(Incoming { response, stream_timeout });
        }
        let answer = timeout(self.timeout, self.read(request, response)).await;
        let answer =
            answer.map_err(|_| connection_error::timed_out(request, &self.base_text))??;
        answer.check_status(request, &self.context())?.text(request, &self.context())?;
        Err(unreadable_answer(request, "it is not a stream"))
    }

    /// The next piece of a stream.
    pub async fn next_piece(
        &self,
        request: &Request,
        incoming: &mut Incoming,
    ) -> Result<Option<impl AsRef<[u8]> + use<>>, ClientError> {
        let begun = Instant::now();
        let piece = timeout(incoming.stream_timeout.remaining(), incoming.response.chunk()).await;
        let piece = piece.map_err(|_| connection_error::timed_out(request, &self.base_text))?;
        let piece = piece.map_err(|error| self.explain(error, request))?;
        incoming.stream_timeout.add(begun.elapsed(), piece.as_deref().map_or(0, <[u8]>::len));
        Ok(piece)
    }

    /// Sends a request, several times if necessary, and returns the last answer. `earlier` becomes what the
    /// other attempts may have done.
    async fn send_repeatedly(
        &self,
        request: &Request,
        limit: TimeLimit,
        earlier: &mut Effect,
    ) -> Result<Response, ClientError> {
        let mut attempt = 1;
        let mut authorization = self.credential.authorization().await?;
        let mut is_replaced = false;
        loop {
            self.note_sent(authorization.as_ref());
            let sent = self.follow(request, limit, authorization.as_ref()).await;
            let (failure, outcome) = match sent {
                // A token may be revoked before it expires. Nothing was done, so the request is sent again.
                Ok(response) if response.status().as_u16() == 401 && !is_replaced => {
                    is_replaced = true;
                    let refused = authorization.as_ref();
                    // One replacement is enough: if the next header is refused too, the cause is another.
                    let Some(other) = self.credential.replace(refused).await? else {
                        return Ok(response);
                    };
                    authorization = Some(other);
                    continue;
                }
                Ok(response) => self.outcome_of_answer(request, response).await?,
                Err(error) => {
                    // A request that never connected had no effect; any other may have had one, so that it needs to be
                    // harmless twice.
                    let is_safe = error.is_connect() || request.repeat == Repeat::Always;
                    let failure = is_safe.then_some(Failure::Connecting);
                    (failure, Err(self.explain(error, request)))
                }
            };
            let repeatable = failure.filter(|_| request.is_repeatable());
            let wait = repeatable.and_then(|failure| backoff::wait(failure, attempt, http::draw()));
            let Some(wait) = wait else {
                let retry_after = failure.and_then(|failure| retry_wait(request, failure));
                return outcome.map_err(|error| ClientError { retry_after, ..error });
            };
            // The last answer decides about the last attempt only.
            if let Some(Failure::Answered(status, _)) = failure {
                *earlier = (*earlier).max(answer::effect(status));
            }
            self.log_line(|| format!("  again in {} ms", wait.as_millis()));
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    /// Whether an answer is a failure, and the answer, or its error if it was read.
    async fn outcome_of_answer(
        &self,
        request: &Request,
        response: Response,
    ) -> Result<(Option<Failure>, Result<Response, ClientError>), ClientError> {
        let failure = failure_of(&response);
        // The body shows whether the answer is too large; then a repetition is useless.
        if response.status().as_u16() == 429 {
            let answer = self.read(request, response).await?;
            let failure = (!answer.is_too_large()).then_some(failure);
            return Ok((failure, Err(answer.error(request, &self.context()))));
        }
        // A harmless request is repeated after any fault of the server, as after one of the connection.
        let is_safe = request.repeat == Repeat::Always && response.status().is_server_error();
        Ok((Some(if is_safe { Failure::Connecting } else { failure }), Ok(response)))
    }

    /// Sends a request once. A read follows redirects, but never to another host or scheme, which would
    /// receive the credentials.
    async fn follow(
        &self,
        request: &Request,
        limit: TimeLimit,
        authorization: Option<&HeaderValue>,
    ) -> reqwest::Result<Response> {
        let mut url = self.base.join(&request.target());
        for _ in 0..MAX_REDIRECTS {
            let response = self.send_once(request, &url, limit, authorization).await?;
            match same_origin(request, &response) {
                Some(next) => url = next.into(),
                None => return Ok(response),
            }
        }
        self.send_once(request, &url, limit, authorization).await
    }

    async fn send_once(
        &self,
        request: &Request,
        url: &str,
        limit: TimeLimit,
        authorization: Option<&HeaderValue>,
    ) -> reqwest::Result<Response> {
        let method = request.method.as_str();
        let auth = self.auth.map(|block| format!(" ({block})")).unwrap_or_default();
        self.log_line(|| format!("> {method} {url}{auth}"));
        let begun = Instant::now();
        let outcome = self.build_request(request, url, limit, authorization).send().await;
        if outcome.is_ok() {
            self.has_answered.store(true, Ordering::Relaxed);
        }
        self.log_line(|| {
            let status = match &outcome {
                Ok(response) => response.status().to_string(),
                Err(_) => "no answer".to_owned(),
            };
            format!("< {status} after {} ms", begun.elapsed().as_millis())
        });
        outcome
    }

    fn build_request(
        &self,
        request: &Request,
        url: &str,
        limit: TimeLimit,
        authorization: Option<&HeaderValue>,
    ) -> reqwest::RequestBuilder {
        let method = match request.method {
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
            Method::Put => reqwest::Method::PUT,
            Method::Delete => reqwest::Method::DELETE,
        };
        let mut built = self.http.request(method, url).header(ACCEPT, "application/json");
        if limit == TimeLimit::Whole {
            built = built.timeout(self.timeout);
        }
        for (name, value) in &request.headers {
            built = built.header(*name, value);
        }
        if let Some(body) = &request.body {
            built = built.header(CONTENT_TYPE, "application/json").body(body.clone());
        }
        match authorization {
            Some(authorization) => built.header(AUTHORIZATION, authorization.clone()),
            None => built,
        }
    }

    /// Reads an answer to its end, or until it is too large.
    async fn read(&self, request: &Request, mut response: Response) -> Result<Answer, ClientError> {
        let etag = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok());
        // A weak tag, which proxies add, never matches in a condition (RFC 9110, 13.1.1).
        let etag = etag.filter(|tag| !tag.starts_with("W/"));
        let mut answer = Answer {
            status: response.status().as_u16(),
            content_type: content_type(response.headers()),
            etag: etag.map(str::to_owned),
            redirect: redirect_elsewhere(&response),
            body: Vec::new(),
        };
        loop {
            let piece = response.chunk().await;
            let piece = piece.map_err(|error| self.explain(error, request))?;
            let Some(piece) = piece else {
                self.redact(&mut answer);
                return Ok(answer);
            };
            if answer.body.len() + piece.len() > MAX_ANSWER_BYTES {
                let why = "the server's answer is larger than 16 MiB";
                return Err(ClientError::while_doing(self.peer.too_large(), &request.doing, why)
                    .effect(Effect::Possible));
            }
            answer.body.extend_from_slice(&piece);
        }
    }

    /// The error of a request without a complete answer.
    fn explain(&self, error: reqwest::Error, request: &Request) -> ClientError {
        connection_error::explain(error, request, &self.context())
    }

    pub fn log_line(&self, line: impl FnOnce() -> String) {
        if let Some(log) = self.log {
            log(&line());
        }
    }
}

fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_owned()
}

/// The wait before the source of a request is read again; `None` for a request that may be repeated, as it
/// has been repeated already.
fn retry_wait(request: &Request, failure: Failure) -> Option<Duration> {
    if request.is_repeatable() { None } else { backoff::wait(failure, 1, http::draw()) }
}

/// The failure of an answer with an error status, for [`backoff::wait`].
fn failure_of(response: &Response) -> Failure {
    Failure::Answered(response.status().as_u16(), retry_after_header(response.headers()))
}

fn retry_after_header(headers: &HeaderMap) -> Option<Duration> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
    backoff::retry_after(value, i64::try_from(now).ok()?)
}

/// The target of a redirect of a read, if it is the same server.
fn same_origin(request: &Request, response: &Response) -> Option<Url> {
    let next = redirect_target(response).filter(|_| request.method == Method::Get)?;
    (next.origin() == response.url().origin() && next.username().is_empty()).then_some(next)
}

/// The target of a redirect that is not the same server.
fn redirect_elsewhere(response: &Response) -> Option<Redirect> {
    let (next, own) = (redirect_target(response)?, response.url());
    let is_elsewhere = next.has_host() && next.origin() != own.origin();
    let origin = next.origin().ascii_serialization();
    is_elsewhere.then(|| Redirect { origin, is_same_host: next.host() == own.host() })
}

fn redirect_target(response: &Response) -> Option<Url> {
    let location =
        response.headers().get(LOCATION).filter(|_| response.status().is_redirection())?;
    response.url().join(location.to_str().ok()?).ok()
}
