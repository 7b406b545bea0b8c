//! The planned changes of a simulation.

use super::fleet::NodeChange;
use crate::job::JobIndex;
use crate::spec::Nanoseconds;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// All jobs of a template are submitted.
    Submit {
        template: usize,
    },
    /// A preempted job is submitted again.
    Resubmit(Resubmission),
    /// The scheduler runs.
    Round,
    /// A token for a job without one may be available.
    Token,
    Lease(JobIndex),
    /// An attempt of a job ends by itself.
    End {
        job: JobIndex,
        attempt: u32,
    },
    Preempt(JobIndex),
    Node(NodeChange),
}

impl Change {
    /// Returns the order among changes of one time: nodes change before jobs start on them. All others are applied
    /// in the order in which they were planned.
    pub(super) fn rank(self) -> u8 {
        match self {
            Self::Node(_) => 0,
            _ => 1,
        }
    }
}

/// A planned change: its time, its rank, and its number in the order of planning.
pub(super) type Planned = (Nanoseconds, u8, u64, Change);

/// A job that is submitted again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Resubmission {
    pub(super) template: usize,
    pub(super) number: u32,
    pub(super) attempt: u32,
    pub(super) gang: Option<usize>,
    pub(super) first_submitted: Nanoseconds,
    /// The time of its preemption.
    pub(super) preempted: Nanoseconds,
    /// The overhead of its runs so far.
    pub(super) overhead: Nanoseconds,
}
