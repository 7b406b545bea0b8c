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
}

/// What a payload is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    None,
    /// Text.
    Plain,
    /// JSON of the server itself.
    Json,
    /// JSON of a call behind the gateway.
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
            Err(status) => Self::new(status.code.http(), Content::Call, status.body()),
        }
    }

    /// An answer in one piece.
    pub fn new(status: u16, content: Content, body: impl Into<String>) -> Self {
        Self { status, content, payload: Payload::Whole(body.into()), version: None, allowed: None }
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
