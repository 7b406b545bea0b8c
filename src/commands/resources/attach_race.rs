//! The race of a deletion with an attach: a server removes a deleted policy from every queue, also
//! from one that got it after the check. The queues are listed while the policies are deleted and
//! once more some time later; an attach between these reads is not noticed.

use super::live_objects::with_name;
use super::{Executor, POLICY};
use crate::commands::connection::ServerConnection;
use crate::report::Action;
use anyhow::Result;
use client::{Client, ClientError, ClientErrorKind, second_read_wait};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Queues that got a policy while it was being deleted.
pub(super) struct AttachRace<'s> {
    server: &'s ServerConnection,
    /// Queues to ignore.
    ignored_queues: &'s HashSet<String>,
    users_at_deletion: QueueUses,
    error: Option<ClientError>,
}

impl<'s> AttachRace<'s> {
    /// No queue yet.
    pub fn new(server: &'s ServerConnection, ignored_queues: &'s HashSet<String>) -> Self {
        Self { server, ignored_queues, users_at_deletion: QueueUses::new(), error: None }
    }

    /// Lists the queues at the same time as `delete` deletes some of these policies.
    pub fn delete_and_list(
        &mut self,
        policies: &HashSet<String>,
        delete: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let list =
            queues_using(self.server.client.clone(), policies.clone(), self.ignored_queues.clone());
        let list = self.server.spawn(list);
        delete()?;
        if self.server.stop().is_requested() {
            list.abort();
            return Ok(());
        }
        match self.server.join(list) {
            Ok(users) => {
                for (queue, policies) in users {
                    self.users_at_deletion.entry(queue).or_default().extend(policies);
                }
            }
            Err(error) => self.error = Some(error.downcast()?),
        }
        Ok(())
    }

    /// Lists the queues once more, unless the work was stopped, and adds a failure for each policy
    /// that a queue got meanwhile.
    pub fn report(self, executor: &mut Executor<'_>) -> Result<()> {
        let deleted = executor.items.iter().filter(|item| is_deleted_policy(item));
        let deleted: HashSet<String> = deleted.map(|item| item.name.clone()).collect();
        if deleted.is_empty() {
            return Ok(());
        }
        let Self { server, ignored_queues, users_at_deletion, mut error } = self;
        let mut users_after_deletion = QueueUses::new();
        if !executor.is_stopped() {
            server.pause(second_read_wait());
            match server.wait(queues_using(
                server.client.clone(),
                deleted.clone(),
                ignored_queues.clone(),
            )) {
                Ok(users) => users_after_deletion = users,
                Err(other) => error = Some(other.downcast()?),
            }
        }
        let queues_lost = queues_by_policy(&users_at_deletion, &deleted);
        let queues_naming = queues_by_policy(&users_after_deletion, &deleted);
        for (policy, queues) in &queues_lost {
            let still = queues_naming.get(policy);
            let lost = queues.iter().filter(|queue| still.is_none_or(|s| !s.contains(*queue)));
            let lost: Vec<&str> = lost.copied().collect();
            if !lost.is_empty() {
                executor.failures.push(lost_policy(policy, &lost));
            }
        }
        for (policy, queues) in &queues_naming {
            let queues: Vec<&str> = queues.iter().copied().collect();
            executor.failures.push(dangling_policy(policy, &queues));
        }
        executor.failures.extend(error.map(unknown_loss));
        Ok(())
    }
}

fn is_deleted_policy(item: &crate::report::WriteItem) -> bool {
    item.kind == POLICY && item.action == Action::Deleted
}

/// The queues of each of these policies.
fn queues_by_policy<'u>(
    users: &'u QueueUses,
    policies: &HashSet<String>,
) -> BTreeMap<&'u str, BTreeSet<&'u str>> {
    let mut queues: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (queue, names) in users {
        for name in names.iter().filter(|name| policies.contains(*name)) {
            queues.entry(name).or_default().insert(queue);
        }
    }
    queues
}

fn lost_policy(policy: &str, queues: &[&str]) -> ClientError {
    let (noun, verb) = if queues.len() == 1 { ("queue", "has") } else { ("queues", "have") };
    let message = format!(
        "the retry policy `{policy}` was attached to the {noun} {} while it was being deleted: the {noun} {verb} lost it",
        list_queues(queues)
    );
    let help = "create the policy again and attach it, if it is still needed there";
    ClientError::new(ClientErrorKind::Refused, message).help(help)
}

fn dangling_policy(policy: &str, queues: &[&str]) -> ClientError {
    let (noun, verb) = if queues.len() == 1 { ("queue", "names") } else { ("queues", "name") };
    let message = format!(
        "the retry policy `{policy}` was attached to the {noun} {} while it was being deleted: the {noun} still {verb} it",
        list_queues(queues)
    );
    let help = format!("detach it, or create the policy again: `detach rp {policy} --queue ..`");
    ClientError::new(ClientErrorKind::Refused, message).help(help)
}

fn unknown_loss(error: ClientError) -> ClientError {
    let message = format!(
        "the retry policies were deleted, but the check for queues that got one meanwhile failed: {}",
        error.message
    );
    ClientError { message, ..error }
}

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
