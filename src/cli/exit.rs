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
            Self::Done => "success",
            Self::No => {
                "negative result: `diff` found differences, a test failed or none was run, a job failed under `simulate --exit-code`, an `--assert` is false, or `convert --strict` lost or approximated something"
            }
            Self::Usage => "invalid command line: an unknown command or flag, or an invalid value",
            Self::Input => {
                "invalid input: a policy, history or configuration, or a name in it that does not exist"
            }
            Self::Denied => "not authenticated, or not permitted",
            Self::NotFound => "a policy or queue does not exist on the server",
            Self::Refused => {
                "conflict, or refused: by the server, by `convert` for a pair of forms that it does not support, or because a policy would have no rules or retries"
            }
            Self::Server => "server unreachable or too slow, or an invalid answer",
            Self::Interrupted => "interrupted",
        }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self.code())
    }
}
