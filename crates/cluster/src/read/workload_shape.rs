//! The shape of a workload file.

use super::cluster_shape::{AMOUNTS, COUNT, DISTRIBUTION, EFFECTS, LABELS};
use super::failure_shape::{CHECKPOINT, DURATION, FAILURE_CAUSE};
use super::strict_shape::strict;
use document::diag::Code;
use document::{Choices, Extra, Kind, Shape, choice, optional, required};
use replay::history::RELOAD;

/// The maximum number of jobs in a workload, unless it has `maxJobs`. All of them may be queued at once, and take
/// up to 200 bytes each: not more than 1 GB.
pub(super) const MAX_JOBS: u64 = 5_000_000;
/// The maximum of the estimated bytes of the copies of all templates, so that no file exhausts the memory.
pub(super) const MAX_COPIES_BYTES: usize = 256 << 20;

const TEXTS: Kind = Kind::List { item: &Kind::SomeText, min: 0 };
const UNSIGNED: Kind = Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange };

/// The shape of the workload file of Armada's simulator.
pub static WORKLOAD_FILE: Shape = strict(
    "workload file",
    "The queues of a simulation, and the jobs that are submitted to them.\nIt is the file that Armada's own simulator takes with `--workloads`.",
    &[
        optional("name", Kind::Text, "What the file is called in reports."),
        optional(
            "randomSeed",
            Kind::Whole { min: i64::MIN as i128, max: i64::MAX as i128, code: Code::OutOfRange },
            "The seed of random draws; absent or 0 means 1.",
        ),
        required("queues", Kind::List { item: &Kind::Object(&QUEUE), min: 1 }, "The queues."),
        optional(
            "graceHoldsNode",
            Kind::Boolean,
            "Whether a preempted run keeps its resources until its pod is gone, so that the run in its place starts then.\nAbsent means true.",
        ),
        optional(
            "maxJobs",
            COUNT,
            "The maximum number of jobs, which keeps the simulation within the memory: each takes up to 200 bytes.\nAbsent means 5000000, for 1 GB.",
        ),
        optional(
            "events",
            Kind::List { item: &Kind::Object(&EVENT), min: 0 },
            "Reloads of the settings of the retry engine during the simulation.",
        ),
    ],
);

static EVENT: Shape = strict(
    "event",
    "A change of settings during the simulation.",
    &[
        required(
            "at",
            Kind::ProtoDuration,
            "When, from the start; a run that ends at exactly this time has the new settings.",
        ),
        required("reload", Kind::Object(&RELOAD), "The scheduler's settings that changed."),
    ],
);

static QUEUE: Shape = strict(
    "queue",
    "A queue, and the jobs that are submitted to it.",
    &[
        required("name", Kind::SomeText, "The queue's name."),
        required(
            "weight",
            Kind::Number { min: 0.0, above: true, code: Code::OutOfRange },
            "The queue's weight in fair share: 1 / priorityFactor.",
        ),
        optional(
            "jobTemplates",
            Kind::List { item: &Kind::Object(&TEMPLATE), min: 0 },
            "The jobs.",
        ),
    ],
);

static TEMPLATE: Shape = strict(
    "job template",
    "Jobs with the same properties.",
    &[
        optional(
            "id",
            Kind::Text,
            "The template's id, unique among all queues.\nAbsent: `<queue>-<index>`.",
        ),
        required("number", COUNT, "How many of its jobs have to succeed."),
        optional(
            "jobSet",
            Kind::Text,
            "The job set, which only records have; the scheduler does not depend on it.",
        ),
        optional(
            "queuePriority",
            UNSIGNED,
            "The priority in the queue; lower goes first. Absent means 0.",
        ),
        optional(
            "priorityClassName",
            Kind::Text,
            "The priority class. An unknown or empty name means the default class.",
        ),
        required("requirements", Kind::Object(&REQUIREMENTS), "What each job needs."),
        optional(
            "dependencies",
            TEXTS,
            "The ids of templates all of whose jobs have to succeed first.",
        ),
        optional(
            "earliestSubmitTime",
            Kind::ProtoDuration,
            "When the jobs are submitted, counted from the start; with dependencies, from when the last of them has succeeded.",
        ),
        optional(
            "earliestSubmitTimeFromDependencyCompletion",
            Kind::ProtoDuration,
            "The same, from when the last dependency has succeeded. The later of both counts.",
        ),
        optional(
            "runtimeDistribution",
            Kind::Object(&DISTRIBUTION),
            "How long a job runs; absent means 0. Gangs need it, and have no tail.",
        ),
        optional(
            "gangCardinality",
            UNSIGNED,
            "How many jobs form a gang; it divides `number`. 0 or 1 means no gang.",
        ),
        optional(
            "gangNodeUniformityLabel",
            Kind::Text,
            "The label by which the nodes of a gang must agree.\nAbsent: `armadaproject.io/clusterName`.",
        ),
        optional(
            "failures",
            Kind::List { item: &Kind::Object(&FAILURE_CAUSE), min: 0 },
            "The causes for which attempts of its jobs fail; absent means none.",
        ),
        optional(
            "checkpoint",
            Kind::Object(&CHECKPOINT),
            "How a job saves its progress; absent means that every attempt starts from zero.",
        ),
        optional(
            "activeDeadline",
            Kind::ProtoDuration,
            "The longest time that an attempt may run, after which it fails.\nAbsent: the default of the scheduler's configuration.",
        ),
        optional(
            "terminationGracePeriod",
            Kind::ProtoDuration,
            "How long the pod of a preempted run may take to end, in whole seconds.\nAbsent or 0s: the least that the scheduler's configuration allows, 1s without one.",
        ),
        optional(
            "exitAfterSignal",
            Kind::Object(&DURATION),
            "The time from the signal until the pod is gone, at most its grace period. Absent: it is gone at once.",
        ),
        optional(
            "repeat",
            Kind::Object(&REPEAT),
            "Submits the template several times, with the ids `<id>-repeat-<i>` from 0.",
        ),
    ],
);

