//! What is being typed, by the words before it.

use super::super::target::Kind;
use crate::cli::{Cli, PartialLine};
use clap::{Arg, Command, CommandFactory};

/// What the last word may become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The word for a kind of resource.
    Kinds(&'static [Kind]),
    /// The name of one.
    Names(Kind),
    /// The name of a context.
    Contexts,
    /// Something that `explain` explains.
    Topics,
    /// One of these words.
    Words(Vec<String>),
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    /// What it is.
    pub wanted: Wanted,
    /// What stands before it in the same word, such as `queue/`.
    pub before: String,
    /// What of it is typed.
    pub typed: String,
    /// What has been given already.
    pub given: Vec<String>,
    /// The flags so far, with their values.
    pub flags: Vec<String>,
}

const BOTH: &[Kind] = &[Kind::Policy, Kind::Queue];

/// The commands that take `TYPE NAME..`.
const ABOUT: [(&str, &[Kind]); 9] = [
    ("create", BOTH),
    ("get", BOTH),
    ("attach", &[Kind::Policy]),
    ("detach", &[Kind::Policy]),
    ("cordon", &[Kind::Queue]),
    ("uncordon", &[Kind::Queue]),
    ("delete", BOTH),
    ("update", BOTH),
    ("edit", &[Kind::Policy]),
];

impl Asked {
    /// What the last of these words may become, if that is known.
    pub fn of(words: &[String]) -> Option<Self> {
        let words = joined(words);
        let (typed, words) = words.split_last()?;
        let mut root = Cli::command();
        root.build();
        let line = PartialLine::read(&root, words.iter().map(String::as_str));
        if let Some(flag) = line.pending {
            return value(line, flag, "", typed);
        }
        if let Some((flag, text)) = typed.split_once('=') {
            let arg = line.long(flag.strip_prefix("--")?)?;
            return value(line, arg, &format!("{flag}="), text);
        }
        if typed.starts_with('-') { None } else { positional(&root, line, typed) }
    }
}

/// What the value of a flag may become.
fn value(line: PartialLine<'_>, flag: &Arg, before: &str, typed: &str) -> Option<Asked> {
    let (list, typed) = match (flag.get_long()?, typed.rsplit_once(',')) {
        ("retry-policy" | "retry-policies", Some((list, typed))) => (format!("{list},"), typed),
        _ => (String::new(), typed),
    };
    let wanted = match flag.get_long()? {
        "context" => Wanted::Contexts,
        "queue" => Wanted::Names(Kind::Queue),
        "retry-policy" | "retry-policies" => Wanted::Names(Kind::Policy),
        _ => return None,
    };
    // The flag itself is not finished.
    let mut flags = line.flags;
    if before.is_empty() {
        flags.pop();
    }
    let given = list.split(',').map(str::to_owned).collect();
    Some(Asked { wanted, before: before.to_owned() + &list, typed: typed.to_owned(), given, flags })
}

fn positional(root: &Command, line: PartialLine<'_>, typed: &str) -> Option<Asked> {
    let path: Vec<&str> = line.path.iter().map(String::as_str).collect();
    let (wanted, before, typed) = match (path.as_slice(), line.positionals.first()) {
        (["config", "use-context"], None) => (Wanted::Contexts, "", typed),
        (["explain"], None) => (Wanted::Topics, "", typed),
        (["completion"], None) => (Wanted::Words(values(line.command)), "", typed),
        (["help" | "man"], _) => (Wanted::Words(documented(root, &line)?), "", typed),
        // What is created has a name of its own.
        ([command, kind], _) if *command != "create" => (Wanted::Names(Kind::of(kind)?), "", typed),
        ([command], first) => about(command, first.map(String::as_str), typed)?,
        _ => return None,
    };
    let (before, typed) = (before.to_owned(), typed.to_owned());
    Some(Asked { wanted, before, typed, given: line.positionals, flags: line.flags })
}

/// The values that a command's words may have.
fn values(command: &Command) -> Vec<String> {
    let values = command.get_positionals().flat_map(Arg::get_possible_values);
    values.map(|value| value.get_name().to_owned()).collect()
}

