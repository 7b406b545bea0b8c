//! The kinds of disruptions, the programs that cause them, and the sources that have their signs.

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
