//! The fields and columns that decisions about JobSets have beside those of all systems.

use crate::decision_fields::{MESSAGE, decision_fields};
use crate::job::report::fields::{INDEX, REASON};
use crate::{COUNT, COUNTS, CellText, ColumnPlace, DecisionColumn};
use document::Kind;
use replay::simulate::SystemFields;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

decision_fields! {
    /// The fields that decisions about JobSets and their Jobs have.
    JobSetDecision {
        level: &'static str = (
            "level", Kind::SomeText, Equal,
            "The object that is decided about: `job` or `jobset`.",
            "It chooses one of several decisions about an attempt. Absent: the last one."
        ),
        job_name: String =
            ("jobName", Kind::SomeText, Equal, "The child Job that the decision goes by."),
        pod_index: u32 = ("podIndex", COUNT, Equal, "The pod's index."),
        counts: BTreeMap<&'static str, u64> = (
            "counts", COUNTS, Entries,
            "The system's own counters, as they stand after the decision.",
            "Those that are listed are compared."
        ),
        job_restarts: BTreeMap<String, JobRestarts> = (
            "jobRestarts", Kind::Map(&COUNTS), Entries,
            "Restarts of single child Jobs, by name: all of them, and those that count towards the limit.",
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

/// How often one child Job was restarted by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobRestarts {
    /// Restarts.
    pub restarts: u32,
    /// Those of them that count towards the limit.
    pub restarts_count_towards_max: u32,
}

/// The columns of timelines of JobSets.
pub const COLUMNS: &[DecisionColumn] = &[
    DecisionColumn::new("JOB", ColumnPlace::Member, CellText::Computed(job)),
    INDEX,
    DecisionColumn {
        header: "RESTARTS",
        place: ColumnPlace::Count,
        // As `3 (1 free)` has.
        min_width: Some(10),
        cell: CellText::Computed(restarts),
    },
    REASON,
    MESSAGE,
];

/// The name of the child Job, without the set's name before it.
fn job(fields: &SystemFields, set: &str) -> String {
    let name = fields.cell("jobName");
    let part = name.strip_prefix(set).and_then(|rest| rest.strip_prefix('-'));
    part.unwrap_or(&name).to_owned()
}

/// The restarts of a set, and the number of those that do not count.
fn restarts(fields: &SystemFields, _: &str) -> String {
    match (fields.count("restarts"), fields.count("restartsCountTowardsMax")) {
        (Some(all), Some(counted)) if all == counted => all.to_string(),
        (Some(all), Some(counted)) => format!("{all} ({} free)", all.saturating_sub(counted)),
        _ => String::new(),
    }
}
