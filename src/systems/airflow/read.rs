//! From a profile's tree to what it means, with Airflow's defaults.
//!
//! Reading judges nothing: what a check has found wrong is read as if it were not there.

use super::model::{AirflowPolicy, Backoff};
use super::profile::Profile;
use super::shape::CEILING;
use super::timedelta::TimeDelta;
use crate::document::Node;

/// What the `spec` of a profile means.
pub fn read(spec: &Node) -> AirflowPolicy {
    let usual = AirflowPolicy::default();
    let field = |name: &str| spec.at(&["policy", name]);
    // `3.0` may be a number, which is the release as it is written.
    let profile = spec.get("profile").and_then(Node::scalar).map(|scalar| scalar.text.as_str());
    let whole = |name| field(name).and_then(Node::integer);
    let seconds = |name| field(name).and_then(Node::number).map(TimeDelta::from_seconds);
    AirflowPolicy {
        profile: profile.and_then(Profile::from_name).unwrap_or_default(),
        retries: whole("retries").and_then(|n| u32::try_from(n).ok()).unwrap_or(usual.retries),
        retry_delay: seconds("retry_delay_seconds").unwrap_or(usual.retry_delay),
        backoff: field("retry_exponential_backoff").and_then(backoff).unwrap_or(usual.backoff),
        max_retry_delay: seconds("max_retry_delay_seconds"),
        max_task_retry_delay: whole(CEILING)
            .and_then(|seconds| u64::try_from(seconds).ok())
            .unwrap_or(usual.max_task_retry_delay),
    }
}

/// Whether, or how fast, a delay grows; nothing if it says neither.
pub(super) fn backoff(node: &Node) -> Option<Backoff> {
    let number = || node.number().filter(|number| number.is_finite()).map(Backoff::Number);
    node.boolean().map(Backoff::Flag).or_else(number)
}
