//! `--dry-run`: whether a command that writes checks only, reads, or writes.

use clap::{Args, ValueEnum};
use document::names;

/// How far a command that writes goes.
#[derive(Debug, Args)]
pub struct DryRunArgs {
    /// Print what would change, without changing it
    #[arg(long, value_enum, default_value_t = DryRun::None, value_name = "MODE", global = true)]
    pub dry_run: DryRun,
}

names! {
    /// What a dry run does.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
    pub enum DryRun {
        /// Write to the server
        None = "none",
        /// Check the input, and send no request
        Client = "client",
        /// Read from the server, and print what would change
        Server = "server",
    }
}
