//! The baseline that `lint --write-baseline` writes.

use super::ReportPaths;
use super::fingerprint::Fingerprints;
use super::reported::file_of;
use crate::analysis::baseline::KIND;
use document::diag::Diagnostic;
use serde::Serialize;

/// A baseline to write: the document that [`crate::analysis::baseline`] reads.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BaselineDocument {
    api_version: &'static str,
    kind: &'static str,
    findings: Vec<BaselineItem>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct BaselineItem {
    file: String,
    id: &'static str,
    message: String,
    fingerprint: String,
}

impl BaselineDocument {
    /// The baseline with these findings, by file, id and message, so that few lines change when it is written again.
    pub fn new(findings: &[Diagnostic], paths: &ReportPaths) -> Self {
        let fingerprints = fingerprints(findings, paths);
        let item = |(finding, fingerprint): (&Diagnostic, String)| BaselineItem {
            file: file_of(finding).map(|name| paths.path(name)).unwrap_or_default(),
            id: finding.code.id(),
            message: finding.message.clone(),
            fingerprint,
        };
        let mut findings: Vec<_> = findings.iter().zip(fingerprints).map(item).collect();
        findings.sort();
        Self { api_version: "armadaproject.io/v1", kind: KIND, findings }
    }
}

/// The fingerprints of all findings of a run, in their order.
pub fn fingerprints(findings: &[Diagnostic], paths: &ReportPaths) -> Vec<String> {
    let mut fingerprints = Fingerprints::default();
    findings.iter().map(|finding| fingerprints.of_finding(finding, paths)).collect()
}
