//! The fields of a reported decision that only the BEP-1053 draft has.

use crate::decision_fields::decision_fields;
use crate::{COUNT, COUNTS, NUMBER};
use document::Kind;
use std::collections::BTreeMap;

decision_fields! {
    /// The fields that decisions about sessions have.
    SessionDecision {
        counts: BTreeMap<&'static str, u64> = (
            "counts", COUNTS, Entries,
            "The system's own counters after the decision. Tests compare those that they list."
        ),
        base_seconds: f64 = (
            "baseSeconds", Kind::Seconds, Seconds,
            "The delay before jitter is added, in seconds. Tests may have a Go duration."
        ),
        attempt: u32 = ("attempt", COUNT, Equal, "Which attempt it was, from 1."),
        max_attempts: u64 =
            ("maxAttempts", NUMBER, Equal, "The attempts that the policy allows in all."),
    }
}
