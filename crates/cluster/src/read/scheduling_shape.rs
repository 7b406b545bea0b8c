//! The shape of the `scheduling` section, as far as a simulation depends on it.

use super::cluster_shape::TAINTS;
use armada_retry::policy::shapes::{RETRY_SCHEDULING, SUBMISSION as RETRY_SUBMISSION};
use document::diag::Code;
use document::{Extra, Field, Kind, Shape, choices, optional, shapes};

const NAMES: Kind = Kind::List { item: &Kind::SomeText, min: 0 };
const FRACTION: Kind = Kind::Number { min: 0.0, above: false, code: Code::OutOfRange };
const FRACTIONS: Kind = Kind::Map(&FRACTION);
const COUNT: Kind = Kind::Whole { min: 0, max: i64::MAX as i128, code: Code::OutOfRange };
// The scheduler reserves negative priorities for its own levels.
const PRIORITY: Kind = Kind::Whole { min: 0, max: i32::MAX as i128, code: Code::OutOfRange };

/// The key of the only setting that is not in the `scheduling` section.
pub(super) const PERIOD: Field = optional(
    "schedulePeriod",
    Kind::Duration,
    "The time from one scheduling round to the next; absent means 10s.\nArmada has it beside `scheduling`; inside is read too.",
);

shapes! {
    /// The part of Armada's scheduler configuration that retries and simulations depend on.
    /// Other keys are ignored, so that a real configuration can be given as it is.
    pub static SCHEDULER_CONFIG = "scheduler configuration" (extra: Extra::Ignored) {
        PERIOD,
        /// How jobs are scheduled.
        optional scheduling: Kind::Object(&SECTION),
        #[doc = "What jobs may request."]
        optional submission: Kind::Object(&SUBMISSION),
    }

    /// The deadlines of jobs that have none.
    static DEADLINES = "submission" (extra: Extra::Ignored) {
        /// The longest time that an attempt of a job without a deadline may run; 0 means any.
        /// Absent: any, or 72h with `--scheduler seed`.
        optional defaultActiveDeadline: Kind::Duration,
        /// The same for jobs that request a resource, by resource; the longest counts.
        /// Absent: none, or 336h for nvidia.com/gpu with `--scheduler seed`, whatever the other field is.
        optional defaultActiveDeadlineByResourceRequest: Kind::Map(&Kind::Duration),
    }

    /// How jobs are scheduled.
    /// Other keys are ignored.
    pub static SCHEDULING = "scheduling" (extra: Extra::Ignored) {
        PERIOD,
        /// The resources that are counted.
        /// Absent: cpu at 1m; memory, nvidia.com/gpu and ephemeral-storage at 1.
        optional supportedResourceTypes: Kind::List { item: &Kind::Object(&RESOURCE_TYPE), min: 1 },
        /// Resources that belong to a pool and to none of its nodes, such as licences of a storage service.
        optional floatingResources: Kind::List { item: &Kind::Object(&FLOATING_RESOURCE), min: 0 },
        /// Priority classes by name.
        /// Absent: armada-default, which is not preemptible, and armada-preemptible.
        optional priorityClasses: Kind::Map(&Kind::Object(&PRIORITY_CLASS)),
        /// The class of jobs without a known one; absent means armada-default.
        optional defaultPriorityClassName: Kind::Text,
        /// Settings by pool.
        optional pools: Kind::List { item: &Kind::Object(&POOL), min: 0 },
        /// The resources by which nodes are found, in order. The free amount of a node is rounded down to the resolution.
        /// Absent: nvidia.com/gpu 1, cpu 1, memory 1Mi.
        optional indexedResources: Kind::List { item: &Kind::Object(&RESOURCE_TYPE), min: 1 },
        /// The labels by which the nodes of a gang can be required to agree.
        /// `armadaproject.io/clusterName` is always indexed.
        optional indexedNodeLabels: NAMES,
        /// The keys of taints that make node types.
        optional indexedTaints: NAMES,
        /// The resources that make up the cost of a job.
        /// Absent: cpu, memory, nvidia.com/gpu.
        optional dominantResourceFairnessResourcesToConsider: Kind::List { item: &Kind::SomeText, min: 1 },
        /// The resources that make up the cost of a job, with multipliers.
        optional experimentalDominantResourceFairnessResourcesToConsider: Kind::List { item: &Kind::Object(&MULTIPLIER), min: 1 },
        /// Queues up to this fraction of their fair share are not evicted from; absent means 1.
        optional protectedFractionOfFairShare: FRACTION,
        /// Whether larger jobs go first among queues within their share; absent means false.
        optional enablePreferLargeJobOrdering: Kind::Boolean,
        /// The share of each resource that a round schedules at most; absent means all.
        optional maximumResourceFractionToSchedule: FRACTIONS,
        /// The same, by pool.
        optional maximumResourceFractionToScheduleByPool: Kind::Map(&FRACTIONS),
        /// The queued jobs of a queue that a round considers; 0 means all, absent 100000.
        optional maxQueueLookback: COUNT,
        /// New jobs a second; absent means no limit.
        optional maximumSchedulingRate: Kind::Rate,
        /// New jobs of a round; absent means no limit.
        optional maximumSchedulingBurst: COUNT,
        /// New jobs a second of each queue; absent means no limit.
        optional maximumPerQueueSchedulingRate: Kind::Rate,
        /// New jobs of a round of each queue; absent means no limit.
        optional maximumPerQueueSchedulingBurst: COUNT,
        /// Node types that away classes name.
        optional wellKnownNodeTypes: Kind::List { item: &Kind::Object(&NODE_TYPE), min: 0 },
        /// The weights of resources in the cost of a job.
        /// Only for the scheduler profile `seed`.
        optional seed: Kind::Object(&SEED),
        EVICTION,
        /// Settings that older versions of Armada have here.
        optional preemption: Kind::Object(&PREEMPTION),
    }

    /// The weights of resources in the cost of a job, which is cores + gpuWeight x GPUs + ramWeight x GiB of memory.
    static SEED = "seed" (extra: Extra::Ignored) {
        /// The cost of a GPU, in cores; absent means 1.
        optional gpuWeight: FRACTION,
        /// The cost of a GiB of memory, in cores; absent means 0.
        optional ramWeight: FRACTION,
    }

    /// Settings that older versions of Armada have here.
    static PREEMPTION = "preemption" (extra: Extra::Ignored) {
        EVICTION,
    }

    /// A resource with a resolution.
    static RESOURCE_TYPE = "resource" (extra: Extra::Ignored) {
        /// The resource, such as `cpu`.
        required name: Kind::SomeText,
        /// The smallest difference in amounts that is counted.
        optional resolution: Kind::Quantity,
    }

    /// A resource that jobs of a pool share and no node has.
    static FLOATING_RESOURCE = "floating resource" (extra: Extra::Ignored) {
        /// The resource; no supported resource has this name.
        required name: Kind::SomeText,
        /// The smallest difference in amounts that is counted.
        optional resolution: Kind::Quantity,
        /// The amounts by pool. In a pool that is absent, no job that requests a floating resource starts.
        optional pools: Kind::List { item: &Kind::Object(&FLOATING_POOL), min: 0 },
    }

    /// The amount of a floating resource in a pool.
    static FLOATING_POOL = "pool" (extra: Extra::Ignored) {
        /// The pool.
        required name: Kind::SomeText,
        #[doc = "What all jobs of the pool together can have."]
        required quantity: Kind::Amount,
    }

    /// A resource with a multiplier.
    static MULTIPLIER = "resource" (extra: Extra::Ignored) {
        /// The resource.
        required name: Kind::SomeText,
        /// The multiplier; absent or 0 means 1.
        optional multiplier: FRACTION,
    }

    /// Settings of a pool.
    static POOL = "pool" (extra: Extra::Ignored) {
        /// The pool.
        required name: Kind::SomeText,
        /// The fraction in this pool; absent means that of all pools.
        optional protectedFractionOfFairShare: FRACTION,
        /// Whether the fraction is of the uncapped share.
        optional experimentalProtectUncappedAdjustedFairShare: Kind::Boolean,
    }

    /// A priority class.
    static PRIORITY_CLASS = "priority class" (extra: Extra::Ignored) {
        /// The priority; a higher one goes first. Absent means 0.
        optional priority: PRIORITY,
        /// Whether its jobs may be preempted; absent means false.
        optional preemptible: Kind::Boolean,
        /// The share of each resource that jobs of the class may have in a queue.
        optional maximumResourceFractionPerQueue: FRACTIONS,
        /// The same, by pool.
        optional maximumResourceFractionPerQueueByPool: Kind::Map(&FRACTIONS),
        /// Nodes that its jobs may use at a lower priority, in the order in which they are tried.
        optional awayNodeTypes: Kind::List { item: &Kind::Object(&AWAY), min: 0 },
    }

    /// Nodes that jobs of a class may use at a lower priority.
    static AWAY = "away node type" (extra: Extra::Ignored) {
        /// The priority there.
        required priority: PRIORITY,
        /// A well-known node type.
        optional wellKnownNodeTypeName: Kind::Text,
        /// Well-known node types, with conditions.
        optional nodeTypes: Kind::List { item: &Kind::Object(&AWAY_ENTRY), min: 0 },
    }

    /// A well-known node type, and the jobs for which it counts.
    static AWAY_ENTRY = "node type" (extra: Extra::Ignored) {
        /// The well-known node type.
        required name: Kind::SomeText,
        #[doc = "What a job must request. Armada tests only the first."]
        optional conditions: Kind::List { item: &Kind::Object(&CONDITION), min: 0 },
    }

    /// A bound on what a job requests.
    static CONDITION = "condition" (extra: Extra::Ignored) {
        /// The resource.
        required resource: Kind::SomeText,
        /// How the request compares with the value.
        required operator: Kind::OneOf(&COMPARISONS),
        /// The value.
        required value: Kind::Amount,
    }

    /// A node type that away classes name.
    static NODE_TYPE = "node type" (extra: Extra::Ignored) {
        /// Its name.
        required name: Kind::SomeText,
        TAINTS,
    }
}

