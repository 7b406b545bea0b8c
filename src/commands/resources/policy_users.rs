//! The queues that use policies.

use super::live_objects::with_name;
use client::{Client, ClientError};
use std::collections::{BTreeMap, HashSet};

/// Queues, each with the policies that it uses among some.
pub(super) type QueueUses = BTreeMap<String, Vec<String>>;

/// The queues that use this policy.
pub(super) fn users<'u>(queue_uses: &'u QueueUses, name: &str) -> Vec<&'u str> {
    let has_it = |policies: &[String]| policies.iter().any(|policy| policy == name);
    let users = queue_uses.iter().filter(|(_, policies)| has_it(policies));
    users.map(|(queue, _)| queue.as_str()).collect()
}

/// The queues that use one of these policies, without those in `ignored`.
pub(super) async fn queues_using(
    client: Client,
    policies: HashSet<String>,
    ignored: HashSet<String>,
) -> Result<QueueUses, ClientError> {
    let mut queue_uses = QueueUses::new();
    let mut list = client.queues().await?;
    while let Some(fields) = list.next().await? {
        let Some((name, fields)) = with_name(fields) else { continue };
        let attached = fields.value("retryPolicies");
        let attached = attached.as_ref().and_then(|list| list.as_array()).into_iter().flatten();
        let policies_used: Vec<String> = attached
            .filter_map(|policy| policy.as_str())
            .filter(|policy| policies.contains(*policy))
            .map(str::to_owned)
            .collect();
        if !policies_used.is_empty() && !ignored.contains(&name) {
            queue_uses.insert(name, policies_used);
        }
    }
    Ok(queue_uses)
}

/// Limit of queues that a message names: it is one line.
const MAX_LISTED: usize = 10;

/// The first of these names, with commas between.
pub(super) fn list_queues(queues: &[&str]) -> String {
    let mut listed: Vec<String> =
        queues.iter().take(MAX_LISTED).map(|queue| format!("`{queue}`")).collect();
    if queues.len() > MAX_LISTED {
        listed.push(format!("and {} more", queues.len() - MAX_LISTED));
    }
    listed.join(", ")
}
