//! The BEP-1053 draft: sessions that are created anew when they have failed.
//!
//! Owns the retry policy of the first draft of BEP-1053 (seed; lablup/backend.ai d1360ffe3a,
//! `proposals/BEP-1053-native-session-retry.md`), how its layers merge, what its handler decides
//! about a failed session, and how long the retry waits. It must not be called Backend.AI's
//! behaviour: the draft was never implemented and has been given up (facts, 2, "Status"), so there
//! is nothing that runs to compare with.
//!
//! What the draft leaves undetermined, and what is done here:
//!
//! - What is hashed, and how a digest becomes seconds: [`Readings`] names the choices. The usual
//!   ones are the text of the id and of the count, one after the other, and whole milliseconds. A
//!   span that is no whole number of them is cut down to one.
//! - Whether the 24 hours bound a longer `max_retry_delay`: the prose says so, the formula does
//!   not. They do by default ([`Ceiling`]). The base is what the formula says under either.
//! - What a power that no float holds is: the cap. The draft's Python would fail. Floats are
//!   elsewhere Python's own: `**` is the C library's `pow`, `%` of floats its `fmod`.
//! - Whether a set of causes replaces that of a layer below or is joined with it: it replaces it.
//!   Whether an explicit null unsets a value: it overrides, as any other value does.
//! - Whether a layer's values are filled in before layers merge: they are not ([`Layer`]), or a
//!   default would override what a layer below says.
//! - Which sessions the handler looks at: the text of the handler does not say, the decision log
//!   says batch sessions only. Others are left alone, without an event, before all else: that this
//!   is asked first is chosen.
//! - What `emit_retry_events` governs: both events.
//! - What "attempt N of M" counts: the first run as well ([`Attempt`]).
//!
//! What it does determine is kept even where it surprises: retries are exhausted before anybody
//! asks for the cause, so a policy without retries, which is the default, says `retry_exhausted`
//! of every batch session that fails; and `:retry:N` is appended to the parent's creation id, which outgrows its
//! column at the second retry ([`first_overflow`]).
//!
//! A `RetryProfile` is read by `shape`, `read`, `refuse` and `misleading`; `engine` replays records
//! of sessions, and `describe`, `sentence` and `trace` say what was decided.

mod admission;
mod attempt;
mod cause;
pub mod convert;
mod creation;
mod decision;
mod delay;
mod describe;
mod draw;
mod engine;
#[cfg(test)]
mod engine_tests;
mod fields;
mod hash;
#[cfg(test)]
mod jitter_tests;
mod layer;
mod misleading;
mod policy;
#[cfg(test)]
mod profile_tests;
mod read;
mod reading;
mod record;
#[cfg(test)]
mod record_tests;
mod reduce;
mod refuse;
mod sentence;
mod session;
mod shape;
mod state;
mod system;
mod trace;
#[cfg(test)]
mod vector_tests;
mod words;

pub use admission::Refusal;
pub use attempt::Attempt;
pub use cause::{Cause, Causes};
pub use creation::{
    CREATION_ID_LIMIT, CreationIds, USUAL_CREATION_ID, child_creation_id, creation_suffix,
    first_overflow,
};
pub use decision::{Decision, FailedSession, Retry, RetryEvent, StopReason, Verdict, decide};
pub use delay::{Delay, DelayRange, MAX_RETRY_DELAY};
pub use draw::Draw;
pub use engine::{BackendAiEngine, RootSession};
pub use fields::RECORD;
pub use hash::digest;
pub use layer::{DelayLimit, Layer, Layers};
pub use policy::{BackoffStrategy, JitterMode, RetryPolicy};
pub use read::{Profile, read};
pub use reading::{Ceiling, HashText, Readings, Reduction};
pub use record::{SessionFields, SessionOutcome, SessionType};
pub use session::SessionId;
pub use shape::{PROFILE, SYSTEM};
pub use state::{Chain, Failure};
pub use trace::trace;
