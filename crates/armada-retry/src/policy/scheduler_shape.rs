//! The shape of the part of Armada's scheduler configuration that is read.

use super::v1::{BACKOFF, LIMIT};
use document::{Extra, Field, Kind, optional, shapes};

const MIN_GRACE: Field = optional(
    "minTerminationGracePeriod",
    Kind::Duration,
    "The grace period of runs that name none; absent means 1s.",
);

const MAX_GRACE: Field = optional(
    "maxTerminationGracePeriod",
    Kind::Duration,
    "The longest grace period that a job may request; absent means any.",
);

shapes! {
    /// The part of Armada's scheduler configuration that retries depend on.
    /// Every other key is ignored, so a real configuration can be given as it is.
    pub static SCHEDULER_CONFIG = "scheduler configuration" (extra: Extra::Ignored) {
        /// How jobs are scheduled.
        optional scheduling: Kind::Object(&SCHEDULING),
        #[doc = "What jobs may request."]
        optional submission: Kind::Object(&SUBMISSION),
    }

    /// How jobs are scheduled.
    pub static SCHEDULING = "scheduling" (extra: Extra::Ignored) {
        /// Attempts on the legacy path, which returned leases take; absent means 3.
        optional maxRetries: LIMIT,
        /// The retry engine.
        optional retryPolicy: Kind::Object(&RETRY_POLICY),
    }

    /// The retry engine's settings.
    pub(super) static RETRY_POLICY = "retryPolicy" (extra: Extra::Ignored) {
        /// Whether the engine runs; in a file, absent means false.
        optional enabled: Kind::Boolean,
        /// Retries a job may have in all, regardless of its policies.
        /// 0 stops all retries. Absent: 20, or 5 in v1beta1.
        optional globalMaxRetries: LIMIT,
        /// The policy of jobs that have no other.
        optional defaultPolicyName: Kind::Text,
        /// The backoff of policies that set none.
        optional defaultBackoff: Kind::Object(&BACKOFF),
    }

    #[doc = "What jobs may request."]
    pub static SUBMISSION = "submission" (extra: Extra::Ignored) {
        MIN_GRACE,
        MAX_GRACE,
    }

    /// The scheduler's settings that retries depend on. Other than in a configuration file, the retry engine runs unless
    /// `enabled` is false.
    pub static SETTINGS = "schedulerConfig" (elsewhere: &[
        ("retryPolicy", "write its fields directly under `schedulerConfig`"),
        (
            "scheduling",
            "write the fields of `scheduling.retryPolicy` directly under `schedulerConfig`",
        ),
    ]) {
        /// Whether the retry engine runs; absent means true.
        optional enabled: Kind::Boolean,
        /// Retries that a job may have in all, regardless of its policies.
        /// 0 stops all retries. Absent: 20, or 5 in v1beta1.
        optional globalMaxRetries: LIMIT,
        /// The policy of jobs that have no other.
        optional defaultPolicyName: Kind::Text,
        /// The backoff of policies that set none.
        optional defaultBackoff: Kind::Object(&BACKOFF),
        /// Attempts on the legacy path, which returned leases take; absent means 3.
        optional maxRetries: LIMIT,
        MIN_GRACE,
        MAX_GRACE,
    }
}
