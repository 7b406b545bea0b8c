//! The fields and columns that decisions about Jobs have beside those of all systems.

use crate::decision_fields::{MESSAGE, decision_fields};
use crate::{COUNT, COUNTS, CellText, ColumnPlace, DecisionColumn};
use document::Kind;
use std::collections::BTreeMap;

decision_fields! {
    /// The fields that decisions about Jobs have.
    JobDecision {
        level: &'static str = (
            "level", Kind::SomeText, Equal,
            "The object that is decided about: `job` or `jobset`.",
            "It chooses one of several decisions about an attempt. Absent: the last one."
        ),
        pod_index: u32 = ("podIndex", COUNT, Equal, "The pod's index."),
        counts: BTreeMap<&'static str, u64> = (
            "counts", COUNTS, Entries,
            "The system's own counters, as they stand after the decision.",
            "Those that are listed are compared."
        ),
        failure_reason: String = (
            "failureReason", Kind::SomeText, Equal,
            "The reason of the Job's failure, as its condition has it."
        ),
        failure_message: String = (
            "failureMessage", Kind::SomeText, Contains,
            "The message of the Job's failure, as its condition has it, or the message that Armada's executor reports with \
             the category, with its hint. No rule matches it.",
            "A part of it is enough."
        ),
    }
}

/// The columns of timelines of Jobs.
pub const COLUMNS: &[DecisionColumn] = &[INDEX, REASON, MESSAGE];

/// The index of a pod.
pub const INDEX: DecisionColumn =
    DecisionColumn::new("INDEX", ColumnPlace::DispensableMember, CellText::Field("podIndex"));
/// The reason of a Job's failure.
pub const REASON: DecisionColumn =
    DecisionColumn::new("REASON", ColumnPlace::Wide, CellText::Field("failureReason"));
