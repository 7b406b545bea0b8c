//! The shape of a cluster file, and the parts that workload files share with it.

use super::failure_shape::NODE_FAILURE;
use document::diag::Code;
use document::{Field, Kind, choices, optional, shapes};

/// The maximum number of nodes of a simulation, so that no file exhausts the memory.
pub(super) const MAX_NODES: u64 = 1_000_000;

/// A count of at least 1.
pub(super) const COUNT: Kind =
    Kind::Whole { min: 1, max: u32::MAX as i128, code: Code::OutOfRange };
pub(super) const LABELS: Kind = Kind::Map(&Kind::Text);
pub(super) const AMOUNTS: Kind = Kind::Map(&Kind::Amount);
static TAINT_KIND: Kind = Kind::Object(&TAINT);
pub(super) const TAINTS: Field = optional(
    "taints",
    Kind::List { item: &TAINT_KIND, min: 0 },
    "Taints, which jobs have to tolerate regardless of their effect.",
);

shapes! {
    /// The clusters of a simulation.
    /// It is the file that Armada's own simulator takes with `--clusters`.
    pub static CLUSTER_FILE = "cluster file" {
        #[doc = "What the file is called in reports."]
        optional name: Kind::Text,
        /// The clusters. Those of one pool are scheduled together.
        required clusters: Kind::List { item: &Kind::Object(&CLUSTER), min: 1 },
        /// The time between a lease and the start of the job; absent means none.
        optional pendingDelayDistribution: Kind::Object(&DISTRIBUTION),
        /// The time between a preemption and the submission of the job that replaces the preempted one; absent means none.
        optional workflowManagerDelayDistribution: Kind::Object(&DISTRIBUTION),
    }

    /// A cluster of nodes.
    static CLUSTER = "cluster" {
        /// The cluster's name, which is also the label `armadaproject.io/clusterName` of its nodes.
        required name: Kind::SomeText,
        /// The pool of its nodes.
        required pool: Kind::SomeText,
        /// The nodes.
        /// A node is called `<cluster>-<index of the template>-<number>`.
        required nodeTemplates: Kind::List { item: &Kind::Object(&NODE_TEMPLATE), min: 1 },
    }

    /// Nodes with the same properties.
    static NODE_TEMPLATE = "node template" {
        /// How many nodes there are.
        required number: COUNT,
        /// The resources of each node.
        required totalResources: Kind::Object(&RESOURCES),
        /// The labels of each node. Keys keep their case.
        optional labels: LABELS,
        TAINTS,
        /// How the nodes fail; absent means never.
        optional failure: Kind::Object(&NODE_FAILURE),
    }

    /// The resources of a node.
    static RESOURCES = "totalResources" {
        /// Amounts by resource, such as `cpu: 32`. Only supported resources count.
        required resources: AMOUNTS,
    }

    /// A taint of a node.
    static TAINT = "taint" {
        /// The key.
        required key: Kind::SomeText,
        /// The value.
        optional value: Kind::Text,
        /// The effect.
        required effect: Kind::OneOf(&EFFECTS),
    }

    /// A duration: a minimum and an exponentially distributed rest.
    pub(super) static DISTRIBUTION = "distribution" {
        /// The minimum; absent means 0.
        optional minimum: Kind::ProtoDuration,
        /// The mean of the rest; absent means none.
        optional tailMean: Kind::ProtoDuration,
    }
}

choices! {
    pub(super) static EFFECTS = "effect" {
        /// Jobs that do not tolerate it do not start on the node.
        "NoSchedule",
        /// As `NoSchedule` in Armada's scheduler.
        "PreferNoSchedule",
        /// As `NoSchedule` in Armada's scheduler.
        "NoExecute",
    }
}
