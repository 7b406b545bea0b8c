//! `completion`.

use super::Context;
use crate::cli::{Cli, Exit};
use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

const EXAMPLES: &str = "\
Where each shell looks:
  bash        ~/.local/share/bash-completion/completions/armadactl
  zsh         _armadactl in a directory of $fpath
  fish        ~/.config/fish/completions/armadactl.fish
  powershell  armadactl completion powershell >> $PROFILE";

/// Print a completion script for a shell
///
/// bash, zsh and fish also complete the names of policies, queues and contexts. A server has 200 ms
/// to list them; without an answer none are completed.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct CompletionArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script.
pub fn run(context: &mut Context<'_>, args: &CompletionArgs) -> Result<Exit> {
    context.globals.output("completion", &[])?;
    context.ui.data(&script(args.shell))?;
    Ok(Exit::Done)
}

/// The completion script of a shell: what clap knows and, for bash, zsh and fish, the asking for
/// names that only a server or a file holds.
pub fn script(shell: Shell) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "armadactl", &mut bytes);
    let script = String::from_utf8_lossy(&bytes).into_owned();
    match shell {
        Shell::Bash => asking(&script, "_armadactl() {", include_str!("live.bash"), "\nif [[ "),
        Shell::Zsh => asking(&script, "_armadactl() {", include_str!("live.zsh"), "if [ \"$funcs"),
        Shell::Fish => with_values(&script) + include_str!("live.fish"),
        _ => script,
    }
}

/// The fish script that completes the value of a flag before the command too: `armadactl --color <TAB>`.
///
/// clap's refuses a line whose last flag has no value yet, and completes nothing then.
fn with_values(script: &str) -> String {
    let parse = "    argparse -s (__fish_armadactl_global_optspecs) -- $cmd 2>/dev/null\n";
    let without_last =
        "    or argparse -s (__fish_armadactl_global_optspecs) -- $cmd[1..-2] 2>/dev/null\n";
    script.replacen(parse, &format!("{parse}{without_last}"), 1)
}

/// The script with its function under another name, and one in its place that asks first. It goes
/// before the last place of `end`, where the script is put to use.
fn asking(script: &str, function: &str, asks: &str, end: &str) -> String {
    let renamed = function.replace("_armadactl", "_armadactl_static");
    let script = script.replacen(function, &renamed, 1);
    let at = script.rfind(end).unwrap_or(script.len());
    let (before, after) = script.split_at(at);
    format!("{before}{asks}{after}")
}
