//! Errors that end a command.

use super::Exit;
use crate::report::{self, ErrorReport};
use crate::ui;
use client::config::ConfigError;
use client::{ClientError, ClientErrorKind};
use document::diag::{Diagnostic, Severity, plural};

/// The consequence of a refusal before the first request that writes.
pub const NOTHING_SENT: &str = "nothing was sent";

/// An error that ends a command: its exit code, message and help.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The exit code.
    pub exit: Exit,
    /// The message: what is wrong with which value.
    pub message: String,
    /// The help: what to do.
    pub help: Option<String>,
    /// Findings, which are printed instead of the message.
    pub findings: Vec<Diagnostic>,
    /// Whether the message is printed too, after the findings.
    pub is_summary: bool,
}

impl Refusal {
    /// An invalid command line.
    pub fn usage(message: impl Into<String>) -> Self {
        let (help, findings) = (None, Vec::new());
        Self { exit: Exit::Usage, message: message.into(), help, findings, is_summary: false }
    }

    /// An input names something that does not exist, or cannot be used.
    pub fn input(message: impl Into<String>) -> Self {
        Self { exit: Exit::Input, ..Self::usage(message) }
    }

    /// Invalid inputs.
    pub fn findings(findings: Vec<Diagnostic>) -> Self {
        Self { findings, ..Self::input("the input is not valid") }
    }

    /// Ends the findings with their count and a consequence, such as [`NOTHING_SENT`].
    #[must_use]
    pub fn with_count(self, consequence: &str) -> Self {
        let is_error = |finding: &&Diagnostic| finding.severity == Severity::Error;
        let message = match self.findings.iter().filter(is_error).count() {
            0 => return self,
            count => format!("{} found; {consequence}", plural(count, "error", "errors")),
        };
        Self { message, is_summary: true, ..self }
    }

    /// Adds the count to a refusal in an error; other errors stay unchanged.
    pub fn add_count_to(error: anyhow::Error, consequence: &str) -> anyhow::Error {
        match error.downcast::<Self>() {
            Ok(refusal) => refusal.with_count(consequence).into(),
            Err(error) => error,
        }
    }

    /// Adds the help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The refusal as a JSON document, on one line or several.
    pub(crate) fn json(&self, is_line: bool) -> String {
        let Self { exit, message, help, findings, .. } = self;
        let report = ErrorReport::new(exit.code(), message, help.as_deref(), findings);
        if is_line { ui::json_line(&report) } else { report::json(&report) }
    }
}

impl From<&ConfigError> for Refusal {
    fn from(error: &ConfigError) -> Self {
        let message = error.to_string();
        let refusal = if error.is_usage() { Self::usage(message) } else { Self::input(message) };
        Self { help: error.help(), ..refusal }
    }
}

/// The exit code of each kind of server error.
impl From<ClientErrorKind> for Exit {
    fn from(trouble: ClientErrorKind) -> Self {
        match trouble {
            ClientErrorKind::BadName | ClientErrorKind::Insecure | ClientErrorKind::Unsupported => {
                Self::Usage
            }
            ClientErrorKind::Input => Self::Input,
            ClientErrorKind::Denied => Self::Denied,
            ClientErrorKind::NotFound => Self::NotFound,
            ClientErrorKind::Changed | ClientErrorKind::Refused => Self::Refused,
            ClientErrorKind::Busy
            | ClientErrorKind::TooLarge
            | ClientErrorKind::Unreachable
            | ClientErrorKind::TimedOut
            | ClientErrorKind::Server
            | ClientErrorKind::Unreadable => Self::Server,
        }
    }
}

impl From<&ClientError> for Refusal {
    fn from(error: &ClientError) -> Self {
        let refusal = Self::usage(error.message.as_str());
        Self { exit: error.kind.into(), help: error.help.clone(), ..refusal }
    }
}

impl From<&anyhow::Error> for Refusal {
    /// The refusal in an error of a command; an error of another type means an unusable input.
    fn from(error: &anyhow::Error) -> Self {
        if let Some(refusal) = error.downcast_ref::<Self>() {
            refusal.clone()
        } else if let Some(error) = error.downcast_ref::<ConfigError>() {
            error.into()
        } else if let Some(error) = error.downcast_ref::<ClientError>() {
            error.into()
        } else {
            Self::input(format!("{error:#}"))
        }
    }
}
