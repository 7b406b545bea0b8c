//! `--watch`: the resources, then each that is added, changed or deleted. Armada has no call that reports changes, so they
//! are found by listing again.

use super::document::document;
use super::rows;
use super::rows::{Uses, read_uses};
use crate::cli::{Context, Exit, Output, Refusal};
use crate::commands::connection::{ServerConnection, is_temporary};
use crate::commands::lookup::{self, name_of};
use crate::commands::resource_args::ResourceKind;
use crate::commands::selection::Selector;
use crate::report::{Layout, Resource, Table, head, text_columns};
use crate::ui::Ui;
use anyhow::Result;
use armada_retry::policy::Form;
use client::{Client, ClientError, Fields};
use document::diag::printable;
use std::collections::BTreeMap;
use std::time::Duration;

/// The resources to watch.
pub(super) struct WatchRequest<'a> {
    pub kind: ResourceKind,
    /// Their names; none for all.
    pub names: &'a [String],
    pub selector: Selector,
    /// The form that policies are converted to.
    pub api: Option<Form>,
    /// The time between two lists.
    pub interval: Duration,
    /// Whether the change is printed, as kubectl's `--output-watch-events` does.
    pub with_changes: bool,
}

/// The difference between two lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Added,
    Modified,
    Deleted,
}

impl Change {
    fn name(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

/// A resource, and its row in a table, which may depend on other resources.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    fields: Fields,
    row: Vec<String>,
}

type Items = BTreeMap<String, Item>;

/// Prints changes until a signal.
pub(super) fn run(
    context: &mut Context<'_>,
    server: &ServerConnection,
    request: &WatchRequest<'_>,
    output: Output,
) -> Result<Exit> {
    let is_wide = output == Output::Wide;
    // Later rows are not known, so that no column is cut for a terminal.
    let layout = Layout { width: None, ..context.layout(is_wide) };
    let mut printer = Printer { request, output, layout, first: Vec::new(), has_documents: false };
    let Some(mut items) = list(server, request, is_wide)? else { return Ok(Exit::Done) };
    let missing = request.names.iter().filter(|name| !items.contains_key(*name));
    let missing: Vec<&str> = missing.map(String::as_str).collect();
    if !missing.is_empty() {
        return Err(lookup::not_found_error(server, request.kind, &missing).into());
    }
    printer.print(context.ui, &changes(&Items::new(), &items))?;
    let mut is_unavailable = false;
    loop {
        server.pause(request.interval);
        let next = match list(server, request, is_wide) {
            Ok(Some(next)) => next,
            Ok(None) => return Ok(Exit::Done),
            Err(error) if error.downcast_ref().is_some_and(is_temporary) => {
                if !std::mem::replace(&mut is_unavailable, true) {
                    context.ui.note(&format!("warning: {error}; trying again"))?;
                }
                continue;
            }
            Err(error) => return Err(error),
        };
        is_unavailable = false;
        printer.print(context.ui, &changes(&items, &next))?;
        items = next;
    }
}

/// The resources, by name; `None` after a signal.
fn list(
    server: &ServerConnection,
    request: &WatchRequest<'_>,
    wide: bool,
) -> Result<Option<Items>> {
    let stop = server.stop();
    let resources = server.wait(async {
        tokio::select! {
            resources = read(&server.client, request, wide) => resources.map(Some),
            () = stop.requested() => Ok(None),
        }
    })?;
    let Some((resources, uses)) = resources.filter(|_| !stop.is_requested()) else {
        return Ok(None);
    };
    let item = |fields: Fields| {
        let row = match request.kind {
            ResourceKind::Policy => rows::policy(&fields, uses.as_ref())?,
            ResourceKind::Queue => rows::queue(&fields, wide),
        };
        Ok((name_of(&fields).unwrap_or_default(), Item { fields, row }))
    };
    let items: Result<Items, Refusal> = resources.into_iter().map(item).collect();
    Ok(Some(items?))
}

async fn read(
    client: &Client,
    request: &WatchRequest<'_>,
    wide: bool,
) -> Result<(Vec<Fields>, Option<Uses>), ClientError> {
    let mut found = Vec::new();
    for name in request.names {
        found.extend(lookup::fetch(client, request.kind, name).await?.map(|live| live.fields));
    }
    match request.kind {
        _ if !request.names.is_empty() => {}
        ResourceKind::Policy => found = client.policies().await?,
        ResourceKind::Queue => {
            let mut queues = client.queues().await?;
            while let Some(queue) = queues.next().await? {
                found.extend(Some(queue).filter(|queue| request.selector.is_match(queue)));
            }
        }
    }
    let has_uses = wide && request.kind == ResourceKind::Policy;
    Ok((found, if has_uses { Some(read_uses(client).await?) } else { None }))
}

/// The differences between two lists, by name. A deleted resource is the one before.
fn changes<'i>(before: &'i Items, after: &'i Items) -> Vec<(Change, &'i Item)> {
    let changed = after.iter().filter_map(|(name, item)| match before.get(name) {
        None => Some((Change::Added, item)),
        Some(old) if old != item => Some((Change::Modified, item)),
        Some(_) => None,
    });
    let deleted = before.iter().filter(|(name, _)| !after.contains_key(*name));
    changed.chain(deleted.map(|(_, item)| (Change::Deleted, item))).collect()
}

