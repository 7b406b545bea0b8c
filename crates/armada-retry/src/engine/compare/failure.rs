//! A failure of a witness.

use super::side::Side;
use crate::engine::run::{Container, EndedRun, Outcome};
use crate::policy::{Condition, ReadContainer, Scope, Symptoms};
use compact_str::CompactString;
use document::units::Time;
use std::collections::BTreeSet;

/// A failed run of a witness, as a record has it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WitnessFailure {
    /// The outcome.
    pub outcome: Outcome,
    /// The containers, in pod order.
    pub containers: Vec<Container>,
    /// The conditions of the pod.
    pub conditions: Vec<CompactString>,
    /// The category; empty for none.
    pub category: String,
    /// The subcategory; empty for none.
    pub subcategory: String,
    /// Whether the pod was confirmed to have ended as the run ended, so that a retry of a preempted run does not wait for it.
    pub is_pod_gone: bool,
}

/// The nodes of the runs of a witness, in turn: two runs in a row have different ones.
const NODES: [&str; 2] = ["node-1", "node-2"];

impl WitnessFailure {
    /// A run without a container that ended so.
    pub(super) fn bare(outcome: Outcome) -> Self {
        Self { outcome, ..Self::default() }
    }

    /// A run without containers with these symptoms that ended so.
    pub(super) fn without_containers(symptoms: &Symptoms<'_>, outcome: Outcome) -> Self {
        Self {
            conditions: symptoms.conditions.iter().map(|it| it.as_str().into()).collect(),
            category: symptoms.category.to_owned(),
            subcategory: symptoms.subcategory.to_owned(),
            ..Self::bare(outcome)
        }
    }

    /// Whether the run is preempted, by its outcome or by a condition.
    pub(super) fn is_preempted(&self) -> bool {
        self.run(0).is_preempted()
    }

    /// A preempted run with these symptoms. Armada gives it the condition.
    pub(super) fn preempted(symptoms: &Symptoms<'_>) -> Self {
        let mut failure = Self::without_containers(symptoms, Outcome::Preempted);
        failure.conditions.retain(|it| it != Condition::Preempted.as_str());
        failure
    }

    /// The characters of all texts.
    pub(super) fn text_length(&self) -> usize {
        let container = |it: &Container| {
            let code = it.exit_code.map_or(0, |code| code.to_string().len());
            it.name.len() + it.reason.len() + it.message.len() + code
        };
        let containers = self.containers.iter().map(container);
        let conditions = self.conditions.iter().map(CompactString::len);
        let names = [self.category.len(), self.subcategory.len()];
        containers.chain(conditions).chain(names).sum()
    }

    /// The run with this index, for the evaluator.
    pub fn run(&self, run_index: u32) -> EndedRun<'_> {
        let confirmed = self.is_pod_gone.then_some(Time::EPOCH);
        EndedRun {
            run_index,
            outcome: self.outcome,
            conditions: &self.conditions,
            containers: &self.containers,
            category: &self.category,
            subcategory: &self.subcategory,
            node: Some(Self::node(run_index)),
            finished_at: confirmed,
            termination_confirmed_at: confirmed,
            ..EndedRun::default()
        }
    }

    /// The node of the run with this index.
    pub fn node(run_index: u32) -> &'static str {
        if run_index.is_multiple_of(2) { NODES[0] } else { NODES[1] }
    }

    /// The failure with these symptoms: first with as few containers as possible, which other rules may match too, then
    /// with those that hide each container from rules of other scopes.
    pub(super) fn candidates(symptoms: &Symptoms<'_>, sides: [&Side<'_>; 2]) -> [Self; 2] {
        let names = Names::new(sides);
        [false, true].map(|hides| Self {
            containers: names.containers(&symptoms.containers, hides),
            ..Self::without_containers(symptoms, Outcome::Failed)
        })
    }
}

/// The names that rules give to containers.
struct Names<'e>(BTreeSet<&'e str>);

impl<'e> Names<'e> {
    fn new(sides: [&Side<'e>; 2]) -> Self {
        let rules = sides.into_iter().flat_map(Side::rules);
        Self(rules.filter_map(|rule| rule.container.as_deref()).collect())
    }

    /// A name that no rule has.
    fn free(&self, name: &str, number: usize) -> CompactString {
        let with = |number: usize| match number {
            0 => name.to_owned(),
            number => format!("{name}-{number}"),
        };
        let mut names = (number..).map(with);
        names.find(|name| !self.0.contains(name.as_str())).unwrap_or_default().into()
    }

    /// The containers in pod order: init containers first.
    fn containers(&self, read: &[ReadContainer<'_>], hides: bool) -> Vec<Container> {
        let mut containers = Vec::new();
        let has_init = read.iter().any(|one| one.scope == Scope::FirstWithInit);
        if hides && !has_init && !read.is_empty() {
            let name = self.free("setup", 0);
            containers.push(Container {
                init: true,
                name,
                reason: ERROR.into(),
                ..Container::default()
            });
        }
        let order = |one: &&ReadContainer<'_>| match one.scope {
            Scope::FirstWithInit => 0,
            Scope::Named(_) => 1,
            Scope::First => 2,
        };
        let mut read: Vec<&ReadContainer<'_>> = read.iter().collect();
        read.sort_by_key(order);
        for one in read {
            let (name, init) = match one.scope {
                Scope::Named(name) => (name.into(), hides),
                Scope::First => (self.free("main", 0), false),
                Scope::FirstWithInit => (self.free("init", 0), true),
            };
            let reason = if one.is_oom_killed { "OOMKilled" } else { ERROR };
            let mut messages = one.messages.iter();
            let message = messages.next().map(|text| text.as_str().into()).unwrap_or_default();
            let exit_code = one.exit_code;
            containers.push(Container { name, init, exit_code, reason: reason.into(), message });
            // Rules search the messages of all containers in their scope.
            for (number, message) in messages.enumerate() {
                let name = self.free(if init { "init" } else { "main" }, number + 1);
                let (reason, message) = (ERROR.into(), message.as_str().into());
                containers.push(Container { name, init, exit_code: None, reason, message });
            }
        }
        containers
    }
}

/// The reason of a container that failed.
// Kubernetes' reason for a container that ended with another code than 0.
const ERROR: &str = "Error";
