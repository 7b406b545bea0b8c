//! The part of a report that sums up all jobs.

use super::hours::HoursReport;
use super::job::ContradictionReport;
use super::retries::{
    DisruptionRowReport, FollowingReport, NodesReport, NumberReport, PolicyReport, RetryReport,
};
use crate::simulate::assume::AssumptionReport;
use crate::simulate::figures::{
    FailureFigures, JobFigures, QueueFigures, RuleFigures, RunFigures, Totals,
};
use crate::simulate::part::{Part, Without};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The recorded runs that contradict policies in the same way.
#[derive(Debug, Clone)]
pub struct ContradictionKindReport {
    /// What contradicts the policies.
    pub kind: &'static str,
    pub runs: u64,
    /// Up to ten of them, drawn by the hashes of their jobs.
    pub examples: Vec<ContradictionReport>,
}

/// What all jobs come to.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SummaryReport {
    /// Whether there are no policies.
    #[serde(skip)]
    pub is_absent: bool,
    /// The counts with which it begins.
    #[serde(flatten)]
    pub totals: Totals,
    /// Rules that no failure could match, since none has a part that they compare; absent where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub missing_parts: Vec<MissingPartReport>,
    /// Names that rules list, for notes.
    #[serde(skip)]
    pub listed_names: Vec<ListedNamesReport>,
    /// By field, the names that runs of the history have.
    #[serde(skip)]
    pub recorded_names: BTreeMap<&'static str, Vec<String>>,
    /// Decisions by their code.
    pub by_decision: BTreeMap<String, u64>,
    /// Decisions by the rule or default that they are attributed to, matched or not.
    pub by_rule: Vec<RuleReport>,
    /// What the retries of each policy came to, in the order of the rules.
    pub by_policy: Vec<PolicyReport>,
    /// What retries came to that no rule granted: those of the legacy path, and runs of gangs that ran again; absent
    /// where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_no_rule: Option<RetryReport>,
    /// What all retries came to, by their number in their job.
    pub by_retry: Vec<NumberReport>,
    /// The nodes on which recorded retries failed.
    pub nodes: NodesReport,
    /// Jobs by what became of them.
    pub outcomes: BTreeMap<String, u64>,
    /// Jobs that succeeded after at least one retry.
    pub recovered: u64,
    /// Failed jobs by the decision that ended them, the most first.
    pub failed_by: Vec<FailedByReport>,
    /// Failures that were disruptions, by the row of the table of disruptions; absent where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub disruptions: Vec<DisruptionRowReport>,
    /// Runs after a first one that are on record and happen under these policies: granted retries,
    /// and members of gangs that run again with their gang.
    pub replayed: u64,
    /// Granted retries whose run is not on record.
    pub unresolved: u64,
    /// By queue, the one with the most failures first.
    pub by_queue: Vec<QueueReport>,
    /// By failure category, by name; null is none.
    pub by_category: Vec<CategoryReport>,
    /// By the day of the failure in UTC, in order; failures without a time are in none.
    pub by_day: Vec<DayReport>,
    /// What the recorded retries cost, by how they ended.
    pub retried_runs: RetriedReport,
    /// The cost of the recorded runs that were not reached.
    pub not_reached_runs: HoursReport,
    /// Hours that granted retries wait before they may start, summed.
    pub backoff_hours: f64,
    /// The most retries waiting or running in any minute; null where no retry has a time.
    pub peak: Option<PeakReport>,
    /// The retries waiting or running over time; null where no retry has a time.
    pub load: Option<LoadReport>,
    /// Rules that no failure was attributed to.
    pub never_matched: Vec<RuleNameReport>,
    /// Failures that no rule matched, so that a default decided.
    pub uncaught: UncaughtReport,
    /// Recorded runs that would not have happened under these policies.
    pub not_reached: u64,
    /// Counts of recorded runs that no decision is about.
    #[serde(flatten)]
    pub runs: RunFigures,
    /// Recorded runs that these policies would not have let happen as they did.
    pub contradictions: u64,
    /// Up to ten of them, drawn by the hashes of their jobs.
    pub contradiction_examples: Vec<ContradictionReport>,
    /// All of them by their kind, for the text.
    #[serde(skip)]
    pub contradictions_by_kind: Vec<ContradictionKindReport>,
    /// Bad records that were left out.
    pub skipped_records: u64,
    /// What unresolved jobs are assumed to have come to; only with `--assume`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumption: Option<AssumptionReport>,
}

impl SummaryReport {
    /// Whether there are no policies.
    pub(super) fn is_absent(&self) -> bool {
        self.is_absent
    }
}

/// A part of failures that a rule compares, and that none of the failures has that it was compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MissingPartReport {
    /// The policy.
    pub policy: String,
    /// The rule, from 0; null where the policy has none.
    pub rule_index: Option<usize>,
    /// The field of records that has the part.
    pub field: &'static str,
    /// The values of it that the rule names; absent where any value would do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub values: Vec<String>,
    /// The failures that the rule was compared with.
    pub failures: u64,
    /// The consequence.
    pub without: Without,
    /// The part.
    #[serde(skip)]
    pub part: Option<&'static Part>,
    /// Whether one of the failures has another value of the part.
    #[serde(skip)]
    pub has_other_values: bool,
}

