//! Resources of a server by name, and suggestions for names that do not exist.

use super::connection::{REQUESTS_AT_ONCE, ServerConnection};
use super::resource_args::ResourceKind;
use crate::cli::{Exit, NOTHING_SENT, Refusal};
use anyhow::Result;
use client::{Client, ClientError, Live, run_bounded};
use document::diag::did_you_mean;
use std::cell::OnceCell;
use std::ops::ControlFlow;

/// The resource of each name, in their order; `None` if it does not exist. After an error that every
/// request would have, the names that follow are left out.
pub(super) fn look_up(
    server: &ServerConnection,
    kind: ResourceKind,
    names: &[String],
) -> Result<Vec<Result<Option<Live>, ClientError>>> {
    server.wait(async { Ok(fetch_each(&server.client, kind, names).await) })
}

/// As [`look_up`].
pub(super) async fn fetch_each(
    client: &Client,
    kind: ResourceKind,
    names: &[String],
) -> Vec<Result<Option<Live>, ClientError>> {
    let mut found: Vec<Option<Result<Option<Live>, ClientError>>> = vec![None; names.len()];
    let request = |name: String| {
        let client = client.clone();
        async move { fetch(&client, kind, &name).await }
    };
    run_bounded(REQUESTS_AT_ONCE, names.iter().cloned(), request, |index, result| {
        let is_general = matches!(&result, Err(error) if error.kind.is_general());
        found[index] = Some(result);
        if is_general { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .await;
    found.into_iter().flatten().collect()
}

/// The resource of each name; an error if one does not exist.
pub(super) fn look_up_all(
    server: &ServerConnection,
    kind: ResourceKind,
    names: &[String],
) -> Result<Vec<Live>> {
    let mut missing = Missing::default();
    let found = missing.look_up(server, kind, names)?;
    if missing.is_empty() {
        return Ok(found.into_iter().map(|(_, live)| live).collect());
    }
    Err(missing.refusal(server, "").into())
}

/// Names of a command that do not exist on the server.
#[derive(Debug, Default)]
pub(super) struct Missing(Vec<(ResourceKind, Vec<String>)>);

impl Missing {
    /// The resources of these names. Names that do not exist are added.
    pub fn look_up(
        &mut self,
        server: &ServerConnection,
        kind: ResourceKind,
        names: &[String],
    ) -> Result<Vec<(String, Live)>> {
        let mut found = Vec::with_capacity(names.len());
        let mut missing = Vec::new();
        for (name, result) in names.iter().zip(look_up(server, kind, names)?) {
            match result? {
                Some(live) => found.push((name.clone(), live)),
                None => missing.push(name.clone()),
            }
        }
        if !missing.is_empty() {
            self.0.push((kind, missing));
        }
        Ok(found)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Refuses a command that writes if anything is missing.
    pub fn refuse(&self, server: &ServerConnection) -> Result<(), Refusal> {
        if self.is_empty() {
            return Ok(());
        }
        Err(self.refusal(server, &format!("; {NOTHING_SENT}")))
    }

    /// An error with the names and the nearest existing ones; `end` is the end of its message.
    fn refusal(&self, server: &ServerConnection, end: &str) -> Refusal {
        let kinds: Vec<String> =
            self.0.iter().map(|(kind, names)| list_names(*kind, names)).collect();
        let count = match self.0.iter().map(|(_, names)| names.len()).sum::<usize>() {
            count if count > 1 && !end.is_empty() => format!(": {count} names in all"),
            _ => String::new(),
        };
        let message = format!("the server has no {}{count}{end}", kinds.join(" and no "));
        let refusal = Refusal { exit: Exit::NotFound, ..Refusal::usage(message) };
        let of_list = self.0.iter().flat_map(|(_, names)| names).find_map(|name| list_help(name));
        if let Some(help) = of_list {
            return refusal.help(help);
        }
        let suggestions = |(kind, names): &(ResourceKind, Vec<String>)| {
            let suggestions = Suggestions::new(server, *kind);
            let near = names.iter().filter_map(|name| suggestions.near(name));
            near.map(|near| format!("`{near}`")).collect::<Vec<_>>()
        };
        let near: Vec<String> = self.0.iter().flat_map(suggestions).collect();
        if near.is_empty() {
            let lists =
                self.0.iter().map(|(kind, _)| format!("`armadactl get {}`", kind.cli_name()));
            let (lists, verb) = (lists.collect::<Vec<_>>(), ["lists", "list"]);
            let verb = verb[usize::from(lists.len() > 1)];
            return refusal.help(format!("{} {verb} those there are", lists.join(" and ")));
        }
        refusal.help(format!("did you mean {}?", near.join(", ")))
    }
}

/// ``retry policies `a`, `b` ``.
fn list_names(kind: ResourceKind, names: &[String]) -> String {
    let noun = if names.len() == 1 { kind.noun() } else { kind.plural_noun() };
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("{noun} {}", names.join(", "))
}

/// Names on the server that are a few letters away from others. They are listed for the first of these.
pub(super) struct Suggestions<'s> {
    server: &'s ServerConnection,
    kind: ResourceKind,
    names: OnceCell<Vec<String>>,
}

impl<'s> Suggestions<'s> {
    /// Suggestions of names of this kind.
    pub fn new(server: &'s ServerConnection, kind: ResourceKind) -> Self {
        Self { server, kind, names: OnceCell::new() }
    }

    /// The help for a name that does not exist; `otherwise` is the help if no other name is meant.
    pub fn help(&self, name: &str, otherwise: &str) -> String {
        match (list_help(name), self.near(name)) {
            (Some(help), _) => help,
            (None, Some(near)) => format!("did you mean `{near}`? If not, {otherwise}"),
            (None, None) => otherwise.to_owned(),
        }
    }

    fn near(&self, name: &str) -> Option<&str> {
        let list = list_all_names(&self.server.client, self.kind);
        // Only help depends on it, so that a failure to list them is not an error.
        let names = self.names.get_or_init(|| self.server.wait(list).unwrap_or_default());
        did_you_mean(name, names.iter().map(String::as_str))
    }
}

/// The help for several names, joined by commas, in the place of one.
fn list_help(name: &str) -> Option<String> {
    let names: Vec<&str> = name.split(',').filter(|name| !name.is_empty()).collect();
    name.contains(',').then(|| {
        format!(
            "write several names with blanks, `{}`; with the flag, `--queue {}`",
            names.join(" "),
            names.join(" --queue ")
        )
    })
}

/// The resource of a name; `None` if it does not exist.
pub(super) async fn fetch(
    client: &Client,
    kind: ResourceKind,
    name: &str,
) -> Result<Option<Live>, ClientError> {
    match kind {
        ResourceKind::Policy => client.policy(name).await,
        ResourceKind::Queue => client.queue(name).await,
    }
}

/// The error that these do not exist, with the nearest existing names.
pub(super) fn not_found_error(
    server: &ServerConnection,
    kind: ResourceKind,
    missing: &[&str],
) -> Refusal {
    let names = missing.iter().map(|&name| name.to_owned()).collect();
    Missing(vec![(kind, names)]).refusal(server, "")
}

/// The names of all resources of a kind.
async fn list_all_names(client: &Client, kind: ResourceKind) -> Result<Vec<String>, ClientError> {
    let mut names = Vec::new();
    match kind {
        ResourceKind::Policy => names.extend(client.policies().await?.iter().filter_map(name_of)),
        ResourceKind::Queue => {
            let mut queues = client.queues().await?;
            while let Some(queue) = queues.next().await? {
                names.extend(name_of(&queue));
            }
        }
    }
    Ok(names)
}

/// The name of a policy or a queue.
pub(super) fn name_of(fields: &client::Fields) -> Option<String> {
    fields.value("name")?.as_str().map(str::to_owned)
}
