//! Deleting: a policy that queues use is not deleted, unless it is taken from them first.

use super::race::Race;
use super::{AT_ONCE, Carrying, POLICY, QUEUE, Step, Work};
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

/// Policies that are to be deleted.
#[derive(Clone, Copy)]
pub(in crate::commands) struct Policies<'d> {
    /// The server that has them.
    pub server: &'d Connected,
    /// Their names.
    pub names: &'d [&'d str],
    /// Queues that do not count any more.
    pub gone: &'d HashSet<String>,
    /// How they are deleted.
    pub how: Deletion,
}

impl Policies<'_> {
    /// Deletes those that no queue uses; those that one uses too, once they are taken from it, if
    /// that is wanted.
    pub(in crate::commands) fn delete(self, carrying: &mut Carrying<'_>) -> Result<()> {
        let mut race = Race::new(self.server, self.gone);
        match self.how.detach {
            Detach::Yes => self.detach_and_delete(carrying, &mut race)?,
            // The check is made anew for every few policies, so that it is never old.
            Detach::No => {
                for names in self.names.chunks(AT_ONCE) {
                    Policies { names, ..self }.delete_unused(carrying, &mut race)?;
                }
            }
        }
        if carrying.is_dry_run() { Ok(()) } else { race.report(carrying) }
    }

    fn delete_unused(self, carrying: &mut Carrying<'_>, race: &mut Race<'_>) -> Result<()> {
        let Some((there, using)) = self.used(carrying)? else {
            return carrying.steps(self.names.iter().map(deletion).collect());
        };
        let step = |name: &&str| {
            let users = users(&using, name);
            if !there.contains(*name) {
                missing(POLICY, "retry policy", name, self.how.missing)
            } else if users.is_empty() {
                deletion(name)
            } else {
                Step::fails(POLICY, name, in_use(name, &users))
            }
        };
        let steps = self.names.iter().map(step).collect();
        let is_any_unused = there.iter().any(|name| users(&using, name).is_empty());
        if carrying.is_dry_run() || !is_any_unused {
            return carrying.steps(steps);
        }
        race.during(&there, || carrying.steps(steps))
    }

    /// Takes policies from the queues that use them, and deletes them.
    fn detach_and_delete(self, carrying: &mut Carrying<'_>, race: &mut Race<'_>) -> Result<()> {
        let Some((there, using)) = self.used(carrying)? else {
            return carrying.steps(self.names.iter().map(deletion).collect());
        };
        let step = |(queue, policies): (&String, &Vec<String>)| {
            let work = Work::Detach(Arc::from(policies.as_slice()));
            let step = Step::new(QUEUE, queue, Action::Configured, work);
            step.fields(vec!["retryPolicies".to_owned()])
        };
        carrying.steps(using.iter().map(step).collect())?;
        let step = |name: &&str| {
            let undone = |queue: &&str| carrying.left_undone(QUEUE, queue);
            if !there.contains(*name) {
                missing(POLICY, "retry policy", name, self.how.missing)
            } else if users(&using, name).iter().any(undone) {
                Step::fails(POLICY, name, not_detached(name))
            } else {
                deletion(name)
            }
        };
        let steps = self.names.iter().map(step).collect();
        if carrying.is_dry_run() || carrying.is_stopped() || there.is_empty() {
            return carrying.steps(steps);
        }
        race.during(&there, || carrying.steps(steps))
    }

    /// Which of them there are, and which queues use them; none if nothing is to be begun.
    fn used(self, carrying: &Carrying<'_>) -> Result<Option<(HashSet<String>, Users)>> {
        if self.names.is_empty() || carrying.is_stopped() {
            return Ok(None);
        }
        let server = self.server;
        let live = server.wait(super::policies(&server.client, self.names))?;
        let there = self.names.iter().filter(|name| live.contains_key(**name));
        let there: HashSet<String> = there.map(|name| (*name).to_owned()).collect();
        if there.is_empty() {
            return Ok(Some((there, Users::new())));
        }
        let using = using(server.client.clone(), there.clone(), self.gone.clone());
        Ok(Some((there, server.wait(using)?)))
    }
}

fn deletion(name: &&str) -> Step {
    Step::new(POLICY, name, Action::Deleted, Work::DeletePolicy)
}

/// Queues, each with those of some policies that it uses.
pub(super) type Users = BTreeMap<String, Vec<String>>;

/// The queues that use this policy.
fn users<'u>(using: &'u Users, name: &str) -> Vec<&'u str> {
    let has_it = |policies: &[String]| policies.iter().any(|policy| policy == name);
    let found = using.iter().filter(|(_, policies)| has_it(policies));
    found.map(|(queue, _)| queue.as_str()).collect()
}

/// The queues that use one of these policies, but for those that are `gone`.
pub(super) async fn using(
    client: Client,
    policies: HashSet<String>,
    gone: HashSet<String>,
) -> Result<Users, ClientError> {
    let mut using = Users::new();
    let mut list = client.queues().await?;
    while let Some(fields) = list.next().await? {
        let Some((name, fields)) = super::live::named(fields) else { continue };
        let attached = fields.value("retryPolicies");
        let attached = attached.as_ref().and_then(|list| list.as_array()).into_iter().flatten();
        let ours: Vec<String> = attached
            .filter_map(|policy| policy.as_str())
            .filter(|policy| policies.contains(*policy))
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

/// The first of these names, with commas between.
pub(super) fn listed(queues: &[&str]) -> String {
    let mut listed: Vec<String> =
        queues.iter().take(SHOWN).map(|queue| format!("`{queue}`")).collect();
    if queues.len() > SHOWN {
        listed.push(format!("and {} more", queues.len() - SHOWN));
    }
    listed.join(", ")
}

fn in_use(name: &str, users: &[&str]) -> ClientError {
    let queues = if users.len() == 1 { "the queue" } else { "the queues" };
    let message = format!("the retry policy `{name}` is used by {queues} {}", listed(users));
    ClientError::new(Trouble::Refused, message).help("`--detach` takes it from them first")
}

fn not_detached(name: &str) -> ClientError {
    let message = format!("the retry policy `{name}` could not be taken from every queue");
    ClientError::new(Trouble::Refused, message).help("do it again")
}
