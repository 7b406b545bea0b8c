//! The shapes of the blocks that describe failures, in cluster and workload files.

use super::strict_shape::strict;
use document::diag::Code;
use document::{Constraint, Extra, Field, Kind, Shape, optional, required};

const POSITIVE: Kind = Kind::Number { min: 0.0, above: true, code: Code::OutOfRange };
const NOT_NEGATIVE: Kind = Kind::Number { min: 0.0, above: false, code: Code::OutOfRange };
/// An exit code of a failed container.
const EXIT_CODE: Kind = Kind::Whole { min: 1, max: 2_147_483_647, code: Code::BadExitCode };

/// The distributions of durations, by their keys.
const DURATION_FIELDS: [Field; 5] = [
    optional("fixed", Kind::ProtoDuration, "Always this duration."),
    optional(
        "exponential",
        Kind::Object(&EXPONENTIAL),
        "An exponential distribution: the rate of the event is constant.",
    ),
    optional(
        "weibull",
        Kind::Object(&WEIBULL),
        "A Weibull distribution: with a shape below 1 the rate of the event decreases with age.",
    ),
    optional(
        "lognormal",
        Kind::Object(&LOGNORMAL_DURATION),
        "A lognormal distribution: the logarithm is normally distributed.",
    ),
    optional(
        "uniform",
        Kind::Pair(&Kind::ProtoDuration),
        "A uniform distribution between two durations.",
    ),
];

/// A duration that is drawn.
pub(super) static DURATION: Shape = Shape {
    name: "distribution",
    doc: "A duration that is drawn: exactly one distribution.\nDrawn durations are rounded up to whole milliseconds.",
    fields: &DURATION_FIELDS,
    constraints: &[Constraint::ExactlyOne {
        fields: &["fixed", "exponential", "weibull", "lognormal", "uniform"],
        code: Code::MissingField,
        none: "the distribution is empty",
        several: "the distribution has more than one form",
        help: "write one of `fixed`, `exponential`, `weibull`, `lognormal` and `uniform`",
    }],
    extra: Extra::Refused,
    elsewhere: &[],
};

/// A factor that is drawn.
static FACTOR: Shape = Shape {
    name: "distribution",
    doc: "A factor that is drawn: exactly one distribution.",
    fields: &[
        optional("fixed", NOT_NEGATIVE, "Always this factor."),
        optional(
            "lognormal",
            Kind::Object(&LOGNORMAL_FACTOR),
            "A lognormal distribution: the logarithm is normally distributed.",
        ),
        optional(
            "uniform",
            Kind::Pair(&NOT_NEGATIVE),
            "A uniform distribution between two factors.",
        ),
    ],
    constraints: &[Constraint::ExactlyOne {
        fields: &["fixed", "lognormal", "uniform"],
        code: Code::MissingField,
        none: "the distribution is empty",
        several: "the distribution has more than one form",
        help: "write one of `fixed`, `lognormal` and `uniform`",
    }],
    extra: Extra::Refused,
    elsewhere: &[],
};

static EXPONENTIAL: Shape = strict(
    "exponential distribution",
    "An exponential distribution.",
    &[required("mean", Kind::ProtoDuration, "The mean; more than 0.")],
);

static WEIBULL: Shape = strict(
    "Weibull distribution",
    "A Weibull distribution.",
    &[
        required("shape", POSITIVE, "The shape: below 1 the rate decreases with age."),
        required("scale", Kind::ProtoDuration, "The scale: the 63rd percentile; more than 0."),
    ],
);

static LOGNORMAL_DURATION: Shape = strict(
    "lognormal distribution",
    "A lognormal distribution of durations.",
    &[
        required("median", Kind::ProtoDuration, "The median; more than 0."),
        required("sigma", NOT_NEGATIVE, "The standard deviation of the natural logarithm."),
    ],
);

static LOGNORMAL_FACTOR: Shape = strict(
    "lognormal distribution",
    "A lognormal distribution of factors.",
    &[
        required("median", POSITIVE, "The median."),
        required("sigma", NOT_NEGATIVE, "The standard deviation of the natural logarithm."),
    ],
);

/// How the nodes of a template fail.
pub(super) static NODE_FAILURE: Shape = Shape {
    name: "failure",
    doc: "How the nodes of the template fail. Absent: they do not.",
    fields: &[
        optional(
            "up",
            Kind::Object(&DURATION),
            "The time from the start of a new or repaired node to its failure, at least 1s.\nEvery node is new at the beginning. A failed node ends its jobs with the category `node-failure`.",
        ),
        optional(
            "repair",
            Kind::Object(&DURATION),
            "The time from the failure of a node to the end of its repair.\nUntil then its resources are no part of the pool.",
        ),
        optional("lemons", Kind::Object(&LEMONS), "Nodes that fail more often than the others."),
        optional(
            "gpuMtbf",
            Kind::ProtoDuration,
            "The mean time until a GPU that is in use fails.\nIt ends the job that holds the GPU, with the category `gpu`; the node stays up.",
        ),
        optional(
            "spot",
            Kind::Object(&SPOT),
            "How spot nodes are lost.\nTheir jobs end with the condition Evicted and the category `spot`.",
        ),
    ],
    constraints: &[
        Constraint::Needs {
            field: "up",
            needs: "repair",
            code: Code::MissingField,
            message: "`up` has no `repair`",
            help: "add `repair`, such as `repair: {fixed: 1h}`",
        },
        Constraint::Needs {
            field: "repair",
            needs: "up",
            code: Code::MissingField,
            message: "`repair` has no effect without `up`",
            help: "add `up`, such as `up: {exponential: {mean: 1000h}}`, or remove `repair`",
        },
        Constraint::Needs {
            field: "lemons",
            needs: "up",
            code: Code::MissingField,
            message: "`lemons` has no effect without `up`",
            help: "add `up`, such as `up: {exponential: {mean: 1000h}}`, or remove `lemons`",
        },
    ],
    extra: Extra::Refused,
    elsewhere: &[],
};

