//! Conditions that a rule has twice. The API server refuses exit codes that a rule has twice.

use super::subject::Subject;
use crate::lint::report_duplicates;
use document::Node;
use document::diag::Findings;

/// Adds a finding for each such condition.
pub(super) fn check(subject: &Subject<'_>, findings: &mut Findings) {
    let condition = |node: &Node| {
        let status = node.get("status").and_then(Node::some_text).unwrap_or("True");
        let kind = node.get("type")?.text()?;
        Some(if status == "True" { kind.to_owned() } else { format!("{kind} {status}") })
    };
    for (_, _, node) in subject.rules() {
        let list = node.entry("onPodConditions");
        report_duplicates(subject.document, list, condition, findings);
    }
}
