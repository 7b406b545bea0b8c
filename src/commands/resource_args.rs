//! The arguments that name resources: a kind and names, as kubectl takes them (`TYPE NAME..`,
//! `TYPE/NAME..`).

use super::unavailable::unavailable_kind;
use crate::cli::Refusal;
use client::check_name;
use document::diag::did_you_mean;
use std::path::Path;

/// The kind of a policy, in documents and reports.
pub(super) const POLICY: &str = "RetryPolicy";
/// The kind of a queue, in documents and reports.
pub(super) const QUEUE: &str = "Queue";

/// A kind of resource on a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResourceKind {
    /// A retry policy.
    Policy,
    Queue,
}

/// The words for each kind, in any case; the first is its own.
const ALIASES: [(ResourceKind, &[&str]); 2] = [
    (
        ResourceKind::Policy,
        &["retrypolicy", "retrypolicies", "retry-policy", "retry-policies", "rp"],
    ),
    (ResourceKind::Queue, &["queue", "queues"]),
];

impl ResourceKind {
    /// The kind of this word.
    pub fn parse(word: &str) -> Option<Self> {
        let word = word.to_lowercase();
        ALIASES.iter().find(|(_, words)| words.contains(&word.as_str())).map(|(kind, _)| *kind)
    }

    /// Its name on a command line.
    pub fn cli_name(self) -> &'static str {
        match self {
            Self::Policy => "retrypolicy",
            Self::Queue => "queue",
        }
    }

    /// Its name in documents.
    pub fn document_kind(self) -> &'static str {
        match self {
            Self::Policy => POLICY,
            Self::Queue => QUEUE,
        }
    }

    /// Its noun in messages.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Policy => "retry policy",
            Self::Queue => "queue",
        }
    }

    /// The names, each once, if requests can carry them.
    pub fn check_names(self, names: &[String]) -> Result<Vec<String>, Refusal> {
        let mut unique: Vec<String> = Vec::with_capacity(names.len());
        for name in names {
            self.refuse_unusable(name)?;
            check_name(self.noun(), name).map_err(|error| Refusal::from(&error))?;
            if !unique.contains(name) {
                unique.push(name.clone());
            }
        }
        Ok(unique)
    }

    /// Refuses a list with commas and the name of a file where a name is expected. Names of policies have no dots; those of queues may.
    fn refuse_unusable(self, name: &str) -> Result<(), Refusal> {
        if self != Self::Policy {
            return Ok(());
        }
        if name.contains(',') {
            let refusal = Refusal::usage(format!("`{name}` is not the name of a retry policy"));
            return Err(refusal
                .help(format!("write several names with blanks: `{}`", name.replace(',', " "))));
        }
        if !is_file_name(name) {
            return Ok(());
        }
        let message = format!("`{name}` is a file, not the name of a retry policy");
        let help = "write the name that the policy has in the file; `create`, `update`, `delete`, \
                    `apply` and `diff` take files with `-f`";
        Err(Refusal::usage(message).help(help))
    }

    /// The plural of its noun.
    pub fn plural_noun(self) -> &'static str {
        match self {
            Self::Policy => "retry policies",
            Self::Queue => "queues",
        }
    }
}

/// A kind and names, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ResourceArgs {
    /// The kind.
    pub kind: ResourceKind,
    /// The names; none may mean all.
    pub names: Vec<String>,
}

impl ResourceArgs {
    /// Parses the words of a command for these kinds.
    pub fn parse(command: &str, words: &[String], kinds: &[ResourceKind]) -> Result<Self, Refusal> {
        let (first, rest) = words.split_first().ok_or_else(|| missing_kind(command, kinds))?;
        let (kind, names) = match first.split_once('/') {
            None => (parse_kind(command, first, kinds)?, rest.to_vec()),
            Some((word, _)) => {
                let kind = parse_kind(command, word, kinds)?;
                let names: Result<_, _> = words.iter().map(|word| parse_name(kind, word)).collect();
                (kind, names?)
            }
        };
        Ok(Self { kind, names: kind.check_names(&names)? })
    }

    /// Parses them; at least one name is required.
    pub fn parse_named(
        command: &str,
        words: &[String],
        kinds: &[ResourceKind],
    ) -> Result<Self, Refusal> {
        let resources = Self::parse(command, words, kinds)?;
        if resources.names.is_empty() {
            let word = resources.kind.cli_name();
            let refusal = Refusal::usage(format!("`{command} {word}` needs a name"));
            return Err(refusal.help(format!("write `armadactl {command} {word} NAME`")));
        }
        Ok(resources)
    }
}

