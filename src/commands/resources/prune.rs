//! `--prune`: policies on the server that match a pattern and are absent from the files.

use super::live_objects::with_name;
use super::{
    DeleteOptions, DesiredState, Detach, Executor, Operation, POLICY, PolicyDeletion, Step,
};
use crate::cli::{Context, Refusal};
use crate::commands::connection::ServerConnection;
use crate::report::Action;
use anyhow::Result;
use glob::Pattern;
use std::collections::HashSet;

/// Which policies are pruned, and whether they are only listed.
#[derive(Debug, Clone)]
pub(in crate::commands) struct Prune {
    /// The names.
    pub pattern: Pattern,
    /// Whether the policies are deleted, or only listed.
    pub confirmation: Confirmation,
    /// How to handle policies that queues use.
    pub detach: Detach,
}

/// Whether `--yes` confirms the deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Confirmation {
    /// `--yes` is set: the policies are deleted.
    Yes,
    /// `--yes` is not set: the policies are listed.
    No,
}

/// Parses the value of `--prune`.
pub(in crate::commands) fn parse_pattern(word: &str) -> Result<Pattern, Refusal> {
    Pattern::new(word).map_err(|error| {
        let message = format!("invalid pattern `--prune {word}`: {}", error.msg);
        Refusal::usage(message).help("`*` matches any text, `?` one character: `ml-*`")
    })
}

impl Prune {
    /// Lists the policies or, if that is confirmation, deletes them. Nothing is deleted after a failure,
    /// and no policy that a queue of the files names.
    pub(super) fn run(
        &self,
        context: &mut Context<'_>,
        server: &ServerConnection,
        desired: &DesiredState,
        executor: &mut Executor<'_>,
    ) -> Result<()> {
        if executor.has_failed() {
            context.ui.note("nothing was pruned because not everything was applied")?;
            return Ok(());
        }
        let names = match self.candidates(server, desired) {
            Ok(names) => names,
            Err(error) => return executor.record_read_error(error, POLICY, &[]),
        };
        if names.is_empty() {
            return Ok(());
        }
        if self.confirmation == Confirmation::No {
            context.ui.note("use `--yes` to delete these policies")?;
            let step =
                |name: &String| Step::new(POLICY, name, Action::WouldDelete, Operation::None);
            return executor.run(names.iter().map(step).collect());
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let options = DeleteOptions { detach: self.detach, missing: Action::Unchanged };
        // None of the files' queues uses any of these once it has the list of its file, which in a
        // dry run it has not.
        let ignored_queues = desired.queues.iter().filter(|queue| queue.has_policies());
        let ignored_queues = ignored_queues.map(|queue| queue.name().to_owned()).collect();
        let deletion =
            PolicyDeletion { server, names: &names, ignored_queues: &ignored_queues, options };
        deletion.delete(executor).or_else(|error| executor.record_read_error(error, POLICY, &names))
    }

    fn candidates(&self, server: &ServerConnection, desired: &DesiredState) -> Result<Vec<String>> {
        let mut kept: HashSet<&str> =
            desired.policies.iter().map(|(name, _)| name.as_str()).collect();
        for queue in &desired.queues {
            kept.extend(queue.policies().iter().map(|(name, _)| name.as_str()));
        }
        let live = server.wait(server.client.policies())?;
        let names = live.into_iter().filter_map(|fields| Some(with_name(fields)?.0));
        Ok(names
            .filter(|name| self.pattern.matches(name) && !kept.contains(name.as_str()))
            .collect())
    }
}
