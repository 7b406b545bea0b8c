//! The help and version that clap prints, and errors of command lines that clap refuses: a message, an exit code,
//! and a suggestion only where a name is a few letters away.

use super::help_page;
use super::line_tips::{
    argument_tip, history_after_help, missing_tip, near_flag, near_subcommand, subcommand_tip,
};
use super::unavailable::{unavailable_command, unavailable_flag};
use crate::cli::{Exit, PartialLine, Refusal};
use crate::ui::{ColorChoice, ErrorFormat, Ui};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, ValueEnum};
use document::diag::{misspelling_of, printable};
use std::ffi::OsString;

/// Prints help, the version, or the error of these words.
pub(super) fn print(error: clap::Error, words: &[OsString], definition: &Command) -> Exit {
    let error = with_layout(error, words, definition);
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let mut root = definition.clone();
    root.build();
    let is_help = error.kind() == ErrorKind::DisplayHelp;
    let history = if is_help { history_after_help(&root, &words) } else { None };
    if history.is_none() && (is_help || error.kind() == ErrorKind::DisplayVersion) {
        // A closed pipe is not an error.
        let _ = error.print();
        return Exit::Done;
    }
    let line = PartialLine::read(&root, words.iter().skip(1).map(String::as_str));
    let own = history.or_else(|| unavailable(&error, &line));
    let error = with_own_tips(without_controls(error, &words, definition), &root, (&line, &words));
    let refusal = own.clone().unwrap_or_else(|| refusal(&error));
    let format = error_format(&words);
    let mut ui = Ui::new(ColorChoice::default(), format, false);
    if is_json(&words) {
        let _ = ui.data(&refusal.json(false)).and_then(|()| ui.flush());
    }
    let _ = if own.is_none() && format == ErrorFormat::Human && is_environment_printable() {
        error.print()
    } else {
        ui.error(&refusal.message, refusal.help.as_deref())
    };
    refusal.exit
}

/// Help with its layout: the words are parsed again, with a definition that other commands do without.
fn with_layout(error: clap::Error, words: &[OsString], definition: &Command) -> clap::Error {
    let is_help = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    if !is_help {
        return error;
    }
    help_page::arrange(definition.clone()).try_get_matches_from(words).err().unwrap_or(error)
}

/// The refusal of a command or flag that this version does not have, if that is the error.
fn unavailable(error: &clap::Error, line: &PartialLine<'_>) -> Option<Refusal> {
    let named = line.path.iter().chain(&line.positionals).map(String::as_str);
    let named: Vec<&str> = named.collect();
    match error.kind() {
        ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument => {}
        _ => return None,
    }
    unavailable_command(&named).or_else(|| match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(flag)) => unavailable_flag(&line.path.join(" "), flag),
        _ => None,
    })
}

/// The same error about words without control characters: its message quotes them.
fn without_controls(error: clap::Error, words: &[String], definition: &Command) -> clap::Error {
    let mut error = error;
    if words.iter().any(|word| printable(word) != *word) {
        let clean = words.iter().map(|word| printable(word).into_owned());
        error = definition.clone().try_get_matches_from(clean).err().unwrap_or(error);
    }
    // The value of an environment variable.
    if let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue) {
        let value = ContextValue::String(printable(value).into_owned());
        error.insert(ContextKind::InvalidValue, value);
    }
    error
}

/// Whether no variable that clap reads, and may quote, has control characters.
fn is_environment_printable() -> bool {
    let variables = std::env::vars_os();
    let ours = variables.filter(|(name, _)| name.to_string_lossy().starts_with("ARMADACTL_"));
    ours.map(|(_, value)| value.to_string_lossy().into_owned()).all(|v| printable(&v) == v)
}

