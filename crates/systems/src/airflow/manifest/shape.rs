//! The shape of Airflow's `RetryProfile`: the settings of a task that its retries depend on.

use super::policy::AirflowPolicy;
use super::profile::Profile;
use crate::profile::{API_VERSION, KIND_FIELD, METADATA};
use document::{FieldValue, Kind, shapes};

/// The name of the system, as profiles write it.
pub(crate) const SYSTEM: &str = "airflow";

shapes! {
    /// The retry settings of an Airflow task, and the release that reads them.
    pub static PROFILE = "RetryProfile" {
        API_VERSION,
        KIND_FIELD,
        METADATA,
        /// The system, its release, and the task's settings.
        required spec: Kind::Object(&SPEC),
    }

    /// The retry settings of an Airflow task.
    static SPEC = "profile's spec" (elsewhere: &[
        ("layers", "layers belong to the BEP-1053 draft; write `policy`"),
    ]) {
        /// The system: airflow.
        required system: Kind::Exactly(SYSTEM),
        /// The release whose rules apply; absent means 3.3, the newest that is not a preview.
        /// 2.x and 3.x wait differently: the number that is hashed, and the multiplier, have changed.
        optional profile: Profile::KIND,
        /// The task's settings, named as operators name them.
        required policy: AirflowPolicy::KIND,
        /// Airflow has none: empty, or left out.
        optional options: Kind::Object(&OPTIONS),
    }

    /// Airflow has none.
    static OPTIONS = "options" (elsewhere: &[
        ("hash", "it belongs to the BEP-1053 draft; the release determines what Airflow hashes"),
        ("reduce", "it belongs to the BEP-1053 draft; Airflow reduces its hash in one way only"),
        ("cap", "it belongs to the BEP-1053 draft; write `max_retry_delay_seconds` in `policy`"),
    ]) {}
}
