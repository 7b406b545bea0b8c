//! The queues that a command changes or prints: by name, by labels, or all of them.

use super::connection::ServerConnection;
use super::lookup::{Missing, name_of};
use super::resource_args::ResourceKind;
use crate::cli::{Exit, NOTHING_SENT, Refusal};
use anyhow::Result;
use clap::Args;
use client::{Fields, Live};
use serde_json::{Map, Value};

/// Flags that select queues without their names.
#[derive(Debug, Args)]
pub struct LabelArgs {
    /// Select queues by labels: KEY=VALUE, KEY!=VALUE, KEY or !KEY
    ///
    /// Several terms are separated by commas; a queue must match all of them.
    #[arg(short = 'l', long, value_name = "LABELS", conflicts_with = "all_queues")]
    selector: Vec<String>,
    /// Select all queues
    #[arg(long)]
    all_queues: bool,
}

/// The queues that a command changes.
#[derive(Debug, Clone)]
pub(super) enum Selection {
    /// Queues of these names.
    Named(Vec<String>),
    /// Queues with these labels, and the text of the selector.
    Labels(Selector, String),
    /// All.
    All,
}

impl LabelArgs {
    /// Whether one of the flags is set.
    pub(super) fn is_set(&self) -> bool {
        self.all_queues || !self.selector.is_empty()
    }

    /// The queues that these flags select, or else those of these names.
    pub(super) fn selection(&self, names: Vec<String>) -> Result<Selection, Refusal> {
        let flag = if self.all_queues { "`--all-queues`" } else { "`-l`" };
        match (self.is_set(), names.is_empty()) {
            (false, true) => {
                let refusal = Refusal::usage("no queues are given");
                return Err(refusal.help("give `--queue NAME`, `-l LABELS` or `--all-queues`"));
            }
            (false, false) => return Ok(Selection::Named(names)),
            (true, false) => {
                let message = format!("give either the names of queues or {flag}, not both");
                return Err(Refusal::usage(message));
            }
            (true, true) => {}
        }
        if self.all_queues {
            return Ok(Selection::All);
        }
        let (selector, text) = (Selector::parse(&self.selector)?, self.selector.join(","));
        if selector.is_empty() {
            let refusal = Refusal::usage(format!("`-l {text}` has no labels"));
            return Err(refusal.help("`--all-queues` selects all queues"));
        }
        Ok(Selection::Labels(selector, text))
    }
}

impl Selection {
    /// The names, where no server is needed to find them.
    pub fn offline(self) -> Result<Vec<String>, Refusal> {
        if let Self::Named(names) = self {
            return Ok(names);
        }
        let message = "`--dry-run client` does not read queues, so it cannot select them";
        Err(Refusal::usage(message).help("use `--dry-run server`, or give the names of the queues"))
    }

    /// Reads the queues. Names that do not exist are added to `missing`; it is an error if labels select
    /// no queue.
    pub fn read(
        &self,
        server: &ServerConnection,
        missing: &mut Missing,
    ) -> Result<Vec<(String, Live)>> {
        let (found, message) = match self {
            Self::Named(names) => {
                return missing.look_up(server, ResourceKind::Queue, names);
            }
            Self::Labels(selector, text) => (
                filter_queues(server, |queue| selector.is_match(queue))?,
                format!("no queue of the server has the labels `{text}`; {NOTHING_SENT}"),
            ),
            Self::All => (
                filter_queues(server, |_| true)?,
                format!("the server has no queues; {NOTHING_SENT}"),
            ),
        };
        if found.is_empty() {
            let refusal = Refusal { exit: Exit::NotFound, ..Refusal::usage(message) };
            return Err(refusal.help("`armadactl get queue -o yaml` shows labels").into());
        }
        Ok(found)
    }
}

/// The queues that a predicate selects, with their names; without versions, which lists do not have.
pub(super) fn filter_queues(
    server: &ServerConnection,
    is_selected: impl Fn(&Fields) -> bool,
) -> Result<Vec<(String, Live)>> {
    server.wait(async {
        let mut found = Vec::new();
        let mut queues = server.client.queues().await?;
        while let Some(fields) = queues.next().await? {
            if let (true, Some(name)) = (is_selected(&fields), name_of(&fields)) {
                found.push((name, Live { fields, etag: None }));
            }
        }
        Ok(found)
    })
}

