//! The container that a rule's matchers read (semantics.md, section 4).

use super::failure::{ConditionSet, Failure};
use super::run::Container;
use crate::policy::Rule;

/// The containers that a rule considers. Most rules of a policy have the same scope.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Scope {
    pub(super) container: Option<Box<str>>,
    pub(super) init: bool,
}

impl Scope {
    pub(super) fn of(rule: &Rule) -> Self {
        match &rule.container {
            // A named init container counts without `includeInitContainers`.
            Some(name) => Self { container: Some(name.as_str().into()), init: false },
            None => Self { container: None, init: rule.include_init_containers },
        }
    }

    /// The container whose exit code and reason count: the named one, else the first that failed.
    pub(super) fn choose<'r>(&self, failure: &Failure<'r>) -> Option<&'r Container> {
        let mut containers = failure.containers.iter();
        match self.container.as_deref() {
            Some(name) => containers.find(|container| container.name == *name),
            None if self.init => {
                let first = containers.find(|container| container.init && container.failed());
                first.or(failure.first)
            }
            None => failure.first,
        }
    }

    /// The exit code and the conditions that rules of this scope read. A rule that names a container reads no
    /// condition of the pod. `OOMKilled` may also be the chosen container's reason.
    pub(super) fn state(&self, failure: &Failure<'_>) -> (Option<i64>, ConditionSet) {
        if self.container.is_none() && !self.init {
            return (failure.first_exit_code, failure.first_conditions);
        }
        let chosen = self.choose(failure);
        let run =
            if self.container.is_some() { ConditionSet::default() } else { failure.conditions };
        (chosen.and_then(|container| container.exit_code), run.with_reason(chosen))
    }

    /// The messages to search: those of the named container, else of all containers in scope, failed or not.
    /// Empty messages never match.
    pub(super) fn messages<'r>(&self, failure: &Failure<'r>) -> impl Iterator<Item = &'r str> {
        let messages = self.containers(failure).map(|container| container.message.as_str());
        messages.filter(|message| !message.is_empty())
    }

    /// The containers in scope, failed or not.
    pub(super) fn containers<'r>(
        &self,
        failure: &Failure<'r>,
    ) -> impl Iterator<Item = &'r Container> {
        let (named, init) = (self.container.as_deref(), self.init);
        failure.containers.iter().filter(move |container| match named {
            Some(name) => container.name == *name,
            None => init || !container.init,
        })
    }
}
