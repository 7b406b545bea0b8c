//! Disruptions: ends of runs that the cluster caused, and not the job.
//!
//! Owns the one table of signs ([`Disruptions`]): by which sign in which source a disruption is recognised, of which
//! kind it is, and which condition it gives a run under Armada's engines. A sign is a row of `rows`; what a record
//! holds is an [`Evidence`]. A file of the user replaces rows (`read`).

mod read;
mod rows;
mod sign;
mod table;

pub use read::{DISRUPTIONS, read_disruptions};
pub(crate) use rows::{CANCELLED_AND_QUEUED, CANCELLED_BEFORE_IT_BEGAN};
pub use sign::{Evidence, Sign};
pub use table::{Disruptions, Row, RowId, RowReport};

use crate::policy::Condition;

/// The program that ends the run, and leaves the sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Kubernetes: the scheduler, its controllers and the kubelet.
    Kubernetes,
    /// Kueue.
    Kueue,
    /// Armada.
    Armada,
    /// Slurm.
    Slurm,
    /// Iris.
    Iris,
    /// Airflow.
    Airflow,
    /// Backend.AI.
    BackendAi,
}

impl System {
    /// The name in the table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kubernetes => "kubernetes",
            Self::Kueue => "kueue",
            Self::Armada => "armada",
            Self::Slurm => "slurm",
            Self::Iris => "iris",
            Self::Airflow => "airflow",
            Self::BackendAi => "backendai",
        }
    }
}

/// The source that a sign is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Pods, and the records of pods of a Job or a JobSet.
    Pods,
    /// Slurm's accounting.
    Sacct,
    /// Armada's events.
    ArmadaEvents,
    /// Lookout's runs.
    Lookout,
    /// Records of a system's own runs: JSON Lines and documents.
    Records(System),
}

impl Source {
    /// The name in the table: that of `--format` where there is one.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pods => "pods",
            Self::Sacct => "sacct",
            Self::ArmadaEvents => "armada-events",
            Self::Lookout => "lookout",
            Self::Records(_) => "records",
        }
    }

    /// Whether a row gives runs of this source their condition. Other sources have the outcome and the conditions of
    /// their runs.
    pub fn takes_conditions(self) -> bool {
        matches!(self, Self::Pods | Self::Sacct)
    }
}

/// The cause of the end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A preemption that a user or a program requested through the API.
    ApiPreemption,
    /// A preemption for the fair share of another queue.
    FairSharePreemption,
    /// A preemption for a job of higher priority.
    UrgencyPreemption,
    /// Another preemption, or one of which the cause is not on record.
    Preemption,
    /// An eviction from the node.
    Eviction,
    /// The loss or a fault of the node.
    NodeLoss,
    /// The lease expired: the executor did not report in time.
    LeaseExpiry,
    /// The run was put back into the queue.
    LeaseReturn,
    /// SIGKILL or SIGTERM from an unknown sender: possibly a disruption.
    Kill,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::ApiPreemption,
        Self::FairSharePreemption,
        Self::UrgencyPreemption,
        Self::Preemption,
        Self::Eviction,
        Self::NodeLoss,
        Self::LeaseExpiry,
        Self::LeaseReturn,
        Self::Kill,
    ];

    /// The name in the table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ApiPreemption => "preemptionByApi",
            Self::FairSharePreemption => "preemptionByFairShare",
            Self::UrgencyPreemption => "preemptionByUrgency",
            Self::Preemption => "preemption",
            Self::Eviction => "eviction",
            Self::NodeLoss => "nodeLoss",
            Self::LeaseExpiry => "leaseExpiry",
            Self::LeaseReturn => "leaseReturn",
            Self::Kill => "kill",
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Whether it is a preemption, whatever its cause.
    pub fn is_preemption(self) -> bool {
        matches!(
            self,
            Self::ApiPreemption
                | Self::FairSharePreemption
                | Self::UrgencyPreemption
                | Self::Preemption
        )
    }
}

/// The conditions of disrupted runs under Armada's engines.
pub const DISRUPTION_CONDITIONS: [Condition; 2] = [Condition::Evicted, Condition::Preempted];

/// The conditions that Armada's engines give runs for a condition of their pod: what the condition of pods means in
/// Armada's words, in the order of [`Condition::ALL`].
pub fn conditions_of_pod(kind: &str) -> Vec<Condition> {
    let table = Disruptions::default();
    let has = |condition: Condition| {
        table.rows().any(|row| {
            row.enabled
                && row.condition == Some(condition)
                && matches!(row.sign, Sign::PodCondition { kind: other, .. } if other == kind)
        })
    };
    let found = [Condition::Preempted, Condition::Evicted].into_iter();
    found.filter(|condition| has(*condition)).collect()
}

/// Signals' exit codes that the table counts as possible disruptions, in order.
pub fn exit_codes() -> impl Iterator<Item = i32> {
    let mut codes: Vec<i32> = rows::ROWS
        .iter()
        .filter_map(|row| match row.sign {
            Sign::ExitCode(code) => Some(code),
            _ => None,
        })
        .collect();
    codes.sort_unstable();
    codes.dedup();
    codes.into_iter()
}

/// Whether an exit code may be that of a signal.
pub(crate) fn is_of_signal(exit_code: Option<i64>) -> bool {
    exit_code.is_some_and(|code| code > 128)
}

/// Whether a condition of a run is the name of a disruption, such as `NODE_FAIL`.
pub fn is_name(text: &str) -> bool {
    rows::ROWS.iter().any(|row| row.sign.name() == Some(text))
}

#[cfg(test)]
mod tests;
