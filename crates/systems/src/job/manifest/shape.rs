//! The shape of a `batch/v1` Job, as far as its failures depend on it.
//!
//! A manifest is read as it is applied: fields that failures do not depend on are skipped. `validate` has the
//! API server's checks beyond a field's type.
//!
//! The shape has every field of `podFailurePolicy`, so a misspelt one is an error.

use document::diag::Code;
use document::{Choices, Constraint, Extra, Kind, Shape, choice, optional, required};

/// Fields of a JobSet that users expect in a Job.
const OF_JOBSETS: &[(&str, &str)] = &[
    ("failurePolicy", "a Job has `podFailurePolicy`; `failurePolicy` belongs to a JobSet"),
    ("maxRestarts", "a Job has `backoffLimit`; `maxRestarts` belongs to a JobSet"),
    ("replicatedJobs", "`replicatedJobs` belong to a JobSet; a Job has one `template`"),
];

const COUNT: Kind = Kind::Whole { min: 0, max: i32::MAX as i128, code: Code::OutOfRange };
const SECONDS: Kind = Kind::Whole { min: 0, max: i64::MAX as i128, code: Code::OutOfRange };

/// The shape of a Job's manifest.
pub static JOB: Shape = Shape {
    name: "Job",
    doc: "A batch/v1 Job: pods that are replaced until enough of them succeed, or too many fail.",
    fields: &[
        required("apiVersion", Kind::Exactly("batch/v1"), "The API: batch/v1."),
        required("kind", Kind::Exactly("Job"), "The kind: Job."),
        required("metadata", Kind::Object(&METADATA), "The Job's name."),
        required("spec", Kind::Object(&JOB_SPEC), "What the Job runs, and how it may fail."),
        optional("status", Kind::Anything, "What the controller writes; it is not read."),
    ],
    constraints: &[],
    extra: Extra::Tolerated,
    elsewhere: OF_JOBSETS,
};

/// The shape of the identity of a Job or a set.
pub(crate) static METADATA: Shape = Shape {
    name: "metadata",
    doc: "What identifies it.",
    fields: &[
        optional("name", Kind::SomeText, "Its name; units with this jobId are evaluated by it."),
        optional("generateName", Kind::SomeText, "The prefix of a name that the server generates."),
        optional("namespace", Kind::Text, "Its namespace; absent means default."),
    ],
    constraints: &[Constraint::AtLeastOne {
        fields: &["name", "generateName"],
        code: Code::MissingField,
        message: "the metadata has no `name`",
        help: "add `name`: a name of a-z, 0-9 and `-`",
    }],
    extra: Extra::Tolerated,
    elsewhere: &[],
};

/// The shape of a Job's specification, which is also that of a JobSet's `replicatedJobs[].template.spec`.
pub static JOB_SPEC: Shape = Shape {
    name: "Job's spec",
    doc: "How many pods a Job needs, and which failures it survives.",
    fields: &[
        optional(
            "backoffLimit",
            COUNT,
            "Failed pods that are replaced before the Job fails; absent means 6, or practically\n\
             no limit with backoffLimitPerIndex. With restartPolicy OnFailure restarts count as well.",
        ),
        optional(
            "backoffLimitPerIndex",
            COUNT,
            "Failed pods of one index that are replaced before the index fails.\nNeeds completionMode Indexed.",
        ),
        optional(
            "maxFailedIndexes",
            COUNT,
            "Failed indexes that the Job survives until the others are done; absent means any\nnumber. Needs backoffLimitPerIndex.",
        ),
        optional(
            "completions",
            COUNT,
            "Pods that have to succeed; absent means one success ends it.",
        ),
        optional("parallelism", COUNT, "Pods that may run at once; absent means 1."),
        optional(
            "completionMode",
            Kind::OneOf(&COMPLETION_MODES),
            "Whether pods are interchangeable; absent means NonIndexed.",
        ),
        optional(
            "activeDeadlineSeconds",
            SECONDS,
            "Seconds after its start at which the Job fails, regardless of its pods.",
        ),
        optional(
            "podReplacementPolicy",
            Kind::OneOf(&REPLACEMENT_POLICIES),
            "When a pod is replaced; absent means Failed with a podFailurePolicy, else\nTerminatingOrFailed.",
        ),
        optional(
            "podFailurePolicy",
            Kind::Object(&POD_FAILURE_POLICY),
            "How each failure of a pod is handled. Needs restartPolicy Never.",
        ),
        optional(
            "successPolicy",
            Kind::Object(&SUCCESS_POLICY),
            "Which indexes have to succeed for the Job to be complete; absent means all.\nNeeds completionMode Indexed.",
        ),
        optional("template", Kind::Object(&TEMPLATE), "The pods."),
    ],
    constraints: &[],
    extra: Extra::Tolerated,
    elsewhere: OF_JOBSETS,
};

static COMPLETION_MODES: Choices = Choices {
    name: "completion mode",
    values: &[
        choice("NonIndexed", "Pods are interchangeable."),
        choice("Indexed", "Each of the indexes from 0 needs a pod's success."),
    ],
    any_case: false,
    elsewhere: &[],
};

static REPLACEMENT_POLICIES: Choices = Choices {
    name: "pod replacement policy",
    values: &[
        choice("TerminatingOrFailed", "Once it is being deleted or has failed."),
        choice("Failed", "Once it has failed, and not before."),
    ],
    any_case: false,
    elsewhere: &[],
};

