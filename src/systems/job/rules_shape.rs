//! What a `podFailurePolicy` may say. Every field of it is known, so a misspelt one is an error.

use crate::diag::Code;
use crate::document::{Choices, Extra, Kind, Shape, choice, optional, required};

const EXIT_CODE: Kind =
    Kind::Whole { min: i32::MIN as i128, max: i32::MAX as i128, code: Code::OutOfRange };

/// A pod failure policy.
pub(super) static POD_FAILURE_POLICY: Shape = Shape {
    name: "podFailurePolicy",
    doc: "Ordered rules; the first that matches a failed pod says what follows.",
    fields: &[required(
        "rules",
        Kind::List { item: &RULE_KIND, min: 0 },
        "The rules, at most 20. A failed pod that none matches counts towards backoffLimit.",
    )],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static RULE_KIND: Kind = Kind::Object(&RULE);

static RULE: Shape = Shape {
    name: "rule",
    doc: "One requirement, on exit codes or on conditions, and what follows if it holds.",
    fields: &[
        required("action", Kind::OneOf(&ACTIONS), "What follows when the rule matches."),
        optional("onExitCodes", Kind::Object(&ON_EXIT_CODES), "Looks at containers' exit codes."),
        optional(
            "onPodConditions",
            Kind::List { item: &PATTERN_KIND, min: 0 },
            "Looks at the pod's conditions; any of these, at most 20.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static ACTIONS: Choices = Choices {
    name: "action",
    values: &[
        choice("FailJob", "The Job fails at once."),
        choice("FailIndex", "The pod's index fails at once. Needs backoffLimitPerIndex."),
        choice("Ignore", "The pod is replaced and counts towards no limit."),
        choice("Count", "The pod counts towards the limits, as if no rule matched."),
    ],
    any_case: false,
    elsewhere: &[],
};

static ON_EXIT_CODES: Shape = Shape {
    name: "onExitCodes",
    doc: "Exit codes of containers that have ended, init containers too; 0 is never looked at.",
    fields: &[
        optional(
            "containerName",
            Kind::Text,
            "The only container or init container looked at; absent means any.",
        ),
        required("operator", Kind::OneOf(&OPERATORS), "In, or NotIn."),
        required(
            "values",
            Kind::List { item: &EXIT_CODE, min: 1 },
            "Exit codes: 1 to 255 of them, in ascending order, each once. With In none is 0.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static OPERATORS: Choices = Choices {
    name: "operator",
    values: &[
        choice("In", "At least one container ended with one of the values."),
        choice("NotIn", "At least one container ended with something else, and not with 0."),
    ],
    any_case: false,
    elsewhere: &[],
};

static PATTERN_KIND: Kind = Kind::Object(&CONDITION_PATTERN);

static CONDITION_PATTERN: Shape = Shape {
    name: "onPodConditions",
    doc: "A condition that the pod has.",
    fields: &[
        required("type", Kind::SomeText, "The condition, such as DisruptionTarget."),
        optional("status", Kind::OneOf(&STATUSES), "Its status; absent means True."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

/// The statuses of a condition.
pub(super) static STATUSES: Choices = Choices {
    name: "status",
    values: &[
        choice("True", "The condition holds."),
        choice("False", "It does not hold."),
        choice("Unknown", "Nobody knows."),
    ],
    any_case: false,
    elsewhere: &[],
};

/// A success policy.
pub(super) static SUCCESS_POLICY: Shape = Shape {
    name: "successPolicy",
    doc: "Rules of which one is enough: then the Job is complete, and what is left of its pods stops.",
    fields: &[required(
        "rules",
        Kind::List { item: &Kind::Object(&SUCCESS_RULE), min: 0 },
        "The rules, at least one and at most 20.",
    )],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static SUCCESS_RULE: Shape = Shape {
    name: "success rule",
    doc: "Indexes that have to succeed, or how many.",
    fields: &[
        optional("succeededIndexes", Kind::Text, "The indexes, such as `0,2-4`; absent means all."),
        optional(
            "succeededCount",
            Kind::Whole { min: 0, max: i32::MAX as i128, code: Code::OutOfRange },
            "How many of these have to succeed; absent means all of succeededIndexes.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};
