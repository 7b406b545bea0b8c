//! `help`.

use super::unavailable::unavailable_command;
use crate::cli::{Context, Exit, Refusal};
use crate::diag::misspelling_of;
use crate::report::wrap;
use anyhow::Result;
use clap::{Args, Command};
use std::fmt::Write;

/// Print help for a command, or `help exit-codes`
#[derive(Debug, Args)]
pub struct HelpArgs {
    /// The command, such as `simulate` or `explain decision`; or `exit-codes`
    #[arg(value_name = "TOPIC")]
    words: Vec<String>,
}

/// Prints the help.
pub fn run(context: &mut Context<'_>, args: &HelpArgs) -> Result<Exit> {
    context.globals.output("help", &[])?;
    let text = if args.words == ["exit-codes"] {
        exit_codes(context.ui.width())
    } else {
        let mut root = (context.definition)();
        root.build();
        find_command(&mut root, &args.words)?.render_long_help().to_string()
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}

/// The command of these words.
pub(super) fn find_command<'c>(root: &'c mut Command, words: &[String]) -> Result<&'c mut Command> {
    let path: Vec<&str> = words.iter().map(String::as_str).collect();
    words.iter().try_fold(root, |command, word| {
        let names: Vec<String> =
            command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
        command.find_subcommand_mut(word).ok_or_else(|| {
            let unknown = || {
                let refusal = Refusal::usage(format!("unknown command `{word}`"));
                match misspelling_of(word, names.iter().map(String::as_str)) {
                    Some(name) => refusal.help(format!("did you mean `{name}`?")),
                    None if names.is_empty() => refusal,
                    None => refusal.help(format!("the commands are {}", names.join(", "))),
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
