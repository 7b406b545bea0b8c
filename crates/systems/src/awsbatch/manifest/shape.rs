//! The shape of a job definition: the fields on which retries depend.
//!
//! Three documents have it: the input of `aws batch register-job-definition`, that of `aws batch submit-job`, and an item
//! of `aws batch describe-job-definitions`. All other fields belong to AWS and are not checked.

use document::diag::Code;
use document::{Constraint, Extra, Kind, Node, Shape, optional, required};

/// The maximum number of attempts (API Reference, `RetryStrategy`).
pub(in crate::awsbatch) const MAX_ATTEMPTS: u32 = 10;
/// The maximum number of entries of `evaluateOnExit` (API Reference, `RetryStrategy`).
pub(in crate::awsbatch) const MAX_ENTRIES: usize = 5;
/// The minimum of a timeout in seconds (API Reference, `JobTimeout`).
const MIN_TIMEOUT: i128 = 60;

/// The shape of a job definition, or of the submission of a job.
pub static JOB_DEFINITION: Shape = Shape {
    name: "job definition",
    doc: "A job definition of AWS Batch, or the submission of a job: its retry strategy and its timeout.",
    fields: &[
        optional("jobDefinitionName", Kind::SomeText, "The name of the definition."),
        optional("jobName", Kind::SomeText, "The name of the submitted job."),
        optional("jobDefinition", Kind::SomeText, "The definition of the submitted job."),
        optional(
            "retryStrategy",
            Kind::Object(&RETRY_STRATEGY),
            "How often a failed job is attempted; absent means one attempt.\n\
             That of a submission replaces that of its definition.",
        ),
        optional(
            "timeout",
            Kind::Object(&TIMEOUT),
            "How long an attempt may run; absent means any time. A job that exceeds it is not retried.",
        ),
    ],
    constraints: &[],
    extra: Extra::Tolerated,
    elsewhere: &[],
};

static RETRY_STRATEGY: Shape = Shape {
    name: "retryStrategy",
    doc: "How often a failed job is attempted.",
    fields: &[
        optional(
            "attempts",
            Kind::Whole { min: 1, max: MAX_ATTEMPTS as i128, code: Code::OutOfRange },
            "Attempts in all, the first included: 1 to 10; absent means 1.",
        ),
        optional(
            "evaluateOnExit",
            Kind::List { item: &ENTRY_KIND, min: 0 },
            "Up to five entries, in order: the first of which all conditions are met decides.\n\
             If none is, the job is retried.",
        ),
    ],
    constraints: &[Constraint::Needs {
        field: "evaluateOnExit",
        needs: "attempts",
        code: Code::MissingField,
        message: "`evaluateOnExit` requires `attempts`",
        help: "add `attempts`: 1 to 10, the first attempt included",
    }],
    extra: Extra::Refused,
    elsewhere: &[
        ("maxAttempts", "write `attempts`: the first attempt counts"),
        ("retries", "write `attempts`: one more than the retries"),
        ("backoff", "AWS Batch has no delay between attempts"),
    ],
};

static ENTRY_KIND: Kind = Kind::Object(&ENTRY);

static ENTRY: Shape = Shape {
    name: "rule of evaluateOnExit",
    doc: "Up to three conditions, all of which have to be met, and an action.",
    fields: &[
        optional(
            "onStatusReason",
            Kind::SomeText,
            "A pattern for the status reason of the attempt, such as `Host EC2*`.\n\
             Letters, digits, periods, colons and white space, and `*` at the end: up to 512 characters.",
        ),
        optional(
            "onReason",
            Kind::SomeText,
            "A pattern for the reason of the container, such as `CannotPullContainerError:*`; as onStatusReason.",
        ),
        optional(
            "onExitCode",
            Kind::SomeText,
            "A pattern for the exit code in decimal, as text: digits, and `*` at the end, such as \"137\".",
        ),
        required(
            "action",
            Kind::SomeText,
            "The action if all conditions are met: RETRY or EXIT, in any case.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[(
        "onExitCodes",
        "write one entry with `onExitCode` for each code, or a pattern such as `4*`",
    )],
};

static TIMEOUT: Shape = Shape {
    name: "timeout",
    doc: "How long an attempt may run.",
    fields: &[optional(
        "attemptDurationSeconds",
        Kind::Whole { min: MIN_TIMEOUT, max: i32::MAX as i128, code: Code::OutOfRange },
        "Seconds from the start of an attempt, at least 60. Each attempt has as many.",
    )],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[("attemptDuration", "write `attemptDurationSeconds`")],
};

/// The path of the entries.
pub(in crate::awsbatch) const ENTRIES: [&str; 2] = ["retryStrategy", "evaluateOnExit"];

/// Returns the nodes of the entries.
pub(in crate::awsbatch) fn entries(root: &Node) -> &[Node] {
    root.at(&ENTRIES).map(Node::items).unwrap_or_default()
}
