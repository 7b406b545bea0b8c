//! What the server holds of what is named: one by one if it is little, else from the lists.

use crate::client::{Client, ClientError, Fields, Trouble};
use std::collections::{HashMap, HashSet};

/// Up to so many names are asked for one by one.
const FEW: usize = 4;

/// What the server holds, by name.
pub(in crate::commands) type Live = HashMap<String, Fields>;

/// The policies of these names.
pub(in crate::commands) async fn policies(
    client: &Client,
    names: &[&str],
) -> Result<Live, ClientError> {
    let mut live = Live::new();
    if names.len() > FEW {
        match client.policies().await {
            // A list that the server cannot send is no obstacle: its policies are got one by one.
            Err(error) if error.trouble == Trouble::TooLarge => {}
            list => {
                let wanted = wanted(names);
                live.extend(list?.into_iter().filter_map(named).filter(wanted));
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
pub(super) async fn policy_names(
    client: &Client,
    names: &[&str],
) -> Result<Vec<String>, ClientError> {
    match client.policies().await {
        Err(error) if error.trouble == Trouble::TooLarge => {
            Ok(policies(client, names).await?.into_keys().collect())
        }
        list => Ok(list?.into_iter().filter_map(|fields| Some(named(fields)?.0)).collect()),
    }
}

/// The queues of these names.
pub(in crate::commands) async fn queues(
    client: &Client,
    names: &[&str],
) -> Result<Live, ClientError> {
    let mut live = Live::new();
    if names.len() > FEW {
        let (wanted, mut list) = (wanted(names), client.queues().await?);
        while let Some(fields) = list.next().await? {
            live.extend(named(fields).filter(&wanted));
        }
        return Ok(live);
    }
    for name in names {
        let found = client.queue(name).await?;
        live.extend(found.map(|found| ((*name).to_owned(), found.fields)));
    }
    Ok(live)
}

/// Whether a thing has one of these names.
fn wanted(names: &[&str]) -> impl Fn(&(String, Fields)) -> bool {
    let names: HashSet<&str> = names.iter().copied().collect();
    move |(name, _)| names.contains(name.as_str())
}

/// A thing with its name, if it has one.
pub(super) fn named(fields: Fields) -> Option<(String, Fields)> {
    let name = fields.value("name")?.as_str()?.to_owned();
    Some((name, fields))
}
