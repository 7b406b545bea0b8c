//! The help and version that clap prints, and errors of command lines that clap refuses: a message, an exit code,
//! and a suggestion only where a name is a few letters away.

use super::help_page;
use super::unavailable::{unavailable_command, unavailable_flag};
use crate::cli::{Exit, PartialLine, Refusal, long_flag};
use crate::diag::{misspelling_of, printable};
use crate::ui::{ColorChoice, ErrorFormat, Ui};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, ValueEnum};
use std::ffi::OsString;

/// Prints help, the version, or the error of these words.
pub(super) fn print(error: clap::Error, words: &[OsString], definition: &Command) -> Exit {
    let error = with_layout(error, words, definition);
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        // A closed pipe is not an error.
        let _ = error.print();
        return Exit::Done;
    }
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let mut root = definition.clone();
    root.build();
    let line = PartialLine::read(&root, words.iter().skip(1).map(String::as_str));
    let unavailable = unavailable(&error, &line);
    let error = with_own_tips(without_controls(error, &words, definition), &root, &line);
    let refusal = unavailable.clone().unwrap_or_else(|| refusal(&error));
    let format = error_format(&words);
    let mut ui = Ui::new(ColorChoice::default(), format, false);
    if is_json(&words) {
        let _ = ui.data(&refusal.json()).and_then(|()| ui.flush());
    }
    let _ = if unavailable.is_none() && format == ErrorFormat::Human && is_environment_printable() {
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
fn with_own_tips(mut error: clap::Error, root: &Command, line: &PartialLine<'_>) -> clap::Error {
    use ContextKind::{
        InvalidArg, InvalidSubcommand, InvalidValue, Suggested, SuggestedArg, SuggestedSubcommand,
        SuggestedValue, Usage, ValidValue,
    };
    for kind in [Suggested, SuggestedArg, SuggestedSubcommand, SuggestedValue] {
        error.remove(kind);
    }
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let tip = match error.kind() {
        ErrorKind::UnknownArgument => text(InvalidArg).and_then(|flag| flag_tip(&flag, root, line)),
        ErrorKind::InvalidSubcommand => text(InvalidSubcommand).and_then(|word| {
            let names = line
                .command
                .get_subcommands()
                .flat_map(|sub| std::iter::once(sub.get_name()).chain(sub.get_visible_aliases()));
            let near = misspelling_of(&word, names)?;
            Some((SuggestedSubcommand, ContextValue::String(near.to_owned())))
        }),
        ErrorKind::InvalidValue => match (text(InvalidValue), error.get(ValidValue)) {
            (Some(word), Some(ContextValue::Strings(known))) => {
                let near = misspelling_of(&word, known.iter().map(String::as_str));
                near.map(|near| (SuggestedValue, ContextValue::String(near.to_owned())))
            }
            _ => None,
        },
        _ => None,
    };
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

/// A flag that is a few letters away, or the command that takes this very flag.
fn flag_tip(
    flag: &str,
    root: &Command,
    line: &PartialLine<'_>,
) -> Option<(ContextKind, ContextValue)> {
    let name = flag.strip_prefix("--")?;
    let named = |sub: &&Command| {
        let word = sub.get_name();
        line.path.iter().chain(&line.positionals).any(|name| name == word)
    };
    if let Some(sub) =
        root.get_subcommands().filter(named).find(|sub| long_flag(sub, name).is_some())
    {
        let tip = format!("write `{flag}` after `{}`", sub.get_name());
        return Some((ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()])));
    }
    let flags = line.command.get_arguments().filter(|arg| !arg.is_hide_set());
    let near = misspelling_of(name, flags.filter_map(clap::Arg::get_long))?;
    Some((ContextKind::SuggestedArg, ContextValue::String(format!("--{near}"))))
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
