//! The race of a deletion with an attach: a server takes a policy that it deletes from every queue,
//! also from one that got it after the check. Such queues are looked for while the policies are
//! deleted and once more some time later. What happens between two looks is not seen.

use super::deletion::{Users, using};
use super::{Carrying, POLICY};
use crate::client::{ClientError, Trouble, second_look_wait};
use crate::commands::connect::Connected;
use crate::report::Action;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What is seen of queues that got a policy while it was being deleted.
pub(super) struct Race<'s> {
    server: &'s Connected,
    /// Queues that do not count.
    gone: &'s HashSet<String>,
    seen: Users,
    error: Option<ClientError>,
}

impl<'s> Race<'s> {
    /// Nothing is seen yet.
    pub fn new(server: &'s Connected, gone: &'s HashSet<String>) -> Self {
        Self { server, gone, seen: Users::new(), error: None }
    }

    /// Lists the queues at the same time as `delete` deletes some of these policies.
    pub fn during(
        &mut self,
        policies: &HashSet<String>,
        delete: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let list = using(self.server.client.clone(), policies.clone(), self.gone.clone());
        let list = self.server.spawn(list);
        delete()?;
        if self.server.stop().is_requested() {
            list.abort();
            return Ok(());
        }
        match self.server.join(list) {
            Ok(users) => {
                for (queue, policies) in users {
                    self.seen.entry(queue).or_default().extend(policies);
                }
            }
            Err(error) => self.error = Some(error.downcast()?),
        }
        Ok(())
    }

    /// Lists the queues once more, unless the work was stopped, and adds a failure for each policy
    /// that a queue got meanwhile.
    pub fn report(self, carrying: &mut Carrying<'_>) -> Result<()> {
        let deleted = carrying.items.iter().filter(|item| is_deleted(item));
        let deleted: HashSet<String> = deleted.map(|item| item.name.clone()).collect();
        if deleted.is_empty() {
            return Ok(());
        }
        let Self { server, gone, seen, mut error } = self;
        let mut still = Users::new();
        if !carrying.is_stopped() {
            server.pause(second_look_wait());
            match server.wait(using(server.client.clone(), deleted.clone(), gone.clone())) {
                Ok(users) => still = users,
                Err(other) => error = Some(other.downcast()?),
            }
        }
        let lost = by_policy(&seen, &deleted);
        let named = by_policy(&still, &deleted);
        for (policy, queues) in &lost {
            let still = named.get(policy);
            let lost = queues.iter().filter(|queue| still.is_none_or(|s| !s.contains(*queue)));
            let lost: Vec<&str> = lost.copied().collect();
            if !lost.is_empty() {
                carrying.failures.push(taken(policy, &lost));
            }
        }
        for (policy, queues) in &named {
            let queues: Vec<&str> = queues.iter().copied().collect();
            carrying.failures.push(dangling(policy, &queues));
        }
        carrying.failures.extend(error.map(unknown));
        Ok(())
    }
}

fn is_deleted(item: &crate::report::Written) -> bool {
    item.kind == POLICY && item.action == Action::Deleted
}

/// The queues of each of these policies.
fn by_policy<'u>(
    users: &'u Users,
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

fn taken(policy: &str, queues: &[&str]) -> ClientError {
    let (noun, verb) = if queues.len() == 1 { ("queue", "has") } else { ("queues", "have") };
    let message = format!(
        "the retry policy `{policy}` was attached to the {noun} {} while it was being deleted: the {noun} {verb} lost it",
        super::deletion::listed(queues)
    );
    let help = "create the policy again and attach it, if it is still needed there";
    ClientError::new(Trouble::Refused, message).help(help)
}

fn dangling(policy: &str, queues: &[&str]) -> ClientError {
    let (noun, verb) = if queues.len() == 1 { ("queue", "names") } else { ("queues", "name") };
    let message = format!(
        "the retry policy `{policy}` was attached to the {noun} {} while it was being deleted: the {noun} still {verb} it",
        super::deletion::listed(queues)
    );
    let help = format!("detach it, or create the policy again: `detach rp {policy} --queue ..`");
    ClientError::new(Trouble::Refused, message).help(help)
}

fn unknown(error: ClientError) -> ClientError {
    let message = format!(
        "the retry policies were deleted, but whether a queue got one of them meanwhile is unknown: {}",
        error.message
    );
    ClientError { message, ..error }
}
