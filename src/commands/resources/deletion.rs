//! Deleting: a policy that queues use is not, unless it is taken from them first.

use super::{Carrying, POLICY, QUEUE, Step, Work};
use crate::client::{Client, ClientError, Trouble};
use crate::commands::connect::Connected;
use crate::report::Action;
use anyhow::Result;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// What is to be done with policies that queues use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Detach {
    /// They stay.
    No,
    /// They are taken from the queues.
    Yes,
}

/// How things are deleted.
#[derive(Debug, Clone, Copy)]
pub(in crate::commands) struct Deletion {
    /// What is to be done with policies that queues use.
    pub detach: Detach,
    /// What is to be said of things that are not there: that is as it should be, or an error.
    pub missing: Action,
}

/// Deletes queues; gives those that are gone, or would be.
pub(in crate::commands) fn delete_queues(
    carrying: &mut Carrying<'_>,
    server: &Connected,
    names: &[&str],
    how: Deletion,
) -> Result<HashSet<String>> {
    let live = server.wait(super::queues(&server.client, names))?;
    let step = |name: &&str| {
        if live.contains_key(*name) {
            Step::new(QUEUE, name, Action::Deleted, Work::DeleteQueue)
        } else {
            missing(QUEUE, "queue", name, how.missing)
        }
    };
    carrying.steps(names.iter().map(step).collect())?;
    let gone = names.iter().filter(|name| !carrying.left_undone(QUEUE, name));
    Ok(gone.map(|name| (*name).to_owned()).collect())
}

/// Deletes policies that no queue uses, `gone` being queues that do not count any more; those that
/// one uses too, once they are taken from it, if that is wanted.
pub(in crate::commands) fn delete_policies(
    carrying: &mut Carrying<'_>,
    server: &Connected,
    names: &[&str],
    gone: &HashSet<String>,
    how: Deletion,
) -> Result<()> {
    if names.is_empty() || carrying.is_stopped() {
        let step = |name: &&str| Step::new(POLICY, name, Action::Deleted, Work::DeletePolicy);
        return carrying.steps(names.iter().map(step).collect());
    }
    let live = server.wait(super::policies(&server.client, names))?;
    let there: HashSet<&str> = names.iter().copied().filter(|n| live.contains_key(*n)).collect();
    let using = if there.is_empty() {
        BTreeMap::new()
    } else {
        server.wait(using(&server.client, &there, gone))?
    };
    if how.detach == Detach::Yes {
        let step = |(queue, policies): (&String, &Vec<String>)| {
            let work = Work::Detach(Arc::from(policies.as_slice()));
            Step::new(QUEUE, queue, Action::Configured, work)
                .fields(vec!["retryPolicies".to_owned()])
        };
        carrying.steps(using.iter().map(step).collect())?;
    }
    let step = |name: &&str| {
        let users: Vec<&str> = using
            .iter()
            .filter(|(_, policies)| policies.iter().any(|policy| policy == name))
            .map(|(queue, _)| queue.as_str())
            .collect();
        let undone = |queue: &&str| carrying.left_undone(QUEUE, queue);
        if !there.contains(name) {
            missing(POLICY, "retry policy", name, how.missing)
        } else if how.detach == Detach::No && !users.is_empty() {
            Step::fails(POLICY, name, in_use(name, &users))
        } else if users.iter().any(undone) {
            Step::fails(POLICY, name, not_detached(name))
        } else {
            Step::new(POLICY, name, Action::Deleted, Work::DeletePolicy)
        }
    };
    let steps = names.iter().map(step).collect();
    carrying.steps(steps)
}

/// The queues that use one of these policies, with those that they use.
async fn using(
    client: &Client,
    policies: &HashSet<&str>,
    gone: &HashSet<String>,
) -> Result<BTreeMap<String, Vec<String>>, ClientError> {
    let mut using = BTreeMap::new();
    let mut list = client.queues().await?;
    while let Some(fields) = list.next().await? {
        let Some((name, fields)) = super::live::named(fields) else { continue };
        let attached = fields.value("retryPolicies");
        let attached = attached.as_ref().and_then(|list| list.as_array()).into_iter().flatten();
        let ours: Vec<String> = attached
            .filter_map(|policy| policy.as_str())
            .filter(|policy| policies.contains(policy))
            .map(str::to_owned)
            .collect();
        if !ours.is_empty() && !gone.contains(&name) {
            using.insert(name, ours);
        }
    }
    Ok(using)
}

fn missing(kind: &'static str, noun: &str, name: &str, action: Action) -> Step {
    if action == Action::Unchanged {
        return Step::new(kind, name, action, Work::Nothing);
    }
    let error = ClientError::new(Trouble::NotFound, format!("there is no {noun} `{name}`"));
    Step::fails(kind, name, error.help("`--ignore-not-found` takes that for done"))
}

/// Queues that are named in a message.
const SHOWN: usize = 10;

fn in_use(name: &str, users: &[&str]) -> ClientError {
    let mut listed: Vec<String> =
        users.iter().take(SHOWN).map(|queue| format!("`{queue}`")).collect();
    if users.len() > SHOWN {
        listed.push(format!("and {} more", users.len() - SHOWN));
    }
    let queues = if users.len() == 1 { "the queue" } else { "the queues" };
    let message = format!("the retry policy `{name}` is used by {queues} {}", listed.join(", "));
    ClientError::new(Trouble::Refused, message).help("`--detach` takes it from them first")
}

fn not_detached(name: &str) -> ClientError {
    let message = format!("the retry policy `{name}` could not be taken from every queue");
    ClientError::new(Trouble::Refused, message).help("do it again")
}
