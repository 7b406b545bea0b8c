//! The document that `simulate --cluster -o json` prints.

use super::ClusterVariant;
use super::answer::ClusterAnswer;
use replay::simulate::{AssertionReport, NoteReport};
use schemars::JsonSchema;
use serde::Serialize;

/// The outcome of a workload on a cluster, under one scheduler configuration or several.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterReport {
    /// `armadaproject.io/v1`.
    pub api_version: &'static str,
    /// `ClusterReport`.
    pub kind: &'static str,
    /// The seed of the first run.
    pub seed: u64,
    /// The number of runs of each variant; their seeds follow each other.
    pub seeds: u32,
    /// The scheduler: `landed` or `seed`.
    pub scheduler: String,
    /// The facts that decide how the figures are read.
    pub notes: Vec<NoteReport>,
    /// The main figures of all variants.
    pub answer: ClusterAnswer,
    /// The variants, in the order in which they were named.
    pub variants: Vec<ClusterVariant>,
    /// The comparisons of `--assert`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub assertions: Vec<AssertionReport>,
}
