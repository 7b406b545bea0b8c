//! Deletion of queues and policies. A policy that queues use is deleted only after it was detached
//! from them.

use super::attach_race::{AttachRace, QueueUses, list_queues, queues_using, users};
use super::live_objects::{fetch_policies, fetch_queues};
use super::{Executor, Operation, POLICY, QUEUE, Step};
use crate::commands::connection::{ServerConnection, WRITES_AT_ONCE};
use crate::commands::lookup::Suggestions;
use crate::commands::resource_args::ResourceKind;
use crate::report::Action;
use anyhow::Result;
use client::{ClientError, ClientErrorKind};
use std::collections::HashSet;
use std::sync::Arc;

/// How to handle policies that queues use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Detach {
    /// Such policies are not deleted.
    No,
    /// Such policies are detached from the queues, then deleted.
    Yes,
}

/// Options of a deletion.
#[derive(Debug, Clone, Copy)]
pub(in crate::commands) struct DeleteOptions {
    /// How to handle policies that queues use.
    pub detach: Detach,
    /// The action to report for names that do not exist: `Unchanged`, or `NotDone` for an error.
    pub missing: Action,
}

/// Deletes queues; returns the names of those that are deleted, or would be in a dry run.
pub(in crate::commands) fn delete_queues(
    executor: &mut Executor<'_>,
    server: &ServerConnection,
    names: &[&str],
    options: DeleteOptions,
) -> Result<HashSet<String>> {
    let live = server.wait(fetch_queues(&server.client, names))?;
    let suggestions = Suggestions::new(server, ResourceKind::Queue);
    let step = |name: &&str| {
        if live.contains_key(*name) {
            Step::new(QUEUE, name, Action::Deleted, Operation::DeleteQueue)
        } else {
            missing_step(ResourceKind::Queue, name, options.missing, &suggestions)
        }
    };
    executor.run(names.iter().map(step).collect())?;
    let deleted_queues = names.iter().filter(|name| !executor.is_undone(QUEUE, name));
    Ok(deleted_queues.map(|name| (*name).to_owned()).collect())
}

/// The deletion of policies.
#[derive(Clone, Copy)]
pub(in crate::commands) struct PolicyDeletion<'d> {
    /// The server that has them.
    pub server: &'d ServerConnection,
    /// Their names.
    pub names: &'d [&'d str],
    /// Queues to ignore: they are deleted, or get another list of policies.
    pub ignored_queues: &'d HashSet<String>,
    /// Options of the deletion.
    pub options: DeleteOptions,
}

