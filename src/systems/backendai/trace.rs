//! Every check that the handler makes of a failed session, in its order: what `explain decision`
//! shows.

use super::decision::FailedSession;
use super::policy::RetryPolicy;
use super::sentence::{CHILD_EXISTS, NOT_BATCH, eligible, ineligible};
use crate::simulate::RuleLabel;
use crate::systems::Tried;

/// Every check of a failed session, also those behind the first that stops it, then what follows if
/// none does. A check matches where it stops the retry.
pub fn trace(name: &str, policy: &RetryPolicy, failed: &FailedSession<'_>) -> Vec<Tried> {
    let RetryPolicy { max_retries, eligible_causes, .. } = *policy;
    let FailedSession { retry_count, cause, batch, child_exists, .. } = *failed;
    let is_exhausted = retry_count >= max_retries;
    let is_eligible = eligible_causes.admit(cause);
    let counted = if is_exhausted { "not below" } else { "below" };
    let checks = [
        (!batch, if batch { "it is a batch session" } else { NOT_BATCH }.to_owned()),
        (is_exhausted, format!("retry_count {retry_count} is {counted} max_retries {max_retries}")),
        (!is_eligible, if is_eligible { eligible(cause) } else { ineligible(cause) }),
        (child_exists, if child_exists { CHILD_EXISTS } else { "it has no retry yet" }.to_owned()),
    ];
    let stopped = checks.iter().any(|(stops, _)| *stops);
    let last = if stopped { "a check stops the retry" } else { "no check stops the retry" };
    let tried = |(matched, why)| Tried {
        rule: RuleLabel { policy: name.to_owned(), index: None },
        matched,
        why,
    };
    checks.into_iter().chain([(!stopped, last.to_owned())]).map(tried).collect()
}