static LEMONS: Shape = strict(
    "lemons",
    "Nodes that fail more often than the others. The mean rate of failure of all nodes is kept.",
    &[
        required(
            "fraction",
            Kind::Share,
            "Their share of the template's nodes, rounded to whole nodes.",
        ),
        required("rateShare", Kind::Share, "Their share of the failures."),
    ],
);

static SPOT: Shape = strict(
    "spot",
    "How spot nodes are lost.",
    &[
        required(
            "hazardPerHour",
            POSITIVE,
            "How often a node is lost in an hour, at most 60, those in batches included.",
        ),
        optional(
            "warning",
            Kind::ProtoDuration,
            "How long before its loss a node takes no more jobs; absent means 0.",
        ),
        optional(
            "batch",
            Kind::Object(&BATCH),
            "How many nodes of the template are lost together; absent means one.",
        ),
        optional(
            "replaceAfter",
            Kind::Object(&DURATION),
            "The time until a lost node is replaced by a new one; absent means that it is not.",
        ),
    ],
);

static BATCH: Shape = strict(
    "batch",
    "The number of nodes that are lost together.",
    &[required(
        "geometric",
        POSITIVE,
        "The probability p of a single node, above 0 and at most 1: k nodes have p(1 - p)^(k - 1).",
    )],
);

/// A cause for which attempts of a job fail.
pub(super) static FAILURE_CAUSE: Shape = Shape {
    name: "failure cause",
    doc: "A cause for which attempts of the template's jobs fail.\nAt equal times the first cause in the file counts.",
    fields: &[
        required(
            "name",
            Kind::SomeText,
            "The cause's name in reports, unique in the template. Draws depend on it.",
        ),
        optional(
            "perAttempt",
            Kind::ShareOr(&BETA),
            "The probability that an attempt fails by this cause.\nWith `beta` it is drawn once a job, so that bad jobs remain bad.",
        ),
        optional(
            "firstAttempt",
            Kind::Share,
            "The probability for the first attempt, which replaces `perAttempt` there.",
        ),
        optional("need", Kind::Object(&NEED), "What a job needs: an attempt with less fails."),
        optional("hazardPerHour", POSITIVE, "How often it occurs in an hour of running."),
        optional(
            "at",
            Kind::Object(&DURATION),
            "When the attempt fails, counted from the start of running.\nA time after the end of the work means 1 ms before it. Needed with `perAttempt` and `need`.",
        ),
        optional(
            "sticksToNode",
            Kind::Object(&STICKINESS),
            "How the cause returns on the node where it occurred.",
        ),
        optional("exitCode", EXIT_CODE, "The container's exit code, as a policy sees it."),
        optional("reason", Kind::SomeText, "The container's reason, such as OOMKilled."),
        optional("message", Kind::SomeText, "The container's termination message."),
        optional("category", Kind::SomeText, "The failure category."),
        optional("subcategory", Kind::SomeText, "The failure subcategory."),
    ],
    constraints: &[
        Constraint::ExactlyOne {
            fields: &["perAttempt", "need", "hazardPerHour"],
            code: Code::MissingField,
            none: "the cause never occurs",
            several: "the cause occurs in more than one way",
            help: "write one of `perAttempt`, `need` and `hazardPerHour`",
        },
        Constraint::Needs {
            field: "firstAttempt",
            needs: "perAttempt",
            code: Code::MissingField,
            message: "`firstAttempt` has no effect without `perAttempt`",
            help: "add `perAttempt`, or remove `firstAttempt`",
        },
        Constraint::Needs {
            field: "perAttempt",
            needs: "at",
            code: Code::MissingField,
            message: "`perAttempt` has no `at`",
            help: "add the time of the failure, such as `at: {uniform: [0s, 30m]}`",
        },
        Constraint::Needs {
            field: "need",
            needs: "at",
            code: Code::MissingField,
            message: "`need` has no `at`",
            help: "add the time of the failure, such as `at: {uniform: [0s, 30m]}`",
        },
    ],
    extra: Extra::Refused,
    elsewhere: &[(
        "condition",
        "remove it: the condition is OOMKilled by `reason`; others come with preemptions, deadlines and lost nodes",
    )],
};

static BETA: Shape = strict(
    "probability",
    "A probability that is drawn once a job.",
    &[required("beta", Kind::Pair(&POSITIVE), "The two parameters of a beta distribution.")],
);

static NEED: Shape = strict(
    "need",
    "What a job needs.",
    &[required(
        "memory",
        Kind::Object(&FACTOR),
        "The memory, as a factor on the request, drawn once a job.\nEvery attempt fails while it is more than the job has.",
    )],
);

static STICKINESS: Shape = strict(
    "sticksToNode",
    "How a cause returns on the node where it occurred.",
    &[
        required("probability", Kind::Share, "The probability that it does."),
        required(
            "for",
            Kind::ProtoDuration,
            "For how long it fails the attempts of the same template that start on the node.",
        ),
        required(
            "again",
            Kind::Object(&DURATION),
            "When it fails them, counted from the start of running.",
        ),
    ],
);

/// How a job saves its progress.
pub(super) static CHECKPOINT: Shape = strict(
    "checkpoint",
    "How a job saves its progress.",
    &[
        required("interval", Kind::ProtoDuration, "The work between two saves; more than 0."),
        optional("cost", Kind::ProtoDuration, "The time that a save takes; absent means 0."),
        optional(
            "restart",
            Kind::ProtoDuration,
            "The time that a start from a save takes; absent means 0.",
        ),
    ],
);
