//! The shape of Iris's `RetryProfile`.
//!
//! The fields of its policy are those of a job's submission, by their names there.

use super::policy::MAX_REPLICAS;
use crate::profile::{API_VERSION, KIND_FIELD, METADATA};
use document::diag::Code;
use document::{Choices, Extra, Kind, Shape, choice, optional, required};

/// The value of `spec.system`.
pub(crate) const SYSTEM: &str = "iris";

const LIMIT: Kind =
    Kind::Whole { min: i32::MIN as i128, max: i32::MAX as i128, code: Code::OutOfRange };
const REPLICAS: Kind = Kind::Whole { min: 1, max: MAX_REPLICAS as i128, code: Code::OutOfRange };

/// The shape of an Iris profile.
pub static PROFILE: Shape = Shape {
    name: "RetryProfile",
    doc: "The retry policy of Iris jobs (Marin): tasks with two budgets each, in gangs or alone.",
    fields: &[
        API_VERSION,
        KIND_FIELD,
        METADATA,
        required("spec", Kind::Object(&SPEC), "The system, the text it is read by, the policy."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static SPEC: Shape = Shape {
    name: "spec",
    doc: "The system, the text that it is read by, and the policy.",
    fields: &[
        required("system", Kind::Exactly(SYSTEM), "The system: iris."),
        optional(
            "profile",
            Kind::OneOf(&PROFILES),
            "Which source is followed where they differ; absent means upstream, the running code.",
        ),
        optional(
            "policy",
            Kind::Object(&POLICY),
            "The retry settings of the job's submission. One policy applies to every recorded job.",
        ),
        optional("options", Kind::Object(&OPTIONS), "Iris has none: empty, or left out."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[("layers", "layers belong to the BEP-1053 draft; Iris has one `policy`")],
};

static PROFILES: Choices = Choices {
    name: "profile",
    values: &[
        choice(
            "seed",
            "The project's document of task states, from which its code has since diverged.",
        ),
        choice("upstream", "The controller's code, as of summer 2026."),
    ],
    any_case: false,
    elsewhere: &[],
};

static POLICY: Shape = Shape {
    name: "policy",
    doc: "The retry settings of the job's submission.",
    fields: &[
        optional(
            "max_retries_failure",
            LIMIT,
            "Failed attempts of a task that another follows: 2 means up to 3 attempts. Absent means 0.\n\
             Counted over the task's whole life, in any phase, and never reset. Below 0 is as 0: no value\n\
             means unlimited. With upstream a retried failure still counts for max_task_failures.",
        ),
        optional(
            "max_retries_preemption",
            LIMIT,
            "Lost attempts of a task that another follows. Absent means 100.\n\
             A worker died, or a task of higher priority took its place; with upstream also: a worker \
             reported\n\
             that it was killed. While ASSIGNED, preemptions are free, with upstream all of these. Below 0 \
             is\n\
             as 0. Upstream caps it at 1000 when a job is submitted: according to the pull requests; it was \
             not found\n\
             in the code of submission.",
        ),
        optional(
            "max_task_failures",
            LIMIT,
            "Failures that the job tolerates; one more fails it. Absent means 0.\n\
             The seed counts tasks that are FAILED now, upstream every failed attempt of all tasks, those\n\
             included that were retried. So with upstream and 0 any failed attempt fails the job. Below 0 \
             the\n\
             first event fails it, unless all its tasks have succeeded by then.",
        ),
        optional(
            "replicas",
            REPLICAS,
            "Tasks of the job, numbered from 0: 1 to 10000. Absent means 1.\n\
             Tasks without records run until the recorded ones have ended, and then succeed.",
        ),
        optional(
            "coscheduled",
            Kind::Boolean,
            "Whether the tasks are a gang, placed together or not at all. Absent means false.\nThen what ends one task also ends, or queues again, those that have a worker.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[
        ("max_retries", "write `max_retries_failure`, `max_retries_preemption`, or both"),
        ("maxRetriesFailure", "write `max_retries_failure`"),
        ("maxRetriesPreemption", "write `max_retries_preemption`"),
        ("maxTaskFailures", "write `max_task_failures`"),
        ("coscheduling", "write `coscheduled: true`"),
        ("tasks", "write `replicas`"),
    ],
};

static OPTIONS: Shape = Shape {
    name: "options",
    doc: "Iris has none.",
    fields: &[],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};
