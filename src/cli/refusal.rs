//! Why a command stops before it is done.

use super::Exit;
use crate::client::{ClientError, Trouble};
use crate::config::ConfigError;
use crate::diag::{Diagnostic, Severity};

/// The consequence of a refusal before the first request that writes.
pub const NOTHING_SENT: &str = "nothing was sent";

/// A reason to stop, with the exit code it means and the way out.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The exit code.
    pub exit: Exit,
    /// What is wrong.
    pub message: String,
    /// The way out.
    pub help: Option<String>,
    /// Findings that say it better than the message; they are printed instead.
    pub findings: Vec<Diagnostic>,
    /// Whether the message is printed too, after the findings.
    pub is_summary: bool,
}

impl Refusal {
    /// The command line makes no sense.
    pub fn usage(message: impl Into<String>) -> Self {
        let (help, findings) = (None, Vec::new());
        Self { exit: Exit::Usage, message: message.into(), help, findings, is_summary: false }
    }

    /// An input names something that does not exist, or cannot be used.
    pub fn input(message: impl Into<String>) -> Self {
        Self { exit: Exit::Input, ..Self::usage(message) }
    }

    /// Inputs that cannot be read as what they should be.
    pub fn findings(findings: Vec<Diagnostic>) -> Self {
        Self { findings, ..Self::input("the input is not valid") }
    }

    /// Ends the findings with their count and a consequence, such as [`NOTHING_SENT`].
    #[must_use]
    pub fn counted(self, consequence: &str) -> Self {
        let is_error = |finding: &&Diagnostic| finding.severity == Severity::Error;
        let message = match self.findings.iter().filter(is_error).count() {
            0 => return self,
            1 => format!("1 error found; {consequence}"),
            count => format!("{count} errors found; {consequence}"),
        };
        Self { message, is_summary: true, ..self }
    }

    /// The same for the refusal in an error; other errors are as they were.
    pub fn count_in(error: anyhow::Error, consequence: &str) -> anyhow::Error {
        match error.downcast::<Self>() {
            Ok(refusal) => refusal.counted(consequence).into(),
            Err(error) => error,
        }
    }

    /// Adds the way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl From<&ConfigError> for Refusal {
    fn from(error: &ConfigError) -> Self {
        let message = error.to_string();
        let refusal = if error.is_usage() { Self::usage(message) } else { Self::input(message) };
        Self { help: error.help(), ..refusal }
    }
}

/// The exit code of each kind of trouble with a server.
impl From<Trouble> for Exit {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::BadName | Trouble::Insecure | Trouble::Unsupported => Self::Usage,
            Trouble::Input => Self::Input,
            Trouble::Denied => Self::Denied,
            Trouble::NotFound => Self::NotFound,
            Trouble::Changed | Trouble::Refused => Self::Refused,
            Trouble::Busy
            | Trouble::TooLarge
            | Trouble::Unreachable
            | Trouble::TimedOut
            | Trouble::Server => Self::Server,
        }
    }
}

impl From<&ClientError> for Refusal {
    fn from(error: &ClientError) -> Self {
        let refusal = Self::usage(error.message.as_str());
        Self { exit: error.trouble.into(), help: error.help.clone(), ..refusal }
    }
}
