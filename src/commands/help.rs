//! `help`: prints the help of a command.

use super::help_page::{USAGE_EXITS, arrange, arrange_global, global_options};
use super::line_tips::near;
use super::unavailable::unavailable_command;
use crate::cli::{Context, Exit, Refusal};
use crate::findings::Style;
use crate::report::wrap;
use crate::ui::Ui;
use anyhow::Result;
use clap::{Args, Command};
use std::fmt::Write;

const EXAMPLES: &str = "\
Examples:
  # Print the help of a command
  armadactl help simulate

  # List the options of all commands
  armadactl help global

  # List the exit codes
  armadactl help exit-codes";

/// The topics that are not commands.
pub(super) const HELP_TOPICS: [&str; 2] = ["exit-codes", "global"];

/// Print help for a command or topic
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = USAGE_EXITS)]
pub struct HelpArgs {
    /// A command, such as `simulate` or `explain decision`; `global`; or `exit-codes`
    #[arg(value_name = "TOPIC")]
    words: Vec<String>,
}

/// Prints the help.
pub fn run(context: &mut Context<'_>, args: &HelpArgs) -> Result<Exit> {
    context.globals.output("help", &[])?;
    let words: Vec<&str> = args.words.iter().map(String::as_str).collect();
    let text = match words.as_slice() {
        ["exit-codes"] => exit_codes(Ui::width()),
        ["global"] => long_help(context, &mut arrange_global(global_options())),
        _ => {
            let mut root = arrange((context.definition)());
            long_help(context, find_command(&mut root, &args.words, &HELP_TOPICS)?)
        }
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}

/// The help of a command, with colours as `--help` has them.
fn long_help(context: &Context<'_>, command: &mut Command) -> String {
    let help = command.render_long_help();
    match context.ui.style() {
        Style::Coloured => help.ansi().to_string(),
        Style::Plain => help.to_string(),
    }
}

/// The command of these words; `topics` are other words that may be meant.
pub(super) fn find_command<'c>(
    root: &'c mut Command,
    words: &[String],
    topics: &[&str],
) -> Result<&'c mut Command> {
    let path: Vec<&str> = words.iter().map(String::as_str).collect();
    words.iter().enumerate().try_fold(root, |command, (depth, word)| {
        let topics = if depth == 0 { topics } else { &[] };
        let names: Vec<String> =
            command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
        command.find_subcommand_mut(word).ok_or_else(|| {
            let unknown = || {
                let refusal = Refusal::usage(format!("unknown command `{word}`"));
                let known = names.iter().map(String::as_str);
                match near(word, known.chain(topics.iter().copied())) {
                    Some(name) => refusal.help(format!("did you mean `{name}`?")),
                    None if names.is_empty() => refusal,
                    None => {
                        let also = match topics {
                            [] => String::new(),
                            all => format!("; topics: {}", all.join(", ")),
                        };
                        refusal.help(format!("the commands are {}{also}", names.join(", ")))
                    }
                }
            };
            unavailable_command(&path).unwrap_or_else(unknown).into()
        })
    })
}

/// The table of exit codes, wrapped where there is a terminal.
fn exit_codes(width: Option<usize>) -> String {
    let mut text = String::new();
    for exit in Exit::ALL {
        let line = format!("{:>3}  {}", exit.code(), exit.meaning());
        let line = width.map_or_else(|| line.clone(), |width| wrap(&line, width, 5));
        let _ = writeln!(text, "{line}");
    }
    text
}
