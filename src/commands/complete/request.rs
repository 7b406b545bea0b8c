//! Finds what can complete the last word of a command line, from the words before it.

use crate::cli::PartialLine;
use crate::commands::report_files::SimulationFormat;
use crate::commands::resource_args::ResourceKind;
use crate::report::ReportFormat;
use clap::{Arg, Command};
use replay::history::failure_keys;

/// The candidates for a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Candidates {
    /// The word for a kind of resource.
    Kinds(&'static [ResourceKind]),
    /// The name of one.
    Names(ResourceKind),
    /// The name of a context.
    Contexts,
    /// A topic of `explain`.
    Topics,
    /// A limit that a sweep sets.
    Limits,
    /// One of these words.
    Words(Vec<String>),
}

/// The word to complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CompletionRequest {
    /// The candidates.
    pub candidates: Candidates,
    /// The part of the word before the candidates, such as `queue/`.
    pub word_start: String,
    /// The typed beginning of a candidate.
    pub prefix: String,
    /// Names that are on the line already.
    pub names: Vec<String>,
    /// The flags so far, with their values.
    pub flags: Vec<String>,
}

const BOTH: &[ResourceKind] = &[ResourceKind::Policy, ResourceKind::Queue];

/// The commands that take `TYPE NAME..`.
const RESOURCE_COMMANDS: [(&str, &[ResourceKind]); 10] = [
    ("create", BOTH),
    ("get", BOTH),
    ("attach", &[ResourceKind::Policy]),
    ("detach", &[ResourceKind::Policy]),
    ("cordon", &[ResourceKind::Queue]),
    ("uncordon", &[ResourceKind::Queue]),
    ("delete", BOTH),
    ("update", BOTH),
    ("edit", &[ResourceKind::Policy]),
    ("wait", BOTH),
];

impl CompletionRequest {
    /// The request to complete the last of these words; `None` if no candidates are known. `root` has to be
    /// built.
    pub fn parse(words: &[String], root: &Command) -> Option<Self> {
        let words = rejoin(words);
        let (prefix, words) = words.split_last()?;
        let line = PartialLine::read(root, words.iter().map(String::as_str));
        if let Some(flag) = line.flag_without_value {
            return flag_value(line, flag, "", prefix);
        }
        if let Some((flag, text)) = prefix.split_once('=') {
            let arg = line.long(flag.strip_prefix("--")?)?;
            return flag_value(line, arg, &format!("{flag}="), text);
        }
        if prefix.starts_with('-') { None } else { positional(root, line, prefix) }
    }
}

/// The request to complete the value of a flag.
fn flag_value(
    line: PartialLine<'_>,
    flag: &Arg,
    word_start: &str,
    prefix: &str,
) -> Option<CompletionRequest> {
    let (list, prefix) = match (flag.get_long()?, prefix.rsplit_once(',')) {
        ("retry-policy" | "retry-policies", Some((list, prefix))) => (format!("{list},"), prefix),
        _ => (String::new(), prefix),
    };
    let candidates = match flag.get_long()? {
        "context" => Candidates::Contexts,
        "queue" => Candidates::Names(ResourceKind::Queue),
        "retry-policy" | "retry-policies" => Candidates::Names(ResourceKind::Policy),
        "sweep" if prefix.contains('=') => return None,
        "sweep" => Candidates::Limits,
        name => Candidates::Words(beginnings(&line, name, prefix)?),
    };
    // The value of the flag is incomplete, so that the flag is no setting yet.
    let mut flags = line.flags;
    if word_start.is_empty() {
        flags.pop();
    }
    let names = list.split(',').map(str::to_owned).collect();
    Some(CompletionRequest {
        candidates,
        word_start: word_start.to_owned() + &list,
        prefix: prefix.to_owned(),
        names,
        flags,
    })
}

/// The beginnings of a flag's values, up to their `=`; `None` if they are not known, or one is typed already.
fn beginnings(line: &PartialLine<'_>, flag: &str, prefix: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = match flag {
        "report" if line.path == ["simulate"] => SimulationFormat::names().collect(),
        "report" => ReportFormat::ALL.map(ReportFormat::name).to_vec(),
        "failure" => failure_keys(),
        _ => return None,
    };
    let is_typed = prefix.contains('=');
    (!is_typed).then(|| words.into_iter().map(|word| format!("{word}=")).collect())
}

fn positional(root: &Command, line: PartialLine<'_>, prefix: &str) -> Option<CompletionRequest> {
    let path: Vec<&str> = line.path.iter().map(String::as_str).collect();
    let (candidates, word_start, prefix) = match (path.as_slice(), line.positionals.first()) {
        (["config", "use-context"], None) => (Candidates::Contexts, "", prefix),
        (["watch"], None) => (Candidates::Names(ResourceKind::Queue), "", prefix),
        (["explain"], None) => (Candidates::Topics, "", prefix),
        (["completion"], None) => (Candidates::Words(values(line.command)), "", prefix),
        (["help" | "man"], _) => (Candidates::Words(help_topics(root, &line)?), "", prefix),
        // The name of a new resource has no candidates.
        ([command, kind], _) if *command != "create" => {
            (Candidates::Names(ResourceKind::parse(kind)?), "", prefix)
        }
        ([command], first) => resource_word(command, first.map(String::as_str), prefix)?,
        _ => return None,
    };
    let (word_start, prefix) = (word_start.to_owned(), prefix.to_owned());
    Some(CompletionRequest {
        candidates,
        word_start,
        prefix,
        names: line.positionals,
        flags: line.flags,
    })
}

