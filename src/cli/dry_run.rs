//! `--dry-run`: whether a command that writes checks only, reads, or writes.

use clap::{Args, ValueEnum};

/// How far a command that writes goes.
#[derive(Debug, Args)]
pub struct DryRunArgs {
    /// Check, and say what would be done, without doing it
    #[arg(long, value_enum, default_value_t = DryRun::None, value_name = "MODE", global = true)]
    pub dry_run: DryRun,
}

/// What a dry run asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DryRun {
    /// It is no dry run: it is done
    None,
    /// Check what is given; ask no server
    Client,
    /// Read from the server, and say what would be done
    Server,
}

impl DryRun {
    /// `none`, `client` or `server`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}
