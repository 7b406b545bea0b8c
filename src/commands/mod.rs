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
mod explain_round;
mod first_only;
pub mod get;
pub mod help;
mod known;
mod load;
pub mod man;
mod policy_list;
mod policy_set;
mod queue_change;
mod resources;
mod selection;
mod selector;
pub mod serve;
pub mod simulate;
pub mod systems;
mod target;
mod unparsed;
pub mod update;
pub mod validate;
pub mod version;

use crate::cli::{Cli, Command, Exit, Output, Refusal, Wanted};
use crate::client::ClientError;
use crate::config::ConfigError;
use crate::diag::printable;
use crate::report;
use crate::ui::Ui;
use anyhow::Result;
use std::ffi::OsString;

/// Everything a command gets besides its arguments.
pub struct Context<'a> {
    /// The streams.
    pub ui: &'a mut Ui,
    /// The global flags.
    pub globals: &'a crate::cli::Globals,
}

impl Context<'_> {
    /// The layout of a table: that of the terminal and the global flags.
    fn layout(&self, wide: bool) -> report::Layout {
        report::Layout {
            wide,
            headers: !self.globals.no_headers,
            width: self.ui.width(),
            style: self.ui.style(),
        }
    }
}

/// Parses a command line, runs it and prints what stopped it.
pub fn main(words: impl IntoIterator<Item = OsString>) -> Exit {
    let words: Vec<OsString> = words.into_iter().collect();
    if words.get(1).is_some_and(|word| word == complete::WORD) {
        let words = words.iter().skip(2).filter(|word| *word != "--");
        return complete::run(words.map(|word| word.to_string_lossy().into_owned()).collect());
    }
    let cli = match Cli::read(words.iter().cloned()) {
        Ok(cli) => cli,
        Err(error) => return unparsed::answer(error, &words),
    };
    finish(&cli, &mut cli.globals.ui())
}

/// Runs a command line as [`main`] does, and prints nothing: for those who need only the exit code.
pub fn run_silently(words: impl IntoIterator<Item = OsString>) -> Exit {
    match Cli::read(words) {
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

fn error_report(refusal: &Refusal) -> String {
    let Refusal { exit, message, help, findings, .. } = refusal;
    report::json(&report::ErrorReport::new(exit.code(), message, help.as_deref(), findings))
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
            _ if refusal.is_summary => ui.error(&refusal.message, refusal.help.as_deref()),
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
