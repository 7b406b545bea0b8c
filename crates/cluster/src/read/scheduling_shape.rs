//! The shape of the `scheduling` section, as far as a simulation depends on it.

use super::cluster_shape::TAINTS;
use armada_retry::policy::shapes::{RETRY_SCHEDULING, SUBMISSION as RETRY_SUBMISSION};
use document::diag::Code;
use document::{Choices, Extra, Field, Kind, Shape, choice, optional, required};

const fn lenient(name: &'static str, doc: &'static str, fields: &'static [Field]) -> Shape {
    Shape { name, doc, fields, constraints: &[], extra: Extra::Ignored, elsewhere: &[] }
}

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

/// The shape of Armada's scheduler configuration, as far as retries or a simulation depend on it.
pub static SCHEDULER_CONFIG: Shape = lenient(
    "scheduler configuration",
    "The part of Armada's scheduler configuration that retries and simulations depend on.\nOther keys are ignored, so that a real configuration can be given as it is.",
    &[
        PERIOD,
        optional("scheduling", Kind::Object(&SECTION), "How jobs are scheduled."),
        optional("submission", Kind::Object(&SUBMISSION), "What jobs may request."),
    ],
);

/// The `submission` section, as far as retries or a simulation depend on it.
pub(super) static SUBMISSION: Shape =
    lenient(RETRY_SUBMISSION.name, RETRY_SUBMISSION.doc, &SUBMISSION_FIELDS);
static SUBMISSION_FIELDS: [Field; SUBMISSION_LENGTH] = concat_fields(&RETRY_SUBMISSION, &DEADLINES);
const SUBMISSION_LENGTH: usize = RETRY_SUBMISSION.fields.len() + DEADLINES.fields.len();

static DEADLINES: Shape = lenient(
    "submission",
    "The deadlines of jobs that have none.",
    &[
        optional(
            "defaultActiveDeadline",
            Kind::Duration,
            "The longest time that an attempt of a job without a deadline may run; 0 means any.\nAbsent: any, or 72h with `--scheduler seed`.",
        ),
        optional(
            "defaultActiveDeadlineByResourceRequest",
            Kind::Map(&Kind::Duration),
            "The same for jobs that request a resource, by resource; the longest counts.\nAbsent: none, or 336h for nvidia.com/gpu with `--scheduler seed`, whatever the other field is.",
        ),
    ],
);

static SECTION: Shape = lenient(SCHEDULING.name, SCHEDULING.doc, &SECTION_FIELDS);
static SECTION_FIELDS: [Field; SECTION_LENGTH] = concat_fields(&RETRY_SCHEDULING, &SCHEDULING);
const SECTION_LENGTH: usize = RETRY_SCHEDULING.fields.len() + SCHEDULING.fields.len();

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

