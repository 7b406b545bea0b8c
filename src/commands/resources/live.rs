//! What the server holds of what is named: one by one if it is little, else from the lists.

use crate::client::{Client, ClientError, Fields};
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
        let wanted: HashSet<&str> = names.iter().copied().collect();
        for fields in client.policies().await? {
            live.extend(
                named(fields).into_iter().filter(|(name, _)| wanted.contains(name.as_str())),
            );
        }
        return Ok(live);
    }
    for name in names {
        let found = client.policy(name).await?;
        live.extend(found.map(|found| ((*name).to_owned(), found.fields)));
    }
    Ok(live)
}

/// The queues of these names.
pub(in crate::commands) async fn queues(
    client: &Client,
    names: &[&str],
) -> Result<Live, ClientError> {
    let mut live = Live::new();
    if names.len() > FEW {
        let wanted: HashSet<&str> = names.iter().copied().collect();
        let mut list = client.queues().await?;
        while let Some(fields) = list.next().await? {
            live.extend(
                named(fields).into_iter().filter(|(name, _)| wanted.contains(name.as_str())),
            );
        }
        return Ok(live);
    }
    for name in names {
        let found = client.queue(name).await?;
        live.extend(found.map(|found| ((*name).to_owned(), found.fields)));
    }
    Ok(live)
}

/// A thing with its name, if it has one.
pub(super) fn named(fields: Fields) -> Option<(String, Fields)> {
    let name = fields.value("name")?.as_str()?.to_owned();
    Some((name, fields))
}
