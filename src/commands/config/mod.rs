//! `config`: the config file, and the context in use. No server is asked.

mod contexts;
mod view;

use super::Context;
use crate::cli::Exit;
use crate::config::ConfigFile;
use anyhow::Result;
use clap::{Args, Subcommand};

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

/// Runs one of them.
pub fn run(context: &mut Context<'_>, args: &ConfigArgs) -> Result<Exit> {
    match &args.command {
        ConfigCommand::GetContexts => contexts::list(context),
        ConfigCommand::CurrentContext => contexts::current(context),
        ConfigCommand::UseContext { name } => contexts::choose(context, name),
        ConfigCommand::View => view::run(context),
    }
}

/// The config file, which has to be there, with the warning it deserves.
fn file(context: &mut Context<'_>) -> Result<ConfigFile> {
    let file = ConfigFile::require(&context.globals.server.places())?;
    if let Some(warning) = file.warning() {
        context.ui.note(&warning)?;
    }
    Ok(file)
}
