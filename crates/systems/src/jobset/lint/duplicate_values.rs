//! Values that a list of a rule has twice.

use super::subject::Subject;
use crate::lint::report_duplicates;
use document::Node;
use document::diag::Findings;

const LISTS: [&str; 3] =
    ["onJobFailureReasons", "onJobFailureMessagePatterns", "targetReplicatedJobs"];

/// Adds a finding for each such value.
pub(super) fn check(subject: &Subject<'_>, findings: &mut Findings) {
    for (_, _, node) in subject.rules() {
        for list in LISTS {
            let text = |item: &Node| item.text().map(str::to_owned);
            report_duplicates(subject.document, node.entry(list), text, findings);
        }
    }
}
