//! Why a command stops before it is done.

use super::Exit;
use crate::diag::Diagnostic;

/// A reason to stop, with the exit code it means and the way out.
#[derive(Debug, thiserror::Error)]
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
}

impl Refusal {
    /// The command line makes no sense.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into(), help: None, findings: Vec::new() }
    }

    /// An input names something that does not exist, or cannot be used.
    pub fn input(message: impl Into<String>) -> Self {
        Self { exit: Exit::Input, ..Self::usage(message) }
    }

    /// Inputs that cannot be read as what they should be.
    pub fn findings(findings: Vec<Diagnostic>) -> Self {
        Self { findings, ..Self::input("the input is not valid") }
    }

    /// Adds the way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
