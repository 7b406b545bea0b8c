//! `completion`: prints a completion script.

use crate::cli::{Context, Exit};
use anyhow::Result;
use clap::{Args, Command};
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  # Install the script for bash
  armadactl completion bash \\
      > ~/.local/share/bash-completion/completions/armadactl

  # Install the script for fish
  armadactl completion fish > ~/.config/fish/completions/armadactl.fish";

const EXITS: &str = "\
Exit codes:
  0  success
  2  invalid command line

Files:
  ~/.local/share/bash-completion/completions/armadactl  bash
  _armadactl, in a directory of $fpath                  zsh
  ~/.config/fish/completions/armadactl.fish             fish
  $PROFILE, at its end                                  powershell";

/// Print a completion script for a shell
///
/// The scripts of bash, zsh and fish also complete the names of policies, queues and contexts. If the
/// server does not list them within 200 ms, none are completed.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct CompletionArgs {
    /// The shell of the script
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script.
pub fn run(context: &mut Context<'_>, args: &CompletionArgs) -> Result<Exit> {
    context.globals.output("completion", &[])?;
    context.ui.data(&script(args.shell, &mut (context.definition)()))?;
    Ok(Exit::Done)
}

/// The completion script of a shell: that of clap and, for bash, zsh and fish, a call of `__complete`
/// for names that only a server or a file has.
pub(super) fn script(shell: Shell, definition: &mut Command) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, definition, "armadactl", &mut bytes);
    let script = String::from_utf8_lossy(&bytes).into_owned();
    match shell {
        Shell::Bash => {
            let script = with_commands_first(&script);
            with_live_names(&script, "_armadactl() {", include_str!("live.bash"), "\nif [[ ")
        }
        Shell::Zsh => {
            with_live_names(&script, "_armadactl() {", include_str!("live.zsh"), "if [ \"$funcs")
        }
        Shell::Fish => with_values(&script) + include_str!("live.fish"),
        _ => script,
    }
}

/// The bash script that lists commands before flags: bash keeps the order.
fn with_commands_first(script: &str) -> String {
    let line = |line: &str| {
        let Some(words) =
            line.trim_start().strip_prefix("opts=\"").and_then(|it| it.strip_suffix('"'))
        else {
            return line.to_owned();
        };
        let indent = &line[..line.len() - line.trim_start().len()];
        let (flags, words): (Vec<&str>, Vec<&str>) =
            words.split(' ').partition(|word| word.starts_with('-'));
        format!("{indent}opts=\"{}\"", [words, flags].concat().join(" "))
    };
    script.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// The fish script that completes the value of a flag before the command too: `armadactl --color <TAB>`.
///
/// The script of clap fails on a line whose last flag has no value yet.
fn with_values(script: &str) -> String {
    let parse = "    argparse -s (__fish_armadactl_global_optspecs) -- $cmd 2>/dev/null\n";
    let without_last =
        "    or argparse -s (__fish_armadactl_global_optspecs) -- $cmd[1..-2] 2>/dev/null\n";
    script.replacen(parse, &format!("{parse}{without_last}"), 1)
}

/// Renames the function of a script, and inserts one in its place that calls `__complete` first. It is
/// inserted before the last occurrence of `end`, where the script registers the function.
fn with_live_names(script: &str, function: &str, function_text: &str, end: &str) -> String {
    let renamed = function.replace("_armadactl", "_armadactl_static");
    let script = script.replacen(function, &renamed, 1);
    let at = script.rfind(end).unwrap_or(script.len());
    let (before, after) = script.split_at(at);
    format!("{before}{function_text}{after}")
}