/// A label selector: every term has to match the labels of a queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Selector(Vec<LabelTerm>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct LabelTerm {
    key: String,
    condition: LabelCondition,
}

/// The condition that a term sets for a label.
#[derive(Debug, Clone, PartialEq, Eq)]
enum LabelCondition {
    /// The label exists.
    Exists,
    /// It does not exist.
    Absent,
    /// It has this value.
    Equal(String),
    /// It has another value, or does not exist.
    NotEqual(String),
}

impl Selector {
    /// Reads `k=v,k2!=v,k3,!k4`. Values may contain `=`.
    pub fn parse(texts: &[String]) -> Result<Self, Refusal> {
        let terms = texts.iter().flat_map(|text| text.split(',')).map(str::trim);
        terms.filter(|term| !term.is_empty()).map(parse_term).collect::<Result<_, _>>().map(Self)
    }

    /// Whether it has no terms.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it selects a queue.
    pub fn is_match(&self, queue: &Fields) -> bool {
        if self.is_empty() {
            return true;
        }
        let labels = match queue.value("labels") {
            Some(Value::Object(labels)) => labels,
            _ => Map::new(),
        };
        self.0.iter().all(|term| {
            let value = labels.get(&term.key).and_then(Value::as_str);
            match &term.condition {
                LabelCondition::Exists => value.is_some(),
                LabelCondition::Absent => value.is_none(),
                LabelCondition::Equal(wanted) => value == Some(wanted),
                LabelCondition::NotEqual(unwanted) => value != Some(unwanted),
            }
        })
    }
}

fn parse_term(text: &str) -> Result<LabelTerm, Refusal> {
    let bad = |why: &str| {
        Err(Refusal::usage(format!("invalid selector `{text}`: {why}"))
            .help("write KEY=VALUE, KEY!=VALUE, KEY or !KEY, with commas between"))
    };
    if text.contains(" in (") || text.contains(" notin (") || text.ends_with(')') {
        return bad("sets of values are not supported");
    }
    let (key, condition) = match text.split_once('=') {
        None => match text.strip_prefix('!') {
            None => (text, LabelCondition::Exists),
            Some(key) => (key, LabelCondition::Absent),
        },
        // `==` is kubectl's other way to write `=`.
        Some((key, value)) => match key.strip_suffix('!') {
            Some(key) => (key, LabelCondition::NotEqual(value.to_owned())),
            None => {
                (key, LabelCondition::Equal(value.strip_prefix('=').unwrap_or(value).to_owned()))
            }
        },
    };
    let key = key.trim();
    if key.is_empty() {
        bad("the key is missing")
    } else {
        Ok(LabelTerm { key: key.to_owned(), condition })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(selector: &str, labels: &str) -> bool {
        let queue = Fields::parse(format!("{{\"labels\":{labels}}}")).unwrap();
        Selector::parse(&[selector.to_owned()]).unwrap().is_match(&queue)
    }

    #[test]
    fn labels_are_compared_as_kubectl_does() {
        let labels = r#"{"team":"ml","opts":"a=b","x":"=y"}"#;
        for good in [
            "",
            "team=ml",
            "team==ml",
            "opts=a=b",
            "team",
            "!gone",
            "team!=infra",
            "gone!=x",
            "team=ml, opts",
        ] {
            assert!(selects(good, labels), "{good}");
        }
        for bad in ["team=infra", "gone", "gone=x", "!team", "team!=ml", "team=ml,gone", "opts=a"] {
            assert!(!selects(bad, labels), "{bad}");
        }
        assert!(selects("!team", "null") && !selects("team", "7"));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["=v", "!=v", "!", "a in (b)", "a in (b,c)"] {
            assert!(Selector::parse(&[text.to_owned()]).is_err(), "{text}");
        }
    }
}
