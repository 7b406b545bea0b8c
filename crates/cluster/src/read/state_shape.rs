//! The shape of a state file: a pool before a round.

use super::cluster_shape::{AMOUNTS, LABELS, TAINTS};
use super::workload_shape::{AFFINITY, TOLERATION};
use document::diag::Code;
use document::{Kind, shapes};

const ORDER: Kind =
    Kind::Whole { min: i64::MIN as i128, max: i64::MAX as i128, code: Code::OutOfRange };
const UNSIGNED: Kind = Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange };
const PRIORITY: Kind = Kind::Whole { min: 0, max: i32::MAX as i128, code: Code::OutOfRange };
const TOKENS: Kind = Kind::Number { min: 0.0, above: false, code: Code::OutOfRange };
const FRACTIONS: Kind = Kind::Map(&TOKENS);

shapes! {
    /// A pool before a scheduling round: its nodes, its queues, and the jobs that are queued or running.
    pub static STATE_FILE = "state file" {
        /// The name of the pool, by which its settings and its clusters are found.
        /// Absent: the only pool of the cluster file.
        optional pool: Kind::SomeText,
        /// The `scheduling` section of the scheduler's configuration.
        /// Absent keys have their defaults. Without it `--scheduler-config` is read, else all is default.
        optional config: Kind::Anything,
        /// The jobs that the global rate still allows; absent means a full burst.
        optional tokens: TOKENS,
        /// The nodes, in the order in which equal ones are tried. Without them `--cluster` is read.
        optional nodes: Kind::List { item: &Kind::Object(&NODE), min: 0 },
        /// The queues.
        required queues: Kind::List { item: &Kind::Object(&QUEUE), min: 0 },
        /// The jobs, queued and running, in any order.
        required jobs: Kind::List { item: &Kind::Object(&JOB), min: 0 },
    }

    /// A node.
    static NODE = "node" {
        /// The node's id, unique in the pool.
        required id: Kind::SomeText,
        /// Amounts by resource, such as `cpu: 32`. Only supported resources count.
        required resources: AMOUNTS,
        /// The node's labels.
        optional labels: LABELS,
        TAINTS,
        /// Whether no job may start on it; absent means false.
        /// It is the taint `node.kubernetes.io/unschedulable`.
        optional unschedulable: Kind::Boolean,
        /// Free amounts by priority, before the running jobs are counted.
        /// Absent: all of `resources` at each priority.
        optional allocatable: Kind::Map(&AMOUNTS),
    }

    /// A queue.
    static QUEUE = "queue" {
        /// The queue's name.
        required name: Kind::SomeText,
        /// The queue's weight in fair share: 1 / priorityFactor.
        required weight: Kind::Number { min: 0.0, above: true, code: Code::OutOfRange },
        /// Whether none of its jobs may start.
        optional cordoned: Kind::Boolean,
        /// The jobs that the queue's rate still allows; absent means a full burst.
        optional tokens: TOKENS,
        /// The share of each resource that its jobs of a class may have, by class.
        /// It replaces the class's `maximumResourceFractionPerQueue`.
        optional limits: Kind::Map(&FRACTIONS),
        /// The demand of its jobs within its limits.
        /// Absent: the sum of the requests of its jobs, by class at most the limit.
        optional demand: AMOUNTS,
        /// Allocated amounts by class; absent means the sum of the requests of its running jobs.
        optional allocated: Kind::Map(&AMOUNTS),
    }

    /// A job. One with a `node` is running, any other is queued.
    static JOB = "job" {
        /// The job's id, unique. Equal jobs go by it, in byte order.
        required id: Kind::SomeText,
        /// Its queue. Jobs of a queue that is not listed are neither started nor preempted.
        required queue: Kind::SomeText,
        /// Its priority class; an unknown one means the default class.
        optional pc: Kind::Text,
        /// Its priority in its queue; lower goes first. Absent means 0.
        optional prio: UNSIGNED,
        /// When it was submitted; only the order counts.
        optional submit: ORDER,
        /// Amounts by resource, such as `cpu: 1`.
        required req: AMOUNTS,
        /// Its gang, all of which starts or none.
        optional gang: Kind::Object(&GANG),
        /// The labels that its node must have.
        optional selector: LABELS,
        /// The taints that its node may have.
        optional tolerations: Kind::List { item: &Kind::Object(&TOLERATION), min: 0 },
        /// Further conditions on the labels.
        optional affinity: Kind::Object(&AFFINITY),
        /// The id of the node that it runs on.
        optional node: Kind::SomeText,
        /// The priority that it was scheduled at; absent means that of its class.
        optional at: PRIORITY,
        /// When it started; only the order counts. The earlier one returns first.
        optional started: ORDER,
        /// Whether it runs without holding resources of its node.
        optional unbound: Kind::Boolean,
    }

    /// The gang of a job.
    static GANG = "gang" {
        /// The gang's id in the queue.
        required id: Kind::SomeText,
        /// How many members it was submitted with. 0 or 1 means no gang.
        /// A running gang may have fewer members left.
        required card: UNSIGNED,
        /// The label by which the nodes of its members must agree.
        optional label: Kind::Text,
    }
}
