//! A task's retry settings under a release, with Airflow's defaults.

use super::backoff::Backoff;
use super::profile::Profile;
use super::python_time::TimeDelta;
use super::retry_policy::TaskRetryPolicy;
use document::diag::Code;
use document::{Kind, Node, document};

/// The longest delay that a profile can hold, in whole seconds: 136 years.
pub(crate) const MAX_DELAY_SECONDS: u32 = u32::MAX;

/// The setting of the installation that limits all growing delays.
pub(crate) const CEILING: &str = "core.max_task_retry_delay";

document! {
    /// A task's retry settings. Absent fields have Airflow's defaults.
    #[derive(Debug, Clone, PartialEq)]
    pub struct AirflowPolicy = "policy" (elsewhere: &[
        ("rules", "write them into `retry_policy`"),
        ("retry_delay", "write `retry_delay_seconds`: a number of seconds"),
        ("max_retry_delay", "write `max_retry_delay_seconds`: a number of seconds"),
        ("max_task_retry_delay", "write `core.max_task_retry_delay`: it is the installation's"),
        ("core.default_task_retries", "write `retries`"),
        ("max_tries", "write `retries`; a record's `maxTries` is the value after clearing"),
    ]) {
        /// Tries after the first; absent means 0, as core.default_task_retries is unless it is set.
        /// `retries: 3` is four tries in all.
        pub retries: u32 = 0 => Kind::Whole { min: 0, max: i32::MAX as i128, code: Code::OutOfRange },
        /// retry_delay in seconds: the wait before a retry, or what it grows from; absent means 300.
        pub retry_delay as "retry_delay_seconds": TimeDelta = TimeDelta::from_micros(300_000_000),
        /// Whether the wait grows, or by how much from try to try: `true` is 2, `false` and 0 are not at all.
        /// Up to 3.1 no number is accepted: write `true`. What grows has a jitter of up to its own length on top.
        /// The jitter is the same for all instances of a mapped task, and for all runs without a logical date:
        /// limit how many run at once, with a pool or `max_active_tis_per_dag`.
        pub backoff as "retry_exponential_backoff": Backoff = Backoff::Flag(false),
        /// max_retry_delay in seconds: the longest wait, jitter included; absent and 0 mean none.
        /// It applies only to waits that grow.
        pub max_retry_delay as "max_retry_delay_seconds": Option<TimeDelta>,
        /// The installation's longest wait in seconds; absent means 86400, a day.
        /// 3.0.0 to 3.0.4 do not read it. It applies only to waits that grow.
        pub max_task_retry_delay as CEILING: u64 = FIXED_CEILING
            => Kind::Whole { min: 0, max: MAX_DELAY_SECONDS as i128, code: Code::OutOfRange },
        /// The task's retry policy, since 3.3: rules that compare the exception of a failure, in order.
        /// It is not consulted if the process or its worker dies, which raises no exception.
        pub retry_policy: Option<TaskRetryPolicy>,
    } and {
        /// The release whose rules apply.
        pub profile: Profile = Profile::default(),
    }
}

/// The constant that releases take which do not read `core.max_task_retry_delay`, in seconds.
const FIXED_CEILING: u64 = 86_400;

impl AirflowPolicy {
    /// Returns the maximum of all growing delays in seconds: `core.max_task_retry_delay`, if the release reads it.
    pub fn ceiling(&self) -> u64 {
        if self.profile.ignores_ceiling() { FIXED_CEILING } else { self.max_task_retry_delay }
    }
}

/// Returns whether a number of seconds is more than a profile can hold.
pub(in crate::airflow) fn is_too_long(seconds: &Node) -> bool {
    seconds.number().is_some_and(|seconds| seconds > f64::from(MAX_DELAY_SECONDS))
}
