//! Reads the inputs of a simulation: clusters, workloads and the scheduler's configuration.
//!
//! The files are those of Armada's own simulator. Where the simulator ignores an error, panics or never ends,
//! this reader reports a finding with its place. A file is read in two steps: its [`Shape`] is checked, then
//! its values are read and compared with each other.
//!
//! Source: Armada, `internal/scheduler/simulator/simulator.proto`; docs/cluster.md, Inputs.
//!
//! [`Shape`]: document::Shape

mod cluster;
mod cluster_shape;
mod dependencies;
mod failure;
mod failure_shape;
mod fit;
mod input;
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
use document::diag::{Findings, Source};
use document::{Document, Limits, parse};
use std::sync::Arc;

pub use super::scheduling::Scheduling;
pub use super::settings::Profile;
pub use cluster::read_cluster;
pub use cluster_shape::CLUSTER_FILE;
pub use fit::warn_of_unschedulable;
pub use input::{InputKind, check_inputs};
pub use scheduling::read_scheduling;
pub use scheduling_shape::{SCHEDULER_CONFIG, SCHEDULING};
pub use state::StateFile;
pub use state_shape::STATE_FILE;
pub use workload::read_workload;
pub use workload_shape::WORKLOAD_FILE;

/// Reads the only document of a text; reports a finding if there is none or several.
fn only_document(source: &Arc<Source>, kind: &str) -> (Option<Document>, Findings) {
    only_document_within(source, kind, Limits::POLICY)
}

/// Reads the only document of a text, like [`only_document`], with other limits.
fn only_document_within(
    source: &Arc<Source>,
    kind: &str,
    limits: Limits,
) -> (Option<Document>, Findings) {
    use document::diag::{Code, Diagnostic, Place, Span};
    let (documents, mut findings) = parse(source, limits);
    if let Some(second) = documents.get(1) {
        let place = second.place(second.root.span.first_line(source.text()));
        let message = format!("a {kind} is one document, and this is a second");
        let finding = Diagnostic::error(Code::DuplicateDocument, place, message);
        findings.push(finding.help("write it to a separate file, or remove it"));
    }
    if documents.is_empty() && !findings.has_errors() {
        let place = Place::new(source, Span::default());
        let finding = Diagnostic::error(Code::NoDocument, place, format!("the {kind} is empty"));
        findings.push(finding.help(format!("write a {kind}")));
    }
    (documents.into_iter().next(), findings)
}
