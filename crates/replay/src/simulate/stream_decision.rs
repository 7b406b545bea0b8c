//! The decisions of a stream, as they are made.

use super::report::DecisionReport;
use crate::history::{Member, RecordFields};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// A decision about a run of a stream.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StreamDecision {
    /// The number of the engine, from 0.
    #[serde(skip)]
    pub engine: usize,
    /// The position of the run in the stream.
    #[serde(skip)]
    pub(super) position: u64,
    /// The job.
    pub job_id: String,
    /// Its queue; empty if the history names none.
    pub queue: String,
    /// The decision.
    #[serde(flatten)]
    pub decision: DecisionReport,
}

/// The decisions of an engine since they were taken last.
#[derive(Debug, Default)]
pub(super) struct StreamDecisions {
    /// Those about the run that is judged.
    pub(super) of_run: Vec<DecisionReport>,
    all: Vec<StreamDecision>,
}

impl StreamDecisions {
    /// Adds those about a run of a unit, which has this position in the stream.
    pub(super) fn add<F: RecordFields>(&mut self, unit: &Member<F>, position: u64) {
        let all = self.of_run.drain(..).map(|decision| StreamDecision {
            engine: 0,
            position,
            job_id: unit.unit.to_string(),
            queue: unit.queue.to_string(),
            decision,
        });
        self.all.extend(all);
    }

    /// Takes all of them, as those of an engine of this number.
    pub(super) fn take(&mut self, engine: usize) -> impl Iterator<Item = StreamDecision> {
        self.all.drain(..).map(move |decision| StreamDecision { engine, ..decision })
    }
}

/// A unit without runs, for the time that a decision about it is reported.
pub(super) fn unit_without_runs<F: RecordFields>(
    id: &str,
    queue: &Arc<str>,
    fields: &Arc<F::Unit>,
    key: F::Key,
) -> Member<F> {
    Member {
        unit: id.into(),
        queue: Arc::clone(queue),
        unit_fields: Arc::clone(fields),
        key,
        is_single: true,
        runs: Vec::new(),
    }
}
