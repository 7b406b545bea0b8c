//! Answers, before they are bytes on a connection.

use super::wire::Status;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// What the payload is.
    pub content: Content,
    /// The payload.
    pub payload: Payload,
    /// The version of the queue it is about.
    pub version: Option<String>,
    /// The methods that the path has, where the request's is none of them.
    pub allowed: Option<String>,
    /// Where the request should go instead: a path of this server.
    pub location: Option<String>,
}

/// What a payload is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    None,
    /// Text of the gateway, which Go forbids browsers to take for anything else.
    Plain,
    /// Text from below the gateway: the request is no HTTP for Go.
    Bare,
    /// HTML.
    Html,
    /// JSON of the gateway: an error or a description.
    Json,
    /// JSON of a call behind the gateway that was done.
    Call,
}

/// A payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// In one piece.
    Whole(String),
    /// A piece after the other, of a length that is not said.
    Pieces(Vec<String>),
}

impl Answer {
    /// What a call came to.
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

    /// An answer that sends a request elsewhere, as Go's router does: with a page for those that get.
    pub(super) fn moved(method: &str, target: String) -> Self {
        let (content, body) = match method {
            "GET" => {
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

    /// With the version of the queue it is about.
    #[must_use]
    pub fn versioned(self, version: Option<String>) -> Self {
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
