//! Corrections for words of a command line that clap refuses.

use super::resource_args::{ResourceKind, is_file_name};
use crate::cli::{PartialLine, Refusal, long_flag};
use clap::builder::PossibleValue;
use clap::{Arg, Command};
use document::diag::misspelling_of;
use std::path::Path;

/// Flags of other tools, and the flag that is meant: the first of these that the command has.
const SYNONYMS: [(&[&str], &[&str]); 14] = [
    (
        &["file", "files", "filenames", "from-file", "input", "manifest", "manifests", "path"],
        &["filename"],
    ),
    (&["policy", "policies", "retrypolicy"], &["retry-policy", "filename"]),
    (&["histories", "record", "records", "recorded", "failures"], &["history", "against"]),
    (&["output-format", "format", "out"], &["output"]),
    (&["url", "server", "host", "address", "endpoint"], &["armada-rest-url"]),
    (&["timeout"], &["request-timeout"]),
    (&["kubeconfig", "config-file"], &["config"]),
    (&["silent"], &["quiet"]),
    (&["cacert", "ca-cert", "certificate-authority"], &["ca-file"]),
    (&["label", "labels", "label-selector"], &["selector", "labels"]),
    (&["scheduler", "settings"], &["scheduler-config"]),
    (&["executor", "executors", "categories"], &["executor-config"]),
    (&["jobs", "number", "parallel", "workers"], &["threads"]),
    (&["port", "addr", "bind"], &["listen"]),
];

/// Flags of kubectl and others that have no counterpart, each with what to write instead, of one command or of all.
const FOREIGN: [(&[&str], Option<&str>, &str); 5] = [
    (
        &["--write", "-w", "-i", "--in-place"],
        Some("fmt"),
        "leave it out: `fmt` writes unless `--check` or `--diff` is given",
    ),
    (
        &["--namespace", "-n", "--all-namespaces", "-A"],
        None,
        "leave it out: retry policies and queues are in no namespace",
    ),
    (&["--no-color", "--no-colour"], None, "write `--color never`"),
    (&["--json"], None, "write `-o json`"),
    (&["--yaml"], None, "write `-o yaml`"),
];

/// Commands of other tools, and what to write instead.
const FOREIGN_COMMANDS: [(&[&str], &str); 9] = [
    (
        &["init", "new", "scaffold", "generate"],
        "`armadactl explain retrypolicy --recursive` lists the fields of a policy, and `validate FILE` checks one",
    ),
    (&["check", "verify"], "write `validate FILE`"),
    (&["format"], "write `fmt FILE`"),
    (&["plan"], "write `diff FILE`, or `apply FILE --dry-run server`"),
    (
        &["list", "ls", "describe", "show"],
        "write `get retrypolicy` or `get queue`, with `-o wide` or `-o yaml`",
    ),
    (&["rm", "remove"], "write `delete retrypolicy NAME` or `delete queue NAME`"),
    (&["replay", "run"], "write `simulate -f POLICY --history HISTORY`"),
    (
        &["replace", "set", "patch"],
        "write `update -f FILE`, `update queue NAME` or `edit retrypolicy NAME`",
    ),
    (&["rollout", "rollback", "undo"], "apply the earlier file: `apply FILE`"),
];

