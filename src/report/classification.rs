//! What an executor reports about a failure, beside the decision about it.

use document::diag::printable;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;
use systems::armada::classifier::{Emission, ExecutorReport, Pass};

/// What an executor reports about a failure that had no category.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureClassification {
    /// The category; may be empty.
    pub category: String,
    /// The subcategory; may be empty.
    pub subcategory: String,
    /// The message that is reported, with the rule's hint. `onTerminationMessage` of policies does not match it.
    pub message: String,
    /// The hint of the rule that matched, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What decided: `failedPodCheck` (the lease is returned, and no policy is consulted), `delete` (the first
    /// pass) or `retain` (the second).
    pub pass: &'static str,
    /// Whether the executor deletes the pod.
    pub pod_deleted: bool,
}

/// The name of a pass in JSON.
pub(super) fn pass_name(pass: Pass) -> &'static str {
    match pass {
        Pass::FailedPodCheck => "failedPodCheck",
        Pass::Delete => "delete",
        Pass::Retain => "retain",
        Pass::PendingPodCheck => "pendingPodCheck",
        Pass::Internal => "internal",
    }
}

/// A category with its subcategory, in words.
pub fn category_name(category: &str, subcategory: &str) -> String {
    match (category, subcategory) {
        ("", _) => "no category".to_owned(),
        (category, "") => format!("category {}", printable(category)),
        (category, subcategory) => {
            format!("category {}, subcategory {}", printable(category), printable(subcategory))
        }
    }
}

/// Appends the lines of a message, beside its label.
pub(super) fn message_lines(out: &mut String, message: &str) {
    let lines = message.lines().filter(|line| !line.is_empty());
    for (line, label) in lines.zip(std::iter::once("message").chain(std::iter::repeat(""))) {
        let _ = writeln!(out, "  {label:<10} {}", printable(line));
    }
}

impl FailureClassification {
    /// What an executor reports.
    pub fn new(report: &ExecutorReport<'_>, emission: &Emission<'_>) -> Self {
        let found = emission.classification;
        Self {
            category: found.category.to_owned(),
            subcategory: found.subcategory.to_owned(),
            message: emission.message.clone(),
            hint: (!found.hint.is_empty()).then(|| found.hint.to_owned()),
            pass: pass_name(emission.pass),
            pod_deleted: report.deletes_pod,
        }
    }

    /// Appends its lines to the table of a decision.
    pub(super) fn write_lines(&self, out: &mut String) {
        let reported = match self.pass {
            "failedPodCheck" => {
                "PodLeaseReturned by a check of failed pods: no policy is consulted"
            }
            "delete" => "PodError, in the first pass",
            _ => "PodError, in the second pass",
        };
        let _ = writeln!(out, "  reported   {reported}");
        let name = category_name(&self.category, &self.subcategory);
        let _ = writeln!(out, "  as         {name}");
        let pod = if self.pod_deleted { "deleted" } else { "kept, so that a retry meets its name" };
        let _ = writeln!(out, "  pod        {pod}");
        message_lines(out, &self.message);
    }
}
