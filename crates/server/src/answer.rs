//! Answers, independent of a connection.

use super::wire::Status;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The type of the payload.
    pub content: Content,
    /// The payload.
    pub payload: Payload,
    /// The version of the queue in the answer.
    pub version: Option<String>,
    /// The methods of the path; set if the request has another one.
    pub allowed: Option<String>,
    /// The target of a redirect: a path of this server.
    pub location: Option<String>,
}

/// The type of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    None,
    /// Text of the gateway, with Go's `nosniff` header.
    Plain,
    /// Text of Go's HTTP server: the request is not valid HTTP for Go.
    Bare,
    /// HTML.
    Html,
    /// JSON of the gateway: an error or a description.
    Json,
    /// JSON of a successful call behind the gateway.
    Call,
}

/// A payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// A text in one piece.
    Whole(String),
    /// A text in several pieces, without a `Content-Length`.
    Pieces(Vec<String>),
}

impl Answer {
    /// The answer with the result of a call.
    pub fn of(result: Result<String, Status>) -> Self {
        match result {
            Ok(body) => Self::new(200, Content::Call, body),
            Err(status) => Self::new(status.code.http(), Content::Json, status.body()),
        }
    }

    /// An answer in one piece.
    pub fn new(status: u16, content: Content, body: impl Into<String>) -> Self {
        let payload = Payload::Whole(body.into());
        Self { status, content, payload, version: None, allowed: None, location: None }
    }

    /// A redirect as Go's router sends it. GET and HEAD get a page with it.
    pub(super) fn redirect(method: &str, target: String) -> Self {
        let (content, body) = match method {
            "GET" => {
                // Go's `http.Redirect` escapes the address in this page.
                let shown = target.replace('&', "&amp;");
                let page = format!("<a href=\"{shown}\">Temporary Redirect</a>.\n\n");
                (Content::Html, page)
            }
            "HEAD" => (Content::Html, String::new()),
            _ => (Content::None, String::new()),
        };
        Self { location: Some(target), ..Self::new(307, content, body) }
    }

    /// An answer in pieces.
    pub fn pieces(result: Result<Vec<String>, Status>) -> Self {
        match result {
            Ok(pieces) => Self { payload: Payload::Pieces(pieces), ..Self::of(Ok(String::new())) },
            Err(status) => Self::of(Err(status)),
        }
    }

    /// Sets the version of the queue.
    #[must_use]
    pub fn with_version(self, version: Option<String>) -> Self {
        Self { version, ..self }
    }

    /// The payload as one text.
    pub fn text(&self) -> String {
        match &self.payload {
            Payload::Whole(text) => text.clone(),
            Payload::Pieces(pieces) => pieces.concat(),
        }
    }
}
