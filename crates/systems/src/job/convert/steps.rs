//! The consequence of each failure of a pod, rule by rule, and the steps that can be joined.
//!
//! A pod failure policy, with the reaction to the end of its Job, is a list of ordered steps. The first step
//! that matches a pod decides whether there is another attempt and which budget it uses. The two systems
//! count differently: a Job, or a set, has one budget; a `v1` policy has one for each rule. Therefore steps
//! that use the budget are moved to one place: to the default action if that uses the budget too, else to the
//! first of them. Only exit codes of one container can be moved, since sets of them can be subtracted from
//! each other.
//!
//! Owns the containers of a pod template that rules match on.

use super::code_set::CodeSet;
use crate::job::Requirement;
use armada_retry::policy::Backoff;
use document::Node;

/// The limit that means unlimited, which Kubernetes also writes for no limit.
pub(crate) const UNLIMITED: u32 = i32::MAX as u32;

/// The consequence of a failure, in ascending order of the attempts that it allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Consequence {
    /// The job ends.
    End,
    /// Another attempt follows, within the budget.
    Counted,
    /// Another attempt follows; no budget limits it.
    Free,
}

/// A rule of a pod failure policy, or its exit codes with one consequence, and that consequence.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// The rule's index.
    pub rule: usize,
    /// The requirement that it matches on.
    pub requirement: Requirement,
    pub consequence: Consequence,
    /// The delay, if it differs from the policy's.
    pub backoff: Backoff,
}

/// The steps of a policy, and the inputs of the conversion of their rules.
#[derive(Debug)]
pub(crate) struct StepList<'p> {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The consequence if no rule matches.
    pub default: Consequence,
    /// The budget.
    pub limit: u32,
    /// The containers of the pod.
    pub template: &'p Template,
    /// The path of the pod failure policy's rules: `spec.podFailurePolicy.rules`.
    pub path: String,
}

/// The place of a step among the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// A rule of its own, with the remaining exit codes if it matches those of one container.
    Own(Option<CodeSet>),
    /// The default action.
    Default,
    /// The rule of an earlier step.
    Step(usize),
}

impl StepList<'_> {
    /// Returns the codes of a step on exit codes of one container, and that container.
    fn codes<'s>(&'s self, step: &'s Step) -> Option<(&'s str, CodeSet)> {
        let Requirement::ExitCodes(codes) = &step.requirement else { return None };
        let scope = self.template.scope(codes.container.as_deref())?;
        Some((scope, CodeSet::of(codes)))
    }

    /// Returns whether two steps match exit codes of the same container.
    fn alike(&self, one: &Step, other: &Step) -> bool {
        let (one, other) = (self.codes(one), self.codes(other));
        one.zip(other).is_some_and(|((one, _), (other, _))| one == other)
    }

    /// Returns the place of each step.
    pub(super) fn places(&self) -> Vec<Place> {
        let set = |step| self.codes(step).map(|(_, set)| set);
        let mut places: Vec<Place> = self.steps.iter().map(|step| Place::Own(set(step))).collect();
        match self.default {
            Consequence::Counted => self.leave_to_default(&mut places),
            Consequence::End | Consequence::Free => self.join(&mut places),
        }
        places
    }

    /// Moves counted steps to the default action, and removes their codes from the steps behind them, which
    /// these codes must not reach.
    fn leave_to_default(&self, places: &mut [Place]) {
        for (index, step) in self.steps.iter().enumerate() {
            let behind = self.steps.get(index + 1..).unwrap_or_default();
            let mut others =
                behind.iter().filter(|other| other.consequence != Consequence::Counted);
            let free_to_go = others.all(|other| self.alike(step, other));
            let (before, after) = places.split_at_mut(index + 1);
            let Some(place) = before.last_mut() else { continue };
            if step.consequence != Consequence::Counted || !free_to_go {
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

    /// Joins counted steps with the first of them, except for the codes that steps between them take.
    fn join(&self, places: &mut [Place]) {
        let counted = |step: &Step| step.consequence == Consequence::Counted;
        let Some(first) = self.steps.iter().position(counted) else { return };
        let Some(home) = self.steps.get(first) else { return };
        let mut between = CodeSet::Only(std::collections::BTreeSet::new());
        for (index, step) in self.steps.iter().enumerate().skip(first + 1) {
            // No step can be moved across a step on something else.
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

/// The containers of a template, as far as its manifest names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Template {
    containers: Vec<Box<str>>,
    init_containers: usize,
}

impl Template {
    /// Reads the template of a Job's `spec`.
    pub fn of(spec: &Node) -> Self {
        let list = |key: &str| {
            let list = spec.at(&["template", "spec", key]);
            list.map(Node::items).unwrap_or_default()
        };
        let name = |node: &Node| node.get("name").and_then(Node::text).unwrap_or_default().into();
        Self {
            containers: list("containers").iter().map(name).collect(),
            init_containers: list("initContainers").len(),
        }
    }

    /// Returns the container if there is only one.
    pub fn only(&self) -> Option<&str> {
        match self.containers.as_slice() {
            [only] if self.init_containers == 0 => Some(only),
            _ => None,
        }
    }

    /// Returns the container whose code a rule matches on, given the one it names; `None` if it is any of
    /// several.
    pub fn scope<'t>(&'t self, policy_name: Option<&'t str>) -> Option<&'t str> {
        policy_name.or(self.only())
    }
}