/// The error with tips by edit distance. clap compares words by the letters they share, so that it suggests
/// `--allow-insecure-auth` for `--all`; its tip `-- --flag` makes a flag a name.
fn with_own_tips(
    mut error: clap::Error,
    root: &Command,
    (line, words): (&PartialLine<'_>, &[String]),
) -> clap::Error {
    use ContextKind::{Suggested, SuggestedArg, SuggestedSubcommand, SuggestedValue, Usage};
    for kind in [Suggested, SuggestedArg, SuggestedSubcommand, SuggestedValue] {
        error.remove(kind);
    }
    let tip = tip(&error, root, (line, words));
    if error.kind() == ErrorKind::UnknownArgument {
        // clap's usage holds the flag that it suggests.
        let usage = line.command.clone().render_usage();
        error.insert(Usage, ContextValue::StyledStr(usage));
    }
    if let Some((kind, value)) = tip {
        error.insert(kind, value);
    }
    error
}

/// The tip of our own for an error, and the kind of context as which clap prints it.
fn tip(
    error: &clap::Error,
    root: &Command,
    (line, words): (&PartialLine<'_>, &[String]),
) -> Option<(ContextKind, ContextValue)> {
    use ContextKind::{
        InvalidArg, InvalidSubcommand, InvalidValue, SuggestedArg, SuggestedSubcommand,
        SuggestedValue, ValidValue,
    };
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let argument = text(InvalidArg)?;
            let near = || near_flag(argument.strip_prefix("--")?, line.command);
            let near = || Some((SuggestedArg, ContextValue::String(format!("--{}", near()?))));
            argument_tip(&argument, root, (line, words)).map(own_tip).or_else(near)
        }
        ErrorKind::InvalidSubcommand => {
            let word = text(InvalidSubcommand)?;
            let near = near_subcommand(&word, line.command).map(str::to_owned);
            let near = near.map(|near| (SuggestedSubcommand, ContextValue::String(near)));
            near.or_else(|| subcommand_tip(&word, line).map(own_tip))
        }
        ErrorKind::MissingRequiredArgument => match error.get(InvalidArg) {
            Some(ContextValue::Strings(missing)) => missing_tip(missing, line).map(own_tip),
            _ => None,
        },
        ErrorKind::InvalidValue => match (text(InvalidValue)?, error.get(ValidValue)) {
            // Armada's own `create` takes this flag without a value.
            (word, _)
                if word.is_empty()
                    && text(InvalidArg).is_some_and(|arg| arg.starts_with("--dry-run")) =>
            {
                let tip = "`--dry-run client` checks the input alone, as `--dry-run` of Armada's own armadactl does; \
                           `--dry-run server` compares it with the server";
                Some(own_tip(tip.to_owned()))
            }
            (word, Some(ContextValue::Strings(known))) => {
                let near = misspelling_of(&word, known.iter().map(String::as_str));
                near.map(|near| (SuggestedValue, ContextValue::String(near.to_owned())))
            }
            _ => None,
        },
        _ => None,
    }
}

/// A tip in words of our own.
fn own_tip(tip: String) -> (ContextKind, ContextValue) {
    (ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]))
}

/// clap's error as a refusal: its message without the usage, its tips as help.
fn refusal(error: &clap::Error) -> Refusal {
    let text = error.to_string();
    let text = text.split("\nUsage:").next().unwrap_or_default();
    let text = text.split("\nFor more information").next().unwrap_or_default();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (tips, words): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("tip: "));
    let message = words.join(" ");
    let refusal = Refusal::usage(message.trim_start_matches("error: "));
    let tips: Vec<&str> = tips.iter().map(|tip| tip.trim_start_matches("tip: ")).collect();
    if tips.is_empty() { refusal } else { refusal.help(tips.join("; ")) }
}

/// The error format of these words, or of the environment.
fn error_format(words: &[String]) -> ErrorFormat {
    let word = flag_value(words, &["--error-format"])
        .or_else(|| std::env::var("ARMADACTL_ERROR_FORMAT").ok());
    word.and_then(|word| ErrorFormat::from_str(&word, false).ok()).unwrap_or_default()
}

/// Whether these words, or the environment, select JSON output.
fn is_json(words: &[String]) -> bool {
    let form = flag_value(words, &["-o", "--output"]);
    form.or_else(|| std::env::var("ARMADACTL_OUTPUT").ok()).is_some_and(|form| form == "json")
}

/// The value of a flag on a line that cannot be parsed, in any of the spellings that clap takes.
fn flag_value(words: &[String], names: &[&str]) -> Option<String> {
    words.iter().enumerate().rev().find_map(|(at, word)| {
        let name = names.iter().find(|name| word.starts_with(**name))?;
        match &word[name.len()..] {
            "" => words.get(at + 1).cloned(),
            rest => match rest.strip_prefix('=') {
                Some(value) => Some(value.to_owned()),
                None => (!name.starts_with("--")).then(|| rest.to_owned()),
            },
        }
    })
}
