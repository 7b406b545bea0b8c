//! `config`: the config file, and the context in use, without a server.

mod contexts;
mod file;

use crate::cli::{Context, Exit, Output};
use crate::config::redact;
use crate::report::{self, ConfigView};
use anyhow::Result;
use clap::{Args, Subcommand};
use file::load_file;

/// Show the config file, and choose the context in use
///
/// It is Armada's own file: `--config`, else `~/.armadactl.yaml`, else `armadactl-defaults.yaml`
/// beside the binary. No server is asked.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// List the contexts
    GetContexts,
    /// Print the name of the context in use
    CurrentContext,
    /// Use this context from now on
    ///
    /// Only `currentContext` changes in the file: comments and all other keys stay as they are.
    UseContext {
        /// The context
        name: String,
    },
    /// Print the config file without its secrets
    ///
    /// Shown are values of keys that Armada has and that hold no secret, such as `armadaUrl`, `username`,
    /// `clientId` and `scopes`. Every other value reads REDACTED: passwords, arguments and variables
    /// of `execAuth`, user and query of an address, keys that Armada does not have.
    View,
}

/// Runs the subcommand.
pub fn run(context: &mut Context<'_>, args: &ConfigArgs) -> Result<Exit> {
    match &args.command {
        ConfigCommand::GetContexts => contexts::list(context),
        ConfigCommand::CurrentContext => contexts::current(context),
        ConfigCommand::UseContext { name } => contexts::select(context, name),
        ConfigCommand::View => view(context),
    }
}

/// Prints the config file without its secrets, as YAML by default.
fn view(context: &mut Context<'_>) -> Result<Exit> {
    use Output::{Json, Table, Yaml};
    let output = context.globals.output("config view", &[Table, Json, Yaml])?;
    let file = load_file(context)?;
    let shown = redact(&file);
    let text = match output {
        Json => report::json(&ConfigView::new(&file.path().display().to_string(), shown)),
        _ => report::yaml(&shown)?,
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}
