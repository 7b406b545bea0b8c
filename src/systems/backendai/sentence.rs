//! Why a decision was made, as a sentence that a person understands.

use super::cause::Cause;
use super::decision::{Decision, StopReason, Verdict};

impl Decision {
    /// Why it was decided so, as one sentence without a final period.
    pub fn reason(&self) -> String {
        let (attempt, cause) = (self.attempt, self.cause);
        match self.verdict {
            Verdict::Retry(retry) => {
                format!("{}; attempt {} follows", eligible(cause), retry.attempt)
            }
            Verdict::Stop(StopReason::NotBatch) => NOT_BATCH.to_owned(),
            Verdict::Stop(StopReason::Exhausted) if attempt.of == 1 => {
                "max_retries is 0, so that nothing is retried".to_owned()
            }
            Verdict::Stop(StopReason::Exhausted) => {
                let retries = attempt.of.saturating_sub(1);
                format!("attempt {attempt} has failed: no retry of max_retries {retries} is left")
            }
            Verdict::Stop(StopReason::Ineligible) => ineligible(cause),
            Verdict::Stop(StopReason::ChildExists) => CHILD_EXISTS.to_owned(),
        }
    }
}

/// A session that the draft leaves alone.
pub(super) const NOT_BATCH: &str = "it is no batch session, and no other is retried";
/// A failure that was told twice.
pub(super) const CHILD_EXISTS: &str = "its retry exists already";

/// A cause that is retried.
pub(super) fn eligible(cause: Cause) -> String {
    format!("{} is among eligible_causes", cause.as_str())
}

/// A cause that is not retried.
pub(super) fn ineligible(cause: Cause) -> String {
    let cause_name = cause.as_str();
    if cause.is_never_retried() {
        format!("{cause_name} is never retried, whatever the policy")
    } else {
        format!("{cause_name} is not among eligible_causes")
    }
}
