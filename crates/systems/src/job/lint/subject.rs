//! A Job under examination, and the JobSet that creates it.

use crate::job::manifest::{JobPolicy, PodRule};
use document::diag::Place;
use document::{Document, Entry, Node};

/// The effect of a failed Job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailedJob {
    /// The work has failed.
    Fails,
    /// The JobSet of the Job restarts it.
    Restarts,
}

/// The JobSet that creates a Job, as far as findings about the Job depend on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwningSet {
    /// The effect of a Job that a rule of its `podFailurePolicy` fails.
    pub(crate) failed: FailedJob,
    /// Whether a rule of the set reads messages, which name the rule of the Job.
    pub(crate) reads_messages: bool,
    /// Whether the set restarts containers in place, which needs a Job without a limit.
    pub(crate) restarts_in_place: bool,
}

/// A Job under examination.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) document: &'a Document,
    /// The `spec` of the Job.
    pub(crate) spec: &'a Node,
    pub(crate) policy: &'a JobPolicy,
    /// The set that creates it, if one does.
    pub(crate) set: Option<OwningSet>,
}

impl<'a> Subject<'a> {
    /// Returns the place of a value.
    pub(crate) fn place(&self, node: &Node) -> Place {
        self.document.place(node.span.first_line(self.document.source.text()))
    }

    /// Returns the entry of a field of the spec that is present and not null.
    pub(crate) fn field(&self, name: &str) -> Option<&'a Entry> {
        self.spec.entry(name).filter(|entry| !entry.value.is_null())
    }

    /// Returns the nodes of the rules.
    pub(super) fn rule_nodes(&self) -> &'a [Node] {
        self.spec.at(&["podFailurePolicy", "rules"]).map(Node::items).unwrap_or_default()
    }

    /// Returns the rules with their numbers and nodes.
    pub(super) fn rules(&self) -> impl Iterator<Item = (usize, &'a PodRule, &'a Node)> {
        let rules = self.policy.rules().iter().zip(self.rule_nodes()).enumerate();
        rules.map(|(number, (rule, node))| (number, rule, node))
    }

    /// Returns the names of the containers and init containers.
    pub(crate) fn containers(&self) -> Vec<&'a str> {
        container_names(Some(self.spec))
    }
}

/// Returns the names of the containers and init containers of a Job's spec.
pub(crate) fn container_names(spec: Option<&Node>) -> Vec<&str> {
    let template = spec.and_then(|spec| spec.at(&["template", "spec"]));
    let lists = ["containers", "initContainers"].into_iter().filter_map(|list| template?.get(list));
    lists.flat_map(Node::items).filter_map(|container| container.get("name")?.text()).collect()
}
