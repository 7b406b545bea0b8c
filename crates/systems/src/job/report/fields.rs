//! The fields of a reported decision that only Jobs and JobSets have, and their columns.

use crate::decision_fields::decision_fields;
use crate::{COUNT, COUNTS, ColumnPlace, DecisionColumn};
use document::Kind;
use std::collections::BTreeMap;

decision_fields! {
    /// The fields that decisions about Jobs have.
    JobDecision {
        level: &'static str = (
            "level", Kind::SomeText, Equal,
            "What is decided about: `job` or `jobset`. In a test it chooses one of several decisions about an \
             attempt; absent: the last one."
        ),
        pod_index: u32 = ("podIndex", COUNT, Equal, "The pod's index."),
        counts: BTreeMap<&'static str, u64> = (
            "counts", COUNTS, Entries,
            "The system's own counters after the decision. Tests compare those that they list."
        ),
        failure_reason: String = (
            "failureReason", Kind::SomeText, Equal,
            "The reason of the Job's failure, as its condition has it."
        ),
        failure_message: String = (
            "failureMessage", Kind::SomeText, Contains,
            "The message of the Job's failure, as its condition has it. Tests expect a part of it."
        ),
    }
}

/// The index of a pod.
pub const INDEX: DecisionColumn =
    DecisionColumn::new("INDEX", ColumnPlace::DispensableMember, |it, _| it.cell("podIndex"));
/// The reason of a Job's failure.
pub const REASON: DecisionColumn =
    DecisionColumn::new("REASON", ColumnPlace::Wide, |it, _| it.cell("failureReason"));
/// The message of a Job's failure, in one line.
pub const MESSAGE: DecisionColumn =
    DecisionColumn::new("MESSAGE", ColumnPlace::Wide, |it, _| one_line(&it.cell("failureMessage")));

/// Joins the lines of a text.
pub fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