/// The tip for an argument that a command does not take: a flag, or a word where it takes none.
pub(super) fn argument_tip(
    argument: &str,
    root: &Command,
    (line, words): (&PartialLine<'_>, &[String]),
) -> Option<String> {
    if !argument.starts_with('-') {
        return value_tip(argument, line.command, words).or_else(|| word_tip(argument, line));
    }
    let command = line.command.get_name();
    let foreign = FOREIGN
        .iter()
        .find(|(names, of, _)| names.contains(&argument) && of.is_none_or(|of| of == command));
    let foreign = || foreign.map(|(.., tip)| (*tip).to_owned());
    // The command takes words of its own, such as topics, so a misspelt subcommand is one of them.
    let first = line.positionals.first();
    if let Some(sub) = first.and_then(|word| near_subcommand(word, line.command)) {
        let path = line.path.join(" ");
        return Some(format!("did you mean `armadactl {path} {sub}`?"));
    }
    if let Some(tip) = outer_flag_tip(argument, root, line) {
        return Some(tip);
    }
    let Some(name) = argument.strip_prefix("--") else { return foreign() };
    other_command_tip(name, root, line).or_else(foreign).or_else(|| synonym_tip(name, line.command))
}

/// The tip for a word after a flag without value, or after the only value of a flag that takes a list.
fn value_tip(word: &str, command: &Command, words: &[String]) -> Option<String> {
    let at = words.iter().rposition(|one| one == word)?;
    let flag = |at: usize| {
        let name = words.get(at)?;
        let long = name.strip_prefix("--")?;
        Some((name, long_flag(command, long)?))
    };
    if let Some((name, arg)) = at.checked_sub(1).and_then(flag)
        && !arg.get_action().takes_values()
    {
        return Some(format!("`{name}` takes no value"));
    }
    let (name, arg) = at.checked_sub(2).and_then(flag)?;
    let delimiter = arg.get_value_delimiter()?;
    let first = &words[at - 1];
    Some(format!("write several values with `{delimiter}`: `{name} {first}{delimiter}{word}`"))
}

/// The command among the words that takes this very flag.
fn other_command_tip(name: &str, root: &Command, line: &PartialLine<'_>) -> Option<String> {
    let is_named = |sub: &&Command| {
        let word = sub.get_name();
        line.path.iter().chain(&line.positionals).any(|name| name == word)
    };
    let mut named = root.get_subcommands().filter(is_named);
    let sub = named.find(|sub| long_flag(sub, name).is_some())?;
    Some(format!("write `--{name}` after `{}`", sub.get_name()))
}

/// The tip for a flag that the command takes without its subcommand: `create queue -f FILE`.
fn outer_flag_tip(argument: &str, root: &Command, line: &PartialLine<'_>) -> Option<String> {
    let (sub, outer) = line.path.split_last()?;
    let command = outer.iter().try_fold(root, |command, name| command.find_subcommand(name))?;
    let is_flag = |arg: &&Arg| {
        arg.get_long().is_some_and(|long| argument.strip_prefix("--") == Some(long))
            || arg.get_short().is_some_and(|short| argument == format!("-{short}"))
    };
    let arg = command.get_arguments().find(is_flag).filter(|arg| !arg.is_global_set())?;
    let value = arg.get_value_names().and_then(|names| names.first());
    let value = value.map(|value| format!(" {value}")).unwrap_or_default();
    let outer = outer.join(" ");
    Some(format!("write `armadactl {outer} {argument}{value}`, without `{sub}`"))
}

/// The flag of this command for which another tool has this name.
fn synonym_tip(name: &str, command: &Command) -> Option<String> {
    let name = name.to_lowercase();
    let (_, flags) = SYNONYMS.iter().find(|(names, _)| names.contains(&name.as_str()))?;
    let flag = flags.iter().find_map(|flag| long_flag(command, flag))?;
    let long = flag.get_long()?;
    let value = flag.get_value_names().and_then(|names| names.first());
    let value = value.map(|value| format!(" {value}")).unwrap_or_default();
    Some(match flag.get_short() {
        Some(short) => format!("write `-{short}{value}` or `--{long}{value}`"),
        None => format!("write `--{long}{value}`"),
    })
}

/// The flag whose value a word is where a command takes no words.
fn word_tip(word: &str, line: &PartialLine<'_>) -> Option<String> {
    let has = |flag| long_flag(line.command, flag).is_some();
    if !has("filename") {
        return None;
    }
    let is_given = |names: &[&str]| {
        line.flags.iter().any(|flag| names.contains(&flag.split('=').next().unwrap_or(flag)))
    };
    if !has("history") && !is_file_name(word) && !Path::new(word).exists() {
        return Some("policies are read from files: write `-f FILE`".to_owned());
    }
    let (file, history) = (format!("`-f {word}`"), format!("`--history {word}`"));
    Some(match (has("history"), is_given(&["-f", "--filename"]), is_given(&["--history"])) {
        (true, true, false) => format!("write {history}"),
        (true, false, true) | (false, ..) => format!("write {file}"),
        _ => format!("write {file} for policies, {history} for a history"),
    })
}

/// The tip for flags that are missing: the history that was given as another file, or the values of a flag.
pub(super) fn missing_tip(missing: &[String], line: &PartialLine<'_>) -> Option<String> {
    let flags = missing.iter().filter_map(|usage| usage.strip_prefix("--")?.split(' ').next());
    flags.into_iter().find_map(|flag| {
        let is_history = |word: &&String| {
            let ending = Path::new(word).extension();
            ending.is_some_and(|ending| ending == "jsonl" || ending == "ndjson")
        };
        if let (true, Some(file)) = (flag == "history", line.positionals.iter().find(is_history)) {
            return Some(format!("write `--history {file}`"));
        }
        let values = long_flag(line.command, flag)?.get_possible_values();
        let names: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
        (!names.is_empty()).then(|| format!("`--{flag}` is one of {}", names.join(", ")))
    })
}

/// The tip for a word that is not a subcommand: a file, a command of another tool, or the name of a resource without its
/// kind.
pub(super) fn subcommand_tip(word: &str, line: &PartialLine<'_>) -> Option<String> {
    let command = line.command;
    if is_file_name(word) && long_flag(command, "filename").is_some() {
        return Some(format!("for a file write `-f {word}`"));
    }
    if line.path.is_empty() {
        let foreign = FOREIGN_COMMANDS.iter().find(|(names, _)| names.contains(&word));
        return foreign.map(|(_, tip)| (*tip).to_owned());
    }
    let subcommands = command.get_subcommands().map(Command::get_name);
    let kinds = subcommands.filter(|name| ResourceKind::parse(name).is_some());
    let path = line.path.join(" ");
    let lines: Vec<String> = kinds.map(|kind| format!("`{path} {kind} {word}`")).collect();
    (!lines.is_empty()).then(|| format!("write the kind first: {}", lines.join(" or ")))
}

/// The subcommand that a word misspells.
pub(super) fn near_subcommand<'c>(word: &str, command: &'c Command) -> Option<&'c str> {
    let names = command
        .get_subcommands()
        .flat_map(|sub| std::iter::once(sub.get_name()).chain(sub.get_visible_aliases()));
    near(word, names)
}