/// Prints resources one by one.
struct Printer<'w> {
    request: &'w WatchRequest<'w>,
    output: Output,
    layout: Layout,
    /// The first rows, whose widths are those of the columns.
    first: Vec<Vec<String>>,
    /// Whether a document was printed.
    has_documents: bool,
}

impl Printer<'_> {
    fn print(&mut self, ui: &mut Ui, changes: &[(Change, &Item)]) -> Result<()> {
        match self.output {
            Output::Table | Output::Wide | Output::Csv => {
                let text = self.rows(changes);
                ui.data(&text)?;
            }
            Output::Json | Output::Yaml => {
                for (change, item) in changes {
                    self.document(ui, *change, item)?;
                }
            }
            Output::Name => {
                for (_, item) in changes {
                    let name = name_of(&item.fields).unwrap_or_default();
                    let kind = self.request.kind.cli_name();
                    ui.data(&format!("{kind}/{}\n", printable(&name)))?;
                }
            }
        }
        Ok(ui.flush()?)
    }

    /// The rows of changes, under the columns of the first ones.
    fn rows(&mut self, changes: &[(Change, &Item)]) -> String {
        if changes.is_empty() {
            return String::new();
        }
        // A column that is left out once would be missing in later rows too.
        let heads = rows::heads(self.request.kind, self.layout.wide).into_iter();
        let heads = heads.map(|head| head.leave_out(None));
        let event = head("EVENT").only_if(self.request.with_changes);
        let row = |(change, item): &(Change, &Item)| {
            [change.name().to_owned()].into_iter().chain(item.row.iter().cloned()).collect()
        };
        let new: Vec<Vec<String>> = changes.iter().map(row).collect();
        let all = self.first.iter().chain(&new).cloned();
        let columns = text_columns([event].into_iter().chain(heads));
        let text = Table::new(all, &columns).render(&self.layout);
        if self.first.is_empty() {
            self.first = new;
            return text;
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        // The first rows are there for the widths alone: the last lines are the new ones.
        lines[lines.len() - changes.len()..].concat()
    }

    fn document(&mut self, ui: &mut Ui, change: Change, item: &Item) -> Result<()> {
        let mut resource = document(ui, self.request.kind, &item.fields, self.request.api)?;
        if self.request.with_changes {
            let field = |key: &str, value| (key.to_owned(), value);
            let kind = Resource::text(change.name());
            resource = Resource::Object(vec![field("type", kind), field("object", resource)]);
        }
        let is_first = !std::mem::replace(&mut self.has_documents, true);
        match self.output {
            Output::Yaml if is_first => ui.data(&resource.yaml())?,
            Output::Yaml => ui.data(&format!("---\n{}", resource.yaml()))?,
            _ => ui.data(&(resource.json(0) + "\n"))?,
        }
        Ok(())
    }
}