/// The shape of the `scheduling` section of Armada's scheduler configuration, as far as a simulation depends
/// on it.
pub static SCHEDULING: Shape = lenient(
    "scheduling",
    "How jobs are scheduled.\nOther keys are ignored.",
    &[
        PERIOD,
        optional(
            "supportedResourceTypes",
            Kind::List { item: &Kind::Object(&RESOURCE_TYPE), min: 1 },
            "The resources that are counted.\nAbsent: cpu at 1m; memory, nvidia.com/gpu and ephemeral-storage at 1.",
        ),
        optional(
            "floatingResources",
            Kind::List { item: &Kind::Object(&FLOATING_RESOURCE), min: 0 },
            "Resources that belong to a pool and to none of its nodes, such as licences of a storage service.",
        ),
        optional(
            "priorityClasses",
            Kind::Map(&Kind::Object(&PRIORITY_CLASS)),
            "Priority classes by name.\nAbsent: armada-default, which is not preemptible, and armada-preemptible.",
        ),
        optional(
            "defaultPriorityClassName",
            Kind::Text,
            "The class of jobs without a known one; absent means armada-default.",
        ),
        optional("pools", Kind::List { item: &Kind::Object(&POOL), min: 0 }, "Settings by pool."),
        optional(
            "indexedResources",
            Kind::List { item: &Kind::Object(&RESOURCE_TYPE), min: 1 },
            "The resources by which nodes are found, in order. The free amount of a node is rounded down to the resolution.\nAbsent: nvidia.com/gpu 1, cpu 1, memory 1Mi.",
        ),
        optional(
            "indexedNodeLabels",
            NAMES,
            "The labels by which the nodes of a gang can be required to agree.\n`armadaproject.io/clusterName` is always indexed.",
        ),
        optional("indexedTaints", NAMES, "The keys of taints that make node types."),
        optional(
            "dominantResourceFairnessResourcesToConsider",
            Kind::List { item: &Kind::SomeText, min: 1 },
            "The resources that make up the cost of a job.\nAbsent: cpu, memory, nvidia.com/gpu.",
        ),
        optional(
            "experimentalDominantResourceFairnessResourcesToConsider",
            Kind::List { item: &Kind::Object(&MULTIPLIER), min: 1 },
            "The resources that make up the cost of a job, with multipliers.",
        ),
        optional(
            "protectedFractionOfFairShare",
            FRACTION,
            "Queues up to this fraction of their fair share are not evicted from; absent means 1.",
        ),
        optional(
            "enablePreferLargeJobOrdering",
            Kind::Boolean,
            "Whether larger jobs go first among queues within their share; absent means false.",
        ),
        optional(
            "maximumResourceFractionToSchedule",
            FRACTIONS,
            "The share of each resource that a round schedules at most; absent means all.",
        ),
        optional(
            "maximumResourceFractionToScheduleByPool",
            Kind::Map(&FRACTIONS),
            "The same, by pool.",
        ),
        optional(
            "maxQueueLookback",
            COUNT,
            "The queued jobs of a queue that a round considers; 0 means all, absent 100000.",
        ),
        optional("maximumSchedulingRate", Kind::Rate, "New jobs a second; absent means no limit."),
        optional("maximumSchedulingBurst", COUNT, "New jobs of a round; absent means no limit."),
        optional(
            "maximumPerQueueSchedulingRate",
            Kind::Rate,
            "New jobs a second of each queue; absent means no limit.",
        ),
        optional(
            "maximumPerQueueSchedulingBurst",
            COUNT,
            "New jobs of a round of each queue; absent means no limit.",
        ),
        optional(
            "wellKnownNodeTypes",
            Kind::List { item: &Kind::Object(&NODE_TYPE), min: 0 },
            "Node types that away classes name.",
        ),
        optional(
            "seed",
            Kind::Object(&SEED),
            "The weights of resources in the cost of a job.\nOnly for the scheduler profile `seed`.",
        ),
        EVICTION,
        optional(
            "preemption",
            Kind::Object(&PREEMPTION),
            "Settings that older versions of Armada have here.",
        ),
    ],
);

/// The shape of the weights of resources in a cost that is a sum.
static SEED: Shape = lenient(
    "seed",
    "The weights of resources in the cost of a job, which is cores + gpuWeight x GPUs + ramWeight x GiB of memory.",
    &[
        optional("gpuWeight", FRACTION, "The cost of a GPU, in cores; absent means 1."),
        optional("ramWeight", FRACTION, "The cost of a GiB of memory, in cores; absent means 0."),
    ],
);

/// The field of the probability of evictions, which is read in two places.
const EVICTION: Field = optional(
    "nodeEvictionProbability",
    FRACTION,
    "The probability that a round evicts the preemptible jobs of a node, 0 to 1; absent means 1.\n\
     Only for the scheduler profile `seed`.",
);

static PREEMPTION: Shape =
    lenient("preemption", "Settings that older versions of Armada have here.", &[EVICTION]);

static RESOURCE_TYPE: Shape = lenient(
    "resource",
    "A resource with a resolution.",
    &[
        required("name", Kind::SomeText, "The resource, such as `cpu`."),
        optional(
            "resolution",
            Kind::Quantity,
            "The smallest difference in amounts that is counted.",
        ),
    ],
);

