//! A run as a source reports it.

use crate::history::job::RunRecord;
use armada_retry::engine::JobFields;
use serde_json::{Map, Value};

/// A run in Armada's terms.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SourceRecord {
    /// The job's id, never empty.
    pub(super) id: String,
    /// The run's pod, `namespace/name`, where the source has one.
    pub(super) pod: Option<String>,
    /// The job's queue, if it is on record.
    pub(super) queue: Option<String>,
    /// The other fields of the job; a later record need not repeat them.
    pub(super) job: JobFields,
    pub(super) run: RunRecord,
    /// The run's number, where the source has one.
    pub(super) index: Option<u32>,
    /// The line of the record, from 1.
    pub(super) line: usize,
}

/// A run as a record of the one system that a program is of.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SystemRecord {
    /// The unit's id, never empty.
    pub(super) id: String,
    /// The fields of the record, as a line of JSON Lines has them.
    pub(super) fields: Map<String, Value>,
    /// The line of the object that has the run, from 1.
    pub(super) line: usize,
}

impl SystemRecord {
    /// A record of these fields; one that is null or an empty text is left out.
    pub(super) fn new(id: &str, line: usize, fields: Value) -> Self {
        let Value::Object(mut fields) = fields else {
            return Self { id: id.to_owned(), fields: Map::new(), line };
        };
        // Programs write absent values as null or empty, and a record leaves them out.
        fields.retain(|_, value| !value.is_null() && value.as_str() != Some(""));
        fields.insert("jobId".to_owned(), id.into());
        Self { id: id.to_owned(), fields, line }
    }
}
