//! The queues that use each policy.

use crate::commands::lookup::name_of;
use client::{Client, ClientError};
use serde_json::Value;
use std::collections::HashMap;

/// The queues of each policy, by name.
pub(super) type Uses = HashMap<String, Vec<String>>;

/// Reads the queues of each policy.
pub(super) async fn read_uses(client: &Client) -> Result<Uses, ClientError> {
    let mut uses = Uses::new();
    let mut queues = client.queues().await?;
    while let Some(queue) = queues.next().await? {
        for policy in texts(queue.value("retryPolicies").as_ref()) {
            uses.entry(policy).or_default().extend(name_of(&queue));
        }
    }
    Ok(uses)
}

/// The texts of a list.
pub(super) fn texts(list: Option<&Value>) -> Vec<String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}
