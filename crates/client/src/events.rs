//! The events of a job set: a stream of lines that is opened again where it was cut.
//!
//! A line counts when it is whole. The next request begins behind the last id, and events up to that one are passed over,
//! so that none is lost and none comes twice.

use super::answer::ServerError;
use super::backoff;
use super::lines::Lines;
use super::text::clean;
use super::transport::{Incoming, Transport};
use super::{ClientError, ClientErrorKind, Effect, Request, http, request};
use crate::config::Connection;
use document::diag::json_message;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::time::{Duration, Instant};

/// The attempts in succession without an event that end a stream that is not followed.
// The waits between them add up to at most 6 s, as a script may wait for it.
const ATTEMPTS: u32 = 6;

/// An event that exceeds the limit of [`Lines`].
const TOO_LONG: &str = "an event is longer than 16 MiB";

/// A job set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobSet {
    /// The queue of its jobs.
    pub queue: String,
    /// Its id within the queue.
    pub id: String,
}

/// The end of a stream of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// The last event that there is.
    No,
    /// None: events to come are waited for.
    Yes,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its id, which the server gives it.
    pub id: String,
    /// The line of the server, without its line break.
    pub line: String,
}

/// The next part of a stream.
#[derive(Debug)]
pub enum Next {
    /// One event or several.
    Events(Vec<Event>),
    /// The stream cannot be opened again now; the next call tries it after this wait.
    Wait(ClientError, Duration),
    /// The end of a stream that is not followed.
    End,
}

/// The events of a job set, as a stream.
pub struct Events {
    transport: Transport,
    job_set: JobSet,
    follow: Follow,
    /// The id of the last event; empty before the first.
    last: String,
    stream: Option<Stream>,
    /// Whether the stream was ever open.
    has_begun: bool,
    /// The attempts in succession that brought no event.
    failures: u32,
    pause: Duration,
    /// The timeout of a request.
    timeout: Duration,
}

struct Stream {
    request: Request,
    incoming: Incoming,
    lines: Lines,
    /// The event behind which the request began, until one comes that is behind it.
    behind: Option<String>,
    /// Whether it had an event that counts.
    has_events: bool,
}

/// The line of a stream.
enum Line {
    Event(Event),
    /// An event that came before the stream was cut.
    Repetition,
}

impl Events {
    /// Prepares the stream of a job set, behind the event with the id `last` if that is not empty. `log` receives every
    /// request and the status of its answer, without secrets.
    pub fn new(
        connection: &Connection,
        job_set: JobSet,
        follow: Follow,
        last: String,
        log: Option<fn(&str)>,
    ) -> Result<Self, ClientError> {
        let transport = Transport::for_events(connection, log)?;
        let (stream, has_begun, failures, pause) = (None, false, 0, Duration::ZERO);
        let timeout = connection.timeout;
        Ok(Self { transport, job_set, follow, last, stream, has_begun, failures, pause, timeout })
    }

    /// Returns the next events. A stream that is followed is opened again for as long as its server cannot be reached or
    /// fails, if it was open once; the first failure in succession is not reported. Other errors are final.
    pub async fn next(&mut self) -> Result<Next, ClientError> {
        loop {
            // The pause is here and not after the failure, so that the caller can report the failure first.
            tokio::time::sleep(std::mem::take(&mut self.pause)).await;
            let begun = Instant::now();
            match self.read().await {
                Ok(Some(events)) => {
                    // Only an event proves that the stream works: a server may accept each request and fail behind it.
                    self.failures = 0;
                    return Ok(Next::Events(events));
                }
                Ok(None) => return Ok(Next::End),
                Err(error) => {
                    let Some(wait) = self.wait_after(&error, begun.elapsed()) else {
                        return Err(error);
                    };
                    let millis = wait.as_millis();
                    self.transport.log_line(|| format!("  {error}; again in {millis} ms"));
                    self.pause = wait;
                    // A single failure is usual when a server is replaced, and the stream goes on from its last event.
                    if self.failures > 1 {
                        return Ok(Next::Wait(error, wait));
                    }
                }
            }
        }
    }

