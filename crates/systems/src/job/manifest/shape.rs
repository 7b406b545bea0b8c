//! The shape of a `batch/v1` Job, as far as its failures depend on it.
//!
//! A manifest is read as it is applied: fields that failures do not depend on are skipped. `validate` has the
//! API server's checks beyond a field's type.
//!
//! The shape has every field of `podFailurePolicy`, so a misspelt one is an error.

use super::containers::{ContainerRestartPolicy, RestartAction};
use super::success_rule::SuccessRule;
use super::{ConditionStatus, PodAction};
use document::diag::Code;
use document::{Constraint, Extra, FieldValue, Kind, choices, shapes};

/// Fields of a JobSet that users expect in a Job.
const OF_JOBSETS: &[(&str, &str)] = &[
    ("failurePolicy", "a Job has `podFailurePolicy`; `failurePolicy` belongs to a JobSet"),
    ("maxRestarts", "a Job has `backoffLimit`; `maxRestarts` belongs to a JobSet"),
    ("replicatedJobs", "`replicatedJobs` belong to a JobSet; a Job has one `template`"),
];

const COUNT: Kind = Kind::Whole { min: 0, max: i32::MAX as i128, code: Code::OutOfRange };
const SECONDS: Kind = Kind::Whole { min: 0, max: i64::MAX as i128, code: Code::OutOfRange };

