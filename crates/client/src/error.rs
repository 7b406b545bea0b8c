//! Errors of requests, with messages for users.

use std::time::Duration;

/// The error of a request.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ClientError {
    /// The kind of error.
    pub kind: ClientErrorKind,
    /// The error in one line.
    pub message: String,
    /// How to correct it, if there is a way.
    pub help: Option<String>,
    /// The wait after which the request may succeed, if the server may recover.
    pub retry_after: Option<Duration>,
    /// The possible effect of a failed write on the server.
    pub effect: Effect,
}

/// The possible effect of a failed write on the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Effect {
    /// Nothing: it was not sent, or the server refused it.
    #[default]
    None,
    /// The server may have carried it out: the answer was lost, or a gateway failed.
    Possible,
    /// The server may still be carrying it out, so that a read that follows proves nothing: no answer came
    /// in time.
    Pending,
}

/// The kinds of errors, by how a caller can react.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientErrorKind {
    /// A name that does not fit into a path.
    BadName,
    /// A local error: a certificate file, a program for a token.
    Input,
    /// Credentials would be sent unencrypted.
    Insecure,
    /// An authentication method that is not implemented.
    Unsupported,
    /// 401, 403.
    Denied,
    /// A 404 of Armada itself: the server has no such object.
    NotFound,
    /// 412: the object has changed since it was read.
    Changed,
    /// 409, 400 and the like: the server refuses the request.
    Refused,
    /// 429: too many requests.
    Busy,
    /// A list that is larger than the server can send; repeating is useless. Single objects can be read.
    TooLarge,
    /// No connection.
    Unreachable,
    /// No answer in time.
    TimedOut,
    /// An answer that is not Armada's, or a failure of the server.
    Server,
    /// A stream that is not Armada's; repeating is useless.
    Unreadable,
}

impl ClientErrorKind {
    /// Whether other requests would fail too, so that bulk work should stop.
    pub fn is_general(self) -> bool {
        matches!(
            self,
            Self::Input
                | Self::Insecure
                | Self::Unsupported
                | Self::Denied
                | Self::Unreachable
                | Self::TimedOut
                | Self::Busy
                | Self::TooLarge
                | Self::Server
                | Self::Unreadable
        )
    }
}

impl ClientError {
    /// An error of a kind.
    pub fn new(kind: ClientErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), help: None, retry_after: None, effect: Effect::None }
    }

    /// Sets the effect.
    #[must_use]
    pub fn effect(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }

    /// Adds the help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The error of a write that may be done, which no read could decide. `check` says what to do.
    #[must_use]
    pub fn undecided(self, check: &str) -> Self {
        let message = format!("{}; the server may have done it nevertheless", self.message);
        Self { message, help: Some(check.to_owned()), ..self }
    }

    /// An error while doing something, such as ``get the queue `a` ``.
    pub(super) fn while_doing(kind: ClientErrorKind, doing: &str, why: &str) -> Self {
        Self::new(kind, format!("cannot {doing}: {why}"))
    }
}