fn parse_kind(command: &str, word: &str, kinds: &[ResourceKind]) -> Result<ResourceKind, Refusal> {
    let nouns: Vec<&str> = kinds.iter().map(|kind| kind.plural_noun()).collect();
    match ResourceKind::parse(word) {
        Some(kind) if kinds.contains(&kind) => Ok(kind),
        Some(kind) => {
            let (other, nouns) = (kind.plural_noun(), nouns.join(" and "));
            Err(Refusal::usage(format!("`{command}` takes {nouns}, not {other}")))
        }
        None if is_file_name(word) => {
            let message =
                format!("`{command}` takes the names of {}, not files", nouns.join(" and "));
            let help = format!(
                "{}; `diff {word}` compares a file with the server, and `apply {word}` writes it",
                usage(command, kinds)
            );
            Err(Refusal::usage(message).help(help))
        }
        None => {
            if let Some(refusal) = unavailable_kind(command, word) {
                return Err(refusal);
            }
            let known = kinds.iter().map(|kind| kind.cli_name());
            let refusal = Refusal::usage(format!("unknown kind of resource `{word}`"));
            Err(match did_you_mean(word, known.clone()) {
                Some(near) => refusal.help(format!("did you mean `{near}`?")),
                None => match kinds {
                    [only] => {
                        let kind = only.cli_name();
                        refusal.help(format!("write `armadactl {command} {kind} {word}`"))
                    }
                    _ => refusal.help(usage(command, kinds)),
                },
            })
        }
    }
}

/// The name in `TYPE/NAME`, all of one kind.
fn parse_name(kind: ResourceKind, word: &str) -> Result<String, Refusal> {
    match word.split_once('/') {
        Some((other, name)) if ResourceKind::parse(other) == Some(kind) => Ok(name.to_owned()),
        _ => {
            let cli_name = kind.cli_name();
            let refusal = Refusal::usage(format!("`{word}` is not of the form `{cli_name}/NAME`"));
            Err(refusal
                .help("write either `TYPE NAME..` or `TYPE/NAME..`, with one kind at a time"))
        }
    }
}

fn missing_kind(command: &str, kinds: &[ResourceKind]) -> Refusal {
    Refusal::usage(format!("`{command}` needs a kind of resource")).help(usage(command, kinds))
}

fn usage(command: &str, kinds: &[ResourceKind]) -> String {
    let words: Vec<&str> = kinds.iter().map(|kind| kind.cli_name()).collect();
    format!("write `armadactl {command} {} NAME..`", words.join("|"))
}

/// Whether a word is the name of a file rather than that of a resource or command.
pub(super) fn is_file_name(word: &str) -> bool {
    let path = Path::new(word);
    let endings = ["yaml", "yml", "json", "jsonl", "ndjson"];
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
    word == "-"
        || ending.is_some_and(|ending| endings.contains(&ending.as_str()))
        || word.ends_with('/')
        || word.starts_with("./")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [ResourceKind; 2] = [ResourceKind::Policy, ResourceKind::Queue];

    fn parsed(line: &str, kinds: &[ResourceKind]) -> Result<ResourceArgs, Refusal> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        ResourceArgs::parse("do", &words, kinds)
    }

    #[test]
    fn both_forms_and_every_alias() {
        for (line, kind, names) in [
            ("rp", ResourceKind::Policy, &[][..]),
            ("RetryPolicies a b a", ResourceKind::Policy, &["a", "b"][..]),
            ("retry-policy/a retry-policies/b", ResourceKind::Policy, &["a", "b"][..]),
            ("queues é", ResourceKind::Queue, &["é"][..]),
            ("QUEUE/a", ResourceKind::Queue, &["a"][..]),
        ] {
            let targets = parsed(line, &BOTH).unwrap();
            assert_eq!(
                (targets.kind, targets.names.as_slice()),
                (kind, &names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>()[..])
            );
        }
    }

    #[test]
    fn invalid_arguments_have_reasons() {
        for (line, part) in [
            ("quue a", "unknown kind of resource `quue`"),
            ("queue/a rp/b", "`rp/b` is not of the form `queue/NAME`"),
            ("queue/a b", "`b` is not of the form"),
            ("queue a/b", "cannot contain `/`"),
            ("queue/", "it is empty"),
        ] {
            assert!(parsed(line, &BOTH).unwrap_err().message.contains(part), "{line}");
        }
        let wrong = parsed("rp a", &[ResourceKind::Queue]).unwrap_err();
        assert_eq!(wrong.message, "`do` takes queues, not retry policies");
        assert!(ResourceArgs::parse_named("do", &["queue".to_owned()], &BOTH).is_err());
    }
}