impl PolicyDeletion<'_> {
    /// Deletes the policies that no queue uses; with `Detach::Yes` the others too, once they are detached
    /// from their queues.
    pub(in crate::commands) fn delete(self, executor: &mut Executor<'_>) -> Result<()> {
        let mut race = AttachRace::new(self.server, self.ignored_queues);
        match self.options.detach {
            Detach::Yes => self.detach_and_delete(executor, &mut race)?,
            // The check is repeated for every few policies, so that little time passes between it and the deletion.
            Detach::No => {
                for names in self.names.chunks(WRITES_AT_ONCE) {
                    PolicyDeletion { names, ..self }.delete_unused(executor, &mut race)?;
                }
            }
        }
        if executor.is_dry_run() { Ok(()) } else { race.report(executor) }
    }

    fn delete_unused(self, executor: &mut Executor<'_>, race: &mut AttachRace<'_>) -> Result<()> {
        let Some((existing, queue_uses)) = self.find_uses(executor)? else {
            return executor.run(self.names.iter().map(deletion_step).collect());
        };
        let suggestions = Suggestions::new(self.server, ResourceKind::Policy);
        let step = |name: &&str| {
            let users = users(&queue_uses, name);
            if !existing.contains(*name) {
                missing_step(ResourceKind::Policy, name, self.options.missing, &suggestions)
            } else if users.is_empty() {
                deletion_step(name)
            } else {
                Step::failing(POLICY, name, in_use_error(name, &users))
            }
        };
        let steps = self.names.iter().map(step).collect();
        let is_any_unused = existing.iter().any(|name| users(&queue_uses, name).is_empty());
        if executor.is_dry_run() || !is_any_unused {
            return executor.run(steps);
        }
        race.delete_and_list(&existing, || executor.run(steps))
    }

    /// Detaches policies from the queues that use them, and deletes them.
    fn detach_and_delete(
        self,
        executor: &mut Executor<'_>,
        race: &mut AttachRace<'_>,
    ) -> Result<()> {
        let Some((existing, queue_uses)) = self.find_uses(executor)? else {
            return executor.run(self.names.iter().map(deletion_step).collect());
        };
        let step = |(queue, policies): (&String, &Vec<String>)| {
            let operation = Operation::Detach(Arc::from(policies.as_slice()));
            let step = Step::new(QUEUE, queue, Action::Configured, operation);
            step.fields(vec!["retryPolicies".to_owned()])
        };
        executor.run(queue_uses.iter().map(step).collect())?;
        let suggestions = Suggestions::new(self.server, ResourceKind::Policy);
        let step = |name: &&str| {
            let is_undone = |queue: &&str| executor.is_undone(QUEUE, queue);
            if !existing.contains(*name) {
                missing_step(ResourceKind::Policy, name, self.options.missing, &suggestions)
            } else if users(&queue_uses, name).iter().any(is_undone) {
                Step::failing(POLICY, name, not_detached_error(name))
            } else {
                deletion_step(name)
            }
        };
        let steps = self.names.iter().map(step).collect();
        if executor.is_dry_run() || executor.is_stopped() || existing.is_empty() {
            return executor.run(steps);
        }
        race.delete_and_list(&existing, || executor.run(steps))
    }

    /// Which of them exist, and which queues use them; `None` if no step is to be begun.
    fn find_uses(self, executor: &Executor<'_>) -> Result<Option<(HashSet<String>, QueueUses)>> {
        if self.names.is_empty() || executor.is_stopped() {
            return Ok(None);
        }
        let server = self.server;
        let live = server.wait(fetch_policies(&server.client, self.names))?;
        let existing = self.names.iter().filter(|name| live.contains_key(**name));
        let existing: HashSet<String> = existing.map(|name| (*name).to_owned()).collect();
        if existing.is_empty() {
            return Ok(Some((existing, QueueUses::new())));
        }
        let queue_uses =
            queues_using(server.client.clone(), existing.clone(), self.ignored_queues.clone());
        Ok(Some((existing, server.wait(queue_uses)?)))
    }
}

fn deletion_step(name: &&str) -> Step {
    Step::new(POLICY, name, Action::Deleted, Operation::DeletePolicy)
}

fn missing_step(
    kind: ResourceKind,
    name: &str,
    action: Action,
    suggestions: &Suggestions<'_>,
) -> Step {
    if action == Action::Unchanged {
        return Step::new(kind.document_kind(), name, action, Operation::None);
    }
    let message = format!("the {} `{name}` does not exist", kind.noun());
    let help = suggestions.help(name, "`--ignore-not-found` treats this as success");
    let error = ClientError::new(ClientErrorKind::NotFound, message).help(help);
    Step::failing(kind.document_kind(), name, error)
}

fn in_use_error(name: &str, users: &[&str]) -> ClientError {
    let queues = if users.len() == 1 { "the queue" } else { "the queues" };
    let message = format!("the retry policy `{name}` is used by {queues} {}", list_queues(users));
    ClientError::new(ClientErrorKind::Refused, message)
        .help("use `--detach` to detach it from them first")
}

fn not_detached_error(name: &str) -> ClientError {
    let message = format!("the retry policy `{name}` could not be taken from every queue");
    ClientError::new(ClientErrorKind::Refused, message).help("run the command again")
}
