//! What a command is about: a kind and names, as kubectl takes them (`TYPE NAME..`, `TYPE/NAME..`).

use crate::cli::Refusal;
use crate::client::checked_name;
use crate::diag::did_you_mean;

/// A kind of resource on a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A retry policy.
    Policy,
    /// A queue.
    Queue,
}

/// The words for each kind, in any case; the first is its own.
const WORDS: [(Kind, &[&str]); 2] = [
    (Kind::Policy, &["retrypolicy", "retrypolicies", "retry-policy", "retry-policies", "rp"]),
    (Kind::Queue, &["queue", "queues"]),
];

impl Kind {
    /// The kind of this word.
    pub fn of(word: &str) -> Option<Self> {
        let word = word.to_lowercase();
        WORDS.iter().find(|(_, words)| words.contains(&word.as_str())).map(|(kind, _)| *kind)
    }

    /// Its word on a command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Policy => "retrypolicy",
            Self::Queue => "queue",
        }
    }

    /// Its name in documents.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Policy => "RetryPolicy",
            Self::Queue => "Queue",
        }
    }

    /// What people call it.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Policy => "retry policy",
            Self::Queue => "queue",
        }
    }

    /// The names, each once, if requests can carry them.
    pub fn names(self, names: &[String]) -> Result<Vec<String>, Refusal> {
        let mut once: Vec<String> = Vec::with_capacity(names.len());
        for name in names {
            checked_name(self.noun(), name).map_err(|error| Refusal::from(&error))?;
            if !once.contains(name) {
                once.push(name.clone());
            }
        }
        Ok(once)
    }

    /// What people call several.
    pub fn nouns(self) -> &'static str {
        match self {
            Self::Policy => "retry policies",
            Self::Queue => "queues",
        }
    }
}

/// A kind, and the names that were given, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Targets {
    /// The kind.
    pub kind: Kind,
    /// The names; none may mean all.
    pub names: Vec<String>,
}

impl Targets {
    /// What the words mean to a command that is about these kinds.
    pub fn parse(command: &str, words: &[String], kinds: &[Kind]) -> Result<Self, Refusal> {
        let (first, rest) = words.split_first().ok_or_else(|| none(command, kinds))?;
        let (kind, names) = match first.split_once('/') {
            None => (kind(command, first, kinds)?, rest.to_vec()),
            Some((word, _)) => {
                let kind = kind(command, word, kinds)?;
                let names: Result<_, _> = words.iter().map(|word| name(kind, word)).collect();
                (kind, names?)
            }
        };
        Ok(Self { kind, names: kind.names(&names)? })
    }

    /// The same, where at least one has to be named.
    pub fn named(command: &str, words: &[String], kinds: &[Kind]) -> Result<Self, Refusal> {
        let targets = Self::parse(command, words, kinds)?;
        if targets.names.is_empty() {
            let word = targets.kind.word();
            let refusal = Refusal::usage(format!("`{command} {word}` needs a name"));
            return Err(refusal.help(format!("write `armadactl {command} {word} NAME`")));
        }
        Ok(targets)
    }
}

fn kind(command: &str, word: &str, kinds: &[Kind]) -> Result<Kind, Refusal> {
    let nouns: Vec<&str> = kinds.iter().map(|kind| kind.nouns()).collect();
    match Kind::of(word) {
        Some(kind) if kinds.contains(&kind) => Ok(kind),
        Some(kind) => {
            let (other, nouns) = (kind.nouns(), nouns.join(" and "));
            Err(Refusal::usage(format!("`{command}` is about {nouns}, not about {other}")))
        }
        None => {
            let known = kinds.iter().map(|kind| kind.word());
            let refusal = Refusal::usage(format!("there is no kind of resource `{word}`"));
            Err(match did_you_mean(word, known.clone()) {
                Some(near) => refusal.help(format!("did you mean `{near}`?")),
                None => refusal.help(form(command, kinds)),
            })
        }
    }
}

/// The name in `TYPE/NAME`, all of one kind.
fn name(kind: Kind, word: &str) -> Result<String, Refusal> {
    match word.split_once('/') {
        Some((other, name)) if Kind::of(other) == Some(kind) => Ok(name.to_owned()),
        _ => {
            let shown = kind.word();
            let refusal = Refusal::usage(format!("`{word}` is not of the form `{shown}/NAME`"));
            Err(refusal.help("one kind at a time, and either `TYPE NAME..` or `TYPE/NAME..`"))
        }
    }
}

fn none(command: &str, kinds: &[Kind]) -> Refusal {
    Refusal::usage(format!("`{command}` needs to know what")).help(form(command, kinds))
}

fn form(command: &str, kinds: &[Kind]) -> String {
    let words: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
    format!("write `armadactl {command} {} NAME..`", words.join("|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Kind; 2] = [Kind::Policy, Kind::Queue];

    fn parsed(line: &str, kinds: &[Kind]) -> Result<Targets, Refusal> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        Targets::parse("do", &words, kinds)
    }

    #[test]
    fn both_forms_and_every_alias() {
        for (line, kind, names) in [
            ("rp", Kind::Policy, &[][..]),
            ("RetryPolicies a b a", Kind::Policy, &["a", "b"][..]),
            ("retry-policy/a retry-policies/b", Kind::Policy, &["a", "b"][..]),
            ("queues é", Kind::Queue, &["é"][..]),
            ("QUEUE/a", Kind::Queue, &["a"][..]),
        ] {
            let targets = parsed(line, &BOTH).unwrap();
            assert_eq!(
                (targets.kind, targets.names.as_slice()),
                (kind, &names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>()[..])
            );
        }
    }

    #[test]
    fn what_makes_no_sense_says_why() {
        for (line, part) in [
            ("quue a", "no kind of resource `quue`"),
            ("queue/a rp/b", "`rp/b` is not of the form `queue/NAME`"),
            ("queue/a b", "`b` is not of the form"),
            ("queue a/b", "cannot carry a `/`"),
            ("queue/", "it is empty"),
        ] {
            assert!(parsed(line, &BOTH).unwrap_err().message.contains(part), "{line}");
        }
        let wrong = parsed("rp a", &[Kind::Queue]).unwrap_err();
        assert_eq!(wrong.message, "`do` is about queues, not about retry policies");
        assert!(Targets::named("do", &["queue".to_owned()], &BOTH).is_err());
    }
}
