//! The reasons why jobs stay queued.

use std::fmt;

/// The reasons for which a job stays queued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The job fits no node, even without all jobs that it may preempt.
    NoNode,
    /// A member of its gang fits no node.
    GangWithoutNode,
    /// A member of its gang fits no node, for every value of the gang's label.
    UniformGangWithoutNode,
    /// The label of its gang is not indexed.
    LabelNotIndexed(String),
    /// No node has the label of its gang.
    LabelWithoutValues(String),
    /// The limit of the round is reached.
    RoundLimit,
    /// The limit of the queue for its class is reached.
    QueueLimit,
    /// The queue is cordoned.
    Cordoned,
    /// No tokens are left.
    Rate,
    /// Fewer tokens are left than the gang has members.
    RateForGang,
    /// The gang has more members than a burst.
    Burst,
    /// No tokens of the queue are left.
    QueueRate,
    /// Fewer tokens of the queue are left than the gang has members.
    QueueRateForGang,
    /// The gang has more members than a burst of the queue.
    QueueBurst,
    /// The job requests a floating resource, and the pool has none.
    NoFloating {
        /// The pool.
        pool: String,
    },
    /// Not enough is left of a floating resource of the pool.
    FloatingShortage {
        /// The resource.
        resource: String,
        /// The pool.
        pool: String,
    },
}

impl Refusal {
    /// Returns whether no other new job can be scheduled in the round.
    pub fn ends_round(&self) -> bool {
        matches!(self, Self::RoundLimit | Self::Rate)
    }

    /// Returns whether no other new job of the queue can be scheduled in the round.
    pub fn ends_queue(&self) -> bool {
        matches!(self, Self::QueueRate | Self::Cordoned)
    }

    /// Returns whether a rate limit is the reason, so that later rounds may accept the job.
    pub fn is_of_rate(&self) -> bool {
        matches!(self, Self::Rate | Self::RateForGang | Self::QueueRate | Self::QueueRateForGang)
    }

    /// Returns a reason of each number, with `*` in place of labels, resources and pools.
    pub fn samples() -> [Self; 16] {
        let any = || "*".to_owned();
        [
            Self::NoNode,
            Self::GangWithoutNode,
            Self::UniformGangWithoutNode,
            Self::LabelNotIndexed(any()),
            Self::LabelWithoutValues(any()),
            Self::RoundLimit,
            Self::QueueLimit,
            Self::Cordoned,
            Self::Rate,
            Self::RateForGang,
            Self::Burst,
            Self::QueueRate,
            Self::QueueRateForGang,
            Self::QueueBurst,
            Self::NoFloating { pool: any() },
            Self::FloatingShortage { resource: any(), pool: any() },
        ]
    }

    /// Returns the number of the reason, below 16; the same for all labels and resources.
    pub fn number(&self) -> u8 {
        match self {
            Self::NoNode => 0,
            Self::GangWithoutNode => 1,
            Self::UniformGangWithoutNode => 2,
            Self::LabelNotIndexed(_) => 3,
            Self::LabelWithoutValues(_) => 4,
            Self::RoundLimit => 5,
            Self::QueueLimit => 6,
            Self::Cordoned => 7,
            Self::Rate => 8,
            Self::RateForGang => 9,
            Self::Burst => 10,
            Self::QueueRate => 11,
            Self::QueueRateForGang => 12,
            Self::QueueBurst => 13,
            Self::NoFloating { .. } => 14,
            Self::FloatingShortage { .. } => 15,
        }
    }

    /// Returns whether every job of the same shape is refused too.
    pub fn is_of_shape(&self) -> bool {
        matches!(self, Self::NoNode | Self::GangWithoutNode | Self::Burst)
    }
}

/// Writes Armada's messages (`constraints.go`, `gang_scheduler.go`), which operators know from its reports.
impl fmt::Display for Refusal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::NoNode => "job does not fit on any node",
            Self::GangWithoutNode => "unable to schedule gang since minimum cardinality not met",
            Self::UniformGangWithoutNode => "at least one job in the gang does not fit on any node",
            Self::LabelNotIndexed(label) => {
                return write!(to, "uniformity label {label} is not indexed");
            }
            Self::LabelWithoutValues(label) => {
                return write!(to, "no nodes with uniformity label {label}");
            }
            Self::RoundLimit => "maximum resources scheduled",
            Self::QueueLimit => "resource limit exceeded",
            Self::Cordoned => "queue cordoned",
            Self::Rate => "global scheduling rate limit exceeded",
            Self::RateForGang => "gang would exceed global scheduling rate limit",
            Self::Burst => "gang cardinality too large: exceeds global max burst size",
            Self::QueueRate => "queue scheduling rate limit exceeded",
            Self::QueueRateForGang => "gang would exceed queue scheduling rate limit",
            Self::QueueBurst => "gang cardinality too large: exceeds queue max burst size",
            Self::NoFloating { pool } => {
                return write!(to, "floating resources not configured for pool {pool}");
            }
            Self::FloatingShortage { resource, pool } => {
                return write!(to, "not enough floating resource {resource} in pool {pool}");
            }
        })
    }
}
