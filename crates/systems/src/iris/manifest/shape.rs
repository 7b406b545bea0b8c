//! The shape of Iris's `RetryProfile`.

use super::policy::{Policy, Profile};
use crate::profile::{API_VERSION, KIND_FIELD, METADATA};
use document::{FieldValue, Kind, shapes};

/// The value of `spec.system`.
pub(crate) const SYSTEM: &str = "iris";

shapes! {
    /// The retry policy of Iris jobs (Marin): tasks with two budgets each, in gangs or alone.
    pub static PROFILE = "RetryProfile" {
        API_VERSION,
        KIND_FIELD,
        METADATA,
        /// The system, the text it is read by, the policy.
        required spec: Kind::Object(&SPEC),
    }

    /// The system, the text that it is read by, and the policy.
    static SPEC = "spec" (elsewhere: &[
        ("layers", "layers belong to the BEP-1053 draft; Iris has one `policy`"),
    ]) {
        /// The system: iris.
        required system: Kind::Exactly(SYSTEM),
        /// Which source is followed where they differ; absent means upstream, the running code.
        optional profile: Profile::KIND,
        /// The retry settings of the job's submission. One policy applies to every recorded job.
        optional policy: Policy::KIND,
        /// Iris has none: empty, or left out.
        optional options: Kind::Object(&OPTIONS),
    }

    /// Iris has none.
    static OPTIONS = "options" {}
}
