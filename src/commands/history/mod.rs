//! `history`: records of runs, from Lookout and other sources.

mod anonymize;
mod check;
mod fetch;
mod state;

use crate::cli::{Context, Exit};
use anyhow::Result;
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  # Fetch last month's ended jobs of the queue `ml` from Lookout
  armadactl history fetch --lookout-url https://LOOKOUT --queue ml \\
      --since 30d --record month.jsonl.zst

  # Which matchers can work on it
  armadactl history check month.jsonl.zst

  # Copy it with other names, so that it can be shown to others
  armadactl history anonymize month.jsonl.zst --record shown.jsonl.zst";

const EXITS: &str = "\
Exit codes:
  0  success
  2  invalid command line";

/// Get, check and anonymize histories of failures
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct HistoryArgs {
    #[command(subcommand)]
    command: HistoryCommand,
}

#[derive(Debug, Subcommand)]
enum HistoryCommand {
    Fetch(fetch::FetchArgs),
    Check(check::CheckArgs),
    Anonymize(anonymize::AnonymizeArgs),
}

/// Runs the subcommand.
pub fn run(context: &mut Context<'_>, args: &HistoryArgs) -> Result<Exit> {
    match &args.command {
        HistoryCommand::Fetch(args) => fetch::run(context, args),
        HistoryCommand::Check(args) => check::run(context, args),
        HistoryCommand::Anonymize(args) => anonymize::run(context, args),
    }
}
