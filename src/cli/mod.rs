//! The command line: global flags and the list of commands, whose doc comments are the help.
//!
//! It owns how words become arguments, and exit codes. Each command's own arguments live with the
//! command.

mod absent;
mod exit;
mod globals;
mod line;
mod refusal;
mod server;

use crate::commands;
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

pub(crate) use absent::{absent_command, absent_flag};
pub use exit::Exit;
pub use globals::{Globals, Output, Wanted};
pub(crate) use line::{PartialLine, long};
pub use refusal::{NOTHING_SENT, Refusal};
pub use server::ServerFlags;

/// Validate, replay and explain Armada retry policies before they are live
///
/// A RetryPolicy decides which failures of a job are retried. `simulate` replays recorded failures
/// through an embedded evaluator, `validate` reports every mistake in a file, `explain` gives the
/// reasons: these work offline. `get`, `attach` and others send requests to an Armada server, or to
/// the one that `serve` runs.
///
/// Each global and server option has an environment variable: `ARMADACTL_` and its name, such as
/// `ARMADACTL_OUTPUT` for `--output`.
#[derive(Debug, Parser)]
#[command(name = "armadactl", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(propagate_version = false, subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    /// Flags that every command takes.
    #[command(flatten)]
    pub globals: Globals,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads a command line, the program's name first.
    ///
    /// # Errors
    ///
    /// If the words are not a command line, or ask for help or the version.
    pub fn read(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut command = Self::command();
        let matches = command.try_get_matches_from_mut(words)?;
        let mut cli =
            Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        let source = matches.value_source("output");
        cli.globals.is_output_flag = source == Some(ValueSource::CommandLine);
        Ok(cli)
    }
}

/// What to do.
///
/// A command's help is the doc comment of its arguments, unless the variant has its own, which would
/// hide theirs.
#[derive(Debug, Subcommand)]
#[expect(missing_docs, reason = "the doc comments of the arguments are the help")]
pub enum Command {
    Simulate(commands::simulate::SimulateArgs),
    Validate(commands::validate::ValidateArgs),
    Explain(commands::explain::ExplainArgs),
    /// Write policies in another form, naming what has no counterpart
    Convert(commands::convert::ConvertArgs),
    /// Create retry policies and queues, from files or by name
    ///
    /// Files are checked whole before anything is sent; policies go before queues. What exists already
    /// is refused (exit 6): Armada's servers would overwrite it silently, so the name is looked up
    /// first. What another writer creates between the look and the creation is overwritten all the
    /// same.
    ///
    /// After a failure the rest goes on, but for exit 4 and 7; the exit code is that of the first.
    Create(commands::create::CreateArgs),
    /// Change retry policies and queues that exist, from files or by name
    ///
    /// Files are checked whole before anything is sent. Of a queue only the fields that the file or
    /// the flags name change; a policy is replaced. What does not exist is refused (exit 5).
    ///
    /// After a failure the rest goes on, but for exit 4 and 7; the exit code is that of the first.
    Update(commands::update::UpdateArgs),
    /// Make the server hold what files say: create, change, or leave as it is
    ///
    /// Files are checked whole before anything is sent; policies go before queues. What is compared
    /// is the meaning: `90s` and `1m30s` are the same. Of a queue only the fields that the file names
    /// change.
    ///
    /// After a failure the rest goes on, but for exit 4 and 7; the exit code is that of the first,
    /// and a second run finishes.
    Apply(commands::apply::ApplyArgs),
    /// Show how the server differs from files
    ///
    /// Exits 0 if nothing differs, 1 if something does, which something that is not on the server
    /// does too, and more than 1 for an error.
    Diff(commands::diff::DiffArgs),
    /// Edit a retry policy in $VISUAL or $EDITOR
    ///
    /// The text is checked before it is sent. If it is not valid (exit 3), if the policy has changed
    /// meanwhile (exit 6) or if the server does not take it, the text is kept and its place named.
    Edit(commands::edit::EditArgs),
    /// Delete retry policies and queues, by name or as files name them
    ///
    /// A policy that a queue uses is refused (exit 6) unless `--detach` takes it from its queues
    /// first: Armada's servers would do so silently, so the queues are looked up. A queue that
    /// another writer gives the policy meanwhile loses it all the same.
    Delete(commands::delete::DeleteArgs),
    Get(commands::get::GetArgs),
    Attach(commands::attach::AttachArgs),
    Detach(commands::detach::DetachArgs),
    /// Keep the jobs of queues from being scheduled
    ///
    /// Everything else of a queue stays as it is, byte for byte. Over REST this is an update of the
    /// queue, which needs the permission `create_queue`; Armada's own `armadactl cordon` needs
    /// `cordon_queue`.
    ///
    /// Armada keeps no version of a queue, so that concurrent writers can overwrite each other. The
    /// queue is read after the write and again after 200 to 800 ms, and a lost change is repeated.
    /// This narrows the window in which a change is lost; it cannot close it.
    #[command(after_long_help = commands::cordon::CORDON_EXAMPLES)]
    Cordon(commands::cordon::CordonArgs),
    /// Let the jobs of queues be scheduled again
    ///
    /// Everything else of a queue stays as it is, byte for byte. Over REST this is an update of the
    /// queue, which needs the permission `create_queue`; Armada's own `armadactl cordon` needs
    /// `cordon_queue`.
    ///
    /// Armada keeps no version of a queue, so that concurrent writers can overwrite each other. The
    /// queue is read after the write and again after 200 to 800 ms, and a lost change is repeated.
    /// This narrows the window in which a change is lost; it cannot close it.
    #[command(after_long_help = commands::cordon::UNCORDON_EXAMPLES)]
    Uncordon(commands::cordon::CordonArgs),
    Config(commands::config::ConfigArgs),
    /// Run a server for development and tests
    ///
    /// It answers as Armada's REST API does for retry policies and queues, and keeps them in a SQLite
    /// file: for development, CI and trying things out, not for production. It schedules nothing. The
    /// first line on stdout says where it listens; each request is a line on stderr. SIGINT and
    /// SIGTERM end it when the requests on their way are answered, with exit code 0.
    Serve(commands::serve::ServeArgs),
    Completion(commands::completion::CompletionArgs),
    Man(commands::man::ManArgs),
    Version(commands::version::VersionArgs),
    Help(commands::help::HelpArgs),
}
