//! The decision of the draft's handler about a failed session (seed, "Decision and dispatch").
//!
//! Owns "attempt N of M", which the draft displays for a session but does not define.

use super::delay::Delay;
use super::jitter::Draw;
use super::session_id::SessionId;
use crate::backendai::manifest::RetryPolicy;
use crate::backendai::manifest::cause::Cause;
use crate::backendai::manifest::interpretation::Interpretation;
use document::names;
use std::fmt;

/// A session that has failed.
#[derive(Debug, Clone, Copy)]
pub struct FailedSession<'s> {
    /// The session's id; every retry has its own.
    pub id: &'s SessionId,
    /// The session's `retry_count`: the number of retries before it.
    pub retry_count: u32,
    /// The cause of the failure.
    pub cause: Cause,
    /// Whether the session is a batch session.
    pub batch: bool,
    /// Whether the session was retried already: the handler was called twice.
    pub child_exists: bool,
}

/// A decision about a failed session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// Retry or stop.
    pub verdict: Verdict,
    /// The emitted event, if there is one.
    pub event: Option<RetryEvent>,
    /// The attempt that failed.
    pub attempt: Attempt,
    /// The cause of the failure.
    pub cause: Cause,
}

/// The decision about a failed session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// Another session follows.
    Retry(ChildSession),
    /// No session follows.
    Stop(StopReason),
}

impl Verdict {
    /// Returns the name of the verdict.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retry(_) => "retry",
            Self::Stop(_) => "stop",
        }
    }

    /// Returns the retry, if the verdict is one.
    pub fn retry(self) -> Option<ChildSession> {
        match self {
            Self::Retry(retry) => Some(retry),
            Self::Stop(_) => None,
        }
    }

    /// Returns the reason if no session follows.
    pub fn stop(self) -> Option<StopReason> {
        match self {
            Self::Retry(_) => None,
            Self::Stop(reason) => Some(reason),
        }
    }
}

/// The session that follows a failed one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChildSession {
    /// The new session's `retry_count`.
    pub retry_count: u32,
    /// The number of the new session's attempt.
    pub attempt: Attempt,
    /// The delay from the failure to the creation of the session.
    pub delay: Delay,
}

names! {
    /// Why no session follows a failed one, in the order of the checks. The position of the first check is a
    /// choice made here; the others are in the handler's order.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum StopReason {
        /// The session is not a batch session (the draft's decision log; the handler's text does not limit the
        /// type).
        NotBatch = "not_batch",
        /// The session was the last that the policy allows; its cause is not checked.
        Exhausted = "exhausted",
        /// The cause is not in `eligible_causes`, or is one that is never retried.
        Ineligible = "ineligible",
        /// The session was retried already.
        ChildExists = "child_exists",
    }
}

names! {
    /// An event that the handler emits (seed, "Observability").
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum RetryEvent {
        /// A retry will be created.
        Scheduled = "session.retry_scheduled",
        /// No retries are left.
        Exhausted = "session.retry_exhausted",
    }
}

/// Decides about a failed session.
pub fn decide(
    policy: &RetryPolicy,
    interpretation: Interpretation,
    failed: &FailedSession<'_>,
    draw: Draw,
) -> Decision {
    let verdict = match stop(policy, failed) {
        Some(reason) => Verdict::Stop(reason),
        None => Verdict::Retry(retry(policy, interpretation, failed, draw)),
    };
    let event = match verdict {
        Verdict::Retry(_) => Some(RetryEvent::Scheduled),
        Verdict::Stop(StopReason::Exhausted) => Some(RetryEvent::Exhausted),
        Verdict::Stop(_) => None,
    };
    Decision {
        verdict,
        event: event.filter(|_| policy.emit_retry_events),
        attempt: Attempt::new(failed.retry_count, policy.max_retries),
        cause: failed.cause,
    }
}

/// Returns the reason against a retry, if there is one. The order is the handler's, except for the first
/// check: the handler has no check of the type, which only the decision log limits. That check comes first,
/// so that a session that is never retried is not reported as exhausted.
fn stop(policy: &RetryPolicy, failed: &FailedSession<'_>) -> Option<StopReason> {
    if !failed.batch {
        Some(StopReason::NotBatch)
    } else if failed.retry_count >= policy.max_retries {
        Some(StopReason::Exhausted)
    } else if !policy.eligible_causes.admit(failed.cause) {
        Some(StopReason::Ineligible)
    } else if failed.child_exists {
        Some(StopReason::ChildExists)
    } else {
        None
    }
}

