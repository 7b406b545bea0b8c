//! `completion`.

use super::Context;
use crate::cli::{Cli, Exit};
use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print a completion script for a shell
///
/// bash:        armadactl completion bash > ~/.local/share/bash-completion/completions/armadactl
/// zsh:         armadactl completion zsh > ~/.zfunc/_armadactl   (a folder in $fpath)
/// fish:        armadactl completion fish > ~/.config/fish/completions/armadactl.fish
/// powershell:  armadactl completion powershell >> $PROFILE
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct CompletionArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script.
pub fn run(context: &mut Context<'_>, args: &CompletionArgs) -> Result<Exit> {
    context.ui.data(&script(args.shell))?;
    Ok(Exit::Done)
}

/// The completion script of a shell.
pub fn script(shell: Shell) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "armadactl", &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
