//! The shape of the documents of a workflow, as far as their retries depend on it.
//!
//! A manifest is read as it is applied: fields that retries do not depend on are skipped. The shape has every field of a
//! `retryStrategy`, so a misspelt one is an error, as with `argo lint`.

use document::diag::Code;
use document::{Choices, Constraint, Extra, Kind, Shape, choice, optional, required};

/// The kinds of documents with workflows.
pub(crate) const KINDS: [&str; 4] =
    ["Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow"];
/// Their version.
pub(crate) const VERSION: &str = "argoproj.io/v1alpha1";

/// The shape of a Workflow, a `WorkflowTemplate` and a `ClusterWorkflowTemplate`.
pub(crate) static WORKFLOW: Shape = Shape {
    name: "workflow",
    doc: "A workflow of Argo: templates, each of which may have a retry strategy.",
    fields: &[
        required("apiVersion", Kind::Exactly(VERSION), "The API: argoproj.io/v1alpha1."),
        required(
            "kind",
            Kind::SomeText,
            "Workflow, WorkflowTemplate, ClusterWorkflowTemplate or CronWorkflow.",
        ),
        required("metadata", Kind::Object(&METADATA), "The workflow's name."),
        required("spec", Kind::Object(&SPEC), "What the workflow runs."),
        optional("status", Kind::Anything, "What the controller writes; it is not read."),
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

/// The shape of a `CronWorkflow`.
pub(crate) static CRON_WORKFLOW: Shape = Shape {
    name: "CronWorkflow",
    doc: "A schedule of Argo's, and the workflow that it creates.",
    fields: &[
        WORKFLOW.fields[0],
        WORKFLOW.fields[1],
        WORKFLOW.fields[2],
        required("spec", Kind::Object(&CRON_SPEC), "When the workflow runs, and what it runs."),
        WORKFLOW.fields[4],
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

static METADATA: Shape = Shape {
    name: "metadata",
    doc: "What identifies it.",
    fields: &[
        optional("name", Kind::SomeText, "Its name, with which the names of its nodes begin."),
        optional("generateName", Kind::SomeText, "The prefix of a name that the server generates."),
        optional("namespace", Kind::Text, "Its namespace; absent means default."),
    ],
    constraints: &[Constraint::AtLeastOne {
        fields: &["name", "generateName"],
        code: Code::MissingField,
        message: "the metadata has no `name`",
        help: "add `name`: a name of a-z, 0-9 and `-`",
    }],
    extra: Extra::Ignored,
    elsewhere: &[],
};

static CRON_SPEC: Shape = Shape {
    name: "CronWorkflow's spec",
    doc: "When the workflow runs, and what it runs.",
    fields: &[required("workflowSpec", Kind::Object(&SPEC), "The workflow.")],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

static SPEC: Shape = Shape {
    name: "workflow's spec",
    doc: "What a workflow runs.",
    fields: &[
        optional(
            "templates",
            Kind::List { item: &TEMPLATE_KIND, min: 0 },
            "What it can run: containers, scripts, steps and others.",
        ),
        optional(
            "templateDefaults",
            Kind::Object(&TEMPLATE_DEFAULTS),
            "Fields of templates that do not have them. They are merged, field by field.",
        ),
        optional(
            "retryStrategy",
            Kind::Object(&RETRY_STRATEGY),
            "The strategy of templates that have none, also not by templateDefaults.",
        ),
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

static TEMPLATE_KIND: Kind = Kind::Object(&TEMPLATE);

static TEMPLATE: Shape = Shape {
    name: "template",
    doc: "A part of a workflow that can be run.",
    fields: &[
        required("name", Kind::SomeText, "Its name, which records of its attempts have."),
        STRATEGY,
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

static TEMPLATE_DEFAULTS: Shape = Shape {
    name: "templateDefaults",
    doc: "Fields of templates that do not have them.",
    fields: &[STRATEGY],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

const STRATEGY: document::Field = optional(
    "retryStrategy",
    Kind::Object(&RETRY_STRATEGY),
    "Whether an attempt that fails is followed by another.\nSteps and DAGs are run again as a whole.",
);

/// The shape of a retry strategy.
pub(crate) static RETRY_STRATEGY: Shape = Shape {
    name: "retryStrategy",
    doc: "Whether an attempt that fails is followed by another, and when.",
    fields: &[
        optional(
            "limit",
            Kind::Anything,
            "Attempts after the first, a number or a text of one; absent means any number, without waits.",
        ),
        optional(
            "retryPolicy",
            Kind::OneOf(&RETRY_POLICIES),
            "The phases that are retried; absent means OnFailure, with an expression Always.",
        ),
        optional("backoff", Kind::Object(&BACKOFF), "The waits. They apply only with a limit."),
        optional("affinity", Kind::Object(&AFFINITY), "Where attempts run."),
        optional(
            "expression",
            Kind::Text,
            "A condition on the attempt that failed, which must be true for a retry.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[
        ("retries", "write `limit`: attempts after the first"),
        ("maxDuration", "write it into `backoff`"),
        ("duration", "write it into `backoff`"),
        ("when", "write `expression`"),
    ],
};

static RETRY_POLICIES: Choices = Choices {
    name: "retry policy",
    values: &[
        choice("Always", "Attempts of both phases are retried."),
        choice("OnFailure", "Attempts that are Failed: their main container failed."),
        choice(
            "OnError",
            "Attempts in Error: of the controller, of an init container, or a deleted pod.",
        ),
        choice("OnTransientError", "Attempts whose message is that of a transient error."),
    ],
    any_case: false,
    elsewhere: &[],
};

static BACKOFF: Shape = Shape {
    name: "backoff",
    doc: "The waits between attempts: duration, times factor from wait to wait, at most cap.",
    fields: &[
        optional("duration", Kind::Text, "The first wait, as a text: seconds, or such as `1m`."),
        optional(
            "factor",
            Kind::Anything,
            "The growth from wait to wait, a whole number; absent and 0 mean none.",
        ),
        optional("cap", Kind::Text, "The longest wait, as a text."),
        optional(
            "maxDuration",
            Kind::Text,
            "The time since the first attempt began in which another may begin, as a text.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[("maxDelay", "write `cap`"), ("limit", "write it beside `backoff`")],
};

static AFFINITY: Shape = Shape {
    name: "affinity",
    doc: "Where attempts run.",
    fields: &[optional(
        "nodeAntiAffinity",
        Kind::Object(&ANTI_AFFINITY),
        "Empty: an attempt avoids the nodes of those that failed.",
    )],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static ANTI_AFFINITY: Shape = Shape {
    name: "nodeAntiAffinity",
    doc: "It has no fields.",
    fields: &[],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};
