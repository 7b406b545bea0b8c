//! The shape of a JobSet manifest, as far as its failures depend on it.
//!
//! A manifest is read as it is applied: fields that failures do not depend on are ignored. The webhook's
//! further checks, such as those of reasons and names, are in `validate`.

use super::{Action, RestartStrategy, SuccessPolicy};
use crate::job::JOB_SPEC;
use crate::job::manifest::shape::METADATA;
use document::diag::Code;
use document::{Extra, FieldValue, Kind, shapes};

const INT32: Kind =
    Kind::Whole { min: i32::MIN as i128, max: i32::MAX as i128, code: Code::OutOfRange };
const TEXTS: Kind = Kind::List { item: &Kind::Text, min: 0 };

shapes! {
    /// A set of Jobs, and how failures of its Jobs are handled.
    /// Read are the failure policy and what it refers to; every other field is ignored, so a
    /// manifest can be given as it is applied.
    pub static JOBSET = "JobSet" (extra: Extra::Tolerated) {
        /// The form: jobset.x-k8s.io/v1alpha2.
        required apiVersion: Kind::Exactly("jobset.x-k8s.io/v1alpha2"),
        /// The kind: JobSet.
        required kind: Kind::Exactly("JobSet"),
        /// The set's name.
        required metadata: Kind::Object(&METADATA),
        /// The set's Jobs and its failure policy.
        optional spec: Kind::Object(&SPEC),
        #[doc = "What the controller writes; it is not read."]
        optional status: Kind::Anything,
    }

    /// The set's Jobs and its failure policy.
    static SPEC = "spec" (extra: Extra::Tolerated) {
        /// How failures of the set's Jobs are handled.
        /// Absent: the set fails. Empty: as with maxRestarts 0.
        optional failurePolicy: Kind::Object(&FAILURE_POLICY),
        /// Which Jobs have to be complete for the set to be; absent means all.
        optional successPolicy: SuccessPolicy::KIND,
        /// Templates of Jobs, each with a number of replicas.
        optional replicatedJobs: Kind::List { item: &Kind::Object(&REPLICATED_JOB), min: 0 },
    }

    /// Which failures of Jobs restart the set, and how often.
    /// The first rule that applies to any failed Job decides; if none does, the set restarts within
    /// maxRestarts.
    static FAILURE_POLICY = "failurePolicy" (elsewhere: &[
        ("backoffLimit", "a JobSet counts restarts: write `maxRestarts`"),
        ("operator", "`failurePolicy` has none since v1alpha2: write `rules`"),
        ("targetReplicatedJobs", "it belongs in a rule"),
    ]) {
        /// Counted restarts that are granted; absent means 0.
        /// N restarts are N+1 runs of the set.
        optional maxRestarts: INT32,
        /// How the Jobs are restarted; absent means Recreate.
        optional restartStrategy: RestartStrategy::KIND,
        /// The rules, in order; the first that applies decides.
        optional rules: Kind::List { item: &Kind::Object(&RULE), min: 0 },
    }

    /// Which failures a rule applies to, and what it does.
    /// Its three lists must all hold; an empty or absent one holds.
    static RULE = "rule" (elsewhere: &[
        ("onExitCodes", "exit codes are matched in a Job's `podFailurePolicy`"),
        ("onPodConditions", "conditions are matched in a Job's `podFailurePolicy`"),
        ("maxRestarts", "it belongs under `failurePolicy`: one limit for all rules"),
    ]) {
        /// The rule's name: 1 to 128 of A-Z, a-z, 0-9, `_`, `,` and `:`, a letter first and no `,` or `:` last.
        /// Unique. Absent: failurePolicyRule and the rule's index.
        optional name: Kind::Text,
        #[doc = "What the rule does."]
        required action: Action::KIND,
        /// Reasons of the Job's failure: BackoffLimitExceeded, DeadlineExceeded, FailedIndexes,
        /// MaxFailedIndexesExceeded, PodFailurePolicy. Empty: any.
        optional onJobFailureReasons: TEXTS,
        /// Patterns in Go's dialect, of which one is found in the message of the Job's failure. Empty: any.
        /// One that Go cannot compile is accepted but matches nothing.
        optional onJobFailureMessagePatterns: TEXTS,
        /// Names of replicatedJobs whose Jobs the rule applies to. Empty: all.
        optional targetReplicatedJobs: TEXTS,
    }

    /// A template of Jobs.
    static REPLICATED_JOB = "replicatedJob" (extra: Extra::Tolerated) {
        /// The name that rules target.
        required name: Kind::SomeText,
        /// How many Jobs are made; absent means 1.
        optional replicas: Kind::Whole { min: 0, max: i32::MAX as i128, code: Code::OutOfRange },
        #[doc = "What the Jobs are like."]
        optional template: Kind::Object(&TEMPLATE),
    }

    #[doc = "What the Jobs of a replicated Job are like."]
    static TEMPLATE = "template" (extra: Extra::Tolerated) {
        /// Labels and annotations of the Jobs; not read.
        optional metadata: Kind::Anything,
        /// The Jobs' spec. The webhook makes them Indexed and their containers restart OnFailure
        /// unless set otherwise.
        optional spec: Kind::Object(&JOB_SPEC),
    }
}
