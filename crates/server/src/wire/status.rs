//! gRPC's errors, and their HTTP form in the gateway.

use super::Json;
use super::Number;

/// A gRPC code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The request is invalid.
    InvalidArgument,
    /// The request took too long.
    DeadlineExceeded,
    /// There is no object with this name.
    NotFound,
    /// An object with this name exists.
    AlreadyExists,
    /// The caller does not have the permission.
    PermissionDenied,
    /// The request is too large.
    ResourceExhausted,
    /// The object has changed since the caller read it.
    FailedPrecondition,
    /// The server failed.
    Internal,
    /// The store failed.
    Unavailable,
    /// The caller sent no valid token.
    Unauthenticated,
}

impl Code {
    /// The number of the code in gRPC.
    pub fn number(self) -> i64 {
        match self {
            Self::InvalidArgument => 3,
            Self::DeadlineExceeded => 4,
            Self::NotFound => 5,
            Self::AlreadyExists => 6,
            Self::PermissionDenied => 7,
            Self::ResourceExhausted => 8,
            Self::FailedPrecondition => 9,
            Self::Internal => 13,
            Self::Unavailable => 14,
            Self::Unauthenticated => 16,
        }
    }

    /// The HTTP status of an answer with the code. Three differ from the gateway's (400, 429 and 504), in
    /// answers that Armada never sends.
    pub fn http(self) -> u16 {
        match self {
            Self::InvalidArgument => 400,
            Self::DeadlineExceeded => 408,
            Self::NotFound => 404,
            Self::AlreadyExists => 409,
            Self::PermissionDenied => 403,
            Self::ResourceExhausted => 413,
            Self::FailedPrecondition => 412,
            Self::Internal => 500,
            Self::Unavailable => 503,
            Self::Unauthenticated => 401,
        }
    }
}

/// The reason that a request was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rpc error: code = {code:?} desc = {message}")]
pub struct Status {
    /// The kind of reason.
    pub code: Code,
    /// The message.
    pub message: String,
}

impl Status {
    /// A status with this code.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The status for an invalid request.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    /// The body of an answer, which contains the message twice.
    pub fn body(&self) -> String {
        let message = || Json::Text(self.message.clone());
        let code = Json::Number(Number::Whole(self.code.number()));
        Json::object([("error", message()), ("code", code), ("message", message())]).to_string()
    }
}

/// Converts any error of the store to the code that Armada has for its own store.
impl From<rusqlite::Error> for Status {
    fn from(error: rusqlite::Error) -> Self {
        Self::new(Code::Unavailable, format!("the store failed: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_says_it_twice() {
        let status = Status::new(Code::NotFound, "error: no \"x\"");
        let body = r#"{"error":"error: no \"x\"","code":5,"message":"error: no \"x\""}"#;
        assert_eq!(status.body(), body);
        assert_eq!(status.to_string(), "rpc error: code = NotFound desc = error: no \"x\"");
    }
}
