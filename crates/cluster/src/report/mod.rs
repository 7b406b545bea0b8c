//! The report of a simulated cluster, as `-o json` prints it. Fields may be added, never renamed.
//!
//! Contract: docs/cluster-report.md. Times are in seconds, shares are fractions of a pool, work is in
//! core-hours and GPU-hours.

mod answer;
mod collector;
mod combine;
mod counts;
mod document;
mod fairness;
mod findings;
mod fold;
mod groups;
mod node_meter;
mod series;
#[cfg(test)]
mod tests;
mod waits;

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

pub use answer::{ClusterAnswer, ClusterRow, Estimate, cluster_answer};
pub use collector::Collector;
pub use combine::{Runs, combine_runs};
pub use counts::WITHOUT_DECISION;
pub use document::ClusterReport;
pub use replay::simulate::Figure;
pub use series::{QueueSeries, SeriesReport};
pub use waits::Waits;

use fold::{Combine, Fold, combined};

/// The outcome under one configuration. With several seeds all figures are means.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterVariant {
    /// The name.
    pub name: String,
    /// The engine that decides on retries, `v1` or `v1beta1`; null without policies.
    pub engine: Option<String>,
    /// The end of each run, in the order of the seeds.
    pub ends: Vec<EndReport>,
    /// The figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// Half the width of the 95 % confidence interval of each figure (Student); with several seeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Figures>,
    /// The figures minus those of the first variant, seed by seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differences: Option<Figures>,
    /// Half the width of the 95 % confidence interval of each difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference_intervals: Option<Figures>,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndReport {
    /// The seed of the run.
    pub seed: u64,
    /// The reason.
    pub reason: EndName,
    /// The simulated time of the end.
    pub time: Figure,
    /// The jobs that are not finished at the end, by template.
    pub open: Vec<OpenTemplate>,
    /// What went wrong with retries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub findings: Vec<FindingReport>,
    /// The run over time.
    pub series: SeriesReport,
}

/// Something that goes wrong with retries.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingReport {
    /// What it is.
    pub kind: FindingKind,
    /// The finding as a sentence without a final period.
    pub message: String,
    /// The jobs, or the retries, that it is about.
    pub jobs: u64,
    /// One of these jobs.
    pub job: Option<String>,
    /// The queue that starves.
    pub queue: Option<String>,
    /// The pool in which it starves.
    pub pool: Option<String>,
    /// The rule that granted the retries.
    pub rule: Option<String>,
    /// When it began.
    pub from: Figure,
    /// When it ended.
    pub to: Figure,
}

/// The kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FindingKind {
    /// Jobs were preempted and ran again, over and over: 5 times or more.
    PreemptionLoop,
    /// At least 3 retries, and half of those after a cause, failed for it on the node on which the run before did.
    SameNode,
    /// A queue had less than half of its entitled share for 10 minutes or more, in most of which retries of another
    /// queue ran.
    Starvation,
}

/// The reasons for which a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum EndName {
    /// Every job that can start is finished.
    Done,
    /// The time of `--until` is reached.
    Until,
    /// Nothing can change any more, although jobs are queued.
    Stalled,
}

/// Jobs of a template that are not finished when a run ends.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenTemplate {
    /// The template.
    pub template: String,
    /// The jobs that run, and those of gangs of which another member runs.
    pub running: u64,
    /// The jobs that are queued.
    pub queued: u64,
    /// The jobs that wait until they may be queued again.
    pub backing_off: u64,
    /// The reason for which the last round refused one of them; null if it considered none.
    pub reason: Option<String>,
}

