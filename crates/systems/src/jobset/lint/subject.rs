//! A JobSet under examination.

use crate::jobset::manifest::{FailurePolicy, JobSet, Rule};
use document::diag::Place;
use document::{Document, Entry, Node};

/// A JobSet with a failure policy, under examination.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) document: &'a Document,
    pub(super) set: &'a JobSet,
    pub(super) policy: &'a FailurePolicy,
}

impl<'a> Subject<'a> {
    /// Returns the place of a value.
    pub(super) fn place(&self, node: &Node) -> Place {
        self.document.place(node.span.first_line(self.document.source.text()))
    }

    /// Returns the entry of a field of the failure policy that is present and not null.
    pub(super) fn field(&self, name: &str) -> Option<&'a Entry> {
        let policy = self.document.root.at(&["spec", "failurePolicy"])?;
        policy.entry(name).filter(|entry| !entry.value.is_null())
    }

    /// Returns the rules with their numbers and nodes.
    pub(super) fn rules(&self) -> impl Iterator<Item = (usize, &'a Rule, &'a Node)> {
        let nodes = rule_nodes(self.document);
        let rules = self.policy.rules.iter().zip(nodes).enumerate();
        rules.map(|(number, (rule, node))| (number, rule, node))
    }
}

pub(super) fn rule_nodes(document: &Document) -> &[Node] {
    document.root.at(&["spec", "failurePolicy", "rules"]).map(Node::items).unwrap_or_default()
}

/// Returns the specs of the Jobs, in the order of the replicated Jobs.
pub(super) fn job_specs(document: &Document) -> impl Iterator<Item = Option<&Node>> {
    let jobs = document.root.at(&["spec", "replicatedJobs"]).map(Node::items).unwrap_or_default();
    jobs.iter().map(|job| job.at(&["template", "spec"]))
}
