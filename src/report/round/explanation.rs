//! The explanation of a round as a document: its settings, queues and jobs.

use schemars::JsonSchema;
use serde::Serialize;

/// A scheduling round of a pool.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoundExplanation {
    /// `armadaproject.io/v1`.
    pub(super) api_version: &'static str,
    /// `RoundExplanation`.
    pub(super) kind: &'static str,
    /// The pool; empty where it has no name.
    pub pool: String,
    /// The scheduler: `landed`.
    pub profile: &'static str,
    /// The settings that decide most.
    pub settings: RoundSettings,
    /// The numbers of jobs by their outcomes.
    pub summary: RoundSummary,
    /// The reason for which no other new job was tried, in Armada's words.
    pub termination: String,
    /// The queues, by name.
    pub queues: Vec<QueueRow>,
    /// The jobs: those that were tried, in the order of their last trial, then the others.
    pub jobs: Vec<JobRow>,
}

/// The settings of a round that decide most.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoundSettings {
    /// Queues are evicted from above this fraction of their share.
    pub protected_fraction_of_fair_share: f64,
    /// Whether larger jobs go first among queues within their share.
    pub prefer_large_jobs: bool,
    /// The queued jobs of a queue that are looked at; 0 means all.
    pub max_queue_lookback: usize,
    /// The number of nodes.
    pub nodes: usize,
}

/// The numbers of jobs before a round, and by their outcomes.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoundSummary {
    /// Queued before the round.
    pub queued: usize,
    /// Running before the round.
    pub running: usize,
    /// Queued, and start.
    pub scheduled: usize,
    /// Running, and preempted.
    pub preempted: usize,
    /// Queued, tried or skipped, and still queued.
    pub refused: usize,
    /// Queued, and neither tried nor skipped.
    pub not_considered: usize,
    /// The same as a sentence.
    pub sentence: String,
}

/// A queue in a round. Shares and costs are fractions of the pool.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueRow {
    /// Its name.
    pub name: String,
    /// Its weight.
    pub weight: f64,
    /// Whether it is cordoned.
    pub cordoned: bool,
    /// Its weight in that of all queues.
    pub fair: f64,
    /// The fair share with unused shares of others, up to its demand.
    pub demand_capped: f64,
    /// The share that it would have with unlimited demand.
    pub uncapped: f64,
    /// The cost of its demand.
    pub demand: f64,
    /// The cost of its running jobs before the round.
    pub cost_before: f64,
    /// The cost of its running jobs after the round.
    pub cost_after: f64,
    /// Jobs evicted because of its share.
    pub evicted: usize,
    /// Evicted jobs that were placed again.
    pub rescheduled: usize,
    /// Jobs that start.
    pub scheduled: usize,
    /// Jobs that are preempted.
    pub preempted: usize,
    /// Jobs that stay queued.
    pub queued: usize,
}

/// The outcome of a job in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub enum JobOutcome {
    /// It was queued, and starts.
    Scheduled,
    /// It was running, and stays.
    Kept,
    /// It was running, and is preempted.
    Preempted,
    /// It was tried, or skipped for its shape, and stays queued.
    Queued,
    /// It stays queued, and was neither tried nor skipped for its shape.
    NotConsidered,
}

/// A job in a round.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobRow {
    /// Its id.
    pub job_id: String,
    /// Its queue.
    pub queue: String,
    /// Its priority class.
    pub priority_class: String,
    /// Its gang.
    pub gang: Option<String>,
    /// Its requests, such as `8 cpu, 16Gi memory`.
    pub requests: String,
    /// `Queued` or `Running`.
    pub state_before: &'static str,
    /// Its outcome.
    pub outcome: JobOutcome,
    /// Its node: where it starts or runs, or ran until it was preempted.
    pub node: Option<String>,
    /// The priority that it is scheduled at, where it starts.
    pub priority: Option<i32>,
    /// The way it got its place: `no-preemption`, `fairshare`, `urgency`, `away` or `rescheduled`.
    pub method: Option<&'static str>,
    /// The way it lost its place: `fairshare`, `urgency`, `unknown` or `unknown-gang`.
    pub preemption: Option<&'static str>,
    /// The number of its last trial, from 1.
    pub step: Option<usize>,
    /// The cost of its queue before that trial, over the queue's weight, as queues are compared by.
    /// Of a job that was skipped for its shape: before the trial of the first job of the shape.
    pub queue_cost: Option<f64>,
    /// The same with the job, and all of its gang.
    pub queue_cost_with_job: Option<f64>,
    /// The demand-capped share of its queue, over the queue's weight.
    pub queue_share: Option<f64>,
    /// The reason for its outcome.
    pub reason: String,
    /// The refusal in Armada's words.
    pub refusal: Option<String>,
    /// The nodes by the reason for which the job could not use them, or the member of its gang that
    /// had no node. Of a preempted job its own node.
    pub nodes: Vec<NodeRow>,
    /// The jobs that lost their place to it, with the other members of their gangs.
    pub displaced: Vec<String>,
    /// The job that took its place, or that of a member of its gang; it may have lost the place later.
    /// Where the job did not fit on its node any more: the only one of `candidates`.
    pub by: Option<String>,
    /// Where it did not fit on its node any more: jobs of higher priority that were placed there
    /// before, by urgency.
    pub candidates: Vec<String>,
    /// All that happened to it, in order. Empty unless the job was named.
    pub story: Vec<String>,
    /// The reason in a few words, equal for jobs that are alike.
    #[serde(skip)]
    pub brief: String,
}

/// Nodes that a job could not use for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeRow {
    /// `Unschedulable`, `Taint`, `Label`, `Affinity`, `TooSmall`, `InUse`, `PassedOver` or
    /// `UniformityLabel`.
    pub kind: &'static str,
    /// The reason.
    pub reason: String,
    /// The number of nodes.
    pub count: usize,
    /// One of them: where an amount decides, one with most of it.
    pub example: Option<String>,
}
