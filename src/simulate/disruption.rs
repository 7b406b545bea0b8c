//! Disruptions: ends of runs that the cluster caused, and not the job.

/// A cause of a run's end that is not a fault of its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disruption {
    /// The run was preempted.
    Preempted,
    /// The run was evicted from its node.
    Evicted,
    /// The node of the run was lost, or no longer reported.
    NodeLost,
    /// A container ended by SIGKILL or SIGTERM (exit code 137 or 143), and not since it was out of memory.
    Killed,
}

/// The exit codes of containers that SIGKILL and SIGTERM ended.
const KILLED: [i64; 2] = [137, 143];

impl Disruption {
    /// The disruption of a run with one of these names as the reason or a condition of its pod.
    pub fn from_names<'n>(names: &(impl Iterator<Item = &'n str> + Clone)) -> Option<Self> {
        // If a run has several of them, the first one explains the others.
        [Self::Preempted, Self::Evicted, Self::NodeLost]
            .into_iter()
            .find(|disruption| names.clone().any(|name| disruption.names().contains(&name)))
    }

    /// The reasons and conditions of pods, and the states of Slurm's jobs, that name the disruption.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Preempted => &["Preempted", "Preempting", "PreemptionByScheduler"],
            Self::Evicted => &["Evicted", "EvictionByEvictionAPI", "TerminationByKubelet"],
            Self::NodeLost => {
                &["NodeLost", "NODE_FAIL", "DeletionByTaintManager", "DeletionByPodGC"]
            }
            Self::Killed => &[],
        }
    }

    /// The disruption of a run of which a container ended with this exit code.
    pub fn from_exit_code(exit_code: Option<i64>, is_out_of_memory: bool) -> Option<Self> {
        let is_killed = exit_code.is_some_and(|code| KILLED.contains(&code)) && !is_out_of_memory;
        is_killed.then_some(Self::Killed)
    }
}

/// Retries by the disruption after which they were granted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DisruptionCounts {
    /// After a preemption.
    pub preempted: u64,
    /// After an eviction.
    pub evicted: u64,
    /// After the loss of a node.
    pub node_lost: u64,
    /// After SIGKILL or SIGTERM.
    pub killed: u64,
}

impl DisruptionCounts {
    /// Adds a retry.
    pub fn add(&mut self, disruption: Disruption) {
        *match disruption {
            Disruption::Preempted => &mut self.preempted,
            Disruption::Evicted => &mut self.evicted,
            Disruption::NodeLost => &mut self.node_lost,
            Disruption::Killed => &mut self.killed,
        } += 1;
    }

    /// Adds the counts of others.
    pub fn merge(&mut self, other: Self) {
        self.preempted += other.preempted;
        self.evicted += other.evicted;
        self.node_lost += other.node_lost;
        self.killed += other.killed;
    }
}
