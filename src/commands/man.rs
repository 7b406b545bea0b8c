//! `man`: prints a manual page.

use super::help::find_command;
use crate::cli::{Context, Exit};
use anyhow::Result;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  armadactl man | man -l -
  armadactl man simulate > armadactl-simulate.1";

/// Print a manual page
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ManArgs {
    /// The command, such as `simulate` or `explain decision`; none for the main page
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

/// Prints the page.
pub fn run(context: &mut Context<'_>, args: &ManArgs) -> Result<Exit> {
    context.globals.output("man", &[])?;
    let mut root = (context.definition)();
    root.build();
    let command = find_command(&mut root, &args.words)?.clone();
    let name = command.get_bin_name().unwrap_or("armadactl").replace(' ', "-");
    let mut page = Vec::new();
    clap_mangen::Man::new(command).title(name).render(&mut page)?;
    context.ui.data(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Done)
}
