//! The report of a command that changes a server.

use super::table::{columns, head};
use super::{Layout, Table};
use document::diag::printable;
use document::names;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The objects of the files, with what was done to each.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplyReport {
    api_version: &'static str,
    kind: &'static str,
    /// Present where nothing was written: `client` or `server` says what was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<&'static str>,
    /// A thing each, in the order of the work.
    pub items: Vec<WriteItem>,
    /// How many things each action was done to, by its name.
    pub summary: BTreeMap<&'static str, usize>,
}

/// What was done to one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Written")]
pub struct WriteItem {
    /// `RetryPolicy` or `Queue`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// What was done.
    pub action: Action,
    /// The fields that changed, as paths such as `rules[0].action`.
    pub fields: Vec<String>,
    /// The policies of a queue before the change, where the command changes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Vec<String>>,
    /// The policies of a queue when it was read last, where the command changes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Vec<String>>,
    /// Why it was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

names! {
    /// What can be done to a thing.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum Action {
        /// It was not there, and is now.
        Created = "created",
        /// It was there, and was replaced or changed.
        Configured = "configured",
        /// It is what it should be.
        Unchanged = "unchanged",
        /// It was deleted.
        Deleted = "deleted",
        /// Something went wrong.
        Failed = "failed",
        /// It may be done or not: the answer of the server was lost, and no read could decide.
        Unknown = "unknown",
        /// It was not begun, since something before it went wrong.
        NotDone = "not done",
        /// It is valid; `--dry-run client` checks no more.
        Valid = "valid",
        /// It would be deleted: `--prune` lists it without `--yes`, and `delete --dry-run client` without asking a
        /// server whether it exists.
        WouldDelete = "would delete",
    }
}

impl Action {
    /// Whether it is certain that the object is as it was to be, or will be after a dry run.
    pub fn is_done(self) -> bool {
        match self {
            Self::Created | Self::Configured | Self::Unchanged | Self::Deleted => true,
            Self::Failed | Self::Unknown | Self::NotDone | Self::Valid | Self::WouldDelete => false,
        }
    }
}

impl WriteItem {
    /// An action on an object, without changed fields.
    pub fn new(kind: &'static str, name: impl Into<String>, action: Action) -> Self {
        let (name, fields) = (name.into(), Vec::new());
        Self { kind, name, action, fields, before: None, after: None, error: None }
    }

    /// Sets the policies of a queue before and after the change.
    #[must_use]
    pub fn policies(self, before: Option<Vec<String>>, after: Option<Vec<String>>) -> Self {
        Self { before, after, ..self }
    }

    /// Sets the fields that changed.
    #[must_use]
    pub fn fields(self, fields: Vec<String>) -> Self {
        Self { fields, ..self }
    }

    /// An action that failed.
    pub fn failed(kind: &'static str, name: impl Into<String>, error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), ..Self::new(kind, name, Action::Failed) }
    }
}

/// Names separated by commas; a dash if there are none.
fn list_text(names: Option<&[String]>) -> String {
    match names {
        None | Some([]) => "-".to_owned(),
        Some(names) => names.join(", "),
    }
}

impl ApplyReport {
    /// The report of these items, in their order.
    pub fn new(items: Vec<WriteItem>, dry_run: Option<&'static str>) -> Self {
        let mut summary = BTreeMap::new();
        for item in &items {
            *summary.entry(item.action.as_str()).or_default() += 1;
        }
        let (api_version, kind) = ("armadaproject.io/v1", "ApplyReport");
        Self { api_version, kind, dry_run, items, summary }
    }

    /// Renders one row per item: kind, name, action and changed fields, and the policies before and after if
    /// the command changes them.
    pub fn table(&self, layout: &Layout) -> String {
        let shows_policies = self.items.iter().any(|item| item.before.is_some());
        let fields = |item: &WriteItem| match &item.error {
            Some(error) => error.clone(),
            None => item.fields.join(", "),
        };
        let columns = columns![item in &WriteItem;
            "KIND" => item.kind.to_owned(),
            "NAME" => item.name.clone(),
            "ACTION" => item.action.as_str().to_owned(),
            head("BEFORE").only_if(shows_policies) => list_text(item.before.as_deref()),
            head("AFTER").only_if(shows_policies) => list_text(item.after.as_deref()),
            "FIELDS" => fields(item),
        ];
        Table::new(&self.items, &columns).render(layout)
    }

    /// Renders `kind/name` of each item that did not fail, one per line, as kubectl does.
    pub fn names(&self) -> String {
        let done = |item: &&WriteItem| item.action.is_done();
        self.items.iter().filter(done).fold(String::new(), |mut text, item| {
            // A write to a `String` does not fail.
            let _ = writeln!(text, "{}/{}", item.kind.to_lowercase(), printable(&item.name));
            text
        })
    }

    /// The summary line: `2 created, 1 unchanged`.
    pub fn line(&self) -> String {
        let parts: Vec<String> =
            self.summary.iter().map(|(action, count)| format!("{count} {action}")).collect();
        let done = if parts.is_empty() { "nothing to do".to_owned() } else { parts.join(", ") };
        match self.dry_run {
            Some(mode) => format!("{done} (dry run: {mode}; nothing was written)"),
            None => done,
        }
    }
}
