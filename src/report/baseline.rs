//! The baseline that `lint --write-baseline` writes.

use crate::analysis::baseline::{BaselineFinding, KIND};
use serde::Serialize;

/// A baseline to write: the document that [`crate::analysis::baseline`] reads.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BaselineDocument {
    api_version: &'static str,
    kind: &'static str,
    findings: Vec<BaselineFinding>,
}

impl BaselineDocument {
    /// The baseline with these findings, by file, id and message, so that few lines change when it is written again.
    pub fn new(mut findings: Vec<BaselineFinding>) -> Self {
        findings.sort();
        Self { api_version: "armadaproject.io/v1", kind: KIND, findings }
    }
}
