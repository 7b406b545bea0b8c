//! The shape of a JobSet manifest, as far as its failures depend on it.
//!
//! A manifest is read as it is applied: fields that failures do not depend on are ignored. The webhook's
//! further checks, such as those of reasons and names, are in `validate`.

use crate::job::JOB_SPEC;
use crate::job::manifest::shape::METADATA;
use document::diag::Code;
use document::{Choices, Extra, Kind, Shape, choice, optional, required};

const INT32: Kind =
    Kind::Whole { min: i32::MIN as i128, max: i32::MAX as i128, code: Code::OutOfRange };
const TEXTS: Kind = Kind::List { item: &Kind::Text, min: 0 };

/// The shape of a JobSet of `jobset.x-k8s.io/v1alpha2`.
pub static JOBSET: Shape = Shape {
    name: "JobSet",
    doc: "A set of Jobs, and how failures of its Jobs are handled.\n\
          Read are the failure policy and what it refers to; every other field is ignored, so a\n\
          manifest can be given as it is applied.",
    fields: &[
        required(
            "apiVersion",
            Kind::Exactly("jobset.x-k8s.io/v1alpha2"),
            "The form: jobset.x-k8s.io/v1alpha2.",
        ),
        required("kind", Kind::Exactly("JobSet"), "The kind: JobSet."),
        required("metadata", Kind::Object(&METADATA), "The set's name."),
        optional("spec", Kind::Object(&SPEC), "The set's Jobs and its failure policy."),
        optional("status", Kind::Anything, "What the controller writes; it is not read."),
    ],
    constraints: &[],
    extra: Extra::Tolerated,
    elsewhere: &[],
};

static SPEC: Shape = Shape {
    name: "spec",
    doc: "The set's Jobs and its failure policy.",
    fields: &[
        optional(
            "failurePolicy",
            Kind::Object(&FAILURE_POLICY),
            "How failures of the set's Jobs are handled.\n\
             Absent: the set fails. Empty: as with maxRestarts 0.",
        ),
        optional(
            "successPolicy",
            Kind::Object(&SUCCESS_POLICY),
            "Which Jobs have to be complete for the set to be; absent means all.",
        ),
        optional(
            "replicatedJobs",
            Kind::List { item: &Kind::Object(&REPLICATED_JOB), min: 0 },
            "Templates of Jobs, each with a number of replicas.",
        ),
    ],
    constraints: &[],
    extra: Extra::Tolerated,
    elsewhere: &[],
};

static SUCCESS_POLICY: Shape = Shape {
    name: "successPolicy",
    doc: "Which Jobs have to be complete for the set to be. What is left of the set stops then.",
    fields: &[
        // The webhook accepts an empty operator, which a list of choices would refuse.
        optional("operator", Kind::Text, "How many of the Jobs: All or Any. Absent or empty: All."),
        optional(
            "targetReplicatedJobs",
            TEXTS,
            "The replicatedJobs whose Jobs are checked; absent or empty means all.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static FAILURE_POLICY: Shape = Shape {
    name: "failurePolicy",
    doc: "Which failures of Jobs restart the set, and how often.\n\
          The first rule that applies to any failed Job decides; if none does, the set restarts within\n\
          maxRestarts.",
    fields: &[
        optional(
            "maxRestarts",
            INT32,
            "Counted restarts that are granted; absent means 0.\nN restarts are N+1 runs of the set.",
        ),
        optional(
            "restartStrategy",
            Kind::OneOf(&STRATEGIES),
            "How the Jobs are restarted; absent means Recreate.",
        ),
        optional(
            "rules",
            Kind::List { item: &Kind::Object(&RULE), min: 0 },
            "The rules, in order; the first that applies decides.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[
        ("backoffLimit", "a JobSet counts restarts: write `maxRestarts`"),
        ("operator", "`failurePolicy` has none since v1alpha2: write `rules`"),
        ("targetReplicatedJobs", "it belongs in a rule"),
    ],
};

static STRATEGIES: Choices = Choices {
    name: "restartStrategy",
    values: &[
        choice("Recreate", "Each Job is created again as soon as its predecessor is deleted."),
        choice(
            "BlockingRecreate",
            "Jobs are created again once all their predecessors are deleted.",
        ),
        choice(
            "InPlaceRestart",
            "Containers are restarted in their pods. Needs the feature gate InPlaceRestart.",
        ),
    ],
    any_case: false,
    elsewhere: &[],
};

static RULE: Shape = Shape {
    name: "rule",
    doc: "Which failures a rule applies to, and what it does.\n\
          Its three lists must all hold; an empty or absent one holds.",
    fields: &[
        optional(
            "name",
            Kind::Text,
            "The rule's name: 1 to 128 of A-Z, a-z, 0-9, `_`, `,` and `:`, a letter first and no `,` or `:` last.\nUnique. Absent: failurePolicyRule and the rule's index.",
        ),
        required("action", Kind::OneOf(&ACTIONS), "What the rule does."),
        optional(
            "onJobFailureReasons",
            TEXTS,
            "Reasons of the Job's failure: BackoffLimitExceeded, DeadlineExceeded, FailedIndexes,\nMaxFailedIndexesExceeded, PodFailurePolicy. Empty: any.",
        ),
        optional(
            "onJobFailureMessagePatterns",
            TEXTS,
            "Patterns in Go's dialect, of which one is found in the message of the Job's failure. Empty: \
             any.\n\
             One that Go cannot compile is accepted but matches nothing.",
        ),
        optional(
            "targetReplicatedJobs",
            TEXTS,
            "Names of replicatedJobs whose Jobs the rule applies to. Empty: all.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[
        ("onExitCodes", "exit codes are matched in a Job's `podFailurePolicy`"),
        ("onPodConditions", "conditions are matched in a Job's `podFailurePolicy`"),
        ("maxRestarts", "it belongs under `failurePolicy`: one limit for all rules"),
    ],
};

static ACTIONS: Choices = Choices {
    name: "action",
    values: &[
        choice("FailJobSet", "The set fails."),
        choice("RestartJobSet", "All Jobs restart, within maxRestarts."),
        choice("RestartJobSetAndIgnoreMaxRestarts", "All Jobs restart; it does not count."),
        choice(
            "RestartJob",
            "The failed Job restarts, within maxRestarts. Needs the feature gate RestartJob.",
        ),
        choice(
            "RestartJobAndIgnoreMaxRestarts",
            "The failed Job restarts; it does not count. Needs the feature gate RestartJob.",
        ),
    ],
    any_case: false,
    elsewhere: &[],
};

static REPLICATED_JOB: Shape = Shape {
    name: "replicatedJob",
    doc: "A template of Jobs.",
    fields: &[
        required("name", Kind::SomeText, "The name that rules target."),
        optional(
            "replicas",
            Kind::Whole { min: 0, max: i32::MAX as i128, code: Code::OutOfRange },
            "How many Jobs are made; absent means 1.",
        ),
        optional("template", Kind::Object(&TEMPLATE), "What the Jobs are like."),
    ],
    constraints: &[],
    extra: Extra::Tolerated,
    elsewhere: &[],
};

static TEMPLATE: Shape = Shape {
    name: "template",
    doc: "What the Jobs of a replicated Job are like.",
    fields: &[
        optional("metadata", Kind::Anything, "Labels and annotations of the Jobs; not read."),
        optional(
            "spec",
            Kind::Object(&JOB_SPEC),
            "The Jobs' spec. The webhook makes them Indexed and their containers restart OnFailure\n\
             unless set otherwise.",
        ),
    ],
    constraints: &[],
    extra: Extra::Tolerated,
    elsewhere: &[],
};