static FLOATING_RESOURCE: Shape = lenient(
    "floating resource",
    "A resource that jobs of a pool share and no node has.",
    &[
        required("name", Kind::SomeText, "The resource; no supported resource has this name."),
        optional(
            "resolution",
            Kind::Quantity,
            "The smallest difference in amounts that is counted.",
        ),
        optional(
            "pools",
            Kind::List { item: &Kind::Object(&FLOATING_POOL), min: 0 },
            "The amounts by pool. In a pool that is absent, no job that requests a floating resource starts.",
        ),
    ],
);

static FLOATING_POOL: Shape = lenient(
    "pool",
    "The amount of a floating resource in a pool.",
    &[
        required("name", Kind::SomeText, "The pool."),
        required("quantity", Kind::Amount, "What all jobs of the pool together can have."),
    ],
);

static MULTIPLIER: Shape = lenient(
    "resource",
    "A resource with a multiplier.",
    &[
        required("name", Kind::SomeText, "The resource."),
        optional("multiplier", FRACTION, "The multiplier; absent or 0 means 1."),
    ],
);

static POOL: Shape = lenient(
    "pool",
    "Settings of a pool.",
    &[
        required("name", Kind::SomeText, "The pool."),
        optional(
            "protectedFractionOfFairShare",
            FRACTION,
            "The fraction in this pool; absent means that of all pools.",
        ),
        optional(
            "experimentalProtectUncappedAdjustedFairShare",
            Kind::Boolean,
            "Whether the fraction is of the uncapped share.",
        ),
    ],
);

static PRIORITY_CLASS: Shape = lenient(
    "priority class",
    "A priority class.",
    &[
        optional("priority", PRIORITY, "The priority; a higher one goes first. Absent means 0."),
        optional(
            "preemptible",
            Kind::Boolean,
            "Whether its jobs may be preempted; absent means false.",
        ),
        optional(
            "maximumResourceFractionPerQueue",
            FRACTIONS,
            "The share of each resource that jobs of the class may have in a queue.",
        ),
        optional(
            "maximumResourceFractionPerQueueByPool",
            Kind::Map(&FRACTIONS),
            "The same, by pool.",
        ),
        optional(
            "awayNodeTypes",
            Kind::List { item: &Kind::Object(&AWAY), min: 0 },
            "Nodes that its jobs may use at a lower priority, in the order in which they are tried.",
        ),
    ],
);

static AWAY: Shape = lenient(
    "away node type",
    "Nodes that jobs of a class may use at a lower priority.",
    &[
        required("priority", PRIORITY, "The priority there."),
        optional("wellKnownNodeTypeName", Kind::Text, "A well-known node type."),
        optional(
            "nodeTypes",
            Kind::List { item: &Kind::Object(&AWAY_ENTRY), min: 0 },
            "Well-known node types, with conditions.",
        ),
    ],
);

static AWAY_ENTRY: Shape = lenient(
    "node type",
    "A well-known node type, and the jobs for which it counts.",
    &[
        required("name", Kind::SomeText, "The well-known node type."),
        optional(
            "conditions",
            Kind::List { item: &Kind::Object(&CONDITION), min: 0 },
            "What a job must request. Armada tests only the first.",
        ),
    ],
);

static CONDITION: Shape = lenient(
    "condition",
    "A bound on what a job requests.",
    &[
        required("resource", Kind::SomeText, "The resource."),
        required("operator", Kind::OneOf(&COMPARISONS), "How the request compares with the value."),
        required("value", Kind::Amount, "The value."),
    ],
);

static COMPARISONS: Choices = Choices {
    name: "operator",
    values: &[
        choice(">", "The request is above the value."),
        choice("<", "The request is below the value."),
        choice("==", "The request is the value."),
    ],
    any_case: false,
    elsewhere: &[],
};

static NODE_TYPE: Shape = lenient(
    "node type",
    "A node type that away classes name.",
    &[required("name", Kind::SomeText, "Its name."), TAINTS],
);