static REPEAT: Shape = strict(
    "repeat",
    "Copies of a template.",
    &[
        required("numTimes", COUNT, "How many copies there are."),
        optional("period", Kind::ProtoDuration, "The time from one copy to the next."),
    ],
);

static REQUIREMENTS: Shape = strict(
    "requirements",
    "What a job needs.",
    &[
        required("resourceRequirements", Kind::Object(&RESOURCES), "Its resources."),
        optional("nodeSelector", LABELS, "The labels that its node must have."),
        optional("affinity", Kind::Object(&AFFINITY), "Further conditions on the labels."),
        optional(
            "tolerations",
            Kind::List { item: &Kind::Object(&TOLERATION), min: 0 },
            "The taints that its node may have.",
        ),
        optional(
            "annotations",
            LABELS,
            "Annotations, on which only retry policies depend: `armadaproject.io/retry-policy` and `failFast`.",
        ),
        optional("preemptionPolicy", Kind::Text, "The scheduler does not depend on it."),
    ],
);

static RESOURCES: Shape = strict(
    "resourceRequirements",
    "The resources of a job.",
    &[
        required("requests", AMOUNTS, "Amounts by resource, such as `cpu: 1`."),
        optional("limits", AMOUNTS, "The scheduler does not depend on them."),
    ],
);

pub(super) static TOLERATION: Shape = strict(
    "toleration",
    "Taints that a job tolerates.",
    &[
        optional("key", Kind::Text, "The key of the taints; absent means any."),
        optional("operator", Kind::OneOf(&TOLERATION_OPERATORS), "Absent means `Equal`."),
        optional("value", Kind::Text, "The value of the taints."),
        optional("effect", Kind::OneOf(&EFFECTS), "The effect of the taints; absent means any."),
        optional("tolerationSeconds", Kind::Finite, "The scheduler does not depend on it."),
    ],
);

static TOLERATION_OPERATORS: Choices = Choices {
    name: "operator",
    values: &[
        choice("Equal", "The taint has this value."),
        choice("Exists", "The taint has any value."),
    ],
    any_case: false,
    elsewhere: &[],
};

/// The shape of an affinity. Armada's scheduler evaluates only the required node affinity.
pub(super) static AFFINITY: Shape = Shape {
    name: "affinity",
    doc: "Conditions on the labels of a job's node.",
    fields: &[optional("nodeAffinity", Kind::Object(&NODE_AFFINITY), "The conditions.")],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[
        ("podAffinity", "remove it: Armada's scheduler does not take it into account"),
        ("podAntiAffinity", "remove it: Armada's scheduler does not take it into account"),
    ],
};

static NODE_AFFINITY: Shape = strict(
    "nodeAffinity",
    "Conditions on the labels of a job's node.",
    &[
        optional(
            "requiredDuringSchedulingIgnoredDuringExecution",
            Kind::Object(&SELECTOR),
            "What must hold.",
        ),
        optional(
            "preferredDuringSchedulingIgnoredDuringExecution",
            Kind::Anything,
            "The scheduler does not depend on it.",
        ),
    ],
);

static SELECTOR: Shape = strict(
    "node selector",
    "Terms of which one must hold.",
    &[required(
        "nodeSelectorTerms",
        Kind::List { item: &Kind::Object(&TERM), min: 1 },
        "The terms.",
    )],
);

static TERM: Shape = strict(
    "term",
    "Expressions that must all hold.",
    &[required(
        "matchExpressions",
        Kind::List { item: &Kind::Object(&EXPRESSION), min: 1 },
        "The expressions.",
    )],
);

static EXPRESSION: Shape = strict(
    "expression",
    "A condition on a label.",
    &[
        required("key", Kind::SomeText, "The label."),
        required("operator", Kind::OneOf(&OPERATORS), "How its value is compared."),
        optional("values", Kind::List { item: &Kind::Text, min: 0 }, "The values."),
    ],
);

static OPERATORS: Choices = Choices {
    name: "operator",
    values: &[
        choice("In", "The value is one of these."),
        choice("NotIn", "The label is absent, or its value is none of these."),
        choice("Exists", "The label is present."),
        choice("DoesNotExist", "The label is absent."),
        choice("Gt", "The value is a whole number above the one given."),
        choice("Lt", "The value is a whole number below the one given."),
    ],
    any_case: false,
    elsewhere: &[],
};
