//! The fields that decisions of the BEP-1053 draft have beside those of all systems.

use crate::decision_fields::decision_fields;
use crate::{COUNT, COUNTS, NUMBER};
use document::Kind;
use std::collections::BTreeMap;

decision_fields! {
    /// The fields that decisions about sessions have.
    SessionDecision {
        counts: BTreeMap<&'static str, u64> = (
            "counts", COUNTS, Entries,
            "The system's own counters, as they stand after the decision.",
            "Those that are listed are compared."
        ),
        base_seconds: f64 = (
            "baseSeconds", Kind::Seconds, Seconds,
            "The delay in seconds before jitter is added.",
            "It may be a Go duration."
        ),
        attempt: u32 = ("attempt", COUNT, Equal, "The number of the attempt, from 1."),
        max_attempts: u64 =
            ("maxAttempts", NUMBER, Equal, "The attempts that the policy allows in all."),
    }
}
