//! Whether what was named is there, and what was meant if it is not.

use super::connect::Connected;
use super::target::Kind;
use crate::cli::{Exit, Refusal};
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
    let mut found = Vec::with_capacity(names.len());
    let mut missing = Vec::new();
    for (name, result) in names.iter().zip(read(server, kind, names)?) {
        match result? {
            Some(live) => found.push(live),
            None => missing.push(name.as_str()),
        }
    }
    if missing.is_empty() { Ok(found) } else { Err(not_there(server, kind, &missing).into()) }
}

async fn one(client: &Client, kind: Kind, name: &str) -> Result<Option<Live>, ClientError> {
    match kind {
        Kind::Policy => client.policy(name).await,
        Kind::Queue => client.queue(name).await,
    }
}

/// Says that these are not there, with the names that are nearest to them.
pub(super) fn not_there(server: &Connected, kind: Kind, missing: &[&str]) -> Refusal {
    // It is only help: a server that does not list them has been asked for them before.
    let live = server.wait(live_names(&server.client, kind)).unwrap_or_default();
    let near: Vec<String> = missing
        .iter()
        .filter_map(|name| did_you_mean(name, live.iter().map(String::as_str)))
        .map(|near| format!("`{near}`"))
        .collect();
    let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
    let noun = if missing.len() == 1 { kind.noun() } else { kind.nouns() };
    let message = format!("the server has no {noun} {}", names.join(", "));
    let refusal = Refusal { exit: Exit::NotFound, ..Refusal::usage(message) };
    if near.is_empty() {
        let word = kind.word();
        refusal.help(format!("`armadactl get {word}` lists those there are"))
    } else {
        refusal.help(format!("did you mean {}?", near.join(", ")))
    }
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
