//! Reads the inputs of a simulation: clusters, workloads and the scheduler's configuration.
//!
//! The files are those of Armada's own simulator. Where that ignores, panics or never ends, this
//! reader reports a finding with its place. A file is read in two steps: its [`Shape`] is checked,
//! then its values are read and compared with each other.
//!
//! Source: Armada, `internal/scheduler/simulator/simulator.proto`; cluster.md §2.
//!
//! [`Shape`]: crate::document::Shape

mod cluster;
mod cluster_shape;
mod dependencies;
mod located;
mod requirements;
mod scheduling;
mod scheduling_shape;
mod state;
mod state_shape;
#[cfg(test)]
mod tests;
mod workload;
mod workload_shape;

use super::spec::CLUSTER_LABEL;
use crate::diag::{Findings, Source};
use crate::document::{Document, Limits, Node, parse};
use std::sync::Arc;

pub use super::scheduling::Scheduling;
pub use cluster::read_cluster;
pub use cluster_shape::CLUSTER_FILE;
pub use scheduling::{Profile, read_scheduling};
pub use scheduling_shape::SCHEDULING;
pub use state::StateFile;
pub use state_shape::STATE_FILE;
pub use workload::read_workload;
pub use workload_shape::WORKLOAD_FILE;

/// The inputs that are known by their keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// A cluster file: it has `clusters`.
    Cluster,
    /// A workload file: it has `queues`.
    Workload,
    /// A state file: it has `queues` and `jobs`.
    State,
}

impl InputKind {
    /// The kind of a document, if its keys are those of an input and it has no `kind` of its own.
    pub fn of(root: &Node) -> Option<Self> {
        if ["kind", "apiVersion"].iter().any(|key| root.entry_in_any_case(key).is_some()) {
            return None;
        }
        match (root.entry("clusters"), root.entry("queues")) {
            (Some(_), _) => Some(Self::Cluster),
            (None, Some(_)) if root.entry("jobs").is_some() => Some(Self::State),
            (None, Some(_)) => Some(Self::Workload),
            (None, None) => None,
        }
    }

    /// Whether an item of the list has the key that no other file has.
    fn is_certain(self, root: &Node) -> bool {
        let (list, key) = match self {
            Self::Cluster => ("clusters", "nodeTemplates"),
            Self::Workload => ("queues", "jobTemplates"),
            Self::State => ("jobs", "req"),
        };
        located::items(root, list).iter().any(|item| item.entry(key).is_some())
    }

    /// The kind of a text, by its first document.
    pub fn of_source(source: &Arc<Source>) -> Option<Self> {
        let is_likely = ["clusters", "queues"].iter().any(|key| source.text().contains(key));
        if !is_likely {
            return None;
        }
        let (documents, _) = parse(source, Limits::HISTORY);
        let root = &documents.first()?.root;
        // Many files that a directory may hold, such as values of a chart, have keys like these.
        Self::of(root).filter(|kind| !source.is_in_walk() || kind.is_certain(root))
    }
}

/// The findings about a cluster, workload or state file by itself. Names that only a scheduler
/// configuration can define are not looked up. `None` for any other text.
pub fn check_input(source: &Arc<Source>) -> Option<Findings> {
    Some(match InputKind::of_source(source)? {
        InputKind::Cluster => read_cluster(source, None).1,
        InputKind::Workload => read_workload(source, None).1,
        InputKind::State => check_state(source),
    })
}

/// The findings about a state file by itself. One without nodes is not read further than its shape.
fn check_state(source: &Arc<Source>) -> Findings {
    let (file, mut findings) = StateFile::parse(source);
    let Some(file) = file else { return findings };
    let (scheduling, more) = file.scheduling(Profile::Landed);
    findings.extend(more);
    if let Some(scheduling) = scheduling.filter(|_| file.has_nodes()) {
        findings.extend(file.read(&scheduling, None).1);
    }
    findings
}

/// The only document of a text, and the findings if there is none or another.
fn only_document(source: &Arc<Source>, kind: &str) -> (Option<Document>, Findings) {
    only_document_within(source, kind, Limits::POLICY)
}

/// The same, of a text that may be larger.
fn only_document_within(
    source: &Arc<Source>,
    kind: &str,
    limits: Limits,
) -> (Option<Document>, Findings) {
    use crate::diag::{Code, Diagnostic, Place, Span};
    let (documents, mut findings) = parse(source, limits);
    if let Some(second) = documents.get(1) {
        let place = second.place(second.root.span.first_line(source.text()));
        let message = format!("a {kind} is one document, and this is a second");
        let finding = Diagnostic::error(Code::DuplicateDocument, place, message);
        findings.push(finding.help("write it to a file of its own, or remove it"));
    }
    if documents.is_empty() && !findings.has_errors() {
        let place = Place::new(source, Span::default());
        let finding = Diagnostic::error(Code::NoDocument, place, format!("the {kind} is empty"));
        findings.push(finding.help(format!("write a {kind}")));
    }
    (documents.into_iter().next(), findings)
}
