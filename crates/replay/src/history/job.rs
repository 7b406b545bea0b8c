//! Armada's jobs as units: a job is the only member of its unit.

use super::armada::ArmadaRun;
use super::record::{Member, Run};
use armada_retry::engine::{EndedRun, JobFields};
use std::sync::Arc;

/// A job of Armada's: the only member of its unit.
pub type Job = Member<ArmadaRun>;

/// A run of a job.
pub type RunRecord = Run<ArmadaRun>;

impl RunRecord {
    /// The run as the evaluator reads it.
    #[inline]
    pub fn ended(&self) -> EndedRun<'_> {
        let own = &self.own;
        EndedRun {
            run_index: self.run_index,
            outcome: own.outcome,
            conditions: &own.conditions,
            containers: &own.containers,
            category: &own.category,
            subcategory: &own.subcategory,
            finished_at: self.finished_at,
            node: self.node.as_deref(),
            termination_grace: own.termination_grace,
            termination_confirmed_at: own.termination_confirmed_at,
            unplaced: own.unplaced,
        }
    }
}

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
