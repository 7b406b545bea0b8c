//! Policies and queues of the server by name: one request each for a few names, else the lists.

use client::{Client, ClientError, ClientErrorKind, Fields};
use std::collections::{HashMap, HashSet};

/// Limit of names that are read one by one. For more names, one list is cheaper than the requests.
const MAX_SINGLE_READS: usize = 4;

/// Policies or queues of the server, by name.
pub(in crate::commands) type LiveObjects = HashMap<String, Fields>;

/// The policies of these names.
pub(in crate::commands) async fn fetch_policies(
    client: &Client,
    names: &[&str],
) -> Result<LiveObjects, ClientError> {
    let mut live = LiveObjects::new();
    if names.len() > MAX_SINGLE_READS {
        match client.policies().await {
            // If the list is too large for the server, its policies are read one by one.
            Err(error) if error.kind == ClientErrorKind::TooLarge => {}
            list => {
                let is_named = is_named(names);
                live.extend(list?.into_iter().filter_map(with_name).filter(is_named));
                return Ok(live);
            }
        }
    }
    for name in names {
        let found = client.policy(name).await?;
        live.extend(found.map(|found| ((*name).to_owned(), found.fields)));
    }
    Ok(live)
}

/// The names of all policies; of these alone where the server cannot send a list.
pub(super) async fn fetch_policy_names(
    client: &Client,
    names: &[&str],
) -> Result<Vec<String>, ClientError> {
    match client.policies().await {
        Err(error) if error.kind == ClientErrorKind::TooLarge => {
            Ok(fetch_policies(client, names).await?.into_keys().collect())
        }
        list => Ok(list?.into_iter().filter_map(|fields| Some(with_name(fields)?.0)).collect()),
    }
}

/// The queues of these names.
pub(in crate::commands) async fn fetch_queues(
    client: &Client,
    names: &[&str],
) -> Result<LiveObjects, ClientError> {
    let mut live = LiveObjects::new();
    if names.len() > MAX_SINGLE_READS {
        let (is_named, mut list) = (is_named(names), client.queues().await?);
        while let Some(fields) = list.next().await? {
            live.extend(with_name(fields).filter(&is_named));
        }
        return Ok(live);
    }
    for name in names {
        let found = client.queue(name).await?;
        live.extend(found.map(|found| ((*name).to_owned(), found.fields)));
    }
    Ok(live)
}

/// Whether an object has one of these names.
fn is_named(names: &[&str]) -> impl Fn(&(String, Fields)) -> bool {
    let names: HashSet<&str> = names.iter().copied().collect();
    move |(name, _)| names.contains(name.as_str())
}

/// An object with its name, if it has one.
pub(super) fn with_name(fields: Fields) -> Option<(String, Fields)> {
    let name = fields.value("name")?.as_str()?.to_owned();
    Some((name, fields))
}
