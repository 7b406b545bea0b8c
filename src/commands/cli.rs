//! The definition of the command line, whose doc comments are the help, and the dispatch to its
//! command. Only this file lists all commands.

use super::{
    apply, attach, complete, completion, config, convert, cordon, create, delete, detach, diff,
    edit, explain, get, help, man, parse_error, serve, simulate, update, validate, version,
};
use crate::cli::{Context, Exit, Globals, print_error};
use crate::ui::Ui;
use anyhow::Result;
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

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
pub enum Command {
    Simulate(simulate::SimulateArgs),
    Validate(validate::ValidateArgs),
    Explain(explain::ExplainArgs),
    /// Write policies in another form, naming what has no counterpart
    Convert(convert::ConvertArgs),
    /// Create retry policies and queues, from files or by name
    ///
    /// Files are checked whole before anything is sent; policies go before queues. What exists already
    /// is refused (exit 6): Armada's servers would overwrite it silently, so the name is looked up
    /// first. What another writer creates between the look and the creation is overwritten all the
    /// same.
    ///
    /// After a failure the rest goes on, but for exit 4 and 7; the exit code is that of the first.
    Create(create::CreateArgs),
    /// Change retry policies and queues that exist, from files or by name
    ///
    /// Files are checked whole before anything is sent. Of a queue only the fields that the file or
    /// the flags name change; a policy is replaced. What does not exist is refused (exit 5).
    ///
    /// After a failure the rest goes on, but for exit 4 and 7; the exit code is that of the first.
    Update(update::UpdateArgs),
    /// Make the server hold what files say: create, change, or leave as it is
    ///
    /// Files are checked whole before anything is sent; policies go before queues. What is compared
    /// is the meaning: `90s` and `1m30s` are the same. Of a queue only the fields that the file names
    /// change.
    ///
    /// After a failure the rest goes on, but for exit 4 and 7; the exit code is that of the first,
    /// and a second run finishes.
    Apply(apply::ApplyArgs),
    /// Show how the server differs from files
    ///
    /// Exits 0 if nothing differs, 1 if something does, which something that is not on the server
    /// does too, and more than 1 for an error.
    Diff(diff::DiffArgs),
    /// Edit a retry policy in $VISUAL or $EDITOR
    ///
    /// The text is checked before it is sent. If it is not valid (exit 3), if the policy has changed
    /// meanwhile (exit 6) or if the server does not take it, the text is kept and its place named.
    Edit(edit::EditArgs),
    /// Delete retry policies and queues, by name or as files name them
    ///
    /// A policy that a queue uses is refused (exit 6) unless `--detach` takes it from its queues
    /// first: Armada's servers would do so silently, so the queues are looked up. A queue that
    /// another writer gives the policy meanwhile loses it all the same.
    Delete(delete::DeleteArgs),
    Get(get::GetArgs),
    Attach(attach::AttachArgs),
    Detach(detach::DetachArgs),
    /// Keep the jobs of queues from being scheduled
    ///
    /// Everything else of a queue stays as it is, byte for byte. Over REST this is an update of the
    /// queue, which needs the permission `create_queue`; Armada's own `armadactl cordon` needs
    /// `cordon_queue`.
    ///
    /// Armada keeps no version of a queue, so that concurrent writers can overwrite each other. The
    /// queue is read after the write and again after 200 to 800 ms, and a lost change is repeated.
    /// This narrows the window in which a change is lost; it cannot close it.
    #[command(after_long_help = cordon::CORDON_EXAMPLES)]
    Cordon(cordon::CordonArgs),
    /// Let the jobs of queues be scheduled again
    ///
    /// Everything else of a queue stays as it is, byte for byte. Over REST this is an update of the
    /// queue, which needs the permission `create_queue`; Armada's own `armadactl cordon` needs
    /// `cordon_queue`.
    ///
    /// Armada keeps no version of a queue, so that concurrent writers can overwrite each other. The
    /// queue is read after the write and again after 200 to 800 ms, and a lost change is repeated.
    /// This narrows the window in which a change is lost; it cannot close it.
    #[command(after_long_help = cordon::UNCORDON_EXAMPLES)]
    Uncordon(cordon::CordonArgs),
    Config(config::ConfigArgs),
    /// Run a server for development and tests
    ///
    /// It answers as Armada's REST API does for retry policies and queues, and keeps them in a SQLite
    /// file: for development, CI and trying things out, not for production. It schedules nothing. The
    /// first line on stdout says where it listens; each request is a line on stderr. SIGINT and
    /// SIGTERM end it when the requests on their way are answered, with exit code 0.
    Serve(serve::ServeArgs),
    Completion(completion::CompletionArgs),
    Man(man::ManArgs),
    Version(version::VersionArgs),
    Help(help::HelpArgs),
}

