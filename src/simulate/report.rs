//! The report of a simulation, as `-o json` prints it. Fields may be added, never renamed.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a history came to under some policies.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SimulationReport {
    /// `armadaproject.io/v1`.
    pub api_version: &'static str,
    /// `SimulationReport`.
    pub kind: &'static str,
    /// The engine profile that decided: `v1` or `v1beta1`.
    pub engine: String,
    /// A timeline a job; absent where timelines were not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs: Option<Vec<JobReport>>,
    /// What all jobs come to.
    pub summary: SummaryReport,
}

/// One job's timeline.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobReport {
    /// The job.
    pub job_id: String,
    /// Its queue; empty if the history names none.
    pub queue: String,
    /// The policies that apply to it, in order.
    pub effective_policies: Vec<String>,
    /// `Succeeded`, `Failed`, `Unresolved` or `Cancelled`.
    pub outcome: String,
    /// Why it ended so, in a sentence.
    pub reason: String,
    /// Retries granted.
    pub retries: u64,
    /// Recorded runs that would not have happened under these policies.
    pub not_reached: u64,
    /// With `--assume`, what an unresolved job is assumed to have come to: the chance that its
    /// next run would have succeeded, from 0 to 1. An assumption, never an observation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed_success: Option<f64>,
    /// What in the history cannot have happened under these policies.
    pub contradictions: Vec<ContradictionReport>,
    /// A decision a failed run.
    pub decisions: Vec<DecisionReport>,
}

/// A recorded run that these policies would not have let happen as it did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContradictionReport {
    /// The job.
    pub job_id: String,
    /// The run.
    pub run_index: u32,
    /// What about it.
    pub what: String,
}

/// One decision.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionReport {
    /// The run's index; null in `explain decision`.
    pub run_index: Option<u32>,
    /// The run's pod; null in `explain decision`.
    pub pod_name: Option<String>,
    /// The node it ran on.
    pub node: Option<String>,
    /// The cluster it ran in.
    pub cluster: Option<String>,
    /// When it failed, RFC 3339 in UTC.
    pub failed_at: Option<String>,
    /// What failed, in a few words.
    pub failure: String,
    /// The containers that failed, in a few words each.
    pub containers: Vec<String>,
    /// `Retry` or `Fail`.
    pub action: String,
    /// What was decided: `retry`, `fail_rule`, ..
    pub decision: String,
    /// The policy that decided; null where none did.
    pub policy: Option<String>,
    /// The index of the rule that decided, from 0; null for a default action and where none did.
    pub rule_index: Option<usize>,
    /// Retries counted against the limit after the decision; null where no limit was consulted.
    pub count: Option<u32>,
    /// The limit; null where none was consulted.
    pub limit: Option<u32>,
    /// Where the limit comes from: `rule`, `policy` or `global`.
    pub limit_source: Option<String>,
    /// The job's retries in all, after the decision.
    pub total_retries: u32,
    /// The most retries a job may have in all, at that time.
    pub global_max_retries: u32,
    /// How long the next run waits, in seconds; null where the engine granted none.
    pub delay_seconds: Option<f64>,
    /// When the next run may start, RFC 3339 in UTC.
    pub retry_after: Option<String>,
    /// Nodes that the next run avoids.
    pub avoid_nodes: Vec<String>,
    /// The job's memory from the next run on, in bytes, once it has grown.
    pub memory_bytes: Option<u64>,
    /// The next run's pod; null where the engine granted none.
    pub next_pod_name: Option<String>,
    /// The event that is emitted: `JobRequeued` or `JobFailed`.
    pub event: String,
    /// Why, in a sentence.
    pub reason: String,
}

/// What all jobs come to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SummaryReport {
    /// Jobs.
    pub jobs: u64,
    /// Failed runs that were decided; returned leases are none.
    pub failures: u64,
    /// Retries granted, on the engine's and the legacy path.
    pub retries: u64,
    /// Decisions by their code.
    pub by_decision: BTreeMap<String, u64>,
    /// Decisions by the rule or default that they are attributed to, matched or not.
    pub by_rule: Vec<RuleReport>,
    /// Jobs by what became of them.
    pub outcomes: BTreeMap<String, u64>,
    /// Recorded runs that would not have happened under these policies.
    pub not_reached: u64,
    /// Recorded runs that these policies would not have let happen as they did.
    pub contradictions: u64,
    /// The first of them.
    pub contradiction_examples: Vec<ContradictionReport>,
    /// Bad records that were left out.
    pub skipped_records: u64,
    /// What unresolved jobs are assumed to have come to; only with `--assume`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumption: Option<AssumptionReport>,
}

/// What one rule or default did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleReport {
    /// The policy.
    pub policy: String,
    /// The rule's index; null for the default action.
    pub rule_index: Option<usize>,
    /// Decisions attributed to it, whatever they were.
    pub matched: u64,
    /// Retries it granted.
    pub retried: u64,
    /// Retries it would have granted but for a limit.
    pub exhausted: u64,
}

/// What unresolved jobs are assumed to have come to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssumptionReport {
    /// `succeed`, `fail` or `observed`.
    pub assume: String,
    /// Jobs whose granted retry is not on record.
    pub unresolved: u64,
    /// How many of them are assumed to have succeeded; an expectation with `observed`.
    pub succeeded: f64,
    /// How many of them are assumed to have failed.
    pub failed: f64,
    /// How many cannot be settled: their rule has no recorded retry to go by.
    pub unsettled: u64,
}
