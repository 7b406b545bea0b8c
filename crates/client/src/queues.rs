//! The list of queues: a stream of lines with an end line.

use super::answer::ServerError;
use super::lines::Lines;
use super::text::clean;
use super::transport::{Incoming, Transport};
use super::{ClientError, ClientErrorKind, Fields, Request};
use document::diag::json_message;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The queues of a server, as a stream.
pub struct Queues {
    transport: Arc<Transport>,
    request: Request,
    incoming: Incoming,
    lines: Lines,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// More bytes may come.
    Open,
    /// No more bytes will come.
    Drained,
    /// The end line or an error has been returned.
    Over,
}

/// One line of the list.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Queue(String),
    End,
}

impl Queues {
    pub(super) async fn open(
        transport: Arc<Transport>,
        request: Request,
    ) -> Result<Self, ClientError> {
        let incoming = transport.open(&request).await?;
        Ok(Self { transport, request, incoming, lines: Lines::list(), state: State::Open })
    }

    /// Returns the next queue; `None` after the end line. A list without an end line is an error, since
    /// it may be incomplete.
    pub async fn next(&mut self) -> Result<Option<Fields>, ClientError> {
        let next = self.read().await;
        if !matches!(next, Ok(Some(_))) {
            self.state = State::Over;
        }
        next
    }

    async fn read(&mut self) -> Result<Option<Fields>, ClientError> {
        if self.state == State::Over {
            return Ok(None);
        }
        loop {
            match self.lines.next() {
                Err(much) => return Err(broken_list(&self.request, much.message())),
                Ok(Some(bytes)) => {
                    self.incoming.begin_item();
                    return match line(&self.request, bytes)? {
                        Line::End => Ok(None),
                        Line::Queue(text) => Fields::parse(text)
                            .map(Some)
                            .map_err(|error| broken_list(&self.request, &error.to_string())),
                    };
                }
                // A complete list has a last line that says so; without it queues would be missing unnoticed.
                Ok(None) if self.state == State::Drained => {
                    return Err(broken_list(&self.request, "the list was cut off before its end"));
                }
                Ok(None) => {
                    match self.transport.next_piece(&self.request, &mut self.incoming).await? {
                        None => {
                            self.lines.end();
                            self.state = State::Drained;
                        }
                        Some(piece) => self
                            .lines
                            .push(piece.as_ref())
                            .map_err(|much| broken_list(&self.request, much.message()))?,
                    }
                }
            }
        }
    }
}

fn broken_list(request: &Request, why: &str) -> ClientError {
    let error = ClientError::while_doing(ClientErrorKind::Server, &request.doing, &clean(why));
    error.help("the list may be incomplete; try again")
}

/// Parses a line: a queue, the end, or an error in either of Armada's forms.
fn line(request: &Request, bytes: &[u8]) -> Result<Line, ClientError> {
    #[derive(Deserialize)]
    struct Message<'l> {
        #[serde(borrow)]
        result: Option<Outcome<'l>>,
        error: Option<serde_json::Value>,
    }
    #[derive(Deserialize)]
    struct Outcome<'l> {
        #[serde(borrow, rename = "Event", alias = "event")]
        event: Option<Event<'l>>,
    }
    #[derive(Deserialize)]
    struct Event<'l> {
        #[serde(borrow, alias = "Queue")]
        queue: Option<&'l RawValue>,
        #[serde(borrow, alias = "End")]
        end: Option<&'l RawValue>,
    }
    let message: Message<'_> = serde_json::from_slice(bytes).map_err(|error| {
        let why = json_message(&error.to_string());
        broken_list(request, &format!("a line of the list is broken: {why}"))
    })?;
    if let Some(error) = message.error {
        return Err(list_error(request, bytes, &error));
    }
    match message.result.and_then(|result| result.event) {
        Some(Event { queue: Some(queue), .. }) => Ok(Line::Queue(queue.get().to_owned())),
        Some(Event { end: Some(_), .. }) => Ok(Line::End),
        _ => Err(broken_list(request, "a line of the list is neither a queue nor its end")),
    }
}

/// The error inside a list. It has no HTTP status, as the answer started with 200.
fn list_error(request: &Request, bytes: &[u8], error: &serde_json::Value) -> ClientError {
    let own = ServerError::read(bytes);
    let code = own.as_ref().map_or(0, |own| own.code);
    let text = own.map_or_else(|| clean(error.as_str().unwrap_or_default()), |own| own.text);
    let (kind, what) = match code {
        7 | 16 => (ClientErrorKind::Denied, "not permitted"),
        4 => (ClientErrorKind::TimedOut, "the server timed out"),
        8 => (ClientErrorKind::Busy, "too many requests to the server"),
        _ => (ClientErrorKind::Server, "the server failed in the middle of the list"),
    };
    ClientError::while_doing(kind, &request.doing, &format!("{what}: {text}"))
}

#[cfg(test)]
mod tests {
    use super::super::request;
    use super::*;

    fn read(text: &str) -> Result<Line, ClientError> {
        line(&request::queues(), text.as_bytes())
    }

    #[test]
    fn lines_of_both_spellings() {
        let queue = r#"{"name":"a","priorityFactor":1.0,"x":1e400}"#;
        for event in ["Event", "event"] {
            let text = format!(r#"{{"result":{{"{event}":{{"queue":{queue}}}}}}}"#);
            assert_eq!(read(&text).unwrap(), Line::Queue(queue.to_owned()));
            let end = format!(r#"{{"result":{{"{event}":{{"end":{{}}}}}}}}"#);
            assert_eq!(read(&end).unwrap(), Line::End);
        }
    }

    #[test]
    fn errors_of_both_forms() {
        let object = r#"{"error":{"grpc_code":7,"http_code":403,"message":"no \u001b[1m"}}"#;
        let denied = read(object).unwrap_err();
        assert_eq!(
            (denied.kind, denied.message.contains("no [1m")),
            (ClientErrorKind::Denied, true)
        );
        let text = read(r#"{"error":"database is down","code":14,"message":"x"}"#).unwrap_err();
        assert_eq!(text.kind, ClientErrorKind::Server);
        assert!(text.message.contains("database is down"), "{text}");
        assert!(read(r#"{"error":"alone"}"#).unwrap_err().message.contains("alone"));
    }

    #[test]
    fn other_lines_are_broken() {
        for text in ["{", "[]", "{}", r#"{"result":{}}"#, r#"{"result":{"Event":{}}}"#, "\u{1b}"] {
            assert_eq!(read(text).unwrap_err().kind, ClientErrorKind::Server, "{text}");
        }
    }
}
