//! The fields of a reported decision that only Airflow has.

use crate::COUNTS;
use crate::decision_fields::decision_fields;
use document::Kind;
use std::collections::BTreeMap;

decision_fields! {
    /// The fields that decisions about tries have.
    TryDecision {
        counts: BTreeMap<&'static str, u64> = (
            "counts", COUNTS, Entries,
            "The system's own counters after the decision. Tests compare those that they list."
        ),
        eligible: bool =
            ("eligible", Kind::Boolean, Equal, "Whether the try may be followed by another."),
        base_seconds: f64 = (
            "baseSeconds", Kind::Seconds, Seconds,
            "The delay before jitter is added, in seconds. Tests may have a Go duration."
        ),
        retry_reason: String = (
            "retryReason", Kind::SomeText, Contains,
            "The reason of a retry policy's answer, as Airflow stores it (`retry_reason`). Tests expect a part of it."
        ),
    }
}
