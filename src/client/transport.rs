//! The connection: sends requests, again where that is safe, and reads answers within limits.

use super::answer::{Answer, Sent, nonsense};
use super::backoff::{self, Failed};
use super::credential::Credential;
use super::pace::Pace;
use super::{ClientError, Method, Request, Trouble, fault};
use crate::config::{BaseUrl, Connection};
use crate::input::SmallFile;
use reqwest::header::{ACCEPT, CONTENT_TYPE, ETAG, HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{Response, Url};
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::time::timeout;

/// The most bytes of one answer.
const LARGEST: usize = 16 << 20;
/// The most bytes of a file of certificates; a system's whole bundle has less than 1 MiB.
const LARGEST_PEM: usize = 8 << 20;
/// Redirects that are followed, within one host.
const REDIRECTS: usize = 5;
/// A connection that takes longer is none.
const CONNECT: Duration = Duration::from_secs(10);

/// Where to send requests, and how.
#[derive(Debug)]
pub(super) struct Transport {
    http: reqwest::Client,
    base: BaseUrl,
    shown: String,
    credential: Option<Credential>,
    auth: Option<&'static str>,
    timeout: Duration,
    log: Option<fn(&str)>,
}

/// An answer that comes in pieces.
#[derive(Debug)]
pub(super) struct Incoming {
    response: Response,
    pace: Pace,
}

impl Incoming {
    /// An item of the answer is complete.
    pub fn begin_item(&mut self) {
        self.pace.begin_item();
    }
}

/// How much of an answer is waited for at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// The whole answer has to come in time.
    Whole,
    /// The answer has to begin in time: it is a stream, and [`Pace`] bounds the rest.
    Piece,
}

impl Transport {
    /// Prepares a connection. `log` is told of every request and of its answer's status.
    pub fn new(connection: &Connection, log: Option<fn(&str)>) -> Result<Self, ClientError> {
        let base = connection.base.clone();
        let credential = Credential::of(&connection.auth, &base, connection.insecure_auth)?;
        let http = http(connection)?;
        let shown = base.to_string();
        let auth = connection.auth.name();
        Ok(Self { http, base, shown, credential, auth, timeout: connection.timeout, log })
    }

    /// The base address.
    pub fn base(&self) -> &BaseUrl {
        &self.base
    }

    /// How requests are sent, for the words about their answers.
    pub fn sent(&self) -> Sent<'_> {
        Sent { base: &self.shown, auth: self.auth }
    }

    /// Sends a request and reads the whole answer, which is an error unless it was done.
    pub async fn send(&self, request: &Request) -> Result<Answer, ClientError> {
        let response = self.respond(request, Patience::Whole).await?;
        let again = again(request, failed(&response));
        let answer = self.read(request, response).await?;
        answer.judged(request, &self.sent()).map_err(|error| ClientError { again, ..error })
    }

    /// Sends a request whose answer is a stream; it is an error unless the stream begins.
    pub async fn open(&self, request: &Request) -> Result<Incoming, ClientError> {
        let response = self.respond(request, Patience::Piece).await?;
        let html = content_type(response.headers()).to_ascii_lowercase().contains("text/html");
        if response.status().is_success() && !html {
            return Ok(Incoming { response, pace: Pace::new(self.timeout) });
        }
        let answer = timeout(self.timeout, self.read(request, response)).await;
        let answer = answer.map_err(|_| fault::late(request, &self.shown))??;
        answer.judged(request, &self.sent())?.text(request, &self.sent())?;
        Err(nonsense(request, "it is no stream"))
    }

    /// The next piece of a stream.
    pub async fn piece(
        &self,
        request: &Request,
        incoming: &mut Incoming,
    ) -> Result<Option<impl AsRef<[u8]> + use<>>, ClientError> {
        let begun = Instant::now();
        let piece = timeout(incoming.pace.left(), incoming.response.chunk()).await;
        let piece = piece.map_err(|_| fault::late(request, &self.shown))?;
        let piece = piece.map_err(|error| fault::explain(error, request, &self.shown))?;
        incoming.pace.add(begun.elapsed(), piece.as_deref().map_or(0, <[u8]>::len));
        Ok(piece)
    }

    /// An answer to a request that may have been sent several times.
    async fn respond(
        &self,
        request: &Request,
        patience: Patience,
    ) -> Result<Response, ClientError> {
        let mut attempt = 1;
        loop {
            let (failed, outcome) = match self.follow(request, patience).await {
                Ok(response) => {
                    let failed = failed(&response);
                    // The body decides whether it is worth while to try again.
                    if response.status().as_u16() == 429 {
                        let answer = self.read(request, response).await?;
                        let failed = (!answer.is_too_large()).then_some(failed);
                        (failed, Err(answer.error(request, &self.sent())))
                    } else {
                        (Some(failed), Ok(response))
                    }
                }
                Err(error) => {
                    let failed = error.is_connect().then_some(Failed::Connecting);
                    (failed, Err(fault::explain(error, request, &self.shown)))
                }
            };
            let repeated = failed.filter(|_| request.is_repeatable());
            let wait = repeated.and_then(|failed| backoff::wait(failed, attempt, draw()));
            let Some(wait) = wait else {
                let again = failed.and_then(|failed| again(request, failed));
                return outcome.map_err(|error| ClientError { again, ..error });
            };
            self.say(|| format!("  again in {} ms", wait.as_millis()));
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    /// Sends a request once; a read follows redirects, but never to another host or scheme: the
    /// credentials would go along.
    async fn follow(&self, request: &Request, patience: Patience) -> reqwest::Result<Response> {
        let mut url = self.base.join(&request.target());
        for _ in 0..REDIRECTS {
            let response = self.once(request, &url, patience).await?;
            match same_origin(request, &response) {
                Some(next) => url = next.into(),
                None => return Ok(response),
            }
        }
        self.once(request, &url, patience).await
    }

    async fn once(
        &self,
        request: &Request,
        url: &str,
        patience: Patience,
    ) -> reqwest::Result<Response> {
        let method = request.method.as_str();
        let auth = self.auth.map(|block| format!(" ({block})")).unwrap_or_default();
        self.say(|| format!("> {method} {url}{auth}"));
        let begun = Instant::now();
        let outcome = self.prepared(request, url, patience).send().await;
        self.say(|| {
            let status = match &outcome {
                Ok(response) => response.status().to_string(),
                Err(_) => "no answer".to_owned(),
            };
            format!("< {status} after {} ms", begun.elapsed().as_millis())
        });
        outcome
    }

    fn prepared(
        &self,
        request: &Request,
        url: &str,
        patience: Patience,
    ) -> reqwest::RequestBuilder {
        let method = match request.method {
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
            Method::Put => reqwest::Method::PUT,
            Method::Delete => reqwest::Method::DELETE,
        };
        let mut built = self.http.request(method, url).header(ACCEPT, "application/json");
        if patience == Patience::Whole {
            built = built.timeout(self.timeout);
        }
        for (name, value) in &request.headers {
            built = built.header(*name, value);
        }
        if let Some(body) = &request.body {
            built = built.header(CONTENT_TYPE, "application/json").body(body.clone());
        }
        match &self.credential {
            Some(credential) => credential.sign(built),
            None => built,
        }
    }

    /// Reads an answer to its end, or until it is too large.
    async fn read(&self, request: &Request, mut response: Response) -> Result<Answer, ClientError> {
        let etag = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok());
        // A weak tag, as proxies add them, never matches as a condition (RFC 9110, 13.1.1).
        let etag = etag.filter(|tag| !tag.starts_with("W/"));
        let mut answer = Answer {
            status: response.status().as_u16(),
            content_type: content_type(response.headers()),
            etag: etag.map(str::to_owned),
            body: Vec::new(),
        };
        loop {
            let piece = response.chunk().await;
            let piece = piece.map_err(|error| fault::explain(error, request, &self.shown))?;
            let Some(piece) = piece else { return Ok(answer) };
            if answer.body.len() + piece.len() > LARGEST {
                let why = "the server's answer is larger than 16 MiB";
                return Err(ClientError::while_doing(Trouble::Server, &request.doing, why));
            }
            answer.body.extend_from_slice(&piece);
        }
    }

    fn say(&self, line: impl FnOnce() -> String) {
        if let Some(log) = self.log {
            log(&line());
        }
    }
}

fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_owned()
}

/// How long to wait before what a request was made from is read again. A request that may be
/// repeated has been repeated by now.
fn again(request: &Request, failed: Failed) -> Option<Duration> {
    if request.is_repeatable() { None } else { backoff::wait(failed, 1, draw()) }
}

/// What an answer is, as far as waiting goes.
fn failed(response: &Response) -> Failed {
    Failed::Answered(response.status().as_u16(), asked_to_wait(response.headers()))
}

fn asked_to_wait(headers: &HeaderMap) -> Option<Duration> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
    backoff::retry_after(value, i64::try_from(now).ok()?)
}

/// Where a read is redirected to, if that is the same server.
fn same_origin(request: &Request, response: &Response) -> Option<Url> {
    if request.method != Method::Get || !response.status().is_redirection() {
        return None;
    }
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    let next = response.url().join(location).ok()?;
    (next.origin() == response.url().origin() && next.username().is_empty()).then_some(next)
}

/// A number in 0..1 that differs from process to process and from call to call.
#[expect(clippy::cast_precision_loss, reason = "chance needs no more than 32 bits")]
pub(super) fn draw() -> f64 {
    (RandomState::new().hash_one(0) >> 32) as f64 / 2_f64.powi(32)
}

fn http(connection: &Connection) -> Result<reqwest::Client, ClientError> {
    // Another part of the process may have chosen already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("armadactl/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(CONNECT.min(connection.timeout))
        .read_timeout(connection.timeout);
    if connection.base.is_loopback() {
        builder = builder.no_proxy();
    }
    if let Some(path) = &connection.ca_file {
        builder = builder.tls_certs_merge(certificates(path)?);
    } else if !connection.base.is_https() {
        // Reading the system's certificates takes longer than a request; nothing here needs them.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| {
        let why = fault::words(&error.without_url());
        let help = "install the system's certificates, or give your own with `--ca-file`";
        ClientError::new(Trouble::Input, format!("no connection can be prepared: {why}")).help(help)
    })
}

fn certificates(path: &Path) -> Result<Vec<reqwest::Certificate>, ClientError> {
    let bad = |why: &str| {
        let message = format!("cannot use the certificates in `{}`: {why}", path.display());
        ClientError::new(Trouble::Input, message).help("`--ca-file` takes a PEM file")
    };
    let file = SmallFile::read(path, LARGEST_PEM).map_err(|error| bad(&error.to_string()))?;
    let found =
        reqwest::Certificate::from_pem_bundle(&file.bytes).map_err(|_| bad("it is no PEM file"))?;
    if found.is_empty() { Err(bad("there are none in it")) } else { Ok(found) }
}