/// The flag that a word misspells.
pub(super) fn near_flag<'c>(name: &str, command: &'c Command) -> Option<&'c str> {
    let flags = command.get_arguments().filter(|arg| !arg.is_hide_set());
    near(name, flags.filter_map(Arg::get_long))
}

/// The only name that begins with a word of at least three letters, a quarter of the name, else the one that it
/// misspells: the flag `--all` is not `--allow-insecure-auth`.
pub(super) fn near<'c>(word: &str, names: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let names: Vec<&str> = names.collect();
    let is_start =
        |name: &str| name.starts_with(word) && word.len() >= 3.max(name.len().div_ceil(4));
    let mut longer = names.iter().filter(|name| is_start(name));
    let only = longer.next().filter(|_| longer.next().is_none());
    only.copied().or_else(|| misspelling_of(word, names))
}

/// The refusal of `-h FILE`, which is meant as `--history FILE`: of a command with that flag, before a word.
pub(super) fn history_after_help(root: &Command, words: &[String]) -> Option<Refusal> {
    let at = words.iter().position(|word| word == "-h")?;
    let line = PartialLine::read(root, words.iter().take(at).skip(1).map(String::as_str));
    let file = words.get(at + 1).filter(|word| !word.starts_with('-') || *word == "-")?;
    let flag =
        ["history", "against"].into_iter().find(|flag| long_flag(line.command, flag).is_some())?;
    let refusal = Refusal::usage(format!("`-h` prints help, and takes no value such as `{file}`"));
    Some(refusal.help(format!("write `--{flag} {file}`")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::Cli;

    #[test]
    fn every_synonym_is_of_a_flag_that_a_command_has_and_is_none_itself() {
        let mut root = Cli::definition();
        root.build();
        let commands = || {
            root.get_subcommands().flat_map(|one| [one].into_iter().chain(one.get_subcommands()))
        };
        for (names, flags) in SYNONYMS {
            for flag in flags {
                assert!(commands().any(|command| long_flag(command, flag).is_some()), "{flag}");
            }
            for name in names {
                let has_counterpart = |command: &&Command| {
                    long_flag(command, name).is_none()
                        && flags.iter().any(|flag| long_flag(command, flag).is_some())
                };
                assert!(commands().any(|command| has_counterpart(&command)), "{name}");
            }
        }
        for (names, of, _) in FOREIGN {
            let concerned =
                || commands().filter(|command| of.is_none_or(|of| of == command.get_name()));
            assert!(concerned().next().is_some(), "{of:?}");
            for name in names.iter().filter_map(|name| name.strip_prefix("--")) {
                assert!(concerned().all(|command| long_flag(command, name).is_none()), "{name}");
            }
        }
        for name in FOREIGN_COMMANDS.iter().flat_map(|(names, _)| *names) {
            assert!(root.find_subcommand(name).is_none(), "{name}");
        }
    }
}
