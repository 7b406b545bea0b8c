//! The shape of the documents of a workflow, as far as their retries depend on it.
//!
//! A manifest is read as it is applied: fields that retries do not depend on are skipped. The shape has every field of a
//! `retryStrategy`, so a misspelt one is an error, as with `argo lint`.

use super::RetryPolicyName;
use document::diag::Code;
use document::{Constraint, Extra, Field, FieldValue, Kind, optional, required, shapes};

/// The kinds of documents with workflows.
pub(crate) const KINDS: [&str; 4] =
    ["Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow"];
/// Their version.
pub(crate) const VERSION: &str = "argoproj.io/v1alpha1";

shapes! {
    /// A workflow of Argo: templates, each of which may have a retry strategy.
    pub(crate) static WORKFLOW = "workflow" (extra: Extra::Ignored) {
        VERSION_FIELD,
        KIND_FIELD,
        METADATA_FIELD,
        #[doc = "What the workflow runs."]
        required spec: Kind::Object(&SPEC),
        STATUS,
    }

    /// A schedule of Argo's, and the workflow that it creates.
    pub(crate) static CRON_WORKFLOW = "CronWorkflow" (extra: Extra::Ignored) {
        VERSION_FIELD,
        KIND_FIELD,
        METADATA_FIELD,
        /// When the workflow runs, and what it runs.
        required spec: Kind::Object(&CRON_SPEC),
        STATUS,
    }

    #[doc = "What identifies it."]
    static METADATA = "metadata" (constraints: &[Constraint::AtLeastOne {
        fields: &["name", "generateName"],
        code: Code::MissingField,
        message: "the metadata has no `name`",
        help: "add `name`: a name of a-z, 0-9 and `-`",
    }], extra: Extra::Ignored) {
        /// Its name, with which the names of its nodes begin.
        optional name: Kind::SomeText,
        /// The prefix of a name that the server generates.
        optional generateName: Kind::SomeText,
        /// Its namespace; absent means default.
        optional namespace: Kind::Text,
    }

    /// When the workflow runs, and what it runs.
    static CRON_SPEC = "CronWorkflow's spec" (extra: Extra::Ignored) {
        /// The workflow.
        required workflowSpec: Kind::Object(&SPEC),
    }

    #[doc = "What a workflow runs."]
    static SPEC = "workflow's spec" (extra: Extra::Ignored) {
        #[doc = "What it can run: containers, scripts, steps and others."]
        optional templates: Kind::List { item: &Kind::Object(&TEMPLATE), min: 0 },
        /// Fields of templates that do not have them. They are merged, field by field.
        optional templateDefaults: Kind::Object(&TEMPLATE_DEFAULTS),
        /// The strategy of templates that have none, also not by templateDefaults.
        optional retryStrategy: Kind::Object(&RETRY_STRATEGY),
    }

    /// A part of a workflow that can be run.
    static TEMPLATE = "template" (extra: Extra::Ignored) {
        /// Its name, which records of its attempts have.
        required name: Kind::SomeText,
        STRATEGY,
    }

    /// Fields of templates that do not have them.
    static TEMPLATE_DEFAULTS = "templateDefaults" (extra: Extra::Ignored) {
        STRATEGY,
    }

    /// Whether an attempt that fails is followed by another, and when.
    pub(crate) static RETRY_STRATEGY = "retryStrategy" (elsewhere: &[
        ("retries", "write `limit`: attempts after the first"),
        ("maxDuration", "write it into `backoff`"),
        ("duration", "write it into `backoff`"),
        ("when", "write `expression`"),
    ]) {
        /// Attempts after the first, a number or a text of one; absent means any number, without waits.
        optional limit: Kind::Anything,
        /// The phases that are retried; absent means OnFailure, with an expression Always.
        optional retryPolicy: RetryPolicyName::KIND,
        /// The waits. They apply only with a limit.
        optional backoff: Kind::Object(&BACKOFF),
        /// Where attempts run.
        optional affinity: Kind::Object(&AFFINITY),
        /// A condition on the attempt that failed, which must be true for a retry.
        optional expression: Kind::Text,
    }

    /// The waits between attempts: duration, times factor from wait to wait, at most cap.
    static BACKOFF = "backoff" (elsewhere: &[
        ("maxDelay", "write `cap`"),
        ("limit", "write it beside `backoff`"),
    ]) {
        /// The first wait, as a text: seconds, or such as `1m`.
        optional duration: Kind::Text,
        /// The growth from wait to wait, a whole number; absent and 0 mean none.
        optional factor: Kind::Anything,
        /// The longest wait, as a text.
        optional cap: Kind::Text,
        /// The time since the first attempt began in which another may begin, as a text.
        optional maxDuration: Kind::Text,
    }

    /// Where attempts run.
    static AFFINITY = "affinity" {
        /// Empty: an attempt avoids the nodes of those that failed.
        optional nodeAntiAffinity: Kind::Object(&ANTI_AFFINITY),
    }

    /// It has no fields.
    static ANTI_AFFINITY = "nodeAntiAffinity" {}
}

const VERSION_FIELD: Field =
    required("apiVersion", Kind::Exactly(VERSION), "The API: argoproj.io/v1alpha1.");
const KIND_FIELD: Field = required(
    "kind",
    Kind::SomeText,
    "Workflow, WorkflowTemplate, ClusterWorkflowTemplate or CronWorkflow.",
);
const METADATA_FIELD: Field = required("metadata", Kind::Object(&METADATA), "The workflow's name.");
const STATUS: Field =
    optional("status", Kind::Anything, "What the controller writes; it is not read.");

const STRATEGY: Field = optional(
    "retryStrategy",
    Kind::Object(&RETRY_STRATEGY),
    "Whether an attempt that fails is followed by another.\nSteps and DAGs are run again as a whole.",
);
