//! The part of Armada's scheduling configuration that a round depends on, for one pool.
//!
//! Source: Armada, `internal/scheduler/configuration/configuration.go`.

use super::requirements::{Taint, Toleration};
use super::resources::{Amounts, ResourceTypes};
use std::collections::BTreeSet;

/// The settings of a pool.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `supportedResourceTypes` and `floatingResources`.
    pub resources: ResourceTypes,
    /// The floating resources of the pool; `None` if there are none.
    pub floating: Option<Floating>,
    /// `priorityClasses`.
    pub classes: Vec<PriorityClass>,
    /// `defaultPriorityClassName`: the position of the class of jobs without a known class.
    pub default_class: usize,
    /// `indexedResources`: positions in [`resources`](Self::resources), with the resolution to which
    /// free amounts are rounded down in the index.
    pub indexed_resources: Vec<IndexedResource>,
    /// `indexedTaints`: the keys that distinguish node types.
    pub indexed_taints: BTreeSet<String>,
    /// `indexedNodeLabels`: the keys that distinguish node types, and that gangs may use as uniformity
    /// labels.
    pub indexed_labels: BTreeSet<String>,
    /// The multiplier of each resource in a cost; 0 for resources that do not contribute.
    pub multipliers: Vec<f64>,
    /// `protectedFractionOfFairShare`: jobs of a queue are evicted only above this fraction.
    pub protected_fraction: f64,
    /// `experimentalProtectUncappedAdjustedFairShare`: the fraction is of the uncapped share.
    pub is_uncapped_share_protected: bool,
    /// `enablePreferLargeJobOrdering`.
    pub are_large_jobs_first: bool,
    /// `maxQueueLookback`: the maximum number of a queue's jobs that a round considers; 0 means all.
    pub queue_lookback: usize,
    /// `maximumResourceFractionToSchedule` of each resource; infinite means no limit.
    pub round_fractions: Vec<f64>,
    /// `maximumSchedulingBurst`; `None` means no limit, and no limit of rates.
    pub burst: Option<u32>,
    /// `maximumPerQueueSchedulingBurst`; `None` means no limit, and no limit of rates.
    pub queue_burst: Option<u32>,
    /// The scheduler that is simulated.
    pub profile: Profile,
    /// The settings that only the profile `seed` has.
    pub seed: SeedSettings,
}

/// The floating resources of a pool: resources that belong to none of its nodes, such as licences.
#[derive(Debug, Clone)]
pub struct Floating {
    /// The pool.
    pub pool: String,
    /// The amounts; 0 of other resources.
    pub available: Amounts,
}

/// The simulated scheduler, which determines the default priority classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Armada's scheduler as it is deployed.
    #[default]
    Landed,
    /// The scheduler as its design describes it.
    Seed,
}

/// The settings of the profile `seed`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeedSettings {
    /// `seed.gpuWeight`: the cost of a GPU, in cores; at least 0.
    pub gpu_weight: f64,
    /// `seed.ramWeight`: the cost of a GiB of memory, in cores; at least 0.
    pub ram_weight: f64,
    /// `nodeEvictionProbability`: the probability that a round evicts the preemptible jobs of a
    /// node, 0 to 1.
    pub eviction_probability: f64,
}

impl Default for SeedSettings {
    fn default() -> Self {
        Self { gpu_weight: 1.0, ram_weight: 0.0, eviction_probability: 1.0 }
    }
}

/// A resource by which nodes are indexed.
#[derive(Debug, Clone, Copy)]
pub struct IndexedResource {
    /// The position in the resource types.
    pub position: usize,
    /// The resolution, in the unit of the type; at least 1.
    pub resolution: i64,
}

/// A priority class.
#[derive(Debug, Clone)]
pub struct PriorityClass {
    /// The name.
    pub name: String,
    /// The priority; higher values come first.
    pub priority: i32,
    /// Whether its jobs may be preempted.
    pub is_preemptible: bool,
    /// `maximumResourceFractionPerQueue` of each resource; infinite means no limit.
    pub queue_fractions: Vec<f64>,
    /// `awayNodeTypes`, in the order in which they are tried.
    pub away: Vec<AwayNodeType>,
}

/// Away nodes: nodes that jobs of a class may use at a lower priority.
#[derive(Debug, Clone)]
pub struct AwayNodeType {
    /// The priority there.
    pub priority: i32,
    /// The well-known node types.
    pub entries: Vec<AwayEntry>,
}

/// A well-known node type, and the jobs that may use it.
#[derive(Debug, Clone)]
pub struct AwayEntry {
    /// The taints of the well-known node type; `*` matches any value.
    pub taints: Vec<Taint>,
    /// The condition on the job; Armada evaluates only the first of a list. `None` means all jobs.
    pub condition: Option<AwayCondition>,
}

/// A condition on a job's request, in whole base units, rounded up.
#[derive(Debug, Clone, Copy)]
pub struct AwayCondition {
    /// The resource's position; `None` for an unsupported one, of which every job requests 0.
    pub position: Option<usize>,
    /// The required order of the request and the value.
    pub ordering: std::cmp::Ordering,
    /// The value.
    pub value: i64,
}

/// The value of a well-known node type's taint that matches any value.
const ANY_VALUE: &str = "*";

impl AwayNodeType {
    /// Returns the tolerations that a job gets for these nodes. `request` returns an amount in base units.
    pub fn tolerations(&self, request: impl Fn(usize) -> i64) -> Vec<Toleration> {
        let counts = |entry: &&AwayEntry| {
            entry.condition.is_none_or(|condition| {
                let request = condition.position.map_or(0, &request);
                request.cmp(&condition.value) == condition.ordering
            })
        };
        let taints = self.entries.iter().filter(counts).flat_map(|entry| &entry.taints);
        taints
            .map(|taint| Toleration {
                key: taint.key.clone(),
                value: (taint.value != ANY_VALUE).then(|| taint.value.clone()),
                effect: taint.effect.clone(),
            })
            .collect()
    }
}

impl Settings {
    /// Returns the priorities at which jobs can run, ascending.
    pub fn priorities(&self) -> Vec<i32> {
        let of_class = |class: &PriorityClass| {
            let away = class.away.iter().map(|away| away.priority).collect::<Vec<_>>();
            [class.priority].into_iter().chain(away)
        };
        self.classes.iter().flat_map(of_class).collect::<BTreeSet<i32>>().into_iter().collect()
    }

    /// Returns what the pool has beside its nodes: its floating resources.
    pub fn capacity_without_nodes(&self) -> Amounts {
        let floating = self.floating.as_ref();
        floating.map_or_else(|| self.resources.zero(), |floating| floating.available.clone())
    }

    /// Returns whether the outcome of a round depends on draws.
    pub fn has_random_rounds(&self) -> bool {
        let probability = self.seed.eviction_probability;
        self.profile == Profile::Seed && probability > 0.0 && probability < 1.0
    }

    /// Returns the class with this name, else the default one.
    pub fn class_position(&self, name: &str) -> usize {
        let known = self.classes.iter().position(|class| class.name == name);
        known.unwrap_or(self.default_class)
    }
}