choices! {
    static COMPARISONS = "operator" {
        /// The request is above the value.
        ">",
        /// The request is below the value.
        "<",
        /// The request is the value.
        "==",
    }
}

/// The `submission` section, as far as retries or a simulation depend on it.
pub(super) static SUBMISSION: Shape = with_fields(&RETRY_SUBMISSION, &SUBMISSION_FIELDS);
static SUBMISSION_FIELDS: [Field; SUBMISSION_LENGTH] = concat_fields(&RETRY_SUBMISSION, &DEADLINES);
const SUBMISSION_LENGTH: usize = RETRY_SUBMISSION.fields.len() + DEADLINES.fields.len();

static SECTION: Shape = with_fields(&SCHEDULING, &SECTION_FIELDS);
static SECTION_FIELDS: [Field; SECTION_LENGTH] = concat_fields(&RETRY_SCHEDULING, &SCHEDULING);
const SECTION_LENGTH: usize = RETRY_SCHEDULING.fields.len() + SCHEDULING.fields.len();

const fn with_fields(shape: &Shape, fields: &'static [Field]) -> Shape {
    Shape { fields, extra: Extra::Ignored, ..Shape::new(shape.name, shape.doc) }
}

/// Returns the fields of one shape, then those of another.
const fn concat_fields<const N: usize>(first: &Shape, second: &Shape) -> [Field; N] {
    let mut fields = [PERIOD; N];
    let mut at = 0;
    while at < N {
        fields[at] = match at.checked_sub(first.fields.len()) {
            None => first.fields[at],
            Some(rest) => second.fields[rest],
        };
        at += 1;
    }
    fields
}

/// The field of the probability of evictions, which is read in two places.
const EVICTION: Field = optional(
    "nodeEvictionProbability",
    FRACTION,
    "The probability that a round evicts the preemptible jobs of a node, 0 to 1; absent means 1.\n\
     Only for the scheduler profile `seed`.",
);
