//! The definition of the command line, whose doc comments are the help, and the dispatch to its
//! command. Only this file lists all commands.

use super::{
    apply, attach, compare, complete, completion, config, convert, cordon, create, delete, detach,
    diff, edit, explain, fmt, get, help, history, lint, login, logout, man, parse_error, serve,
    simulate, test, update, validate, version, wait, watch, whoami,
};
use crate::cli::{Context, Exit, Globals, print_error};
use crate::ui::Ui;
use anyhow::Result;
use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

const EXITS: &str = "\
Exit codes:
    0  success
    1  negative result, such as differences found by `diff`
    2  invalid command line
    3  invalid input, or a name that does not exist
    4  not authenticated, or not permitted
    5  a policy or queue does not exist on the server
    6  conflict, or refused
    7  server unreachable or too slow, or an invalid answer
  130  interrupted";

const EXAMPLES: &str = "\
Examples:
  # Check policies and report every mistake
  armadactl validate -f policy.yaml

  # Run the tests of policies
  armadactl test tests/

  # Replay recorded failures through the policies
  armadactl simulate -f policy.yaml --history failures.jsonl

  # Print which rule decides a failure, and why
  armadactl explain decision -f policy.yaml --failure exitCode=137

  # Write the policies to a server
  armadactl apply -f policy.yaml";

/// Validate, replay and explain Armada retry policies before they are live
///
/// A RetryPolicy decides which failures of a job are retried. `simulate`, `validate`, `explain` and
/// `convert` work offline. `get`, `apply`, `attach` and others send requests to an Armada server, or
/// to one that `serve` runs.
///
/// Each global option has an environment variable: `ARMADACTL_` and its name, such as
/// `ARMADACTL_OUTPUT` for `--output`. Of the options of commands only `--threads` has one.
#[derive(Debug, Parser)]
#[command(name = Root::NAME, version, max_term_width = 100, disable_help_subcommand = true)]
#[command(propagate_version = false, subcommand_required = true, arg_required_else_help = true)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
struct Root {
    #[command(flatten)]
    globals: Globals,
}

impl Root {
    const NAME: &'static str = "armadactl";
}

/// A command line.
#[derive(Debug)]
pub struct Cli {
    /// Flags that every command takes.
    pub globals: Globals,
    /// What to do.
    pub command: Command,
}

impl Cli {
    /// The definition of the command line.
    pub fn definition() -> clap::Command {
        // In this order, since each sets the description.
        Root::augment_args(Command::augment_subcommands(clap::Command::new(Root::NAME)))
    }

    /// Reads a command line, the program's name first.
    ///
    /// # Errors
    ///
    /// If the words are not a command line, or ask for help or the version.
    pub fn read(words: &[OsString]) -> Result<Self, clap::Error> {
        // The help and the suggestions of errors name other commands too.
        Self::parse(Self::definition_for(words), words)
            .or_else(|_| Self::parse(Self::definition(), words))
    }

    /// The definition with only those commands that a word names. Each command has a copy of each global
    /// flag: those of all commands cause 55 of 215 page faults of `armadactl version`.
    fn definition_for(words: &[OsString]) -> clap::Command {
        let all = Command::augment_subcommands(clap::Command::default());
        let is_named = |it: &&clap::Command| words.iter().any(|word| word == it.get_name());
        Root::command().subcommands(all.get_subcommands().filter(is_named).cloned())
    }

    fn parse(mut definition: clap::Command, words: &[OsString]) -> Result<Self, clap::Error> {
        let matches = definition.try_get_matches_from_mut(words)?;
        let read = |matches| {
            let globals = Globals::from_arg_matches(matches)?;
            Ok(Self { globals, command: Command::from_arg_matches(matches)? })
        };
        let mut cli = read(&matches).map_err(|error: clap::Error| error.format(&mut definition))?;
        let source = matches.value_source("output");
        cli.globals.is_output_flag = source == Some(ValueSource::CommandLine);
        cli.globals.words = words.to_vec();
        Ok(cli)
    }
}

