//! Armada's jobs as units: a job is the only member of its unit.

use super::armada::{ArmadaRun, JobFields};
use super::record::{Member, Run};
use std::sync::Arc;

/// A job of Armada's: the only member of its unit.
pub type Job = Member<ArmadaRun>;

/// A run of a job.
pub type RunRecord = Run<ArmadaRun>;

impl Job {
    /// A job without a queue and without runs.
    pub fn new(id: &str, fields: JobFields) -> Self {
        Self {
            unit: id.into(),
            queue: "".into(),
            unit_fields: Arc::new(fields),
            key: (),
            is_single: true,
            runs: Vec::new(),
        }
    }
}