/// Names that a rule lists of a part of failures that may have any name, compared with a failure that has the part.
#[derive(Debug, Clone)]
pub struct ListedNamesReport {
    /// The policy.
    pub policy: String,
    /// The rule, from 0.
    pub rule_index: Option<usize>,
    /// The field of records that has the part.
    pub field: &'static str,
    /// The names.
    pub names: Vec<String>,
}

/// What one rule or default did.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleReport {
    /// The policy.
    pub policy: String,
    /// The rule's index; null for the default action.
    pub rule_index: Option<usize>,
    /// Its matchers, action and limit in a few words; absent for other systems' policies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its decisions.
    #[serde(flatten)]
    pub figures: RuleFigures,
    /// What its retries came to.
    #[serde(flatten)]
    pub retries: RetryReport,
}

/// Failed jobs that one kind of decision ended.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailedByReport {
    /// The decision: `fail_rule`, `fail_policy_limit`, ..
    pub decision: String,
    /// The policy it is attributed to; null where none decided.
    pub policy: Option<String>,
    /// The rule's index; null for a default action and where none decided.
    pub rule_index: Option<usize>,
    /// Jobs.
    pub jobs: u64,
}

/// The jobs of a queue, or those whose last decided run is of a category or a day, and the cost of retries.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryReport {
    /// The jobs.
    #[serde(flatten)]
    pub figures: JobFigures,
    /// The cost of the recorded retries that succeeded: of the jobs of a queue, or after runs of a category or a day.
    pub succeeded_hours: HoursReport,
    /// The cost of the other recorded retries.
    pub lost_hours: HoursReport,
}

/// What happened in one queue.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueReport {
    /// The queue; empty if the history names none.
    pub queue: String,
    /// Its counts.
    #[serde(flatten)]
    pub figures: QueueFigures,
    /// Its jobs, and the cost of their retries.
    #[serde(flatten)]
    pub recovery: RecoveryReport,
}

/// What happened to failures of one category.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CategoryReport {
    /// The category; null for failures without one.
    pub category: Option<String>,
    /// Their counts.
    #[serde(flatten)]
    pub figures: FailureFigures,
    /// The jobs, and the cost of their retries.
    #[serde(flatten)]
    pub recovery: RecoveryReport,
}

/// What happened on one day.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DayReport {
    /// The day in UTC: `2026-10-01`.
    pub day: String,
    /// Its counts.
    #[serde(flatten)]
    pub figures: FailureFigures,
    /// The jobs, and the cost of their retries.
    #[serde(flatten)]
    pub recovery: RecoveryReport,
}

/// What recorded retries cost, by how they ended.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetriedReport {
    /// Those that succeeded.
    pub succeeded: HoursReport,
    /// Those that failed, or whose lease expired.
    pub failed: HoursReport,
    /// Those that were preempted, returned, cancelled or stopped.
    pub other: HoursReport,
}

/// Retries over time, in at most 240 bins of equal length.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoadReport {
    /// The first minute of the first bin, RFC 3339 in UTC.
    pub from: String,
    /// The minutes of a bin.
    pub bin_minutes: u64,
    /// The most retries that wait or run in a minute of each bin.
    pub most: Vec<u64>,
    /// Their mean over the minutes of each bin.
    pub mean: Vec<f64>,
}

/// The most retries at once.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PeakReport {
    /// Retries waiting or running.
    pub retries: u64,
    /// The first minute with so many, RFC 3339 in UTC.
    pub minute: String,
}

/// A rule.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleNameReport {
    /// The policy.
    pub policy: String,
    /// The rule's index.
    pub rule_index: usize,
}

/// Failures that no rule matched.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UncaughtReport {
    /// How many.
    pub failures: u64,
    /// The largest kinds of them, at most 20.
    pub groups: Vec<GroupReport>,
    /// A rule that would catch the largest kind, as a policy writes it; null where nothing tells
    /// its failures from others, or the rule would decide as the default does. Where the runs on record after such failures are too few to choose an action, it
    /// has a placeholder for one: `<Retry or Fail>`.
    pub suggested_rule: Option<String>,
}

/// One kind of failure.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupReport {
    /// The failure category; null without one.
    pub category: Option<String>,
    /// The exit code of the first failed container; null without one.
    pub exit_code: Option<i64>,
    /// The condition that held; null without one.
    pub condition: Option<String>,
    /// The message's first line with `#` for what holds digits; null without one.
    pub message: Option<String>,
    /// Failures.
    pub failures: u64,
    /// The runs on record that came next after these failures, whether these policies granted them or not.
    pub retries: FollowingReport,
}