/// Parses a command line, runs its command and prints the error that ends it.
pub fn main(words: impl IntoIterator<Item = OsString>) -> Exit {
    let words: Vec<OsString> = words.into_iter().collect();
    if words.get(1).is_some_and(|word| word == complete::WORD) {
        let words = words.iter().skip(2).filter(|word| *word != "--");
        let words = words.map(|word| word.to_string_lossy().into_owned()).collect();
        return complete::run(words, Cli::command);
    }
    let cli = match Cli::read(words.iter().cloned()) {
        Ok(cli) => cli,
        Err(error) => return parse_error::print(error, &words, &Cli::command()),
    };
    finish(&cli, &mut cli.globals.ui())
}

/// Runs a command line as [`main`] does, and prints nothing: for those who need only the exit code.
#[cfg(feature = "internals")]
pub fn run_silently(words: impl IntoIterator<Item = OsString>) -> Exit {
    match Cli::read(words) {
        Ok(cli) => finish(&cli, &mut Ui::silent(cli.globals.error_format.unwrap_or_default())),
        Err(_) => Exit::Usage,
    }
}

/// The completion script of a shell.
#[cfg(feature = "internals")]
pub fn completion_script(shell: clap_complete::Shell) -> String {
    completion::script(shell, &mut Cli::command())
}

/// Runs a command and prints the error that ends it.
fn finish(cli: &Cli, ui: &mut Ui) -> Exit {
    let result = run(cli, ui).and_then(|exit| Ok(ui.flush().map(|()| exit)?));
    result.unwrap_or_else(|error| print_error(&error, &cli.globals, ui))
}

fn run(cli: &Cli, ui: &mut Ui) -> Result<Exit> {
    let mut context = Context { ui, globals: &cli.globals, definition: Cli::command };
    match &cli.command {
        Command::Simulate(args) => simulate::run(&mut context, args),
        Command::Validate(args) => validate::run(&mut context, args),
        Command::Explain(args) => explain::run(&mut context, args),
        Command::Convert(args) => convert::run(&mut context, args),
        Command::Create(args) => create::run(&mut context, args),
        Command::Update(args) => update::run(&mut context, args),
        Command::Apply(args) => apply::run(&mut context, args),
        Command::Diff(args) => diff::run(&mut context, args),
        Command::Edit(args) => edit::run(&mut context, args),
        Command::Delete(args) => delete::run(&mut context, args),
        Command::Get(args) => get::run(&mut context, args),
        Command::Attach(args) => attach::run(&mut context, args),
        Command::Detach(args) => detach::run(&mut context, args),
        Command::Cordon(args) => cordon::run(&mut context, args, cordon::Cordon::On),
        Command::Uncordon(args) => cordon::run(&mut context, args, cordon::Cordon::Off),
        Command::Config(args) => config::run(&mut context, args),
        Command::Serve(args) => serve::run(&mut context, args),
        Command::Completion(args) => completion::run(&mut context, args),
        Command::Man(args) => man::run(&mut context, args),
        Command::Version(args) => version::run(&mut context, args),
        Command::Help(args) => help::run(&mut context, args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::long_flag;
    use crate::commands::unavailable::{ARMADAS_OWN, COMMANDS, FLAGS};

    #[test]
    fn nothing_that_exists_is_listed_as_unavailable() {
        let mut root = Cli::command();
        root.build();
        for words in COMMANDS {
            let found = words.iter().try_fold(&root, |at, word| at.find_subcommand(word));
            assert!(found.is_none(), "{words:?} exists: take it out of COMMANDS");
        }
        for (name, flags) in FLAGS {
            let command = root.find_subcommand(name).expect("a command");
            for flag in flags {
                let found = long_flag(command, flag);
                assert!(found.is_none(), "{name} --{flag} exists: take it out of FLAGS");
            }
        }
        for word in ARMADAS_OWN {
            assert!(root.find_subcommand(word).is_none(), "{word} exists");
        }
    }
}
