//! Which queues a command changes: by name, by labels, or all of them.

use super::connect::Connected;
use super::known::{Missing, name_of};
use super::selector::Selector;
use super::target::Kind;
use crate::cli::{Exit, NOTHING_SENT, Refusal};
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
        let flag = if self.all_queues { "`--all-queues`" } else { "`-l`" };
        match (self.is_given(), names.is_empty()) {
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
        let message = "`--dry-run client` reads no queues: it cannot select among them";
        Err(Refusal::usage(message).help("use `--dry-run server`, or give the names of the queues"))
    }

    /// The queues as the server holds them; those that are named and that it does not have are
    /// `missing`. It is an error if there is none to select.
    pub fn read(&self, server: &Connected, missing: &mut Missing) -> Result<Vec<(String, Live)>> {
        let (found, none) = match self {
            Self::Named(names) => {
                return missing.look_for(server, Kind::Queue, names);
            }
            Self::Labels(selector, text) => (
                queues_where(server, |queue| selector.selects(queue))?,
                format!("no queue of the server has the labels `{text}`; {NOTHING_SENT}"),
            ),
            Self::All => (
                queues_where(server, |_| true)?,
                format!("the server has no queues; {NOTHING_SENT}"),
            ),
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