fn retry(
    policy: &RetryPolicy,
    interpretation: Interpretation,
    failed: &FailedSession<'_>,
    draw: Draw,
) -> ChildSession {
    let retry_count = failed.retry_count.saturating_add(1);
    ChildSession {
        retry_count,
        attempt: Attempt::new(retry_count, policy.max_retries),
        delay: policy.delay(interpretation, failed.id, failed.retry_count, draw),
    }
}

/// The number of an attempt and the total of attempts. The first run is attempt 1, and the total is one more
/// than the retries; the draft defines only the total. The number may exceed the total of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// The number N.
    pub number: u64,
    /// The total M.
    pub of: u64,
}

impl Attempt {
    /// Returns the attempt of a session with this `retry_count`.
    pub fn new(retry_count: u32, max_retries: u32) -> Self {
        // In 64 bits, as the largest limit plus one does not fit into 32.
        Self { number: u64::from(retry_count) + 1, of: u64::from(max_retries) + 1 }
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backendai::engine::session_id::creation_suffix;
    use crate::backendai::manifest::cause::Causes;
    use proptest::prelude::*;
    use proptest::sample::select;

    /// Returns the reason against a retry and the event, from the handler as a table: the first matching line
    /// of the seed's numbered list, after the check of the session's type.
    fn expected(
        [batch, left, eligible, child]: [bool; 4],
    ) -> (Option<&'static str>, Option<&'static str>) {
        match (batch, left, eligible, child) {
            (false, ..) => (Some("not_batch"), None),
            (_, false, ..) => (Some("exhausted"), Some("session.retry_exhausted")),
            (_, _, false, _) => (Some("ineligible"), None),
            (.., true) => (Some("child_exists"), None),
            _ => (None, Some("session.retry_scheduled")),
        }
    }

    proptest! {
        #[test]
        fn the_first_step_that_fits_decides(
            (retry_count, max_retries) in (0..4_u32, 0..4_u32),
            cause in select(Cause::ALL.to_vec()),
            listed in proptest::collection::vec(select(Cause::ALL.to_vec()), 0..9),
            (batch, child_exists, emit_retry_events) in any::<(bool, bool, bool)>(),
        ) {
            let eligible_causes: Causes = listed.iter().copied().collect();
            let policy =
                RetryPolicy { max_retries, eligible_causes, emit_retry_events, ..RetryPolicy::default() };
            let id = SessionId::Uuid(1);
            let failed = FailedSession { id: &id, retry_count, cause, batch, child_exists };
            let decision = decide(&policy, Interpretation::default(), &failed, Draw::LOWEST);
            let never = ["user_cancelled", "validation_error", "quota_exceeded"];
            let eligible = listed.contains(&cause) && !never.contains(&cause.as_str());
            let (reason, event) = expected([batch, max_retries > retry_count, eligible, child_exists]);
            prop_assert_eq!(decision.verdict.stop().map(StopReason::as_str), reason);
            let event = event.filter(|_| emit_retry_events);
            prop_assert_eq!(decision.event.map(RetryEvent::as_str), event);
            if let Some(retry) = decision.verdict.retry() {
                prop_assert_eq!(retry.retry_count, retry_count + 1);
                prop_assert!(retry.attempt.number <= retry.attempt.of);
                prop_assert_eq!(creation_suffix(retry.retry_count), format!(":retry:{}", retry_count + 1));
            }
        }
    }

    #[test]
    fn the_usual_policy_says_exhausted_of_every_failure_even_of_a_cancelled_session() {
        let id = SessionId::new("3f2504e0-4f89-41d3-9a0c-0305e82c3301");
        for cause in Cause::ALL {
            let failed =
                FailedSession { id: &id, retry_count: 0, cause, batch: true, child_exists: false };
            let policy = RetryPolicy::default();
            let decision = decide(&policy, Interpretation::default(), &failed, Draw::LOWEST);
            assert_eq!(decision.event, Some(RetryEvent::Exhausted), "{}", cause.as_str());
            assert_eq!(decision.attempt.to_string(), "1 of 1");
        }
    }
}
