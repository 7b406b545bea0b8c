//! The shape of run records: the fields of a Job's pod, and those that records of all systems have.

use super::rules_shape::STATUSES;
use crate::diag::Code;
use crate::document::{Choices, Extra, Field, Kind, Shape, choice, optional, required};
use crate::systems::run_fields::{self, COUNT};

/// The unit.
pub(in crate::systems) const JOB_ID: Field =
    required("jobId", Kind::SomeText, "The Job, or the set, that the run belongs to.");
/// The pod's index.
pub(in crate::systems) const POD_INDEX: Field = optional(
    "podIndex",
    COUNT,
    "The pod's completion index; without one, the place that its replacements take. Absent means 0.",
);
/// How the pod ended.
pub(in crate::systems) const OUTCOME: Field =
    required("outcome", Kind::OneOf(&OUTCOMES), "How the pod ended.");
/// Its containers.
pub(in crate::systems) const CONTAINERS: Field = optional(
    "containers",
    Kind::List { item: &CONTAINER_KIND, min: 0 },
    "The pod's containers as they were when it ended, which rules look at.",
);
/// Its conditions.
pub(in crate::systems) const POD_CONDITIONS: Field = optional(
    "podConditions",
    Kind::List { item: &CONDITION_KIND, min: 0 },
    "The pod's conditions, such as DisruptionTarget.",
);
/// Restarts in place.
pub(in crate::systems) const RESTARTS: Field = optional(
    "restarts",
    COUNT,
    "How often containers of the pod have been restarted in place so far, summed; absent means 0.",
);
/// The pod's name.
pub(in crate::systems) const POD_NAME: Field = optional(
    "podName",
    Kind::Text,
    "The pod's name, or `namespace/name`; messages of failed Jobs tell it.",
);
/// Why it is in its phase.
pub(in crate::systems) const POD_REASON: Field = optional(
    "podReason",
    Kind::Text,
    "The pod's `status.reason`, such as Evicted; no rule looks at it.",
);
/// Failures of its index before it that count.
pub(in crate::systems) const INDEX_FAILURE_COUNT: Field = optional(
    "indexFailureCount",
    COUNT,
    "Failures of the pod's index before it that count, as its annotation\nbatch.kubernetes.io/job-index-failure-count has them. Absent: those on record.",
);
/// Failures of its index before it that a rule ignored.
pub(in crate::systems) const INDEX_IGNORED_FAILURE_COUNT: Field = optional(
    "indexIgnoredFailureCount",
    COUNT,
    "Failures of the pod's index before it that a rule ignored, as its annotation\nbatch.kubernetes.io/job-index-ignored-failure-count has them.",
);

static OUTCOMES: Choices = Choices {
    name: "outcome",
    values: &[
        choice("Succeeded", "Its containers did their work."),
        choice("Failed", "It failed."),
        choice(
            "Running",
            "It goes on: its containers were restarted in place, or the history ends before it does.",
        ),
        choice("Cancelled", "Somebody deleted its Job or set."),
        choice("Stopped", "It was deleted with its Job or set; no failure of its own."),
    ],
    any_case: false,
    elsewhere: &[],
};

static CONTAINER_KIND: Kind = Kind::Object(&CONTAINER);

static CONTAINER: Shape = Shape {
    name: "container",
    doc: "One container of a pod.",
    fields: &[
        required("name", Kind::SomeText, "Its name."),
        optional("init", Kind::Boolean, "Whether it is an init container."),
        optional(
            "exitCode",
            Kind::Whole { min: i32::MIN as i128, max: i32::MAX as i128, code: Code::OutOfRange },
            "Its exit code; absent if it did not end.",
        ),
        optional("reason", Kind::Text, "Why it ended, such as OOMKilled, Error or Completed."),
        optional("message", Kind::Text, "What it wrote to its termination log."),
        optional(
            "restarts",
            COUNT,
            "How often it has been restarted in place so far. The limit on restarts in place goes by\nthe most of any container; where none says it, by the pod's `restarts`.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static CONDITION_KIND: Kind = Kind::Object(&CONDITION);

static CONDITION: Shape = Shape {
    name: "condition",
    doc: "A condition of a pod.",
    fields: &[
        required("type", Kind::SomeText, "Its type."),
        optional("status", Kind::OneOf(&STATUSES), "Its status; absent means True."),
        optional("reason", Kind::Text, "Why, such as EvictionByEvictionAPI; no rule looks at it."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

/// A record of a Job's pod. Unknown fields are ignored.
pub static RECORD: Shape = Shape {
    name: "record",
    doc: "One pod of a Job, as one line of a JSON Lines history.",
    fields: &[
        JOB_ID,
        run_fields::QUEUE,
        POD_INDEX,
        run_fields::RUN_INDEX,
        run_fields::STARTED,
        run_fields::FINISHED,
        run_fields::NODE,
        run_fields::CLUSTER,
        OUTCOME,
        CONTAINERS,
        POD_CONDITIONS,
        RESTARTS,
        POD_NAME,
        POD_REASON,
        INDEX_FAILURE_COUNT,
        INDEX_IGNORED_FAILURE_COUNT,
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};
