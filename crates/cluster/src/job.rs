//! Jobs and gangs in the form that the scheduler uses.

use super::requirements::Requirements;
use super::resources::Amounts;
use std::sync::Arc;

/// The position of a job among all jobs of a pool. Positions are in the order of the job ids.
pub type JobIndex = u32;

/// The needs of a job. All jobs of a shape fit the same nodes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The position of its priority class.
    pub class: usize,
    /// The requested amounts.
    pub request: Amounts,
    /// Labels and taints.
    pub requirements: Requirements,
}

/// A job that is queued or running.
#[derive(Debug, Clone)]
pub struct Job {
    /// The position of its queue; `None` for a queue that is not scheduled.
    pub queue: Option<usize>,
    /// The position of its shape.
    pub shape: usize,
    /// The `priority` in its queue; lower values come first.
    pub priority: u32,
    /// The time of submission; only the order matters.
    pub submitted: i64,
    /// The position of its gang.
    pub gang: Option<usize>,
    /// The current run, if the job has one.
    pub run: Option<Run>,
}

/// The current run of a job.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// The position of its node.
    pub node: usize,
    /// The priority that it was scheduled at.
    pub priority: i32,
    /// The time of its start; only the order matters.
    pub started: i64,
    /// Whether it holds resources of the node.
    pub is_bound: bool,
}

/// Jobs that are scheduled together or not at all.
#[derive(Debug, Clone)]
pub struct Gang {
    /// The number of members that it was submitted with.
    pub cardinality: usize,
    /// The label by which all nodes of the gang must agree.
    pub uniformity_label: Option<Arc<str>>,
    /// The members that have not ended.
    pub members: Vec<JobIndex>,
}