/// The words that `help` and `man` take after those of the line.
fn documented(root: &Command, line: &PartialLine<'_>) -> Option<Vec<String>> {
    let mut words = line.positionals.iter();
    let command = words.try_fold(root, |command, word| command.find_subcommand(word))?;
    let names = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    let mut names: Vec<String> = names.map(|sub| sub.get_name().to_owned()).collect();
    if line.positionals.is_empty() && line.path == ["help"] {
        names.push("exit-codes".to_owned());
    }
    Some(names)
}

/// What a word of `TYPE NAME..` or `TYPE/NAME..` may become, what stands before it, and the rest.
fn about<'t>(
    command: &str,
    first: Option<&str>,
    typed: &'t str,
) -> Option<(Wanted, &'t str, &'t str)> {
    let (_, kinds) = ABOUT.iter().find(|(name, _)| *name == command)?;
    let of = |word: &str| Kind::of(word).filter(|kind| kinds.contains(kind));
    if let (true, Some(slash)) = (first.is_none_or(|word| word.contains('/')), typed.find('/')) {
        let (before, typed) = typed.split_at(slash + 1);
        return Some((Wanted::Names(of(before.trim_end_matches('/'))?), before, typed));
    }
    match first {
        None => Some((Wanted::Kinds(kinds), "", typed)),
        Some(kind) => Some((Wanted::Names(of(kind)?), "", typed)),
    }
}

/// The words as they were typed: bash takes them apart at `=` and `:`.
fn joined(words: &[String]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::with_capacity(words.len());
    let mut glue = false;
    for word in words {
        let mark =
            word == ":" || (word == "=" && joined.last().is_some_and(|w| w.starts_with("--")));
        match joined.last_mut() {
            // `--flag` `=` `value` are two words for whoever completes the second.
            Some(_) if mark && word == "=" => {
                glue = false;
                continue;
            }
            Some(last) if mark || glue => last.push_str(word),
            _ => joined.push(word.clone()),
        }
        glue = mark;
    }
    if words.last().is_some_and(|word| word == "=") {
        joined.push(String::new());
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Option<(Wanted, String, String)> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        Asked::of(&words).map(|asked| (asked.wanted, asked.before, asked.typed))
    }

    #[test]
    fn what_is_typed_is_known_by_what_is_before_it() {
        let policies = || Wanted::Names(Kind::Policy);
        let queues = || Wanted::Names(Kind::Queue);
        for (line, wanted, before, typed) in [
            ("get ", Wanted::Kinds(BOTH), "", ""),
            ("attach r", Wanted::Kinds(&[Kind::Policy]), "", "r"),
            ("get queue a", queues(), "", "a"),
            ("-v --context dev get -o json RP inf", policies(), "", "inf"),
            ("get queue/a queue/", queues(), "queue/", ""),
            ("cordon queue x ", queues(), "", ""),
            ("attach rp a --queue m", queues(), "", "m"),
            ("attach rp a --queue=m", queues(), "--queue=", "m"),
            ("attach rp a --queue = m", queues(), "", "m"),
            ("attach rp a --queue =", queues(), "", ""),
            ("get -c d", Wanted::Contexts, "", "d"),
            ("config use-context ", Wanted::Contexts, "", ""),
            ("explain retry", Wanted::Topics, "", "retry"),
            (
                "help explain d",
                Wanted::Words(vec!["decision".to_owned(), "round".to_owned()]),
                "",
                "d",
            ),
            ("man simulate x", Wanted::Words(Vec::new()), "", "x"),
        ] {
            let expected = (wanted, before.to_owned(), typed.to_owned());
            assert_eq!(asked(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn elsewhere_nothing_is_offered() {
        for line in
            ["", "g", "simulate ", "get pod a", "cordon rp/", "get -", "get --sel", "-o ", "man x "]
        {
            assert_eq!(asked(line), None, "{line}");
        }
    }

    #[test]
    fn an_address_survives_bash() {
        let line = "get --armada-rest-url http : //h : 80 rp a";
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        assert_eq!(Asked::of(&words).unwrap().flags, ["--armada-rest-url", "http://h:80"]);
    }
}
