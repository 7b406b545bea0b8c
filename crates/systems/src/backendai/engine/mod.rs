//! The draft's handler as an [`Engine`](replay::simulate::Engine): a unit is a root session with the chain of its retries. The chain is
//! one member, and each of its runs is a session.
//!
//! Owns the state of the chain from one failure to the next.

pub(super) mod decision;
pub(super) mod delay;
mod interface;
pub(super) mod jitter;
pub(super) mod session_id;

use super::manifest::cause::Cause;
use super::manifest::interpretation::Interpretation;
use super::manifest::{Profile, RetryPolicy};
use super::record::{SessionFields, SessionType};
use decision::{Decision, FailedSession, StopReason, Verdict, decide};
use jitter::Draw;
use replay::simulate::{Absence, Need, Part, Parts, PolicyNeeds, Without};
use session_id::SessionId;

/// The engine over a profile.
#[derive(Debug, Clone)]
pub struct BackendAiEngine {
    profile: Option<Profile>,
    needs: Vec<PolicyNeeds>,
}

/// The state of a root session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootSession {
    /// The root's id, which replaces the id of a session without a recorded one.
    pub id: SessionId,
    /// The chain of its retries.
    pub chain: Chain,
}

impl BackendAiEngine {
    /// Creates an engine over a profile; without one, no run is evaluated.
    pub fn new(profile: Option<Profile>) -> Self {
        let needs = profile.iter().map(needs).collect();
        Self { profile, needs }
    }

    /// Returns the profile.
    pub fn profile(&self) -> Option<&Profile> {
        self.profile.as_ref()
    }
}

static CAUSE: Part =
    Part { field: "cause", noun: "a cause other than `unknown`", absence: Absence::Mistake };

const HAS_CAUSE: Parts = Parts::of(0);

/// Returns what a policy needs that retries some causes, and not those that are unknown.
fn needs(Profile { policy, .. }: &Profile) -> PolicyNeeds {
    let needs_cause = policy.can_retry() && !policy.eligible_causes.admit(Cause::Unknown);
    let need = Need {
        rule: 0,
        part: &CAUSE,
        values: Vec::new(),
        names: Vec::new(),
        any_of: HAS_CAUSE,
        any_value: HAS_CAUSE,
        without: Without::NoRetry,
    };
    needs_cause.then_some(need).into_iter().collect()
}

impl RootSession {
    /// Returns the id of a record's session.
    pub fn id_of<'s>(&'s self, fields: &'s SessionFields) -> &'s SessionId {
        fields.id.as_ref().unwrap_or(&self.id)
    }
}

impl SessionFields {
    /// Returns the failure of the record; `id` is the session's.
    pub fn failure<'s>(&self, id: &'s SessionId) -> Failure<'s> {
        let (has_own_id, batch) = (self.id.is_some(), self.session_type == SessionType::Batch);
        Failure { id, has_own_id, retry_count: self.retry_count, cause: self.cause, batch }
    }
}

/// The recorded facts of a failure of a session.
#[derive(Debug, Clone, Copy)]
pub struct Failure<'s> {
    pub id: &'s SessionId,
    /// Whether `id` is the session's own, rather than its root's in place of an absent one.
    pub has_own_id: bool,
    /// The session's `retry_count`. If absent, the session is the one that was retried last if it has its id,
    /// else the one that the chain waits for.
    pub retry_count: Option<u32>,
    /// The cause of the failure.
    pub cause: Cause,
    /// Whether the session is a batch session.
    pub batch: bool,
}

/// The state of a chain of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chain {
    /// The `retry_count` of the session that runs, or is to be created.
    retry_count: u32,
    /// The session that was retried last.
    retried: Option<RetriedSession>,
    stop_reason: Option<StopReason>,
}

/// The last retried session. All sessions before it were retried as well.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RetriedSession {
    id: SessionId,
    retry_count: u32,
}

impl Chain {
    /// Returns the `retry_count` of the session that runs, or is to be created.
    pub fn retry_count(&self) -> u32 {
        self.retry_count
    }

    /// Returns why no session follows the last one, once the chain has ended.
    pub fn stop_reason(&self) -> Option<StopReason> {
        self.stop_reason
    }

    /// Counts retries before the first recorded session.
    pub fn add_earlier_retries(&mut self, retries: u32) {
        self.retry_count = self.retry_count.saturating_add(retries);
    }

    /// Returns the failed session with its position in the chain.
    pub fn failed_session<'s>(&self, failure: &Failure<'s>) -> FailedSession<'s> {
        let Failure { id, has_own_id, retry_count, cause, batch } = *failure;
        let retried = self.retried.as_ref();
        // The same id is the same database row: the event was delivered twice.
        let again = retried.filter(|retried| has_own_id && retried.id == *id);
        let again = again.map(|retried| retried.retry_count);
        let retry_count = retry_count.or(again).unwrap_or(self.retry_count);
        let child_exists = retried.is_some_and(|retried| retry_count <= retried.retry_count);
        FailedSession { id, retry_count, cause, batch, child_exists }
    }

    /// Decides about a failure and updates the chain. A second failure of a session that was retried is an
    /// event delivered twice, and leaves the chain unchanged.
    pub fn decide(
        &mut self,
        policy: &RetryPolicy,
        interpretation: Interpretation,
        failure: &Failure<'_>,
        draw: Draw,
    ) -> Decision {
        let failed = self.failed_session(failure);
        let FailedSession { retry_count, child_exists, .. } = failed;
        let decision = decide(policy, interpretation, &failed, draw);
        match decision.verdict {
            Verdict::Retry(retry) => {
                *self = Self {
                    retry_count: retry.retry_count,
                    retried: Some(RetriedSession { id: failure.id.clone(), retry_count }),
                    stop_reason: None,
                };
            }
            Verdict::Stop(reason) if !child_exists => {
                self.retry_count = retry_count;
                self.stop_reason = Some(reason);
            }
            Verdict::Stop(_) => {}
        }
        decision
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A chain has as many attempts as its policy allows, with or without recorded counts. An event that
        /// is delivered twice changes nothing, since its count or its id identifies it.
        #[test]
        fn retries_as_often_as_it_may(
            max_retries in 0..12_u32,
            spent in 0..12_u32,
            (explicit, has_own_id) in any::<(bool, bool)>(),
        ) {
            let policy = RetryPolicy { max_retries, ..RetryPolicy::default() };
            let mut chain = Chain::default();
            chain.add_earlier_retries(spent);
            let mut attempts = 0_u32;
            while chain.stop_reason().is_none() {
                let (id, count) = (SessionId::Uuid(attempts.into()), spent + attempts);
                let retry_count = explicit.then_some(count);
                let cause = Cause::OomKilled;
                let failure = Failure { id: &id, has_own_id, retry_count, cause, batch: true };
                let mut next = || chain.decide(&policy, Interpretation::default(), &failure, Draw::LOWEST);
                let first = next();
                if (explicit || has_own_id) && first.verdict.retry().is_some() {
                    prop_assert_eq!(next().verdict, Verdict::Stop(StopReason::ChildExists));
                }
                attempts += 1;
                prop_assert!(attempts <= max_retries + 1);
            }
            prop_assert_eq!(attempts, max_retries.saturating_sub(spent) + 1);
            prop_assert_eq!(chain.stop_reason(), Some(StopReason::Exhausted));
            prop_assert_eq!(chain.retry_count(), max_retries.max(spent));
        }
    }
}
