//! `config`: the config file, and the context in use, without a server.

mod contexts;

use crate::cli::{Context, Exit, Output};
use crate::report::{self, ConfigView};
use anyhow::Result;
use clap::{Args, Subcommand};
use client::config::redact;
use contexts::load_file;

const EXAMPLES: &str = "\
Examples:
  # List the contexts
  armadactl config get-contexts

  # Select a context
  armadactl config use-context dev";

const EXITS: &str = "\
Exit codes:
  0  success
  2  invalid command line
  3  invalid config file, or a context that does not exist

Files:
  ~/.armadactl.yaml        the config file
  armadactl-defaults.yaml  the same, beside the binary";

/// Show the config file, and select the context
///
/// The file is that of Armada's own armadactl: `--config`, else `~/.armadactl.yaml`, else
/// `armadactl-defaults.yaml` beside the binary. No requests are sent.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

const GET_CONTEXTS_EXAMPLES: &str = "\
Examples:
  # List the contexts, and mark the current one
  armadactl config get-contexts";

const CURRENT_CONTEXT_EXAMPLES: &str = "\
Examples:
  # Print the name of the current context
  armadactl config current-context";

const USE_CONTEXT_EXAMPLES: &str = "\
Examples:
  # Use the context `dev` from now on
  armadactl config use-context dev";

const VIEW_EXAMPLES: &str = "\
Examples:
  # Print the config file
  armadactl config view

  # Print it as JSON
  armadactl config view -o json";

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// List the contexts of the config file
    #[command(before_long_help = GET_CONTEXTS_EXAMPLES)]
    GetContexts,
    /// Print the name of the current context
    #[command(before_long_help = CURRENT_CONTEXT_EXAMPLES)]
    CurrentContext,
    /// Select the current context
    ///
    /// Only `currentContext` changes in the file. Comments and all other keys are kept.
    #[command(before_long_help = USE_CONTEXT_EXAMPLES)]
    UseContext {
        /// The name of the context
        name: String,
    },
    /// Print the config file without its secrets
    ///
    /// Printed are the values of keys that Armada has and that hold no secret, such as `armadaUrl`,
    /// `username`, `clientId` and `scopes`. All other values are printed as REDACTED: passwords,
    /// arguments and variables of `execAuth`, user and query of an address, and unknown keys.
    #[command(before_long_help = VIEW_EXAMPLES)]
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
