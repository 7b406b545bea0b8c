//! What follows from each failure of a pod, rule by rule, and which of it belongs together.
//!
//! A pod failure policy and what is done about the end of its Job come to the same thing: ordered
//! steps, of which the first that matches a pod says whether there is another attempt and what it
//! costs. The two systems count differently. A Job, or a set, has one budget; a `v1` policy has
//! one for each rule. So steps that draw on the budget are brought together in one place: left to
//! the default action if that draws on it too, else joined with the first of them. Exit codes of
//! one container can be moved so, since sets of them can be taken from each other.

use super::codes::CodeSet;
use super::template::Template;
use crate::policy::Backoff;
use crate::systems::job::Requirement;

/// A limit that means none: what Kubernetes writes for no limit, too.
pub(in crate::systems) const UNLIMITED: u32 = i32::MAX as u32;

/// What follows from a failure, from what costs least to what costs most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::systems) enum Follows {
    /// Nothing: it is the end.
    End,
    /// Another attempt, within the budget.
    Counted,
    /// Another attempt, which no budget limits.
    Free,
}

/// A rule of a pod failure policy, or those of its exit codes that come to the same, and what
/// follows in the end.
#[derive(Debug, Clone)]
pub(in crate::systems) struct Step {
    /// The rule's place.
    pub rule: usize,
    /// What it looks at.
    pub requirement: Requirement,
    /// What follows.
    pub follows: Follows,
    /// The wait, where it is not the policy's.
    pub backoff: Backoff,
}

/// What steps are turned into rules by.
#[derive(Debug)]
pub(in crate::systems) struct Ladder<'p> {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// What follows if none matches.
    pub default: Follows,
    /// The budget.
    pub limit: u32,
    /// The containers of the pod.
    pub template: &'p Template,
    /// Where the pod failure policy's rules stand: `spec.podFailurePolicy.rules`.
    pub path: String,
}

/// Where a step went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// Into a rule of its own; what is left of its exit codes, if it is about those of one
    /// container.
    Own(Option<CodeSet>),
    /// To the default action.
    Default,
    /// Into the rule of an earlier step.
    Step(usize),
}

impl Ladder<'_> {
    /// The codes of a step about exit codes of one container, and that container.
    fn codes<'s>(&'s self, step: &'s Step) -> Option<(&'s str, CodeSet)> {
        let Requirement::ExitCodes(codes) = &step.requirement else { return None };
        let scope = self.template.scope(codes.container.as_deref())?;
        Some((scope, CodeSet::of(codes)))
    }

    /// Whether steps are about exit codes of the same container.
    fn alike(&self, one: &Step, other: &Step) -> bool {
        let (one, other) = (self.codes(one), self.codes(other));
        one.zip(other).is_some_and(|((one, _), (other, _))| one == other)
    }

    /// Where each step goes.
    pub(super) fn places(&self) -> Vec<Place> {
        let set = |step| self.codes(step).map(|(_, set)| set);
        let mut places: Vec<Place> = self.steps.iter().map(|step| Place::Own(set(step))).collect();
        match self.default {
            Follows::Counted => self.leave_to_default(&mut places),
            Follows::End | Follows::Free => self.join(&mut places),
        }
        places
    }

    /// Leaves counted steps to the default action and takes their codes from the steps behind
    /// them, which the codes must not reach now.
    fn leave_to_default(&self, places: &mut [Place]) {
        for (index, step) in self.steps.iter().enumerate() {
            let behind = self.steps.get(index + 1..).unwrap_or_default();
            let mut others = behind.iter().filter(|other| other.follows != Follows::Counted);
            let free_to_go = others.all(|other| self.alike(step, other));
            let (before, after) = places.split_at_mut(index + 1);
            let Some(place) = before.last_mut() else { continue };
            if step.follows != Follows::Counted || !free_to_go {
                continue;
            }
            if let Place::Own(Some(gone)) = std::mem::replace(place, Place::Default) {
                for (other, place) in behind.iter().zip(after) {
                    if let Place::Own(Some(left)) = place
                        && self.alike(step, other)
                    {
                        *left = left.minus(&gone);
                    }
                }
            }
        }
    }

    /// Joins counted steps with the first of them, but for the codes that steps between them take.
    fn join(&self, places: &mut [Place]) {
        let counted = |step: &Step| step.follows == Follows::Counted;
        let Some(first) = self.steps.iter().position(counted) else { return };
        let Some(home) = self.steps.get(first) else { return };
        let mut between = CodeSet::Only(std::collections::BTreeSet::new());
        for (index, step) in self.steps.iter().enumerate().skip(first + 1) {
            // Behind a step about something else nothing can be moved.
            let Some((_, set)) = self.codes(step).filter(|_| self.alike(home, step)) else {
                return;
            };
            if !counted(step) {
                between = between.or(&set);
                continue;
            }
            let Some(Place::Own(Some(joined))) = places.get_mut(first) else { return };
            *joined = joined.or(&set.minus(&between));
            if let Some(place) = places.get_mut(index) {
                *place = Place::Step(first);
            }
        }
    }
}
