//! The fields that decisions about attempts of AWS Batch have beside those of all systems.

use crate::COUNTS;
use crate::decision_fields::decision_fields;
use std::collections::BTreeMap;

decision_fields! {
    /// The fields that decisions about attempts have.
    AttemptDecision {
        counts: BTreeMap<&'static str, u64> = (
            "counts", COUNTS, Entries,
            "The system's own counters, as they stand after the decision.",
            "Those that are listed are compared."
        ),
    }
}
