//! A root session and its retries, as their failures come in.

use super::cause::Cause;
use super::decision::{Decision, FailedSession, StopReason, Verdict, decide};
use super::draw::Draw;
use super::policy::RetryPolicy;
use super::reading::Readings;
use super::session::SessionId;

/// The failure of a session of a chain, as far as it is told.
#[derive(Debug, Clone, Copy)]
pub struct Failure<'s> {
    /// The session's id.
    pub id: &'s SessionId,
    /// Whether that is its own, and not its root's in place of one that is not told.
    pub has_own_id: bool,
    /// Its `retry_count`; absent: it is the session that the chain waits for, or, by its own id, the
    /// one that was retried last.
    pub retry_count: Option<u32>,
    /// Why it failed.
    pub cause: Cause,
    /// Whether it is a batch session.
    pub batch: bool,
}

/// What is remembered of a root session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chain {
    /// The `retry_count` of the session that runs, or is to be created.
    retry_count: u32,
    /// The session that was retried last.
    retried: Option<Retried>,
    stopped: Option<StopReason>,
}

/// A session that has been retried, and so all before it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Retried {
    id: SessionId,
    retry_count: u32,
}

impl Chain {
    /// The `retry_count` of the session that runs, or is to be created.
    pub fn retry_count(&self) -> u32 {
        self.retry_count
    }

    /// Why nothing follows its last session, once that is so.
    pub fn stopped(&self) -> Option<StopReason> {
        self.stopped
    }

    /// Lets there have been so many retries before the first session on record.
    pub fn spend(&mut self, retries: u32) {
        self.retry_count = self.retry_count.saturating_add(retries);
    }

    /// The session that a failure is of, as it stands in the chain.
    pub fn failed<'s>(&self, failure: &Failure<'s>) -> FailedSession<'s> {
        let Failure { id, has_own_id, retry_count, cause, batch } = *failure;
        let retried = self.retried.as_ref();
        // The same id is the same row: the event came twice.
        let again = retried.filter(|retried| has_own_id && retried.id == *id);
        let again = again.map(|retried| retried.retry_count);
        let retry_count = retry_count.or(again).unwrap_or(self.retry_count);
        let child_exists = retried.is_some_and(|retried| retry_count <= retried.retry_count);
        FailedSession { id, retry_count, cause, batch, child_exists }
    }

    /// Decides about a failure and moves the chain on. A session that fails again after it has been
    /// retried is an event that came twice; the chain stays as it is then.
    pub fn decide(
        &mut self,
        policy: &RetryPolicy,
        readings: Readings,
        failure: &Failure<'_>,
        draw: Draw,
    ) -> Decision {
        let failed = self.failed(failure);
        let FailedSession { retry_count, child_exists, .. } = failed;
        let decision = decide(policy, readings, &failed, draw);
        match decision.verdict {
            Verdict::Retry(retry) => {
                *self = Self {
                    retry_count: retry.retry_count,
                    retried: Some(Retried { id: failure.id.clone(), retry_count }),
                    stopped: None,
                };
            }
            Verdict::Stop(reason) if !child_exists => {
                self.retry_count = retry_count;
                self.stopped = Some(reason);
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
        /// A chain has as many attempts as its policy says, with or without their counts on record,
        /// and an event that comes twice changes nothing: its count or its id says that it did.
        #[test]
        fn retries_as_often_as_it_may(
            max_retries in 0..12_u32,
            spent in 0..12_u32,
            (told, has_own_id) in any::<(bool, bool)>(),
        ) {
            let policy = RetryPolicy { max_retries, ..RetryPolicy::default() };
            let mut chain = Chain::default();
            chain.spend(spent);
            let mut attempts = 0_u32;
            while chain.stopped().is_none() {
                let (id, count) = (SessionId::Uuid(attempts.into()), spent + attempts);
                let retry_count = told.then_some(count);
                let cause = Cause::OomKilled;
                let failure = Failure { id: &id, has_own_id, retry_count, cause, batch: true };
                let mut next = || chain.decide(&policy, Readings::default(), &failure, Draw::LOWEST);
                let first = next();
                if (told || has_own_id) && first.verdict.retry().is_some() {
                    prop_assert_eq!(next().verdict, Verdict::Stop(StopReason::ChildExists));
                }
                attempts += 1;
                prop_assert!(attempts <= max_retries + 1);
            }
            prop_assert_eq!(attempts, max_retries.saturating_sub(spent) + 1);
            prop_assert_eq!(chain.stopped(), Some(StopReason::Exhausted));
            prop_assert_eq!(chain.retry_count(), max_retries.max(spent));
        }
    }
}
