//! The shape of the BEP-1053 draft's `RetryProfile`.
//!
//! The fields of a layer are those of the draft's `RetryPolicy` (seed, "`RetryPolicy` schema"). `validate`
//! reports values that the draft's schema refuses beyond a field's type.

use super::cause::ELIGIBLE;
use super::interpretation::{Ceiling, HashText, Reduction};
use super::policy::{BackoffStrategy, JitterMode};
use crate::profile::{API_VERSION, KIND_FIELD, METADATA};
use document::diag::Code;
use document::{Choices, Extra, Field, Kind, Shape, choice, optional, required};

/// The value of `spec.system`.
pub const SYSTEM: &str = "backendai";

/// Seconds, or a factor, above 0.
const ABOVE_ZERO: Kind = Kind::Number { min: 0.0, above: true, code: Code::OutOfRange };

/// The shape of a profile of the draft.
pub static PROFILE: Shape = Shape {
    name: "RetryProfile",
    doc: "The BEP-1053 draft: a session that fails is created again after a wait.",
    fields: &[API_VERSION, KIND_FIELD, METADATA, SPEC],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

const SPEC: Field =
    required("spec", Kind::Object(&SPEC_SHAPE), "The policy's layers, and how the draft is read.");

static SPEC_SHAPE: Shape = Shape {
    name: "spec",
    doc: "The layers of a session's policy, and how the draft is read where it leaves things open.",
    fields: &[
        required(
            "system",
            Kind::Exactly(SYSTEM),
            "The system: backendai, which means the BEP-1053 draft.\nThe draft was never implemented.",
        ),
        optional("profile", Kind::OneOf(&PROFILES), "The draft; absent means draft, the only one."),
        required(
            "layers",
            Kind::Object(&LAYERS),
            "The session's request and the defaults below it, each as it is written.\n\
             They are merged first and defaults are filled in last, so that a value which is written counts\n\
             though it is the default.",
        ),
        optional(
            "options",
            Kind::Object(&OPTIONS),
            "How the draft is read where its formula is ambiguous.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[
        ("policy", "the draft has layers: write `layers: {session: {..}}`"),
        (
            "rules",
            "the draft has none; `eligible_causes` of a layer lists the failures that are retried",
        ),
    ],
};

static PROFILES: Choices = Choices {
    name: "profile",
    values: &[choice("draft", "The first draft of BEP-1053, of 2026-04-27.")],
    any_case: false,
    elsewhere: &[],
};

static LAYERS: Shape = Shape {
    name: "layers",
    doc: "The layers of a session's policy. Field by field the session's value is used, else the project's, \
          else the cluster's.",
    fields: &[
        optional("cluster", LAYER_KIND, "The cluster's default, in etcd; absent sets nothing."),
        optional("project", LAYER_KIND, "The default of a project or domain; absent sets nothing."),
        optional("session", LAYER_KIND, "The session's request; absent sets nothing."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[("domain", "the draft has one layer for projects and domains: `project`")],
};

const LAYER_KIND: Kind = Kind::Object(&LAYER);

static LAYER: Shape = Shape {
    name: "layer",
    doc: "The fields of the policy that one layer sets. A field that no layer sets has its default.",
    fields: &[
        optional(
            "max_retries",
            Kind::Whole { min: 0, max: i32::MAX as i128, code: Code::OutOfRange },
            "Retries of a session; attempts are one more. Default 0.\n\
             With 0 nothing is retried, and every batch session that fails is reported as exhausted.",
        ),
        optional(
            "retry_delay",
            ABOVE_ZERO,
            "Seconds before a retry, or before the first one. Default 60.",
        ),
        optional("backoff", Kind::OneOf(&BACKOFFS), "How waits grow. Default fixed."),
        optional(
            "backoff_multiplier",
            ABOVE_ZERO,
            "What each wait is multiplied by to get the next, with backoff exponential. Default 2.\nBelow 1, which the draft admits, waits shrink.",
        ),
        optional(
            "max_retry_delay",
            ABOVE_ZERO,
            "Seconds that no wait is longer than, jitter included. Default 3600.\n\
             null means 24 hours, and overrides the value of a lower layer; above 24 hours it depends on\n\
             options.cap.",
        ),
        optional(
            "jitter",
            Kind::OneOf(&JITTERS),
            "What is added to a wait. Default deterministic.",
        ),
        optional(
            "jitter_ratio",
            Kind::Number { min: 0.0, above: false, code: Code::OutOfRange },
            "How much is added at the most, as a part of the wait: from 0 to 1. Default 0.25.",
        ),
        optional(
            "eligible_causes",
            Kind::List { item: &CAUSE, min: 0 },
            "The causes that are retried. Default all six.\n\
             It replaces the list of a lower layer. It is read only while there are retries left.",
        ),
        optional(
            "emit_retry_events",
            Kind::Boolean,
            "Whether session.retry_scheduled and session.retry_exhausted are emitted. Default true.\nA cause that is not eligible has no event either way.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[
        ("max_retry", "write `max_retries`"),
        ("retries", "that is a field of Airflow; here it is `max_retries`"),
        ("retry_exponential_backoff", "write `backoff: exponential` and `backoff_multiplier`"),
        ("retryLimit", "that is a field of Armada; here it is `max_retries`"),
        ("backoffLimit", "that is a field of a Job; here it is `max_retries`"),
        ("retry_delay_seconds", "write `retry_delay`, in seconds"),
    ],
};

static CAUSE: Kind = Kind::OneOf(&ELIGIBLE);

static BACKOFFS: Choices = Choices {
    name: "backoff",
    values: &[
        choice(BackoffStrategy::Fixed.as_str(), "Every wait is retry_delay."),
        choice(
            BackoffStrategy::Exponential.as_str(),
            "retry_delay times backoff_multiplier to the power of the failed session's retry count,\nwhich is 0 for the first.",
        ),
    ],
    any_case: false,
    elsewhere: &[],
};

static JITTERS: Choices = Choices {
    name: "jitter",
    values: &[
        choice(JitterMode::None.as_str(), "Nothing."),
        choice(
            JitterMode::Deterministic.as_str(),
            "Computed from the SHA-1 of the failed session's id and retry count, as options define it.",
        ),
        choice(JitterMode::Random.as_str(), "Drawn at random, evenly."),
    ],
    any_case: false,
    elsewhere: &[],
};

static OPTIONS: Shape = Shape {
    name: "options",
    doc: "How the draft is read where its formula is ambiguous.",
    fields: &[
        optional(
            "hash",
            Kind::OneOf(&HASHES),
            "What deterministic jitter hashes as `session_id || retry_count`. Default text_concat.",
        ),
        optional(
            "reduce",
            Kind::OneOf(&REDUCTIONS),
            "How the digest is reduced by wait * jitter_ratio. Default int_millis.\nThe digest is a whole number, which wait * jitter_ratio need not be.",
        ),
        optional(
            "cap",
            Kind::OneOf(&CAPS),
            "Whether 24 hours bound a max_retry_delay above them. Default hard.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static HASHES: Choices = Choices {
    name: "hash",
    values: &[
        choice(
            HashText::TextConcat.as_str(),
            "The id's text, lower case with hyphens, then the decimal count.",
        ),
        choice(HashText::TextColon.as_str(), "The same with a colon between."),
        choice(HashText::UuidBytesDec.as_str(), "The id's 16 bytes, then the decimal count."),
        choice(
            HashText::UuidBytesU32be.as_str(),
            "The id's 16 bytes, then the count as four bytes, the highest first.",
        ),
    ],
    any_case: false,
    elsewhere: &[],
};

static REDUCTIONS: Choices = Choices {
    name: "reduction",
    values: &[
        choice(
            Reduction::IntFloorSeconds.as_str(),
            "Modulo whole seconds; below one second nothing is added.",
        ),
        choice(Reduction::IntMillis.as_str(), "Modulo whole milliseconds."),
        choice(
            Reduction::PythonFloatMod.as_str(),
            "As Python's % of an integer and a float; nothing is added where the span is a power of 2.",
        ),
    ],
    any_case: false,
    elsewhere: &[],
};

static CAPS: Choices = Choices {
    name: "cap",
    values: &[
        choice(Ceiling::Hard.as_str(), "They do: the draft's prose."),
        choice(Ceiling::Literal.as_str(), "They do not: the draft's formula."),
    ],
    any_case: false,
    elsewhere: &[],
};
