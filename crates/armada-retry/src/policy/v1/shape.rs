//! The fields of a `v1` policy document.

use document::diag::Code;
use document::{Choices, Constraint, Extra, Kind, Shape, choice, optional, required};

pub(in crate::policy) const LIMIT: Kind =
    Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange };

/// A RetryPolicy of `armadaproject.io/v1`.
pub static POLICY_V1: Shape = Shape {
    name: "RetryPolicy",
    doc: "Which failures of a job are retried: ordered rules, of which the first that matches wins.\n\
          Rules of all policies of a job are concatenated in order. A retry is granted while the\n\
          rule's own count is under its limit and the job's total is under globalMaxRetries.",
    fields: &[
        required(
            "apiVersion",
            Kind::Exactly("armadaproject.io/v1"),
            "The form: armadaproject.io/v1.",
        ),
        required("kind", Kind::Exactly("RetryPolicy"), "The kind: RetryPolicy."),
        required("metadata", Kind::Object(&METADATA), "The policy's name."),
        required("spec", Kind::Object(&SPEC), "The policy's rules, default action and limits."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[
        ("name", "in `v1` the name belongs under `metadata`"),
        (
            "retryLimit",
            "in `v1` it belongs under `spec`; the flat form is `apiVersion: armadaproject.io/v1beta1`",
        ),
        (
            "defaultAction",
            "in `v1` it belongs under `spec`; the flat form is `apiVersion: armadaproject.io/v1beta1`",
        ),
        (
            "rules",
            "in `v1` they belong under `spec`; the flat form is `apiVersion: armadaproject.io/v1beta1`",
        ),
    ],
};

static METADATA: Shape = Shape {
    name: "metadata",
    doc: "What identifies the policy.",
    fields: &[required(
        "name",
        Kind::Name,
        "The name: 1 to 63 of a-z, 0-9 and `-`, a letter or digit at both ends.\nUnique on a server; queues and job annotations refer to it.",
    )],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static SPEC: Shape = Shape {
    name: "spec",
    doc: "Rules, the action when none matches, and limits.",
    fields: &[
        optional(
            "retryLimit",
            LIMIT,
            "Retries each rule may grant that sets no retryLimit of its own.\nEach rule counts for itself. Absent: globalMaxRetries. N retries are N+1 runs.",
        ),
        optional(
            "defaultAction",
            Kind::OneOf(&ACTIONS),
            "What happens when no rule matches; absent means Fail.\nOf several policies on a job the first one's counts. Its retries are counted apart, under\nthis policy's retryLimit.",
        ),
        optional(
            "backoff",
            Kind::Object(&BACKOFF),
            "How long a retry waits, for rules that set nothing else.",
        ),
        optional(
            "antiAffinity",
            Kind::Object(&ANTI_AFFINITY),
            "Which node a retry avoids, for rules that set nothing else.",
        ),
        optional(
            "rules",
            Kind::List { item: &Kind::Object(&RULE), min: 0 },
            "The rules, in order; the first that matches decides.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static ACTIONS: Choices = Choices {
    name: "action",
    values: &[
        choice("Retry", "The job gets another run, within the limits."),
        choice("Fail", "The job ends."),
    ],
    any_case: false,
    elsewhere: &[],
};

/// The three numbers of an exponential backoff.
pub static BACKOFF: Shape = Shape {
    name: "backoff",
    doc: "How long a retry waits: min(initialDelay * multiplier^(failures-1), maxDelay).\n\
          Each field comes from the most specific level that sets it: rule, policy, the scheduler's\n\
          defaultBackoff, else 0s, 10m and 2.0.",
    fields: &[
        optional(
            "initialDelay",
            Kind::Duration,
            "The wait after the first failure; with 0s no retry waits.",
        ),
        optional("maxDelay", Kind::Duration, "The longest wait. Not less than initialDelay."),
        optional(
            "multiplier",
            Kind::Number { min: 1.0, above: false, code: Code::BadBackoff },
            "What the wait is multiplied by after each further failure; at least 1.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static ANTI_AFFINITY: Shape = Shape {
    name: "antiAffinity",
    doc: "Which node a retry avoids.",
    fields: &[required("mode", Kind::OneOf(&MODES), "none, or node.")],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static MODES: Choices = Choices {
    name: "mode",
    values: &[
        choice("none", "No node is avoided; the default."),
        choice("node", "The node of the most recent failed run is avoided."),
    ],
    any_case: false,
    elsewhere: &[],
};

const TEXTS: Kind = Kind::List { item: &Kind::SomeText, min: 1 };

pub(in crate::policy) static RULE: Shape = Shape {
    name: "rule",
    doc: "Matchers, which must all hold, and the action if they do.\n\
          At least one matcher is needed; a catch-all is the policy's defaultAction.",
    fields: &[
        required("action", Kind::OneOf(&ACTIONS), "The action when the rule matches."),
        optional(
            "retryLimit",
            LIMIT,
            "Retries this rule may grant to a job. Absent: the policy's retryLimit.\nNo effect on a Fail rule.",
        ),
        optional(
            "containerName",
            Kind::SomeText,
            "The only container whose exit code, OOMKilled and message count.\n\
             Absent: exit code and OOMKilled are those of the first failed container, and any container's\n\
             message counts. Categories and the pod's conditions do not belong to a container.",
        ),
        optional(
            "includeInitContainers",
            Kind::Boolean,
            "Whether init containers count too; absent means false.\nThey come first in pod order then.",
        ),
        optional(
            "onExitCodes",
            Kind::Object(&EXIT_CODES),
            "Matches the exit code of the container.",
        ),
        optional(
            "onConditions",
            Kind::List { item: &Kind::OneOf(&CONDITIONS), min: 1 },
            "Matches when any of these conditions holds.",
        ),
        optional("onTerminationMessage", Kind::Object(&MESSAGE), "Matches a termination message."),
        optional(
            "onFailureCategory",
            TEXTS,
            "Matches when the failure has one of these categories, exactly.\nThe executor's errorCategories assign them.",
        ),
        optional(
            "onFailureSubcategory",
            TEXTS,
            "Narrows onFailureCategory to these subcategories, exactly.",
        ),
        optional("backoff", Kind::Object(&BACKOFF), "How long a retry by this rule waits."),
        optional(
            "antiAffinity",
            Kind::Object(&ANTI_AFFINITY),
            "Which node a retry by this rule avoids.",
        ),
        optional(
            "mutate",
            Kind::Object(&MUTATE),
            "How a retry by this rule changes the job (an extension to the design).",
        ),
    ],
    constraints: &[
        Constraint::AtLeastOne {
            fields: &[
                "onExitCodes",
                "onConditions",
                "onTerminationMessage",
                "onFailureCategory",
                "onFailureSubcategory",
            ],
            code: Code::NoMatcher,
            message: "the rule matches nothing: it has no matcher",
            help: "add `onExitCodes`, `onConditions`, `onTerminationMessage` or `onFailureCategory`; a catch-all is `defaultAction`",
        },
        Constraint::Needs {
            field: "onFailureSubcategory",
            needs: "onFailureCategory",
            code: Code::SubcategoryAlone,
            message: "`onFailureSubcategory` without `onFailureCategory`",
            help: "add the category that it narrows: `onFailureCategory: [..]`",
        },
    ],
    extra: Extra::Refused,
    elsewhere: &[
        ("onCategory", "in `v1` write `onFailureCategory: [..]`, a list"),
        ("onSubcategory", "in `v1` write `onFailureSubcategory: [..]`, a list"),
    ],
};

static EXIT_CODES: Shape = Shape {
    name: "onExitCodes",
    doc: "Matches the exit code of the container. Exit code 0 never matches, for NotIn too.",
    fields: &[
        required("operator", Kind::OneOf(&OPERATORS), "In or NotIn."),
        required(
            "values",
            Kind::List {
                item: &Kind::Whole { min: 1, max: i32::MAX as i128, code: Code::BadExitCode },
                min: 1,
            },
            "The exit codes, 1 to 2147483647; order does not matter.\nA process killed by signal N exits with 128+N: SIGKILL 137, SIGTERM 143.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static OPERATORS: Choices = Choices {
    name: "operator",
    values: &[
        choice("In", "The exit code is one of the values."),
        choice("NotIn", "The exit code is none of the values, and not 0."),
    ],
    any_case: false,
    elsewhere: &[],
};

static CONDITIONS: Choices = Choices {
    name: "condition",
    values: &[
        choice("OOMKilled", "A container exceeded its memory limit."),
        choice("Evicted", "The pod was evicted under node pressure."),
        choice("Preempted", "The pod was preempted by the scheduler."),
        choice("DeadlineExceeded", "The pod exceeded activeDeadlineSeconds."),
        choice("Unschedulable", "The pod could not be scheduled."),
    ],
    any_case: false,
    elsewhere: &[],
};

static MESSAGE: Shape = Shape {
    name: "onTerminationMessage",
    doc: "Matches what a container wrote to its termination log.",
    fields: &[required(
        "pattern",
        Kind::Pattern,
        "A regular expression in Go's dialect (RE2), found anywhere in the message.\nWrite (?i) for any case, ^ and $ for the ends. An empty message never matches.",
    )],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static MUTATE: Shape = Shape {
    name: "mutate",
    doc: "How a retry changes the job. It applies to runs that failed, not to expired leases.",
    fields: &[optional("resources", Kind::Object(&RESOURCES), "How its resources grow.")],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[(
        "affinity",
        "in `v1` write `antiAffinity: {mode: node}` on the rule; it avoids the last node, not all tried",
    )],
};

/// How a retry's resources grow; the same in both forms.
pub(in crate::policy) static RESOURCES: Shape = Shape {
    name: "resources",
    doc: "How a retry's resources grow.",
    fields: &[optional(
        "memory",
        Kind::Object(&MEMORY),
        "How its memory grows: by a factor or by an amount.",
    )],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static MEMORY: Shape = Shape {
    name: "memory",
    doc: "How a retry's memory grows. One kind a job: after the first the other kind is skipped.",
    fields: &[
        optional(
            "factor",
            Kind::Number { min: 1.0, above: true, code: Code::OutOfRange },
            "What memory is multiplied by, more than 1. Factors of several retries multiply.",
        ),
        optional("static", Kind::Quantity, "What is added to memory on each retry, such as 512Mi."),
    ],
    constraints: &[Constraint::ExactlyOne {
        fields: &["factor", "static"],
        code: Code::MixedBump,
        none: "the memory bump has neither `factor` nor `static`",
        several: "the memory bump has both `factor` and `static`",
        help: "set exactly one of them",
    }],
    extra: Extra::Refused,
    elsewhere: &[],
};
