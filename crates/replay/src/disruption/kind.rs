//! The kinds of disruptions, the programs that cause them, and the sources that have their signs.

use document::choices;

choices! {
    /// The program that ends the run, and leaves the sign.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum System = "system" {
        /// Kubernetes: the scheduler, its controllers and the kubelet.
        Kubernetes = "kubernetes",
        /// Kueue.
        Kueue = "kueue",
        /// Armada.
        Armada = "armada",
        /// Slurm.
        Slurm = "slurm",
        /// Iris.
        Iris = "iris",
        /// Airflow.
        Airflow = "airflow",
        /// Backend.AI.
        BackendAi = "backendai",
        /// AWS Batch.
        AwsBatch = "awsbatch",
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

choices! {
    /// The cause of the end of a run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Kind = "kind" {
        /// A preemption that was requested through the API.
        ApiPreemption = "preemptionByApi",
        /// A preemption for the fair share of another queue.
        FairSharePreemption = "preemptionByFairShare",
        /// A preemption for a job of higher priority.
        UrgencyPreemption = "preemptionByUrgency",
        /// Another preemption, or one of which the cause is not on record.
        Preemption = "preemption",
        /// An eviction from the node.
        Eviction = "eviction",
        /// The loss or a fault of the node.
        NodeLoss = "nodeLoss",
        /// The executor did not report in time.
        LeaseExpiry = "leaseExpiry",
        /// The run was put back into the queue: it has the outcome LeaseReturned.
        LeaseReturn = "leaseReturn",
        /// SIGKILL or SIGTERM from an unknown sender: possibly a disruption.
        Kill = "kill",
    }
}

impl Kind {
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
