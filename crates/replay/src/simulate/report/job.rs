//! The report of one job: its outcome, and its timeline.

use super::system::SystemFields;
use crate::history::Run;
use schemars::JsonSchema;
use serde::Serialize;

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
    /// The system's own word for it, where it is not Armada's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_outcome: Option<String>,
    /// Why it ended so, in a sentence.
    pub reason: String,
    /// Retries granted.
    pub retries: u64,
    /// Recorded runs that would not have happened under these policies.
    pub not_reached: u64,
    /// Recorded runs that began and would have been cut off, by another's end or their unit's,
    /// before they ended as recorded; absent where none would.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_off: Option<u64>,
    /// With `--assume`, what an unresolved job is assumed to have come to: the chance that its
    /// next run would have succeeded, from 0 to 1. An assumption, never an observation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed_success: Option<f64>,
    /// What in the history cannot have happened under these policies.
    pub contradictions: Vec<ContradictionReport>,
    /// A decision a failed run.
    pub decisions: Vec<DecisionReport>,
    /// Every run on record, of each member in order.
    pub runs: Vec<RunReport>,
    /// The failure that ended it, as pairs of `explain decision --failure`.
    #[serde(skip)]
    pub failure: Vec<(&'static str, String)>,
    /// A command that explains the decision which ended it; absent if it did not fail, where more than the failure
    /// decided it, without policies in files, and for other systems' policies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<String>,
}

/// A run on record.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunReport {
    /// The number of its member in the unit, from 0.
    pub member: u64,
    /// Its position in its member, from 0.
    pub generation: u64,
    /// Its index.
    pub run_index: u32,
    /// When it started, RFC 3339 in UTC.
    pub started_at: Option<String>,
    /// When it ended, RFC 3339 in UTC.
    pub finished_at: Option<String>,
    /// The node it ran on.
    pub node: Option<String>,
    /// The cluster it ran in.
    pub cluster: Option<String>,
    /// How it ended, as the record has it.
    pub outcome: String,
    /// The kind of its failure; absent if it did not fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The cores that its job requests.
    pub cpu: Option<f64>,
    /// The GPUs that its job requests.
    pub gpu: Option<f64>,
    /// Whether it happens under the policies.
    pub reached: RunReach,
}

impl RunReport {
    /// The kind of its failure, or how it ended.
    pub fn end(&self) -> &str {
        self.failure.as_deref().unwrap_or(&self.outcome)
    }
}

/// Whether a run on record happens under policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RunReach {
    /// It happens as recorded.
    Reached,
    /// It does not happen.
    NotReached,
    /// It is cut off before its end.
    CutOff,
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
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
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
    /// The limit; null where none was consulted. Below 0 only where the system takes such limits.
    pub limit: Option<i64>,
    /// Where the limit comes from: `rule`, `policy` or `global`.
    pub limit_source: Option<String>,
    /// The job's retries in all, after the decision.
    pub total_retries: u32,
    /// The most retries a job may have in all, at that time; null where the system has no such
    /// limit.
    pub global_max_retries: Option<u32>,
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
    /// The event that is emitted: Armada's `JobRequeued` or `JobFailed`, a Job's or a JobSet's
    /// reason, the BEP-1053 draft's `session.retry_scheduled` or `session.retry_exhausted`. Empty
    /// where none is, which the draft calls null.
    pub event: String,
    /// Why, in a sentence.
    pub reason: String,
    /// The fields that decisions of its system have beside these.
    #[serde(flatten)]
    pub system: SystemFields,
}

impl DecisionReport {
    /// Whether two decisions have the same consequences for the job: another run or none, its wait, the nodes that it
    /// avoids, its memory and its pod.
    pub fn has_same_effect(&self, other: &Self) -> bool {
        self.action == other.action
            && self.delay_seconds == other.delay_seconds
            && self.avoid_nodes == other.avoid_nodes
            && self.memory_bytes == other.memory_bytes
            && self.next_pod_name == other.next_pod_name
    }

    /// The report of a decision about a run, with the fields of the run alone.
    pub fn for_run<F>(run: &Run<F>) -> Self {
        Self {
            run_index: Some(run.run_index),
            node: run.node.as_deref().map(str::to_owned),
            cluster: run.cluster.as_deref().map(str::to_owned),
            failed_at: run.time().map(|time| time.to_string()),
            ..Self::default()
        }
    }
}
