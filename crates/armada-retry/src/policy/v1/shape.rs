//! The fields of a `v1` policy document.

use crate::policy::model::Condition;
use document::diag::Code;
use document::{Constraint, FieldValue, Kind, choices, shapes};

pub(in crate::policy) const LIMIT: Kind =
    Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange };

shapes! {
    /// Which failures of a job are retried: ordered rules, of which the first that matches wins.
    /// Rules of all policies of a job are concatenated in order. A retry is granted while the
    /// rule's own count is under its limit and the job's total is under globalMaxRetries.
    pub static POLICY_V1 = "RetryPolicy" (elsewhere: &[
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
    ]) {
        /// The form: armadaproject.io/v1.
        required apiVersion: Kind::Exactly("armadaproject.io/v1"),
        /// The kind: RetryPolicy.
        required kind: Kind::Exactly("RetryPolicy"),
        /// The policy's name.
        required metadata: Kind::Object(&METADATA),
        /// The policy's rules, default action and limits.
        required spec: Kind::Object(&SPEC),
    }

    #[doc = "What identifies the policy."]
    static METADATA = "metadata" {
        /// The name: 1 to 63 of a-z, 0-9 and `-`, a letter or digit at both ends.
        /// Unique on a server; queues and job annotations refer to it.
        required name: Kind::Name,
    }

    /// Rules, the action when none matches, and limits.
    static SPEC = "spec" {
        /// Retries each rule may grant that sets no retryLimit of its own.
        /// Each rule counts for itself. Absent: globalMaxRetries. N retries are N+1 runs.
        optional retryLimit: LIMIT,
        #[doc = "What happens when no rule matches; absent means Fail."]
        /// Of several policies on a job the first one's counts. Its retries are counted apart, under
        /// this policy's retryLimit.
        optional defaultAction: Kind::OneOf(&ACTIONS),
        /// How long a retry waits, for rules that set nothing else.
        optional backoff: Kind::Object(&BACKOFF),
        /// Which node a retry avoids, for rules that set nothing else.
        optional antiAffinity: Kind::Object(&ANTI_AFFINITY),
        /// The rules, in order; the first that matches decides.
        optional rules: Kind::List { item: &Kind::Object(&RULE), min: 0 },
    }

    /// How long a retry waits: min(initialDelay * multiplier^(failures-1), maxDelay).
    /// Each field comes from the most specific level that sets it: rule, policy, the scheduler's
    /// defaultBackoff, else 0s, 10m and 2.0.
    pub static BACKOFF = "backoff" {
        /// The wait after the first failure; with 0s no retry waits.
        optional initialDelay: Kind::Duration,
        /// The longest wait. Not less than initialDelay.
        optional maxDelay: Kind::Duration,
        #[doc = "What the wait is multiplied by after each further failure; at least 1."]
        optional multiplier: Kind::Number { min: 1.0, above: false, code: Code::BadBackoff },
    }

    /// Which node a retry avoids.
    static ANTI_AFFINITY = "antiAffinity" {
        /// none, or node.
        required mode: Kind::OneOf(&MODES),
    }

    /// Matchers, which must all hold, and the action if they do.
    /// At least one matcher is needed; a catch-all is the policy's defaultAction.
    pub(in crate::policy) static RULE = "rule" (constraints: &[
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
    ], elsewhere: &[
        ("onCategory", "in `v1` write `onFailureCategory: [..]`, a list"),
        ("onSubcategory", "in `v1` write `onFailureSubcategory: [..]`, a list"),
    ]) {
        /// The action when the rule matches.
        required action: Kind::OneOf(&ACTIONS),
        /// Retries this rule may grant to a job. Absent: the policy's retryLimit.
        /// No effect on a Fail rule.
        optional retryLimit: LIMIT,
        /// The only container whose exit code, OOMKilled and message count.
        /// Absent: exit code and OOMKilled are those of the first failed container, and any container's
        /// message counts. Categories and the pod's conditions do not belong to a container.
        optional containerName: Kind::SomeText,
        /// Whether init containers count too; absent means false.
        /// They come first in pod order then.
        optional includeInitContainers: Kind::Boolean,
        /// Matches the exit code of the container.
        optional onExitCodes: Kind::Object(&EXIT_CODES),
        /// Matches when any of these conditions holds.
        optional onConditions: Kind::List { item: &Condition::KIND, min: 1 },
        /// Matches a termination message.
        optional onTerminationMessage: Kind::Object(&MESSAGE),
        /// Matches when the failure has one of these categories, exactly.
        /// The executor's errorCategories assign them.
        optional onFailureCategory: TEXTS,
        /// Narrows onFailureCategory to these subcategories, exactly.
        optional onFailureSubcategory: TEXTS,
        /// How long a retry by this rule waits.
        optional backoff: Kind::Object(&BACKOFF),
        /// Which node a retry by this rule avoids.
        optional antiAffinity: Kind::Object(&ANTI_AFFINITY),
        /// How a retry by this rule changes the job (an extension to the design).
        optional mutate: Kind::Object(&MUTATE),
    }

    /// Matches the exit code of the container. Exit code 0 never matches, for NotIn too.
    static EXIT_CODES = "onExitCodes" {
        /// In or NotIn.
        required operator: Kind::OneOf(&OPERATORS),
        /// The exit codes, 1 to 2147483647; order does not matter.
        /// A process killed by signal N exits with 128+N: SIGKILL 137, SIGTERM 143.
        required values: Kind::List { item: &Kind::Whole { min: 1, max: i32::MAX as i128, code: Code::BadExitCode }, min: 1 },
    }

    /// Matches what a container wrote to its termination log.
    static MESSAGE = "onTerminationMessage" {
        /// A regular expression in Go's dialect (RE2), found anywhere in the message.
        /// Write (?i) for any case, ^ and $ for the ends. An empty message never matches.
        required pattern: Kind::Pattern,
    }

    /// How a retry changes the job. It applies to runs that failed, not to expired leases.
    static MUTATE = "mutate" (elsewhere: &[(
        "affinity",
        "in `v1` write `antiAffinity: {mode: node}` on the rule; it avoids the last node, not all tried",
    )]) {
        /// How its resources grow.
        optional resources: Kind::Object(&RESOURCES),
    }

    /// How a retry's resources grow.
    pub(in crate::policy) static RESOURCES = "resources" {
        /// How its memory grows: by a factor or by an amount.
        optional memory: Kind::Object(&MEMORY),
    }

    /// How a retry's memory grows. One kind a job: after the first the other kind is skipped.
    static MEMORY = "memory" (constraints: &[Constraint::ExactlyOne {
        fields: &["factor", "static"],
        code: Code::MixedBump,
        none: "the memory bump has neither `factor` nor `static`",
        several: "the memory bump has both `factor` and `static`",
        help: "set exactly one of them",
    }]) {
        #[doc = "What memory is multiplied by, more than 1. Factors of several retries multiply."]
        optional factor: Kind::Number { min: 1.0, above: true, code: Code::OutOfRange },
        #[doc = "What is added to memory on each retry, such as 512Mi."]
        optional static: Kind::Quantity,
    }
}

choices! {
    static ACTIONS = "action" {
        /// The job gets another run, within the limits.
        "Retry",
        /// The job ends.
        "Fail",
    }

    static MODES = "mode" {
        /// No node is avoided; the default.
        "none",
        /// The node of the most recent failed run is avoided.
        "node",
    }

    static OPERATORS = "operator" {
        /// The exit code is one of the values.
        "In",
        /// The exit code is none of the values, and not 0.
        "NotIn",
    }
}

const TEXTS: Kind = Kind::List { item: &Kind::SomeText, min: 1 };
