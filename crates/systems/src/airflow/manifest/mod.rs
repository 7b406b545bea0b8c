//! A task's retry settings, and how they are read from a profile.
//!
//! Owns the values of `spec.policy` with Airflow's defaults.
//!
//! Reading reports nothing: a value that a check rejected is read as if it were absent.

pub(super) mod backoff;
pub(super) mod exceptions;
pub(super) mod profile;
pub(super) mod python_time;
pub(super) mod retry_policy;
pub(super) mod shape;

use backoff::{Backoff, backoff};
use document::Node;
use profile::Profile;
use python_time::TimeDelta;
use retry_policy::TaskRetryPolicy;
use shape::CEILING;

/// A task's retry settings under a release, with Airflow's defaults for absent fields.
#[derive(Debug, Clone, PartialEq)]
pub struct AirflowPolicy {
    /// The release whose rules apply.
    pub profile: Profile,
    /// `retries`: tries after the first. By default `core.default_task_retries`, which is 0.
    pub retries: u32,
    /// `retry_delay`: the delay before a retry, and the base that it grows from; by default 5 minutes.
    pub retry_delay: TimeDelta,
    /// `retry_exponential_backoff`: whether, or how fast, the delay grows; by default it does not.
    pub backoff: Backoff,
    /// `max_retry_delay`: the maximum of growing delays. Neither an absent value nor zero limits them.
    pub max_retry_delay: Option<TimeDelta>,
    /// `core.max_task_retry_delay`: the maximum of all growing delays, in seconds; by default a day. It
    /// applies to the whole installation.
    pub max_task_retry_delay: u64,
    /// `retry_policy`, since 3.3: it may end a task's tries, or set their delays, by the exception.
    pub retry_policy: Option<TaskRetryPolicy>,
}

impl Default for AirflowPolicy {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            retries: 0,
            retry_delay: TimeDelta::from_micros(300_000_000),
            backoff: Backoff::Flag(false),
            max_retry_delay: None,
            max_task_retry_delay: FIXED_CEILING,
            retry_policy: None,
        }
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

/// Reads the policy from the `spec` of a profile.
pub fn read(spec: &Node) -> AirflowPolicy {
    let defaults = AirflowPolicy::default();
    let field = |name: &str| spec.at(&["policy", name]);
    let whole = |name| field(name).and_then(Node::integer);
    let seconds = |name| field(name).and_then(Node::number).map(TimeDelta::from_seconds);
    AirflowPolicy {
        profile: read_profile(spec),
        retries: whole("retries").and_then(|n| u32::try_from(n).ok()).unwrap_or(defaults.retries),
        retry_delay: seconds("retry_delay_seconds").unwrap_or(defaults.retry_delay),
        backoff: field("retry_exponential_backoff").and_then(backoff).unwrap_or(defaults.backoff),
        max_retry_delay: seconds("max_retry_delay_seconds"),
        max_task_retry_delay: whole(CEILING)
            .and_then(|seconds| u64::try_from(seconds).ok())
            .unwrap_or(defaults.max_task_retry_delay),
        retry_policy: field(retry_policy::FIELD).map(retry_policy::read),
    }
}

/// Reads the release from the `spec` of a profile.
pub(super) fn read_profile(spec: &Node) -> Profile {
    // YAML may read `3.0` as a number; the text as written names the release.
    let profile = spec.get("profile").and_then(Node::scalar).map(|scalar| scalar.text.as_str());
    profile.and_then(Profile::from_name).unwrap_or_default()
}
