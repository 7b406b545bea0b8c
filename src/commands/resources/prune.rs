//! `--prune`: policies on the server that match a pattern and are absent from the files.

use super::{Carrying, Deletion, Detach, POLICY, Policies, Step, Wanted, Work};
use crate::cli::Refusal;
use crate::commands::Context;
use crate::commands::connect::Connected;
use crate::report::Action;
use anyhow::Result;
use glob::Pattern;
use std::collections::HashSet;

/// What is pruned, and whether it is.
#[derive(Debug, Clone)]
pub(in crate::commands) struct Prune {
    /// Which names.
    pub pattern: Pattern,
    /// Whether it is done, or only shown.
    pub confirmed: Confirmed,
    /// What is to be done with policies that queues use.
    pub detach: Detach,
}

/// Whether it was said that policies may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Confirmed {
    /// It was.
    Yes,
    /// It was not.
    No,
}

/// The pattern that a word is.
pub(in crate::commands) fn pattern(word: &str) -> Result<Pattern, Refusal> {
    Pattern::new(word).map_err(|error| {
        let message = format!("`--prune {word}` is no pattern: {}", error.msg);
        Refusal::usage(message).help("`*` stands for any text, `?` for a character: `ml-*`")
    })
}

impl Prune {
    /// Shows what would go and, once that was confirmed, deletes it. Nothing goes after a failure,
    /// and nothing that a queue of the files names.
    pub(super) fn run(
        &self,
        context: &mut Context<'_>,
        server: &Connected,
        wanted: &Wanted,
        carrying: &mut Carrying<'_>,
    ) -> Result<()> {
        if carrying.has_failed() {
            context.ui.note("nothing was pruned, since not everything was applied")?;
            return Ok(());
        }
        let names = match self.candidates(server, wanted) {
            Ok(names) => names,
            Err(error) => return carrying.gave_up(error, POLICY, &[]),
        };
        if names.is_empty() {
            return Ok(());
        }
        if self.confirmed == Confirmed::No {
            context.ui.note("not done is what `--yes` would delete")?;
            let step = |name: &String| Step::new(POLICY, name, Action::NotDone, Work::Nothing);
            return carrying.steps(names.iter().map(step).collect());
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let how = Deletion { detach: self.detach, missing: Action::Unchanged };
        // None of the files' queues uses any of these once it has the list of its file, which in a
        // dry run it has not.
        let settled = wanted.queues.iter().filter(|queue| queue.says_policies());
        let settled = settled.map(|queue| queue.name().to_owned()).collect();
        let deletion = Policies { server, names: &names, gone: &settled, how };
        deletion.delete(carrying).or_else(|error| carrying.gave_up(error, POLICY, &names))
    }

    fn candidates(&self, server: &Connected, wanted: &Wanted) -> Result<Vec<String>> {
        let mut kept: HashSet<&str> =
            wanted.policies.iter().map(|(name, _)| name.as_str()).collect();
        for queue in &wanted.queues {
            kept.extend(queue.policies().iter().map(|(name, _)| name.as_str()));
        }
        let live = server.wait(server.client.policies())?;
        let held = live.into_iter().filter_map(|fields| Some(super::live::named(fields)?.0));
        Ok(held
            .filter(|name| self.pattern.matches(name) && !kept.contains(name.as_str()))
            .collect())
    }
}
