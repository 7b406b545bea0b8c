//! The fields that decisions about tries of Airflow have beside those of all systems.

use crate::COUNTS;
use crate::decision_fields::decision_fields;
use document::Kind;
use std::collections::BTreeMap;

decision_fields! {
    /// The fields that decisions about tries have.
    TryDecision {
        counts: BTreeMap<&'static str, u64> = (
            "counts", COUNTS, Entries,
            "The system's own counters, as they stand after the decision.",
            "Those that are listed are compared."
        ),
        eligible: bool =
            ("eligible", Kind::Boolean, Equal, "Whether the try may be followed by another."),
        base_seconds: f64 = (
            "baseSeconds", Kind::Seconds, Seconds,
            "The delay in seconds before jitter is added.",
            "It may be a Go duration."
        ),
        retry_reason: String = (
            "retryReason", Kind::SomeText, Contains,
            "The reason of a retry policy's answer, as Airflow stores it (`retry_reason`).",
            "A part of it is enough."
        ),
    }
}
