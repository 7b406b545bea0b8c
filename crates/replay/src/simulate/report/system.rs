//! The report fields that only some decisions have. Fields may be added, never renamed: they are
//! published.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What only some decisions have: those of other systems than Armada, and those about failures that were classified by
/// the configuration of Armada's executors. What is absent does not apply.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SystemDecision {
    /// What is decided about: `job` or `jobset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<&'static str>,
    /// The child Job that the decision goes by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_name: Option<String>,
    /// The pod's index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_index: Option<u32>,
    /// The system's own counters, as they stand after the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<BTreeMap<&'static str, u64>>,
    /// Restarts of single child Jobs, by name: all of them, and those that count towards the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_restarts: Option<BTreeMap<String, JobRestarts>>,
    /// The reason of the Job's failure, as its condition has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// The message of the Job's failure, as its condition has it, or the message that Armada's executor reports with
    /// the category, with its hint. No rule matches it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_message: Option<String>,
    /// The hint of the category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_hint: Option<String>,
    /// The category that Armada's executor reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The subcategory that Armada's executor reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subcategory: Option<String>,
    /// The task of an Iris job, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<u32>,
    /// The task's state after the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_state: Option<&'static str>,
    /// The job's state after the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_state: Option<&'static str>,
    /// Whether the try may be followed by another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eligible: Option<bool>,
    /// The delay in seconds before jitter is added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_seconds: Option<f64>,
    /// The reason of a retry policy's answer, as Airflow stores it (`retry_reason`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_reason: Option<String>,
    /// Which attempt it was, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// The attempts that the policy allows in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u64>,
}

/// How often one child Job was restarted by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobRestarts {
    /// Restarts.
    pub restarts: u32,
    /// Those of them that count towards the limit.
    pub restarts_count_towards_max: u32,
}