// A figure is named here alone: its mean, interval and difference over seeds follow.
combined! {
    /// All figures of a run.
    #[derive(Default)]
    pub struct Figures {
        /// All jobs.
        pub total: Group,
        /// The jobs of each queue.
        pub queues: BTreeMap<String, Group>,
        /// The jobs of each template, with the copies that `repeat` makes of it.
        pub templates: BTreeMap<String, Group>,
        /// The causes for which runs failed, by name. Causes of one name in several templates are one.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        #[schemars(default)]
        pub causes: BTreeMap<String, CauseFigures>,
        /// The rules that can grant retries, as `POLICY.rules[0]` or `POLICY.defaultAction`.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        #[schemars(default)]
        pub rules: BTreeMap<String, RuleFigures>,
        /// Each pool.
        pub pools: BTreeMap<String, PoolFigures>,
    }

    /// The figures of a group of jobs.
    #[derive(Default)]
    pub struct Group {
        /// The jobs, by how they ended.
        pub jobs: JobFigures,
        /// The runs that were started.
        pub attempts: Figure,
        /// Work.
        pub hours: HourFigures,
        /// Wasted core-hours in those that are wasted or useful; null without such hours.
        pub waste: Option<Figure>,
        /// The time at which the last job of the group succeeded; null if none did.
        pub makespan: Option<Figure>,
        /// From the submission of a job to its first start; null if none started.
        pub wait: Option<Waits>,
        /// The same of jobs of which no run failed or was preempted.
        pub undisturbed_wait: Option<Waits>,
        /// From a job's retryAfter, or its resubmission, to its next start; null if none started again.
        pub retry_wait: Option<Waits>,
        /// From the end of a job's run to its next start; null if none started again.
        pub recovery_wait: Option<Waits>,
        /// Preempted runs, by cause.
        pub preemptions: PreemptionFigures,
        /// The retries of jobs, by their number: the first of each job is 1.
        pub retries: BTreeMap<u32, RetryFigures>,
        /// The retries that waited for their retryAfter, outside of their queues.
        pub backed_off: Figure,
        /// The jobs that a round refused for a reason at least once, by reason.
        pub refusals: BTreeMap<String, Figure>,
        /// The mean part of the capacity of all pools that the group has, by resource.
        pub utilisation: BTreeMap<String, Figure>,
        /// The mean part of this capacity that jobs of the group used for work that was useful, by resource.
        pub useful_utilisation: BTreeMap<String, Figure>,
        /// The mean part of the capacity of all pools that no run had while jobs waited for their retryAfter, by
        /// resource. Only of all jobs; absent if none waited.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub idle_while_backing_off: Option<BTreeMap<String, Figure>>,
        /// Shares; absent for templates, which have none.
        #[serde(flatten)]
        pub fairness: FairnessFigures,
    }

    /// The jobs of a group. A preempted job that is submitted again is still one job.
    #[derive(Default)]
    pub struct JobFigures {
        /// Jobs that succeeded.
        pub succeeded: Figure,
        /// Jobs that failed.
        pub failed: Figure,
        /// Jobs that failed, by the decision that ended them; `none` without a decision.
        pub failed_by: BTreeMap<String, Figure>,
        /// Jobs that succeeded in a retry; they are among those that succeeded.
        pub recovered: Figure,
        /// Jobs that were submitted and are not finished.
        pub unfinished: Figure,
        /// Jobs that were not submitted: their time had not come, or jobs that they depend on had not succeeded.
        pub never_submitted: Figure,
        /// Jobs that fit no node, however empty; they are not submitted.
        pub unschedulable: Figure,
    }

    /// Work of a group.
    #[derive(Copy, Default)]
    pub struct HourFigures {
        /// Core-hours.
        pub core: Hours,
        /// GPU-hours, of `nvidia.com/gpu`.
        pub gpu: Hours,
    }

    /// Hours of one resource; their sum is the allocation.
    #[derive(Copy, Default)]
    pub struct Hours {
        /// The work of runs that succeeded.
        pub useful: Figure,
        /// The work of runs that were preempted, failed or were stopped, and all of jobs that failed.
        pub lost: Figure,
        /// The time from lease to the start of running, completed saves and restarts, and the grace periods of preempted
        /// pods, of jobs that did not fail.
        pub overhead: Figure,
        /// All runs of jobs that are not over at the end.
        pub unfinished: Figure,
    }

    /// Preempted runs, by cause.
    #[derive(Copy, Default)]
    pub struct PreemptionFigures {
        /// To give another queue its fair share.
        pub fair_share: Figure,
        /// For a job of higher priority.
        pub urgency: Figure,
        /// Evicted with others, and without a place afterwards.
        pub other: Figure,
        /// With their node: they failed, and are counted by cause too.
        pub node_loss: Figure,
        /// Those for a job that runs again, among the others.
        pub for_retries: Figure,
    }

    /// The runs that failed for a cause.
    #[derive(Copy, Default)]
    pub struct CauseFigures {
        /// Runs that failed for it.
        pub attempts: Figure,
        /// Runs that were stopped since a member of their gang failed for it.
        pub stopped: Figure,
        /// Jobs that failed for it, or with a member of their gang that did.
        pub failed: Figure,
        /// The hours that were wasted in these runs.
        pub lost: LostHours,
    }

    /// The retries of some number.
    #[derive(Copy, Default)]
    pub struct RetryFigures {
        /// Retries that were granted.
        pub granted: Figure,
        /// Those in which the job succeeded.
        pub succeeded: Figure,
        /// The hours that were wasted in them: those of failed retries.
        pub lost: LostHours,
    }

    /// The decisions of a rule or a default action.
    #[derive(Copy, Default)]
    pub struct RuleFigures {
        /// Retries that it granted.
        pub granted: Figure,
        /// Those in which the job succeeded.
        pub succeeded: Figure,
        /// Jobs that failed by it or by its limits.
        pub failed: Figure,
        /// The hours that were wasted in its retries: those of failed retries.
        pub lost: LostHours,
    }

    /// Lost hours.
    #[derive(Copy, Default)]
    pub struct LostHours {
        /// Core-hours.
        pub core: Figure,
        /// GPU-hours, of `nvidia.com/gpu`.
        pub gpu: Figure,
    }

    /// Shares of a queue; of the whole and of pools, means and sums over queues.
    #[derive(Copy, Default)]
    pub struct FairnessFigures {
        /// The mean demand-capped share. With several pools, the mean over them.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub entitled: Option<Figure>,
        /// The mean cost of the allocation.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub actual: Option<Figure>,
        /// The mean over time of the share that is missing to the entitled one.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fairness_error: Option<Figure>,
        /// Jain's index of the mean actual over the mean entitled shares of the queues; absent for a
        /// single queue.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub jain: Option<Figure>,
        /// The longest time that a queue with demand had less than half of its entitled share.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub longest_below_half_share: Option<Figure>,
    }

    /// A pool.
    #[derive(Default)]
    pub struct PoolFigures {
        /// Shares of all queues.
        #[serde(flatten)]
        pub fairness: FairnessFigures,
        /// Shares of each queue in the pool.
        pub queues: BTreeMap<String, FairnessFigures>,
        /// The nodes; absent if no node of the pool can fail.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub nodes: Option<NodeFigures>,
    }

    /// The nodes of a pool.
    #[derive(Copy, Default)]
    pub struct NodeFigures {
        /// How often a node failed.
        pub failed: Figure,
        /// How often a spot node was lost.
        pub lost: Figure,
        /// The mean part of the nodes that were up.
        pub up: Figure,
    }
}
