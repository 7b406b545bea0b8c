//! What can go wrong with a request, in words for a person.

use std::time::Duration;

/// A request that came to nothing.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ClientError {
    /// What kind of trouble it is.
    pub trouble: Trouble,
    /// What is wrong, in one line.
    pub message: String,
    /// The way out, where there is one.
    pub help: Option<String>,
    /// The wait after which the request may succeed, where the server may recover.
    pub again: Option<Duration>,
}

/// The kinds of trouble, by what a caller can do about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// A name that a path cannot carry.
    BadName,
    /// Something on this side: a certificate file, a program for a token.
    Input,
    /// Credentials would go out unencrypted.
    Insecure,
    /// A way to authenticate that cannot be sent yet.
    Unsupported,
    /// 401, 403.
    Denied,
    /// A 404 of Armada's own: the server has no such thing.
    NotFound,
    /// 412: it has changed since it was read. Read again.
    Changed,
    /// 409, 400 and the like: the server will not do it.
    Refused,
    /// 429: too much at once.
    Busy,
    /// A list that is larger than the server can send, now and later. Single things can be got.
    TooLarge,
    /// No connection.
    Unreachable,
    /// No answer in time.
    TimedOut,
    /// An answer that is none of Armada's, or a failure of the server.
    Server,
}

impl Trouble {
    /// Whether the next request would come to nothing too, so that bulk work should stop.
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
        )
    }
}

impl ClientError {
    /// An error of a kind.
    pub fn new(trouble: Trouble, message: impl Into<String>) -> Self {
        Self { trouble, message: message.into(), help: None, again: None }
    }

    /// Adds the way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// An error of a kind while doing something, such as ``get the queue `a` ``.
    pub(super) fn while_doing(trouble: Trouble, doing: &str, why: &str) -> Self {
        Self::new(trouble, format!("cannot {doing}: {why}"))
    }
}
