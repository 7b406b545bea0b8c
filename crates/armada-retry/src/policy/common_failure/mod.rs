//! A failure that a rule of each of two lists is the first to match.
//!
//! The search is over the failure that fewest other rules match. Each of the two rules reads a container of its own scope,
//! or both the same one. A named container is an init container, so that rules on the first failed one do not see it, and an
//! init container without an exit code, a reason or a message is before it, so that those that include init containers do
//! not either. What a rule sees of this failure it sees of every other one that the two rules match, so that a rule that
//! matches this failure matches all of them.

mod bare;
mod choices;
mod containers;
mod layout;
mod texts;

pub(crate) use texts::Texts;

use super::Condition;
use super::reachability::{Prepared, Scope};
use choices::common_codes;
use std::cell::RefCell;

/// The failure that a rule of each of two lists is the first to match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CommonFailure<'r> {
    Found(Symptoms<'r>),
    /// There is none.
    Absent,
    /// The search was stopped: the automata of patterns are too large, or there are too many combinations.
    Unknown,
}

/// The parts of a failure that rules read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Symptoms<'r> {
    /// The containers that rules read.
    pub containers: Vec<ReadContainer<'r>>,
    /// The conditions of the pod.
    pub conditions: Vec<Condition>,
    /// The category; empty for none.
    pub category: &'r str,
    /// The subcategory; empty for none.
    pub subcategory: &'r str,
}

/// A container as rules of a scope read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadContainer<'r> {
    /// The scope of the rules.
    pub scope: Scope<'r>,
    /// The exit code; absent for none.
    pub exit_code: Option<i64>,
    /// Whether its reason is `OOMKilled`.
    pub is_oom_killed: bool,
    /// The messages: those after the first are of further containers in the scope.
    pub messages: Vec<String>,
}

/// Two lists of rules, and one rule of each: `None` for what no rule of the list matches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair<'s, 'r> {
    /// The rules of one list, and those of the other.
    pub lists: [&'s [Prepared<'r>]; 2],
    /// The number of the rule in each list; that of its length for no rule.
    pub numbers: [usize; 2],
    /// A condition that holds for the failure, as if a rule needed it.
    pub always: Option<Condition>,
    /// The texts of both lists.
    pub texts: &'s RefCell<Texts>,
}

impl<'s, 'r> Pair<'s, 'r> {
    /// The two rules; absent for no rule.
    fn wanted(&self) -> [Option<&'s Prepared<'r>>; 2] {
        [0, 1].map(|side| self.lists[side].get(self.numbers[side]))
    }

    /// Whether lists of names and exit codes alone exclude a common failure.
    pub(crate) fn is_disjoint(&self) -> bool {
        let [Some(one), Some(other)] = self.wanted() else { return false };
        let are_apart = |one: &[String], other: &[String]| {
            !one.is_empty() && !other.is_empty() && one.iter().all(|it| !other.contains(it))
        };
        are_apart(&one.rule.categories, &other.rule.categories)
            || are_apart(&one.rule.subcategories, &other.rule.subcategories)
            || one.scope == other.scope && common_codes(&[one, other], &[]).is_empty()
    }
}