/// What to do.
///
/// A command's help is the doc comment of its arguments. They are built only if the command is used: those of all
/// commands took a tenth of the time of `armadactl version`. Whoever needs them all calls `build` first.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    // Boxed, since it has about twice as many arguments as any other.
    Simulate(Box<simulate::SimulateArgs>),
    Validate(validate::ValidateArgs),
    Lint(Box<lint::LintArgs>),
    Test(test::TestArgs),
    Compare(compare::CompareArgs),
    Fmt(fmt::FmtArgs),
    Explain(explain::ExplainArgs),
    Convert(convert::ConvertArgs),
    Create(create::CreateArgs),
    Update(update::UpdateArgs),
    Apply(apply::ApplyArgs),
    Diff(diff::DiffArgs),
    Edit(edit::EditArgs),
    Delete(delete::DeleteArgs),
    Get(get::GetArgs),
    Attach(attach::AttachArgs),
    Detach(detach::DetachArgs),
    Cordon(cordon::CordonArgs),
    Uncordon(cordon::UncordonArgs),
    Wait(wait::WaitArgs),
    Watch(watch::WatchArgs),
    History(history::HistoryArgs),
    Login(login::LoginArgs),
    Logout(logout::LogoutArgs),
    Whoami(whoami::WhoamiArgs),
    Config(config::ConfigArgs),
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
        return complete::run(words, Cli::definition);
    }
    let cli = match Cli::read(&words) {
        Ok(cli) => cli,
        Err(error) => return parse_error::print(error, &words, &Cli::definition()),
    };
    finish(&cli, &mut cli.globals.ui())
}

/// Runs a command line as [`main`] does, and prints nothing: for those who need only the exit code.
#[cfg(feature = "internals")]
pub fn run_silently(words: impl IntoIterator<Item = OsString>) -> Exit {
    match Cli::read(&words.into_iter().collect::<Vec<_>>()) {
        Ok(cli) => finish(&cli, &mut Ui::silent(cli.globals.error_format.unwrap_or_default())),
        Err(_) => Exit::Usage,
    }
}

/// The completion script of a shell.
#[cfg(feature = "internals")]
pub fn completion_script(shell: clap_complete::Shell) -> String {
    completion::script(shell, &mut Cli::definition())
}

/// Runs a command and prints the error that ends it.
fn finish(cli: &Cli, ui: &mut Ui) -> Exit {
    let result = run(cli, ui).and_then(|exit| Ok(ui.flush().map(|()| exit)?));
    result.unwrap_or_else(|error| print_error(&error, &cli.globals, ui))
}

fn run(cli: &Cli, ui: &mut Ui) -> Result<Exit> {
    let mut context = Context { ui, globals: &cli.globals, definition: Cli::definition };
    match &cli.command {
        Command::Simulate(args) => simulate::run(&mut context, args),
        Command::Validate(args) => validate::run(&mut context, args),
        Command::Lint(args) => lint::run(&mut context, args),
        Command::Test(args) => test::run(&mut context, args),
        Command::Compare(args) => compare::run(&mut context, args),
        Command::Fmt(args) => fmt::run(&mut context, args),
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
        Command::Cordon(args) => cordon::cordon(&mut context, args),
        Command::Uncordon(args) => cordon::uncordon(&mut context, args),
        Command::Wait(args) => wait::run(&mut context, args),
        Command::Watch(args) => watch::run(&mut context, args),
        Command::History(args) => history::run(&mut context, args),
        Command::Login(args) => login::run(&mut context, args),
        Command::Logout(args) => logout::run(&mut context, args),
        Command::Whoami(args) => whoami::run(&mut context, args),
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
    use crate::commands::help_page::GROUPS;
    use crate::commands::unavailable::ARMADAS_OWN;

    #[test]
    fn every_command_is_in_one_group() {
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let root = Cli::definition();
        for command in root.get_subcommands() {
            let count = grouped.iter().filter(|name| **name == command.get_name()).count();
            assert_eq!(count, 1, "{}", command.get_name());
        }
        assert_eq!(grouped.len(), root.get_subcommands().count());
    }

    #[test]
    fn nothing_that_exists_is_listed_as_unavailable() {
        let mut root = Cli::definition();
        root.build();
        for word in ARMADAS_OWN {
            assert!(root.find_subcommand(word).is_none(), "{word} exists");
        }
    }
}