    /// The wait after a failure of an attempt that took this time; `None` if it is final.
    fn wait_after(&mut self, error: &ClientError, took: Duration) -> Option<Duration> {
        use ClientErrorKind::{Busy, Server, TimedOut, Unreachable};
        // Whatever the failure, the connection is lost; the next read opens another behind the last event.
        let was_open = self.stream.take().is_some();
        // Proxies and this tool close connections that are silent for long, which is not a fault. Armada sends no status
        // before the first event, so that a request may end in the same way.
        let was_silent = self.follow == Follow::Yes
            && took >= self.timeout
            && (was_open || error.effect == Effect::Pending && !self.last.is_empty());
        if was_silent {
            self.has_begun = true;
            self.failures = 0;
        }
        if !self.has_begun || !matches!(error.kind, Unreachable | TimedOut | Server | Busy) {
            return None;
        }
        self.failures = self.failures.saturating_add(1);
        let is_last = self.follow == Follow::No && self.failures >= ATTEMPTS;
        (!is_last).then(|| backoff::pause(self.failures, http::draw()))
    }

    /// Reads until there are events; `None` at the end of a stream that is not followed.
    async fn read(&mut self) -> Result<Option<Vec<Event>>, ClientError> {
        loop {
            let stream = match self.stream.take() {
                Some(stream) => stream,
                None => self.open().await?,
            };
            self.has_begun = true;
            let stream = self.stream.insert(stream);
            let Some(piece) =
                self.transport.next_piece(&stream.request, &mut stream.incoming).await?
            else {
                stream.check_rest()?;
                if self.follow == Follow::Yes {
                    return Err(cut(&stream.request, "the server ended the stream"));
                }
                // Some connections end in the same way when they are cut: only a request without an event proves that
                // this is the end.
                if !stream.has_events {
                    return Ok(None);
                }
                self.stream = None;
                continue;
            };
            stream.incoming.begin_item();
            let (events, error) = stream.take(piece.as_ref());
            if let Some(event) = events.last() {
                // The next request continues behind this event.
                self.last.clone_from(&event.id);
            }
            match error {
                // The events before an error are returned first; the next request has the error again.
                Some(_) if !events.is_empty() => self.stream = None,
                Some(error) => return Err(error),
                None => {}
            }
            if !events.is_empty() {
                return Ok(Some(events));
            }
        }
    }

    async fn open(&self) -> Result<Stream, ClientError> {
        let JobSet { queue, id } = &self.job_set;
        let follows = self.follow == Follow::Yes;
        let request = request::events(queue, id, &self.last, follows)?;
        let is_first = self.last.is_empty();
        let incoming = self.transport.open_events(&request, is_first || !follows).await?;
        let behind = (!is_first).then(|| self.last.clone());
        Ok(Stream { request, incoming, lines: Lines::events(), behind, has_events: false })
    }
}

impl Stream {
    /// The events of a piece of the stream, up to an error.
    fn take(&mut self, piece: &[u8]) -> (Vec<Event>, Option<ClientError>) {
        let mut events = Vec::new();
        if self.lines.push(piece).is_err() {
            return (events, Some(broken(&self.request, TOO_LONG)));
        }
        loop {
            let line = match self.lines.next() {
                Ok(None) => return (events, None),
                Ok(Some(bytes)) => line(&self.request, bytes, self.behind.as_deref()),
                Err(_) => Err(broken(&self.request, TOO_LONG)),
            };
            match line {
                Ok(Line::Repetition) => {}
                Ok(Line::Event(event)) => {
                    self.behind = None;
                    self.has_events = true;
                    events.push(event);
                }
                Err(error) => return (events, Some(error)),
            }
        }
    }

    /// Checks the bytes behind the last whole line: the server's error, which has no line break, or a line that was cut.
    fn check_rest(&mut self) -> Result<(), ClientError> {
        self.lines.end();
        match self.lines.next() {
            Ok(None) => Ok(()),
            Ok(Some(rest)) => match ServerError::read(rest) {
                Some(_) => line(&self.request, rest, None).map(|_| ()),
                None => Err(cut(&self.request, "the stream was cut off within a line")),
            },
            Err(_) => Err(broken(&self.request, TOO_LONG)),
        }
    }
}

