//! Whether what was named is there, and what was meant if it is not.

use super::connect::Connected;
use super::target::Kind;
use crate::cli::{Exit, NOTHING_SENT, Refusal};
use crate::client::{Client, ClientError, Live, bounded};
use crate::diag::did_you_mean;
use anyhow::Result;
use std::ops::ControlFlow;

/// Requests that are on their way at the same time.
pub(super) const AT_ONCE: usize = 8;

/// What the server holds of each name, in their order; none where there is none. What cannot be
/// asked any more after a general trouble is left out at the end.
pub(super) fn read(
    server: &Connected,
    kind: Kind,
    names: &[String],
) -> Result<Vec<Result<Option<Live>, ClientError>>> {
    let mut found: Vec<Option<Result<Option<Live>, ClientError>>> = vec![None; names.len()];
    let work = |name: String| {
        let client = server.client.clone();
        async move { one(&client, kind, &name).await }
    };
    server.wait(async {
        bounded(AT_ONCE, names.iter().cloned(), work, |index, result| {
            let general = matches!(&result, Err(error) if error.trouble.is_general());
            found[index] = Some(result);
            if general { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .await;
        Ok(())
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// What the server holds of each name; all of them have to be there.
pub(super) fn all(server: &Connected, kind: Kind, names: &[String]) -> Result<Vec<Live>> {
    let mut missing = Missing::default();
    let found = missing.look_for(server, kind, names)?;
    if missing.is_empty() {
        return Ok(found.into_iter().map(|(_, live)| live).collect());
    }
    Err(missing.refusal(server, "").into())
}

/// What a command names and the server does not have.
#[derive(Debug, Default)]
pub(super) struct Missing(Vec<(Kind, Vec<String>)>);

impl Missing {
    /// What the server holds of these names, with them. Those that it does not have are added.
    pub fn look_for(
        &mut self,
        server: &Connected,
        kind: Kind,
        names: &[String],
    ) -> Result<Vec<(String, Live)>> {
        let mut found = Vec::with_capacity(names.len());
        let mut missing = Vec::new();
        for (name, result) in names.iter().zip(read(server, kind, names)?) {
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
    pub fn refuse(&self, server: &Connected) -> Result<(), Refusal> {
        if self.is_empty() {
            return Ok(());
        }
        Err(self.refusal(server, &format!("; {NOTHING_SENT}")))
    }

    /// The names, with those that are nearest to them; `end` ends the message.
    fn refusal(&self, server: &Connected, end: &str) -> Refusal {
        let kinds: Vec<String> = self.0.iter().map(|(kind, names)| listed(*kind, names)).collect();
        let count = match self.0.iter().map(|(_, names)| names.len()).sum::<usize>() {
            count if count > 1 && !end.is_empty() => format!(": {count} names in all"),
            _ => String::new(),
        };
        let message = format!("the server has no {}{count}{end}", kinds.join(" and no "));
        let refusal = Refusal { exit: Exit::NotFound, ..Refusal::usage(message) };
        let near: Vec<String> =
            self.0.iter().flat_map(|(kind, names)| near(server, *kind, names)).collect();
        if near.is_empty() {
            let lists = self.0.iter().map(|(kind, _)| format!("`armadactl get {}`", kind.word()));
            let (lists, verb) = (lists.collect::<Vec<_>>(), ["lists", "list"]);
            let verb = verb[usize::from(lists.len() > 1)];
            return refusal.help(format!("{} {verb} those there are", lists.join(" and ")));
        }
        refusal.help(format!("did you mean {}?", near.join(", ")))
    }
}

/// ``retry policies `a`, `b` ``.
fn listed(kind: Kind, names: &[String]) -> String {
    let noun = if names.len() == 1 { kind.noun() } else { kind.nouns() };
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("{noun} {}", names.join(", "))
}

/// Names on the server that are near to these.
fn near(server: &Connected, kind: Kind, missing: &[String]) -> Vec<String> {
    // It is only help: a server that does not list them has been asked for them before.
    let live = server.wait(live_names(&server.client, kind)).unwrap_or_default();
    let near =
        missing.iter().filter_map(|name| did_you_mean(name, live.iter().map(String::as_str)));
    near.map(|near| format!("`{near}`")).collect()
}

async fn one(client: &Client, kind: Kind, name: &str) -> Result<Option<Live>, ClientError> {
    match kind {
        Kind::Policy => client.policy(name).await,
        Kind::Queue => client.queue(name).await,
    }
}

/// Says that these are not there, with the names that are nearest to them.
pub(super) fn not_there(server: &Connected, kind: Kind, missing: &[&str]) -> Refusal {
    let names = missing.iter().map(|&name| name.to_owned()).collect();
    Missing(vec![(kind, names)]).refusal(server, "")
}

/// The names of all there are.
async fn live_names(client: &Client, kind: Kind) -> Result<Vec<String>, ClientError> {
    let mut names = Vec::new();
    match kind {
        Kind::Policy => names.extend(client.policies().await?.iter().filter_map(name_of)),
        Kind::Queue => {
            let mut queues = client.queues().await?;
            while let Some(queue) = queues.next().await? {
                names.extend(name_of(&queue));
            }
        }
    }
    Ok(names)
}

/// The name of a policy or a queue.
pub(super) fn name_of(fields: &crate::client::Fields) -> Option<String> {
    fields.value("name")?.as_str().map(str::to_owned)
}