static TEMPLATE: Shape = Shape {
    name: "template",
    doc: "The pods of the Job.",
    fields: &[
        optional("metadata", Kind::Anything, "Labels and annotations of the pods; not read."),
        optional("spec", Kind::Object(&POD_SPEC), "What a pod runs."),
    ],
    constraints: &[],
    extra: Extra::Tolerated,
    elsewhere: OF_JOBSETS,
};

static POD_SPEC: Shape = Shape {
    name: "pod's spec",
    doc: "What a pod runs.",
    fields: &[
        optional(
            "restartPolicy",
            Kind::OneOf(&RESTART_POLICIES),
            "Whether containers are restarted in place when they fail.",
        ),
        optional(
            "activeDeadlineSeconds",
            Kind::Anything,
            "Seconds after its start at which a pod fails; not read.",
        ),
        optional("containers", CONTAINERS, "Its containers."),
        optional("initContainers", CONTAINERS, "Containers that run before them."),
    ],
    constraints: &[],
    extra: Extra::Tolerated,
    elsewhere: OF_JOBSETS,
};

static RESTART_POLICIES: Choices = Choices {
    name: "restart policy",
    values: &[
        choice("Never", "A container that fails fails its pod."),
        choice("OnFailure", "A container that fails is restarted within its pod."),
    ],
    any_case: false,
    elsewhere: &[],
};

const CONTAINERS: Kind = Kind::List { item: &CONTAINER_KIND, min: 0 };
static CONTAINER_KIND: Kind = Kind::Object(&CONTAINER);

static CONTAINER: Shape = Shape {
    name: "container",
    doc: "A container of the pods.",
    fields: &[
        required("name", Kind::SomeText, "Its name, which rules may refer to."),
        optional(
            "restartPolicy",
            Kind::OneOf(&CONTAINER_RESTART_POLICIES),
            "Whether it is restarted in place; absent means the pod's. It is needed beside\nrestartPolicyRules.",
        ),
        optional(
            "restartPolicyRules",
            Kind::List { item: &RESTART_RULE_KIND, min: 0 },
            "Ordered rules, at most 20: the first that matches its exit code restarts it, or all\n\
             containers, in place. The pod does not fail, and nothing is counted (Kubernetes 1.35).",
        ),
    ],
    constraints: &[],
    extra: Extra::Tolerated,
    elsewhere: &[],
};

static CONTAINER_RESTART_POLICIES: Choices = Choices {
    name: "restart policy of a container",
    values: &[
        choice("Always", "It is restarted whatever its exit code."),
        choice("OnFailure", "It is restarted if it fails."),
        choice("Never", "It is not restarted, but for its restartPolicyRules."),
    ],
    any_case: false,
    elsewhere: &[],
};

static RESTART_RULE_KIND: Kind = Kind::Object(&RESTART_RULE);

static RESTART_RULE: Shape = Shape {
    name: "restart rule",
    doc: "A rule for a container that has ended.",
    fields: &[
        required("action", Kind::OneOf(&RESTART_ACTIONS), "The action when the rule matches."),
        required("exitCodes", Kind::Object(&RESTART_CODES), "The exit codes that it matches."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static RESTART_ACTIONS: Choices = Choices {
    name: "action of a restart rule",
    values: &[
        choice("Restart", "The container is restarted in place."),
        choice("RestartAllContainers", "All containers of the pod are restarted in place (1.36)."),
    ],
    any_case: false,
    elsewhere: &[],
};

static RESTART_CODES: Shape = Shape {
    name: "exitCodes",
    doc: "Exit codes of the container, 0 too.",
    fields: &[
        required("operator", Kind::OneOf(&RESTART_OPERATORS), "In, or NotIn."),
        optional(
            "values",
            Kind::List { item: &EXIT_CODE, min: 0 },
            "Exit codes, at most 255; absent means none.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static RESTART_OPERATORS: Choices = Choices {
    name: "operator",
    values: &[
        choice("In", "It ended with one of the values."),
        choice("NotIn", "It ended with something else, which may be 0."),
    ],
    any_case: false,
    elsewhere: &[],
};

const EXIT_CODE: Kind =
    Kind::Whole { min: i32::MIN as i128, max: i32::MAX as i128, code: Code::OutOfRange };

/// The shape of a pod failure policy.
pub(crate) static POD_FAILURE_POLICY: Shape = Shape {
    name: "podFailurePolicy",
    doc: "Ordered rules; the first that matches a failed pod decides.",
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
    doc: "One requirement, on exit codes or on conditions, and the action if it holds.",
    fields: &[
        required("action", Kind::OneOf(&ACTIONS), "The action when the rule matches."),
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
    doc: "Exit codes of containers that have ended, init containers too; 0 is never matched.",
    fields: &[
        optional(
            "containerName",
            Kind::Text,
            "The only container or init container that is checked; absent means any.",
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
pub(crate) static STATUSES: Choices = Choices {
    name: "status",
    values: &[
        choice("True", "The condition holds."),
        choice("False", "It does not hold."),
        choice("Unknown", "It is unknown."),
    ],
    any_case: false,
    elsewhere: &[],
};

/// The shape of a success policy.
pub(crate) static SUCCESS_POLICY: Shape = Shape {
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
