//! The shape of Airflow's `RetryProfile`: the settings of a task that its retries depend on.

use crate::airflow::manifest::retry_policy::{CHAIN, EXCEPTIONS, FIELD};
use crate::profile::{API_VERSION, KIND_FIELD, METADATA};
use document::diag::Code;
use document::{Choices, Extra, Field, Kind, Node, Shape, choice, optional, required};

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
            "The release whose rules apply; absent means 3.3, the newest that is not a preview.\n\
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
        choice(
            "3.4",
            "3.4, a preview (3.4.0b2): as 3.3, with chains of retry policies and reschedules.",
        ),
        choice("3.3", "3.3.0 to 3.3.2: as 3.2, with retry policies."),
        choice("3.2", "3.2.0 to 3.2.2: the delay grows by a multiplier of the task's own."),
        choice("3.1", "3.1.5 to 3.1.8: it doubles, and a process that was killed is retried."),
        choice("3.0", "3.0.6 to 3.1.1: it doubles, and a process that was killed fails the task."),
        choice("3.0.0", "3.0.0 to 3.0.4: as 3.0, with a ceiling of a day and OverflowError."),
        choice("2.10", "2.10 and 2.11: it doubles, and OverflowError from about try 1,017 on."),
        choice("2.9", "2.8 and 2.9: as 2.10, and the number hashed is one higher."),
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
            "Whether the wait grows, or by how much from try to try: `true` is 2, `false` and 0 are not at all.\nUp to 3.1 no number is accepted: write `true`. What grows has a jitter of up to its own length on top.\n\
             The jitter is the same for all instances of a mapped task, and for all runs without a logical date:\n\
             limit how many run at once, with a pool or `max_active_tis_per_dag`.",
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
             3.0.0 to 3.0.4 do not read it. It applies only to waits that grow.",
        ),
        optional(
            FIELD,
            Kind::Object(&RETRY_POLICY),
            "The task's retry policy, since 3.3: rules that compare the exception of a failure, in order.\n\
             It is not consulted if the process or its worker dies, which raises no exception.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[
        ("rules", "write them into `retry_policy`"),
        ("retry_delay", "write `retry_delay_seconds`: a number of seconds"),
        ("max_retry_delay", "write `max_retry_delay_seconds`: a number of seconds"),
        ("max_task_retry_delay", "write `core.max_task_retry_delay`: it is the installation's"),
        ("core.default_task_retries", "write `retries`"),
        ("max_tries", "write `retries`; a record's `maxTries` is the value after clearing"),
    ],
};

/// The setting of the installation that limits all growing delays.
pub(crate) const CEILING: &str = "core.max_task_retry_delay";

static RETRY_POLICY: Shape = Shape {
    name: "retry_policy",
    doc: "A task's retry policy: rules, or since 3.4 a chain of policies. Policies that are code have no form.",
    fields: &[
        optional(
            "__type",
            Kind::OneOf(&POLICY_TYPES),
            "The policy's class; absent means the one that the other fields belong to.",
        ),
        RULES,
        DEFAULT,
        optional(
            "policies",
            Kind::List { item: &LINK, min: 1 },
            "A chain (3.4): the policies, in order. The first that does not answer default decides.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static POLICY_TYPES: Choices = Choices {
    name: "retry policy of Airflow",
    values: &[
        choice(EXCEPTIONS, "Rules that compare the exception, in order."),
        choice(CHAIN, "Policies that are consulted in order (3.4)."),
    ],
    any_case: false,
    elsewhere: &[(
        "RetryPolicy",
        "it is the abstract base; only its two classes of data can be replayed",
    )],
};

const RULES: Field = optional(
    "rules",
    Kind::List { item: &RULE_KIND, min: 0 },
    "The rules: the first that matches decides.",
);

const DEFAULT: Field = optional(
    "default",
    Kind::OneOf(&DEFAULTS),
    "The action if no rule matches; absent means default, which leaves the try to `retries`.",
);

static LINK: Kind = Kind::Object(&LINK_SHAPE);

static LINK_SHAPE: Shape = Shape {
    name: "policy of a chain",
    doc: "A policy of a chain.",
    fields: &[
        optional("__type", Kind::OneOf(&LINK_TYPES), "The policy's class."),
        required(RULES.name, RULES.kind, RULES.doc),
        DEFAULT,
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[("policies", NESTED)],
};

static LINK_TYPES: Choices = Choices {
    name: "retry policy of a chain",
    values: &[choice(EXCEPTIONS, "Rules that compare the exception, in order.")],
    any_case: false,
    elsewhere: &[(CHAIN, NESTED)],
};

const NESTED: &str = "write its policies into the outer chain: the decisions are the same";

static RULE_KIND: Kind = Kind::Object(&RULE);

static RULE: Shape = Shape {
    name: "retry rule",
    doc: "A rule: the exceptions that it matches, and what follows.",
    fields: &[
        required(
            "exception",
            Kind::Anything,
            "The import path of an exception class, such as `builtins.ConnectionError`, or a list of them.\n\
             It is compared with the classes of a record's `exceptions`.",
        ),
        optional("action", Kind::OneOf(&ACTIONS), "What follows; absent means retry."),
        optional(
            "retry_delay",
            SECONDS,
            "The wait of a retry or a reschedule in seconds; absent means the task's.\n\
             Neither cap nor ceiling applies to it.",
        ),
        optional("reason", Kind::Text, "The reason, which Airflow logs and stores."),
        optional(
            "match_subclasses",
            Kind::Boolean,
            "Whether classes that derive from it match too; absent means true.",
        ),
        optional(
            "max_reschedules",
            Kind::Whole { min: 1, max: u32::MAX as i128, code: Code::OutOfRange },
            "The most reschedules of one try (3.4); then `retries` decides.",
        ),
        optional(
            "reschedule_timeout",
            Kind::Number { min: 0.0, above: true, code: Code::OutOfRange },
            "The seconds from a try's first reschedule (3.4) after which `retries` decides.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[
        ("exceptions", "write `exception`, which may be a list"),
        ("retry_delay_seconds", "write `retry_delay`, in seconds, as a rule is serialized"),
    ],
};

static ACTIONS: Choices = Choices {
    name: "action of a retry rule",
    values: &[
        choice("retry", "Another try follows, if `retries` leaves one."),
        choice("fail", "No other try follows."),
        choice(
            "default",
            "The next policy of a chain decides, at last `retries` and the task's wait.",
        ),
        choice("reschedule", "The same try runs again later, without using a retry (3.4)."),
    ],
    any_case: false,
    elsewhere: &[],
};

static DEFAULTS: Choices = Choices {
    name: "default of a retry policy",
    values: &[
        choice("retry", "Another try follows, if `retries` leaves one."),
        choice("fail", "No other try follows."),
        choice(
            "default",
            "The next policy of a chain decides, at last `retries` and the task's wait.",
        ),
    ],
    any_case: false,
    elsewhere: &[("reschedule", "it needs a bound: write a rule with `max_reschedules`")],
};

/// Returns whether a number of seconds is more than a profile can hold.
pub(in crate::airflow) fn is_too_long(seconds: &Node) -> bool {
    seconds.number().is_some_and(|seconds| seconds > f64::from(MAX_DELAY_SECONDS))
}
