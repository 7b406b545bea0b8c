//! The report of a simulation, as `-o json` prints it. Fields may be added, never renamed.

mod build;
mod hours;
mod job;
mod release;
mod retries;
mod summary;
mod system;
mod verdict;

pub(super) use build::{load, summary_report};
pub use hours::{HoursReport, RateReport};
pub use job::{ContradictionReport, DecisionReport, JobReport, RunReach, RunReport};
pub use release::DecidingRelease;
pub use retries::{
    CostReport, DisruptionRowReport, FollowingReport, NodeReport, NumberReport, OutcomeReport,
    RetryReport,
};
pub use retries::{DisruptionReport, NodesReport, PolicyReport, RangeReport};
pub use summary::RetriedReport;
pub use summary::{
    CategoryReport, DayReport, GroupReport, ListedNamesReport, LoadReport, MissingPartReport,
    QueueReport, RuleReport, SummaryReport,
};
pub use summary::{FailedByReport, PeakReport};
pub use system::SystemFields;
pub use verdict::{DifferenceReport, VerdictReport, difference_of_times};

use super::answer::AnswerReport;
use super::changes::{ChangesReport, ExampleReport};
use super::figure::AssertionReport;
use super::notes::NoteReport;
use super::queue_policies::QueuePoliciesReport;
use super::swept::SweptLimit;
use schemars::JsonSchema;
use serde::Serialize;

/// What a history came to under some policies.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SimulationReport {
    /// `armadaproject.io/v1`.
    pub api_version: &'static str,
    /// `SimulationReport`.
    pub kind: &'static str,
    /// The engine profile that decided: `v1` or `v1beta1`; absent without policies.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub engine: String,
    /// The releases of the programs whose rules decided; absent for systems without releases.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub releases: Vec<DecidingRelease>,
    /// What decides how the figures are read: a switched-off engine, records that were left out.
    pub notes: Vec<NoteReport>,
    /// The record, and the difference that the policies make.
    pub answer: AnswerReport,
    /// A timeline a job; absent where timelines were not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs: Option<Vec<JobReport>>,
    /// What the retries come to; absent without policies.
    #[serde(skip_serializing_if = "VerdictReport::is_absent")]
    #[schemars(default)]
    pub verdict: VerdictReport,
    /// What all jobs come to; absent without policies.
    #[serde(skip_serializing_if = "SummaryReport::is_absent")]
    #[schemars(default)]
    pub summary: SummaryReport,
    /// The policies of each queue of the history, by name, and where they come from; absent for the
    /// policies of other systems than Armada, which have no queues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queues: Option<Vec<QueuePoliciesReport>>,
    /// What they come to under each set of policies, the first one too; only with `--variant` or
    /// `--sweep`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variants: Option<Vec<VariantReport>>,
    /// The comparisons of `--assert`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub assertions: Vec<AssertionReport>,
}

impl SimulationReport {
    /// Whether there are policies: without them the report is about the record alone.
    pub fn has_policies(&self) -> bool {
        self.answer.columns.len() > 1
    }
}

/// What a history comes to under one of several sets of policies.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VariantReport {
    /// The variant's name.
    pub name: String,
    /// The limit that `--sweep` sets in this variant; absent for other variants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<SweptLimit>,
    /// The engine profile that decided.
    pub engine: String,
    /// The releases of the programs whose rules decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub releases: Vec<DecidingRelease>,
    /// What the retries come to, and how this differs from the first set.
    pub verdict: VerdictReport,
    /// Whether it is proved that every failure of a job in the history's queues is decided as under the first set, whatever
    /// the history; absent if it is not proved.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub proved_same: bool,
    /// What all jobs come to.
    pub summary: SummaryReport,
    /// The policies of each queue, if they are not those of the first variant, which are the report's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queues: Option<Vec<QueuePoliciesReport>>,
    /// What differs from the first set; absent for the first one, and with `--samples 0` unless
    /// `--changes` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<ChangesReport>,
    /// One job under the first set and under this one: that of `--job`, or a sample of the changes
    /// if its runs are in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<ExampleReport>,
}
