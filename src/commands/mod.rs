//! The commands: one file each, with its arguments and what it does.
//!
//! This room joins everything; nothing joins it. A command reads its inputs, asks the domain, and
//! hands the answer to a renderer.

pub mod apply;
pub mod attach;
mod complete;
pub mod completion;
pub mod config;
mod connect;
pub mod convert;
pub mod cordon;
pub mod create;
pub mod delete;
pub mod detach;
pub mod diff;
mod dry_run;
pub mod edit;
pub mod explain;
mod explain_decision;
pub mod get;
pub mod help;
mod known;
mod load;
pub mod man;
mod policy_list;
mod policy_set;
mod queue_change;
mod resources;
pub mod serve;
pub mod simulate;
pub mod systems;
mod target;
pub mod update;
pub mod validate;
pub mod version;

use crate::cli::{Cli, Command, Exit, Output, Refusal, Wanted, armadas_own};
use crate::client::ClientError;
use crate::config::ConfigError;
use crate::diag::printable;
use crate::report;
use crate::ui::{ColorChoice, ErrorFormat, Ui};
use anyhow::Result;
use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;

/// Everything a command gets besides its arguments.
pub struct Context<'a> {
    /// The streams.
    pub ui: &'a mut Ui,
    /// The global flags.
    pub globals: &'a crate::cli::Globals,
}

/// Parses a command line, runs it and prints what stopped it.
pub fn main(words: impl IntoIterator<Item = OsString>) -> Exit {
    let words: Vec<OsString> = words.into_iter().collect();
    if words.get(1).is_some_and(|word| word == complete::WORD) {
        let words = words.iter().skip(2).filter(|word| *word != "--");
        return complete::run(words.map(|word| word.to_string_lossy().into_owned()).collect());
    }
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => return unparsed(error, &words),
    };
    finish(&cli, &mut cli.globals.ui())
}

/// Runs a command line as [`main`] does, and prints nothing: for those who need only the exit code.
pub fn run_silently(words: impl IntoIterator<Item = OsString>) -> Exit {
    match Cli::try_parse_from(words) {
        Ok(cli) => finish(&cli, &mut Ui::silent(cli.globals.error_format.unwrap_or_default())),
        Err(_) => Exit::Usage,
    }
}

/// Runs a command and prints what stopped it.
fn finish(cli: &Cli, ui: &mut Ui) -> Exit {
    let result = run(cli, ui).and_then(|exit| Ok(ui.flush().map(|()| exit)?));
    match result {
        Ok(exit) => exit,
        Err(error) => stopped(&error, cli, ui),
    }
}

fn run(cli: &Cli, ui: &mut Ui) -> Result<Exit> {
    let mut context = Context { ui, globals: &cli.globals };
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

/// Help and version are no errors; an unknown command may be one of Armada's own.
fn unparsed(mut error: clap::Error, words: &[OsString]) -> Exit {
    // The words stand in the message as they are: those that could steer a terminal must not.
    let clean = words.iter().map(|word| printable(&word.to_string_lossy()).into_owned());
    if let Err(same) = Cli::try_parse_from(clean) {
        error = same;
    }
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(hint) = armadas_own(word)
    {
        // Nobody who says `submit` means `simulate`.
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
    let help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if !help && wants_json(words) {
        let mut ui = Ui::new(ColorChoice::default(), ErrorFormat::default(), false);
        let _ = ui.data(&error_report(&usage(&error))).and_then(|()| ui.flush());
    }
    // A closed pipe is nobody's fault.
    let _ = error.print();
    if help { Exit::Done } else { Exit::Usage }
}

/// What clap says of a command line, as a refusal: its message without the usage, its tips as help.
fn usage(error: &clap::Error) -> Refusal {
    let text = error.to_string();
    let text = text.split("\nUsage:").next().unwrap_or_default();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (tips, words): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("tip: "));
    let message = words.join(" ");
    let refusal = Refusal::usage(message.trim_start_matches("error: "));
    let tips: Vec<&str> = tips.iter().map(|tip| tip.trim_start_matches("tip: ")).collect();
    if tips.is_empty() { refusal } else { refusal.help(tips.join("; ")) }
}

fn error_report(refusal: &Refusal) -> String {
    let Refusal { exit, message, help, findings } = refusal;
    report::json(&report::ErrorReport::new(exit.code(), message, help.as_deref(), findings))
}

/// Whether a command line that cannot be parsed asks for JSON.
fn wants_json(words: &[OsString]) -> bool {
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    let given = words.iter().any(|word| word.starts_with("-o") || word.starts_with("--output"));
    if !given {
        return std::env::var_os("ARMADACTL_OUTPUT").is_some_and(|form| form == "json");
    }
    let split =
        words.windows(2).any(|pair| matches!(pair[0], "-o" | "--output") && pair[1] == "json");
    split || words.iter().any(|word| matches!(*word, "-ojson" | "-o=json" | "--output=json"))
}

/// What stopped a command, with its exit code and the way out.
fn refusal(error: &anyhow::Error) -> Refusal {
    if let Some(refusal) = error.downcast_ref::<Refusal>() {
        refusal.clone()
    } else if let Some(error) = error.downcast_ref::<ConfigError>() {
        error.into()
    } else if let Some(error) = error.downcast_ref::<ClientError>() {
        error.into()
    } else {
        Refusal::input(format!("{error:#}"))
    }
}

/// Prints what stopped a command: findings, or a message with its way out.
fn stopped(error: &anyhow::Error, cli: &Cli, ui: &mut Ui) -> Exit {
    let closed = |cause: &(dyn std::error::Error + 'static)| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(closed) {
        return Exit::Done;
    }
    let refusal = &refusal(error);
    // Nothing is left to be done if these cannot be printed either.
    let _ = match refusal.findings.as_slice() {
        [] => ui.error(&refusal.message, refusal.help.as_deref()),
        findings => ui.diagnostics(findings).and_then(|()| match &refusal.help {
            Some(help) => ui.note(&format!("help: {}", printable(help))),
            None => Ok(()),
        }),
    };
    if cli.globals.output == Some(Wanted::Known(Output::Json)) {
        let _ = ui.data(&error_report(refusal));
    }
    let _ = ui.flush();
    refusal.exit
}
