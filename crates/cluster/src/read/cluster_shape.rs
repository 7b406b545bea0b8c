//! The shape of a cluster file, and the parts that workload files share with it.

use super::failure_shape::NODE_FAILURE;
use super::strict_shape::strict;
use document::diag::Code;
use document::{Choices, Field, Kind, Shape, choice, optional, required};

/// The maximum number of nodes of a simulation, so that no file exhausts the memory.
pub(super) const MAX_NODES: u64 = 1_000_000;

/// A count of at least 1.
pub(super) const COUNT: Kind =
    Kind::Whole { min: 1, max: u32::MAX as i128, code: Code::OutOfRange };
pub(super) const LABELS: Kind = Kind::Map(&Kind::Text);
pub(super) const AMOUNTS: Kind = Kind::Map(&Kind::Amount);
pub(super) const TAINTS: Field = optional(
    "taints",
    Kind::List { item: &TAINT_KIND, min: 0 },
    "Taints, which jobs have to tolerate regardless of their effect.",
);

/// The shape of the cluster file of Armada's simulator.
pub static CLUSTER_FILE: Shape = strict(
    "cluster file",
    "The clusters of a simulation.\nIt is the file that Armada's own simulator takes with `--clusters`.",
    &[
        optional("name", Kind::Text, "What the file is called in reports."),
        required(
            "clusters",
            Kind::List { item: &Kind::Object(&CLUSTER), min: 1 },
            "The clusters. Those of one pool are scheduled together.",
        ),
        optional(
            "pendingDelayDistribution",
            Kind::Object(&DISTRIBUTION),
            "The time between a lease and the start of the job; absent means none.",
        ),
        optional(
            "workflowManagerDelayDistribution",
            Kind::Object(&DISTRIBUTION),
            "The time between a preemption and the submission of the job that replaces the preempted one; absent means none.",
        ),
    ],
);

static CLUSTER: Shape = strict(
    "cluster",
    "A cluster of nodes.",
    &[
        required(
            "name",
            Kind::SomeText,
            "The cluster's name, which is also the label `armadaproject.io/clusterName` of its nodes.",
        ),
        required("pool", Kind::SomeText, "The pool of its nodes."),
        required(
            "nodeTemplates",
            Kind::List { item: &Kind::Object(&NODE_TEMPLATE), min: 1 },
            "The nodes.\nA node is called `<cluster>-<index of the template>-<number>`.",
        ),
    ],
);

static NODE_TEMPLATE: Shape = strict(
    "node template",
    "Nodes with the same properties.",
    &[
        required("number", COUNT, "How many nodes there are."),
        required("totalResources", Kind::Object(&RESOURCES), "The resources of each node."),
        optional("labels", LABELS, "The labels of each node. Keys keep their case."),
        TAINTS,
        optional("failure", Kind::Object(&NODE_FAILURE), "How the nodes fail; absent means never."),
    ],
);

static RESOURCES: Shape = strict(
    "totalResources",
    "The resources of a node.",
    &[required(
        "resources",
        AMOUNTS,
        "Amounts by resource, such as `cpu: 32`. Only supported resources count.",
    )],
);

static TAINT_KIND: Kind = Kind::Object(&TAINT);
static TAINT: Shape = strict(
    "taint",
    "A taint of a node.",
    &[
        required("key", Kind::SomeText, "The key."),
        optional("value", Kind::Text, "The value."),
        required("effect", Kind::OneOf(&EFFECTS), "The effect."),
    ],
);

/// The effects of a taint.
pub(super) static EFFECTS: Choices = Choices {
    name: "effect",
    values: &[
        choice("NoSchedule", "Jobs that do not tolerate it do not start on the node."),
        choice("PreferNoSchedule", "As `NoSchedule` in Armada's scheduler."),
        choice("NoExecute", "As `NoSchedule` in Armada's scheduler."),
    ],
    any_case: false,
    elsewhere: &[],
};

/// The shape of a duration: a minimum and an exponentially distributed rest.
pub(super) static DISTRIBUTION: Shape = strict(
    "distribution",
    "A duration: a minimum and an exponentially distributed rest.",
    &[
        optional("minimum", Kind::ProtoDuration, "The minimum; absent means 0."),
        optional("tailMean", Kind::ProtoDuration, "The mean of the rest; absent means none."),
    ],
);