/// The values that a command's words may have.
fn values(command: &Command) -> Vec<String> {
    let values = command.get_positionals().flat_map(Arg::get_possible_values);
    values.map(|value| value.get_name().to_owned()).collect()
}

/// The words that `help` and `man` take after those of the line.
fn help_topics(root: &Command, line: &PartialLine<'_>) -> Option<Vec<String>> {
    let mut words = line.positionals.iter();
    let command = words.try_fold(root, |command, word| command.find_subcommand(word))?;
    let names = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    let mut names: Vec<String> = names.map(|sub| sub.get_name().to_owned()).collect();
    if line.positionals.is_empty() {
        names.push("global".to_owned());
        if line.path == ["help"] {
            names.push("exit-codes".to_owned());
        }
    }
    Some(names)
}

/// The candidates for a word of `TYPE NAME..` or `TYPE/NAME..`, its start before the candidates, and
/// the rest.
fn resource_word<'t>(
    command: &str,
    first: Option<&str>,
    prefix: &'t str,
) -> Option<(Candidates, &'t str, &'t str)> {
    let (_, kinds) = RESOURCE_COMMANDS.iter().find(|(name, _)| *name == command)?;
    let of = |word: &str| ResourceKind::parse(word).filter(|kind| kinds.contains(kind));
    if let (true, Some(slash)) = (first.is_none_or(|word| word.contains('/')), prefix.find('/')) {
        let (word_start, prefix) = prefix.split_at(slash + 1);
        return Some((
            Candidates::Names(of(word_start.trim_end_matches('/'))?),
            word_start,
            prefix,
        ));
    }
    match first {
        None => Some((Candidates::Kinds(kinds), "", prefix)),
        Some(kind) => Some((Candidates::Names(of(kind)?), "", prefix)),
    }
}

/// The words as they were typed: bash takes them apart at `=` and `:`.
fn rejoin(words: &[String]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::with_capacity(words.len());
    let mut joins_next = false;
    for word in words {
        let mark =
            word == ":" || (word == "=" && joined.last().is_some_and(|w| w.starts_with("--")));
        match joined.last_mut() {
            // `--flag` `=` `value` is completed as the two words `--flag` and `value`.
            Some(_) if mark && word == "=" => {
                joins_next = false;
                continue;
            }
            Some(last) if mark || joins_next => last.push_str(word),
            _ => joined.push(word.clone()),
        }
        joins_next = mark;
    }
    if words.last().is_some_and(|word| word == "=") {
        joined.push(String::new());
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::Cli;

    fn parse(line: &str) -> Option<CompletionRequest> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let mut root = Cli::definition();
        root.build();
        CompletionRequest::parse(&words, &root)
    }

    fn request(line: &str) -> Option<(Candidates, String, String)> {
        parse(line).map(|it| (it.candidates, it.word_start, it.prefix))
    }

    fn words(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| format!("{name}=")).collect()
    }

    #[test]
    fn the_words_before_determine_the_candidates() {
        let policies = || Candidates::Names(ResourceKind::Policy);
        let queues = || Candidates::Names(ResourceKind::Queue);
        for (line, wanted, word_start, prefix) in [
            ("get ", Candidates::Kinds(BOTH), "", ""),
            ("attach r", Candidates::Kinds(&[ResourceKind::Policy]), "", "r"),
            ("get queue a", queues(), "", "a"),
            ("-v --context dev get -o json RP inf", policies(), "", "inf"),
            ("get queue/a queue/", queues(), "queue/", ""),
            ("cordon queue x ", queues(), "", ""),
            ("watch m", queues(), "", "m"),
            ("wait rp/", policies(), "rp/", ""),
            ("attach rp a --queue m", queues(), "", "m"),
            ("attach rp a --queue=m", queues(), "--queue=", "m"),
            ("attach rp a --queue = m", queues(), "", "m"),
            ("attach rp a --queue =", queues(), "", ""),
            ("get -c d", Candidates::Contexts, "", "d"),
            ("config use-context ", Candidates::Contexts, "", ""),
            ("explain retry", Candidates::Topics, "", "retry"),
            (
                "help explain d",
                Candidates::Words(
                    ["budget", "category", "decision", "disruptions", "releases", "round"]
                        .map(str::to_owned)
                        .to_vec(),
                ),
                "",
                "d",
            ),
            ("man simulate x", Candidates::Words(Vec::new()), "", "x"),
            ("simulate -f a.yaml --sweep g", Candidates::Limits, "", "g"),
            ("explain decision --failure ", Candidates::Words(words(&failure_keys())), "", ""),
            (
                "lint x --report ",
                Candidates::Words(words(&[
                    "junit", "sarif", "github", "gitlab", "markdown", "html", "json",
                ])),
                "",
                "",
            ),
            ("simulate --report ", Candidates::Words(words(&["html", "svg", "markdown"])), "", ""),
        ] {
            let expected = (wanted, word_start.to_owned(), prefix.to_owned());
            assert_eq!(request(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn offers_nothing_elsewhere() {
        for line in [
            "",
            "g",
            "simulate ",
            "get pod a",
            "cordon rp/",
            "get -",
            "get --sel",
            "-o ",
            "man x ",
            "watch q ",
            "lint --report junit=x",
            "lint --report junit = x",
        ] {
            assert_eq!(request(line), None, "{line}");
        }
    }

    #[test]
    fn an_address_survives_bash() {
        let line = "get --armada-rest-url http : //h : 80 rp a";
        assert_eq!(parse(line).unwrap().flags, ["--armada-rest-url", "http://h:80"]);
    }
}
