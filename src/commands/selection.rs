//! Which queues a command changes: by name, by labels, or all of them.

use super::connect::Connected;
use super::known::{self, name_of};
use super::selector::Selector;
use super::target::Kind;
use crate::cli::{Exit, Refusal};
use crate::client::{Fields, Live};
use anyhow::Result;
use clap::Args;

/// Flags that select queues without their names.
#[derive(Debug, Args)]
pub struct LabelArgs {
    /// Select queues by labels: KEY=VALUE, KEY!=VALUE, KEY or !KEY, with commas between
    #[arg(short = 'l', long, value_name = "LABELS", conflicts_with = "all_queues")]
    selector: Vec<String>,
    /// Select all queues
    #[arg(long)]
    all_queues: bool,
}

/// The queues that a command changes.
#[derive(Debug, Clone)]
pub(super) enum Selection {
    /// Those of these names.
    Named(Vec<String>),
    /// Those with these labels, as they were written.
    Labels(Selector, String),
    /// All.
    All,
}

impl LabelArgs {
    /// Whether one of the flags is given.
    pub(super) fn is_given(&self) -> bool {
        self.all_queues || !self.selector.is_empty()
    }

    /// The queues that these flags select, or else those of these names.
    pub(super) fn selection(&self, names: Vec<String>) -> Result<Selection, Refusal> {
        if !self.is_given() {
            return Ok(Selection::Named(names));
        }
        if !names.is_empty() {
            return Err(Refusal::usage("give the names of queues, `-l` or `--all-queues`"));
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
        let message = "`--dry-run client` reads no queues: it cannot select among them";
        Err(Refusal::usage(message).help("use `--dry-run server`, or give the names of the queues"))
    }

    /// The queues as the server holds them. It is an error if one that is named is missing, or if
    /// there is none to select.
    pub fn read(&self, server: &Connected) -> Result<Vec<(String, Live)>> {
        let (found, none) = match self {
            Self::Named(names) => {
                let live = known::all(server, Kind::Queue, names)?;
                return Ok(names.iter().cloned().zip(live).collect());
            }
            Self::Labels(selector, text) => (
                queues_where(server, |queue| selector.selects(queue))?,
                format!("no queue of the server has the labels `{text}`"),
            ),
            Self::All => (queues_where(server, |_| true)?, "the server has no queues".to_owned()),
        };
        if found.is_empty() {
            let refusal = Refusal { exit: Exit::NotFound, ..Refusal::usage(none) };
            return Err(refusal.help("`armadactl get queue -o yaml` shows labels").into());
        }
        Ok(found)
    }
}

/// The queues of which this holds, with their names. They come without versions.
pub(super) fn queues_where(
    server: &Connected,
    holds: impl Fn(&Fields) -> bool,
) -> Result<Vec<(String, Live)>> {
    server.wait(async {
        let mut found = Vec::new();
        let mut queues = server.client.queues().await?;
        while let Some(fields) = queues.next().await? {
            if let (true, Some(name)) = (holds(&fields), name_of(&fields)) {
                found.push((name, Live { fields, etag: None }));
            }
        }
        Ok(found)
    })
}
