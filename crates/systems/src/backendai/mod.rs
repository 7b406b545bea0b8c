//! The BEP-1053 draft: failed sessions that are created again.
//!
//! Owns the retry policy of the first draft of BEP-1053 (seed; lablup/backend.ai d1360ffe3a,
//! `proposals/BEP-1053-native-session-retry.md`), the merge of its layers, the decision of its handler about
//! a failed session, and the delay of the retry. Do not call this Backend.AI's behaviour: the draft was never
//! implemented and was abandoned, so there is no running system to compare with.
//!
//! Open points of the draft, and the choice made here:
//!
//! - The text that is hashed, and the conversion of a digest to seconds: `Interpretation` names the
//!   choices. The defaults are the text of the id followed by that of the count, and whole milliseconds. A
//!   span is rounded down to whole milliseconds.
//! - Whether the 24 hours limit a longer `max_retry_delay`: the prose limits it, the formula does not. It is
//!   limited by default (`Ceiling`). The base follows the formula in both cases.
//! - A power that is too large for a float is the cap. The draft's Python would fail. Elsewhere floats behave
//!   as in Python: `**` is the C library's `pow`, `%` of floats its `fmod`.
//! - Whether a set of causes replaces that of a layer below or is joined with it: it replaces it. Whether an
//!   explicit null unsets a value: it overrides, as any other value does.
//! - Whether a layer's defaults are filled in before layers merge: they are not (`Layer`), or a default
//!   would override the value of a layer below.
//! - Which sessions the handler retries: the text of the handler does not limit them, the decision log limits
//!   them to batch sessions. Other sessions are not retried, without an event, and this check comes first.
//! - `emit_retry_events` applies to both events.
//! - "Attempt N of M" includes the first run (`Attempt`).
//!
//! Two points follow from the draft but are unexpected. The limit is checked before the cause, so a policy
//! without retries, which is the default, emits `retry_exhausted` for every batch session that fails.
//! `:retry:N` is appended to the parent's creation id, which exceeds its column at the second retry
//! (`first_overflow`).

mod compared;
pub mod convert;
mod coverage;
mod engine;
mod lint;
mod manifest;
mod record;
mod report;
mod system;
#[cfg(test)]
mod tests;
mod validate;

pub use engine::BackendAiEngine;
pub use engine::delay::MAX_RETRY_DELAY;
pub use manifest::cause::{Cause, Causes};
pub use manifest::shape::SYSTEM;
pub use manifest::{BackoffStrategy, JitterMode, Profile};
pub use {
    engine::decision::{FailedSession, RetryEvent, StopReason, decide},
    engine::jitter::{Draw, digest},
    engine::session_id::{CREATION_ID_LIMIT, SessionId, creation_suffix, first_overflow},
    manifest::RetryPolicy,
    manifest::interpretation::{Ceiling, HashText, Interpretation, Reduction},
    manifest::layer::{DelayLimit, Layer, Layers},
    record::{SessionFields, SessionOutcome, SessionType},
};
