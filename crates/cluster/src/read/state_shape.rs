//! The shape of a state file: a pool before a round.

use super::cluster_shape::{AMOUNTS, LABELS, TAINTS};
use super::strict_shape::strict;
use super::workload_shape::{AFFINITY, TOLERATION};
use document::diag::Code;
use document::{Kind, Shape, optional, required};

const ORDER: Kind =
    Kind::Whole { min: i64::MIN as i128, max: i64::MAX as i128, code: Code::OutOfRange };
const UNSIGNED: Kind = Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange };
const PRIORITY: Kind = Kind::Whole { min: 0, max: i32::MAX as i128, code: Code::OutOfRange };
const TOKENS: Kind = Kind::Number { min: 0.0, above: false, code: Code::OutOfRange };
const FRACTIONS: Kind = Kind::Map(&TOKENS);

/// The shape of a state file.
pub static STATE_FILE: Shape = strict(
    "state file",
    "A pool before a scheduling round: its nodes, its queues, and the jobs that are queued or running.",
    &[
        optional(
            "pool",
            Kind::SomeText,
            "The name of the pool, by which its settings and its clusters are found.\nAbsent: the only pool of the cluster file.",
        ),
        optional(
            "config",
            Kind::Anything,
            "The `scheduling` section of the scheduler's configuration.\nAbsent keys have their defaults. Without it `--scheduler-config` is read, else all is default.",
        ),
        optional(
            "tokens",
            TOKENS,
            "The jobs that the global rate still allows; absent means a full burst.",
        ),
        optional(
            "nodes",
            Kind::List { item: &Kind::Object(&NODE), min: 0 },
            "The nodes, in the order in which equal ones are tried. Without them `--cluster` is read.",
        ),
        required("queues", Kind::List { item: &Kind::Object(&QUEUE), min: 0 }, "The queues."),
        required(
            "jobs",
            Kind::List { item: &Kind::Object(&JOB), min: 0 },
            "The jobs, queued and running, in any order.",
        ),
    ],
);

static NODE: Shape = strict(
    "node",
    "A node.",
    &[
        required("id", Kind::SomeText, "The node's id, unique in the pool."),
        required(
            "resources",
            AMOUNTS,
            "Amounts by resource, such as `cpu: 32`. Only supported resources count.",
        ),
        optional("labels", LABELS, "The node's labels."),
        TAINTS,
        optional(
            "unschedulable",
            Kind::Boolean,
            "Whether no job may start on it; absent means false.\nIt is the taint `node.kubernetes.io/unschedulable`.",
        ),
        optional(
            "allocatable",
            Kind::Map(&AMOUNTS),
            "Free amounts by priority, before the running jobs are counted.\nAbsent: all of `resources` at each priority.",
        ),
    ],
);

static QUEUE: Shape = strict(
    "queue",
    "A queue.",
    &[
        required("name", Kind::SomeText, "The queue's name."),
        required(
            "weight",
            Kind::Number { min: 0.0, above: true, code: Code::OutOfRange },
            "The queue's weight in fair share: 1 / priorityFactor.",
        ),
        optional("cordoned", Kind::Boolean, "Whether none of its jobs may start."),
        optional(
            "tokens",
            TOKENS,
            "The jobs that the queue's rate still allows; absent means a full burst.",
        ),
        optional(
            "limits",
            Kind::Map(&FRACTIONS),
            "The share of each resource that its jobs of a class may have, by class.\nIt replaces the class's `maximumResourceFractionPerQueue`.",
        ),
        optional(
            "demand",
            AMOUNTS,
            "The demand of its jobs within its limits.\nAbsent: the sum of the requests of its jobs, by class at most the limit.",
        ),
        optional(
            "allocated",
            Kind::Map(&AMOUNTS),
            "Allocated amounts by class; absent means the sum of the requests of its running jobs.",
        ),
    ],
);

static JOB: Shape = strict(
    "job",
    "A job. One with a `node` is running, any other is queued.",
    &[
        required("id", Kind::SomeText, "The job's id, unique. Equal jobs go by it, in byte order."),
        required(
            "queue",
            Kind::SomeText,
            "Its queue. Jobs of a queue that is not listed are neither started nor preempted.",
        ),
        optional("pc", Kind::Text, "Its priority class; an unknown one means the default class."),
        optional("prio", UNSIGNED, "Its priority in its queue; lower goes first. Absent means 0."),
        optional("submit", ORDER, "When it was submitted; only the order counts."),
        required("req", AMOUNTS, "Amounts by resource, such as `cpu: 1`."),
        optional("gang", Kind::Object(&GANG), "Its gang, all of which starts or none."),
        optional("selector", LABELS, "The labels that its node must have."),
        optional(
            "tolerations",
            Kind::List { item: &Kind::Object(&TOLERATION), min: 0 },
            "The taints that its node may have.",
        ),
        optional("affinity", Kind::Object(&AFFINITY), "Further conditions on the labels."),
        optional("node", Kind::SomeText, "The id of the node that it runs on."),
        optional(
            "at",
            PRIORITY,
            "The priority that it was scheduled at; absent means that of its class.",
        ),
        optional(
            "started",
            ORDER,
            "When it started; only the order counts. The earlier one returns first.",
        ),
        optional(
            "unbound",
            Kind::Boolean,
            "Whether it runs without holding resources of its node.",
        ),
    ],
);

static GANG: Shape = strict(
    "gang",
    "The gang of a job.",
    &[
        required("id", Kind::SomeText, "The gang's id in the queue."),
        required(
            "card",
            UNSIGNED,
            "How many members it was submitted with. 0 or 1 means no gang.\nA running gang may have fewer members left.",
        ),
        optional("label", Kind::Text, "The label by which the nodes of its members must agree."),
    ],
);
