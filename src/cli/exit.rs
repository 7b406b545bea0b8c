//! Exit codes: one table for the whole command line.

use std::process::{ExitCode, Termination};

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Success.
    Done,
    /// The command ran, and its answer is negative.
    No,
    /// The command line is invalid.
    Usage,
    /// An input is invalid, or names something that does not exist.
    Input,
    /// Not authenticated, or not permitted.
    Denied,
    /// A name does not exist on the server.
    NotFound,
    /// A conflict, or a refusal.
    Refused,
    /// The server cannot be reached, timed out or gave an invalid answer.
    Server,
    /// Interrupted.
    Interrupted,
}

impl Exit {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Done,
        Self::No,
        Self::Usage,
        Self::Input,
        Self::Denied,
        Self::NotFound,
        Self::Refused,
        Self::Server,
        Self::Interrupted,
    ];

    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::No => 1,
            Self::Usage => 2,
            Self::Input => 3,
            Self::Denied => 4,
            Self::NotFound => 5,
            Self::Refused => 6,
            Self::Server => 7,
            Self::Interrupted => 130,
        }
    }

    /// Its meaning, for the help.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::No => {
                "it ran, and the answer is no: `diff` of what differs, `simulate --exit-code` with a job that Failed, `convert --strict` of what is not wholly kept"
            }
            Self::Usage => {
                "the command line makes no sense: an unknown flag, a value it cannot take"
            }
            Self::Input => {
                "an input cannot be read as what it should be (policy, history, configuration), or names something that does not exist"
            }
            Self::Denied => "not authenticated, or not permitted",
            Self::NotFound => "the server does not have what was named",
            Self::Refused => {
                "a conflict, or refused: by the server, by `convert` between two forms that it does not do, or since a policy would be left without rules or retries"
            }
            Self::Server => "the server cannot be reached, took too long or answered nonsense",
            Self::Interrupted => "interrupted",
        }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self.code())
    }
}