fn cut(request: &Request, why: &str) -> ClientError {
    ClientError::while_doing(ClientErrorKind::Server, &request.doing, why)
}

/// An error of the server that another request would have again.
fn broken(request: &Request, why: &str) -> ClientError {
    let error = ClientError::while_doing(ClientErrorKind::Unreadable, &request.doing, &clean(why));
    error.help("check that the base address is Armada's REST API")
}

/// Parses a line: an event, or the error that ends the stream.
fn line(request: &Request, bytes: &[u8], behind: Option<&str>) -> Result<Line, ClientError> {
    #[derive(Deserialize)]
    struct Message {
        result: Option<Outcome>,
        error: Option<IgnoredAny>,
    }
    #[derive(Deserialize)]
    struct Outcome {
        id: String,
    }
    let text = std::str::from_utf8(bytes).map_err(|_| broken(request, "a line is not UTF-8"))?;
    let message: Message = serde_json::from_str(text).map_err(|error| {
        let why = json_message(&error.to_string());
        broken(request, &format!("a line of the stream is broken: {why}"))
    })?;
    if message.error.is_some() {
        return Err(stream_error(request, bytes));
    }
    let Some(Outcome { id }) = message.result else {
        return Err(broken(request, "a line of the stream is not an event"));
    };
    Ok(match behind {
        Some(last) if !is_behind(&id, last) => Line::Repetition,
        _ => Line::Event(Event { id, line: text.to_owned() }),
    })
}

/// Whether an event is behind another one, by their ids.
fn is_behind(id: &str, other: &str) -> bool {
    match (position(id), position(other)) {
        (Some(own), Some(other)) => own > other,
        _ => id != other,
    }
}

/// The numbers of an id that order events: `time:seq:subseq:last`, without the last (Armada's `sequence.go`).
fn position(id: &str) -> Option<[i64; 3]> {
    let mut numbers = id.split(':').map(|number| number.parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

/// The error inside a stream. It has no HTTP status, as the answer may have started with 200.
fn stream_error(request: &Request, bytes: &[u8]) -> ClientError {
    use ClientErrorKind::{Busy, Denied, NotFound, Refused, Server, TimedOut};
    let own = ServerError::read(bytes);
    let (kind, what) = match own.as_ref().map_or(0, |own| own.code) {
        3 | 9 | 12 => (Refused, "the server refused"),
        4 => (TimedOut, "the server timed out"),
        5 => (NotFound, "not found"),
        7 | 16 => (Denied, "not permitted"),
        8 => (Busy, "too many requests to the server"),
        _ => (Server, "the server failed in the middle of the stream"),
    };
    let text = own.map(|own| format!(": {}", own.text)).unwrap_or_default();
    ClientError::while_doing(kind, &request.doing, &format!("{what}{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_ordered_by_time_and_numbers() {
        for (id, other, expected) in [
            ("2:0:0:1", "1:9:9:1", true),
            ("10:0:0:0", "9:0:0:0", true),
            ("1:0:10:0", "1:0:9:1", true),
            ("1:0:1:1", "1:0:1:0", false),
            ("1:0:0:1", "1:0:1:1", false),
            ("b", "a", true),
            ("a", "a", false),
        ] {
            assert_eq!(is_behind(id, other), expected, "{id} {other}");
        }
    }

    #[test]
    fn other_lines_are_broken() {
        let request = request::events("q", "s", "", true).unwrap();
        let read = |text: &[u8]| line(&request, text, None).map(|_| ()).unwrap_err();
        for text in ["{", "[]", "{}", r#"{"result":{}}"#, "\u{1b}"] {
            assert_eq!(read(text.as_bytes()).kind, ClientErrorKind::Unreadable, "{text}");
        }
        assert!(read(b"\"\xff\"").message.contains("UTF-8"));
        let denied = read(br#"{"error":{"grpc_code":7,"message":"no \u001b[1m"}}"#);
        assert_eq!(
            (denied.kind, denied.message.contains("no [1m")),
            (ClientErrorKind::Denied, true)
        );
        assert_eq!(read(br#"{"error":"alone"}"#).kind, ClientErrorKind::Server);
    }
}