shapes! {
    /// A batch/v1 Job: pods that are replaced until enough of them succeed, or too many fail.
    pub static JOB = "Job" (extra: Extra::Tolerated, elsewhere: OF_JOBSETS) {
        /// The API: batch/v1.
        required apiVersion: Kind::Exactly("batch/v1"),
        /// The kind: Job.
        required kind: Kind::Exactly("Job"),
        /// The Job's name.
        required metadata: Kind::Object(&METADATA),
        #[doc = "What the Job runs, and how it may fail."]
        required spec: Kind::Object(&JOB_SPEC),
        #[doc = "What the controller writes; it is not read."]
        optional status: Kind::Anything,
    }

    #[doc = "What identifies it."]
    pub(crate) static METADATA = "metadata" (constraints: &[Constraint::AtLeastOne {
        fields: &["name", "generateName"],
        code: Code::MissingField,
        message: "the metadata has no `name`",
        help: "add `name`: a name of a-z, 0-9 and `-`",
    }], extra: Extra::Tolerated) {
        /// Its name; units with this jobId are evaluated by it.
        optional name: Kind::SomeText,
        /// The prefix of a name that the server generates.
        optional generateName: Kind::SomeText,
        /// Its namespace; absent means default.
        optional namespace: Kind::Text,
    }

    /// How many pods a Job needs, and which failures it survives.
    pub static JOB_SPEC = "Job's spec" (extra: Extra::Tolerated, elsewhere: OF_JOBSETS) {
        /// Failed pods that are replaced before the Job fails; absent means 6, or practically
        /// no limit with backoffLimitPerIndex. With restartPolicy OnFailure restarts count as well.
        optional backoffLimit: COUNT,
        /// Failed pods of one index that are replaced before the index fails.
        /// Needs completionMode Indexed.
        optional backoffLimitPerIndex: COUNT,
        /// Failed indexes that the Job survives until the others are done; absent means any
        /// number. Needs backoffLimitPerIndex.
        optional maxFailedIndexes: COUNT,
        /// Pods that have to succeed; absent means one success ends it.
        optional completions: COUNT,
        /// Pods that may run at once; absent means 1.
        optional parallelism: COUNT,
        /// Whether pods are interchangeable; absent means NonIndexed.
        optional completionMode: Kind::OneOf(&COMPLETION_MODES),
        /// Seconds after its start at which the Job fails, regardless of its pods.
        optional activeDeadlineSeconds: SECONDS,
        /// When a pod is replaced; absent means Failed with a podFailurePolicy, else
        /// TerminatingOrFailed.
        optional podReplacementPolicy: Kind::OneOf(&REPLACEMENT_POLICIES),
        /// How each failure of a pod is handled. Needs restartPolicy Never.
        optional podFailurePolicy: Kind::Object(&POD_FAILURE_POLICY),
        /// Which indexes have to succeed for the Job to be complete; absent means all.
        /// Needs completionMode Indexed.
        optional successPolicy: Kind::Object(&SUCCESS_POLICY),
        /// The pods.
        optional template: Kind::Object(&TEMPLATE),
    }

    /// The pods of the Job.
    static TEMPLATE = "template" (extra: Extra::Tolerated, elsewhere: OF_JOBSETS) {
        /// Labels and annotations of the pods; not read.
        optional metadata: Kind::Anything,
        #[doc = "What a pod runs."]
        optional spec: Kind::Object(&POD_SPEC),
    }

    #[doc = "What a pod runs."]
    static POD_SPEC = "pod's spec" (extra: Extra::Tolerated, elsewhere: OF_JOBSETS) {
        /// Whether containers are restarted in place when they fail.
        optional restartPolicy: Kind::OneOf(&RESTART_POLICIES),
        /// Seconds after its start at which a pod fails; not read.
        optional activeDeadlineSeconds: Kind::Anything,
        /// Its containers.
        optional containers: CONTAINERS,
        /// Containers that run before them.
        optional initContainers: CONTAINERS,
    }

    /// A container of the pods.
    static CONTAINER = "container" (extra: Extra::Tolerated) {
        /// Its name, which rules may refer to.
        required name: Kind::SomeText,
        /// Whether it is restarted in place; absent means the pod's. It is needed beside
        /// restartPolicyRules.
        optional restartPolicy: ContainerRestartPolicy::KIND,
        /// Ordered rules, at most 20: the first that matches its exit code restarts it, or all
        /// containers, in place. The pod does not fail, and nothing is counted (Kubernetes 1.35).
        optional restartPolicyRules: Kind::List { item: &Kind::Object(&RESTART_RULE), min: 0 },
    }

    /// A rule for a container that has ended.
    static RESTART_RULE = "restart rule" {
        /// The action when the rule matches.
        required action: RestartAction::KIND,
        /// The exit codes that it matches.
        required exitCodes: Kind::Object(&RESTART_CODES),
    }

    /// Exit codes of the container, 0 too.
    static RESTART_CODES = "exitCodes" {
        /// In, or NotIn.
        required operator: Kind::OneOf(&RESTART_OPERATORS),
        /// Exit codes, at most 255; absent means none.
        optional values: Kind::List { item: &EXIT_CODE, min: 0 },
    }

    /// Ordered rules; the first that matches a failed pod decides.
    pub(crate) static POD_FAILURE_POLICY = "podFailurePolicy" {
        /// The rules, at most 20. A failed pod that none matches counts towards backoffLimit.
        required rules: Kind::List { item: &Kind::Object(&RULE), min: 0 },
    }

    /// One requirement, on exit codes or on conditions, and the action if it holds.
    static RULE = "rule" {
        /// The action when the rule matches.
        required action: PodAction::KIND,
        /// Looks at containers' exit codes.
        optional onExitCodes: Kind::Object(&ON_EXIT_CODES),
        /// Looks at the pod's conditions; any of these, at most 20.
        optional onPodConditions: Kind::List { item: &Kind::Object(&CONDITION_PATTERN), min: 0 },
    }

    /// Exit codes of containers that have ended, init containers too; 0 is never matched.
    static ON_EXIT_CODES = "onExitCodes" {
        /// The only container or init container that is checked; absent means any.
        optional containerName: Kind::Text,
        /// In, or NotIn.
        required operator: Kind::OneOf(&OPERATORS),
        /// Exit codes: 1 to 255 of them, in ascending order, each once. With In none is 0.
        required values: Kind::List { item: &EXIT_CODE, min: 1 },
    }

    /// A condition that the pod has.
    static CONDITION_PATTERN = "onPodConditions" {
        /// The condition, such as DisruptionTarget.
        required type: Kind::SomeText,
        /// Its status; absent means True.
        optional status: ConditionStatus::KIND,
    }

    /// Rules of which one is enough: then the Job is complete, and what is left of its pods stops.
    pub(crate) static SUCCESS_POLICY = "successPolicy" {
        /// The rules, at least one and at most 20.
        required rules: Kind::List { item: &SuccessRule::KIND, min: 0 },
    }
}

choices! {
    static COMPLETION_MODES = "completion mode" {
        /// Pods are interchangeable.
        "NonIndexed",
        /// Each of the indexes from 0 needs a pod's success.
        "Indexed",
    }

    static REPLACEMENT_POLICIES = "pod replacement policy" {
        /// Once it is being deleted or has failed.
        "TerminatingOrFailed",
        /// Once it has failed, and not before.
        "Failed",
    }

    static RESTART_POLICIES = "restart policy" {
        /// A container that fails fails its pod.
        "Never",
        /// A container that fails is restarted within its pod.
        "OnFailure",
    }

    static RESTART_OPERATORS = "operator" {
        /// It ended with one of the values.
        "In",
        /// It ended with something else, which may be 0.
        "NotIn",
    }

    static OPERATORS = "operator" {
        /// At least one container ended with one of the values.
        "In",
        /// At least one container ended with something else, and not with 0.
        "NotIn",
    }
}

const CONTAINERS: Kind = Kind::List { item: &Kind::Object(&CONTAINER), min: 0 };
const EXIT_CODE: Kind =
    Kind::Whole { min: i32::MIN as i128, max: i32::MAX as i128, code: Code::OutOfRange };
