//! A run as a source reports it.

use crate::history::job::RunRecord;
use armada_retry::engine::JobFields;

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
    /// The run.
    pub(super) run: RunRecord,
    /// The run's number, where the source has one.
    pub(super) index: Option<u32>,
    /// The line of the record, from 1.
    pub(super) line: usize,
}
