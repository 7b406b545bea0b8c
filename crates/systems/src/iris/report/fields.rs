//! The fields and columns that decisions about tasks of Iris have beside those of all systems.

use crate::decision_fields::decision_fields;
use crate::{COUNT, COUNTS, CellText, ColumnPlace, DecisionColumn};
use document::Kind;
use std::collections::BTreeMap;

decision_fields! {
    /// The fields that decisions about tasks of Iris have.
    TaskDecision {
        counts: BTreeMap<&'static str, u64> = (
            "counts", COUNTS, Entries,
            "The system's own counters, as they stand after the decision.",
            "Those that are listed are compared."
        ),
        task: u32 = ("task", COUNT, Equal, "The task of an Iris job, from 0."),
        task_state: &'static str =
            ("taskState", Kind::SomeText, Equal, "The task's state after the decision."),
        job_state: &'static str =
            ("jobState", Kind::SomeText, Equal, "The job's state after the decision."),
    }
}

/// The columns of timelines of Iris jobs.
pub const COLUMNS: &[DecisionColumn] = &[
    DecisionColumn::new("TASK", ColumnPlace::Member, CellText::Field("task")),
    DecisionColumn::new("TASK STATE", ColumnPlace::Wide, CellText::Field("taskState")),
    DecisionColumn::new("JOB STATE", ColumnPlace::Wide, CellText::Field("jobState")),
];
