//! The shape of Airflow's `RetryProfile`: the settings of a task that its retries depend on.

use crate::diag::Code;
use crate::document::{Choices, Extra, Kind, Shape, choice, optional, required};
use crate::systems::profile::{API_VERSION, KIND_FIELD, METADATA};

/// The name of the system, as profiles write it.
pub(crate) const SYSTEM: &str = "airflow";

/// The longest delay that a profile can hold, in whole seconds: 136 years.
pub(crate) const MAX_DELAY_SECONDS: u32 = u32::MAX;

const SECONDS: Kind = Kind::Number { min: 0.0, above: false, code: Code::OutOfRange };

/// The shape of an Airflow profile.
pub static PROFILE: Shape = Shape {
    name: "RetryProfile",
    doc: "The retry settings of an Airflow task, and the release that reads them.",
    fields: &[
        API_VERSION,
        KIND_FIELD,
        METADATA,
        required("spec", Kind::Object(&SPEC), "The system, its release, and the task's settings."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static SPEC: Shape = Shape {
    name: "profile's spec",
    doc: "The retry settings of an Airflow task.",
    fields: &[
        required("system", Kind::Exactly(SYSTEM), "The system: airflow."),
        optional(
            "profile",
            Kind::OneOf(&PROFILES),
            "The release whose rules apply; absent means 3.3, the newest.\n\
             2.x and 3.x wait differently: the number that is hashed, and the multiplier, have changed.",
        ),
        required(
            "policy",
            Kind::Object(&POLICY),
            "The task's settings, named as operators name them.",
        ),
        optional("options", Kind::Object(&OPTIONS), "Airflow has none: empty, or left out."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[("layers", "layers belong to the BEP-1053 draft; write `policy`")],
};

static OPTIONS: Shape = Shape {
    name: "options",
    doc: "Airflow has none.",
    fields: &[],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[
        ("hash", "it belongs to the BEP-1053 draft; the release determines what Airflow hashes"),
        ("reduce", "it belongs to the BEP-1053 draft; Airflow reduces its hash in one way only"),
        ("cap", "it belongs to the BEP-1053 draft; write `max_retry_delay_seconds` in `policy`"),
    ],
};

static PROFILES: Choices = Choices {
    name: "profile of Airflow",
    values: &[
        choice("3.3", "3.2 and 3.3: the delay grows by a multiplier of the task's own."),
        choice("3.0", "2.10 to 3.1: it doubles."),
        choice("2.9", "2.8 and 2.9: it doubles, and the number hashed is one higher."),
        choice("2.6", "2.6, which decides as 2.9 does."),
    ],
    any_case: false,
    elsewhere: &[],
};

static POLICY: Shape = Shape {
    name: "policy",
    doc: "A task's retry settings. Absent fields have Airflow's defaults.",
    fields: &[
        optional(
            "retries",
            Kind::Whole { min: 0, max: i32::MAX as i128, code: Code::OutOfRange },
            "Tries after the first; absent means 0, as core.default_task_retries is unless it is set.\n`retries: 3` is four tries in all.",
        ),
        optional(
            "retry_delay_seconds",
            SECONDS,
            "retry_delay in seconds: the wait before a retry, or what it grows from; absent means 300.",
        ),
        optional(
            "retry_exponential_backoff",
            Kind::Anything,
            "Whether the wait grows, or by how much from try to try: `true` is 2, `false` and 0 are not at all.\nUp to 3.1 every number but 0 means 2. What grows has a jitter as long as itself on top.",
        ),
        optional(
            "max_retry_delay_seconds",
            SECONDS,
            "max_retry_delay in seconds: the longest wait, jitter included; absent and 0 mean none.\n\
             It applies only to waits that grow.",
        ),
        optional(
            CEILING,
            Kind::Whole { min: 0, max: MAX_DELAY_SECONDS as i128, code: Code::OutOfRange },
            "The installation's longest wait in seconds; absent means 86400, a day.\n\
             It applies only to waits that grow.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[
        ("retry_delay", "write `retry_delay_seconds`: a number of seconds"),
        ("max_retry_delay", "write `max_retry_delay_seconds`: a number of seconds"),
        ("max_task_retry_delay", "write `core.max_task_retry_delay`: it is the installation's"),
        ("core.default_task_retries", "write `retries`"),
        ("max_tries", "write `retries`; a record's `maxTries` is the value after clearing"),
    ],
};

/// The setting of the installation that limits all growing delays.
pub(crate) const CEILING: &str = "core.max_task_retry_delay";
