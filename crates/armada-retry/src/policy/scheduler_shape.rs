//! The shape of the part of Armada's scheduler configuration that is read.

use super::v1::{BACKOFF, LIMIT};
use document::{Extra, Field, Kind, Need, Shape};

const fn field(name: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field { name, doc, kind, need: Need::Optional }
}

const MIN_GRACE: Field = field(
    "minTerminationGracePeriod",
    Kind::Duration,
    "The grace period of runs that name none; absent means 1s.",
);

const MAX_GRACE: Field = field(
    "maxTerminationGracePeriod",
    Kind::Duration,
    "The longest grace period that a job may request; absent means any.",
);

/// The part of Armada's scheduler configuration that is read; all other keys are ignored.
pub static SCHEDULER_CONFIG: Shape = Shape {
    name: "scheduler configuration",
    doc: "The part of Armada's scheduler configuration that retries depend on.\n\
          Every other key is ignored, so a real configuration can be given as it is.",
    fields: &[
        field("scheduling", Kind::Object(&SCHEDULING), "How jobs are scheduled."),
        field("submission", Kind::Object(&SUBMISSION), "What jobs may request."),
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

/// The part of the `scheduling` section that retries depend on.
pub static SCHEDULING: Shape = Shape {
    name: "scheduling",
    doc: "How jobs are scheduled.",
    fields: &[
        field(
            "maxRetries",
            LIMIT,
            "Attempts on the legacy path, which returned leases take; absent means 3.",
        ),
        field("retryPolicy", Kind::Object(&RETRY_POLICY), "The retry engine."),
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

pub(super) static RETRY_POLICY: Shape = Shape {
    name: "retryPolicy",
    doc: "The retry engine's settings.",
    fields: &[
        field("enabled", Kind::Boolean, "Whether the engine runs; in a file, absent means false."),
        field(
            "globalMaxRetries",
            LIMIT,
            "Retries a job may have in all, regardless of its policies.\n\
             0 stops all retries. Absent: 20, or 5 in v1beta1.",
        ),
        field("defaultPolicyName", Kind::Text, "The policy of jobs that have no other."),
        field("defaultBackoff", Kind::Object(&BACKOFF), "The backoff of policies that set none."),
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

/// The part of the `submission` section that retries depend on.
pub static SUBMISSION: Shape = Shape {
    name: "submission",
    doc: "What jobs may request.",
    fields: &[MIN_GRACE, MAX_GRACE],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

/// The settings of Armada's scheduler that retries depend on, in one mapping.
pub static SETTINGS: Shape = Shape {
    name: "schedulerConfig",
    doc: "The scheduler's settings that retries depend on. Other than in a configuration file, the retry engine runs \
          unless\n`enabled` is false.",
    fields: &[
        field("enabled", Kind::Boolean, "Whether the retry engine runs; absent means true."),
        field(
            "globalMaxRetries",
            LIMIT,
            "Retries that a job may have in all, regardless of its policies.\n\
             0 stops all retries. Absent: 20, or 5 in v1beta1.",
        ),
        field("defaultPolicyName", Kind::Text, "The policy of jobs that have no other."),
        field("defaultBackoff", Kind::Object(&BACKOFF), "The backoff of policies that set none."),
        field(
            "maxRetries",
            LIMIT,
            "Attempts on the legacy path, which returned leases take; absent means 3.",
        ),
        MIN_GRACE,
        MAX_GRACE,
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[
        ("retryPolicy", "write its fields directly under `schedulerConfig`"),
        (
            "scheduling",
            "write the fields of `scheduling.retryPolicy` directly under `schedulerConfig`",
        ),
    ],
};
