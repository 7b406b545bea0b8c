//! The explanation of a scheduling round: the outcome of every job, and its reason.

mod explanation;
mod index;
mod not_tried;
mod reasons;
mod rows;
mod summary;
mod table;
mod timeline;

pub use explanation::RoundExplanation;
pub use table::table;

use super::documents::API_VERSION;
use cluster::job::JobIndex;
use cluster::round::{Outcome, RoundEnd, Trace};
use cluster::state::PoolState;
use explanation::{JobRow, RoundSettings};
use index::RoundIndex;
use summary::summary;

impl RoundExplanation {
    /// Explains a round. If jobs are `named`, only these, each with its timeline.
    pub fn new(
        state: &PoolState,
        outcome: &Outcome,
        trace: &Trace,
        named: Option<&[JobIndex]>,
    ) -> Self {
        let index = RoundIndex::new(state, outcome, trace);
        let all = (0..).take(state.jobs.len());
        let rows: Vec<(JobIndex, JobRow)> = all.map(|job| (job, index.job(job))).collect();
        let queues = index.queues(&rows);
        let summary = summary(&rows);
        let mut rows = rows;
        if let Some(named) = named {
            rows.retain(|(job, _)| named.contains(job));
            for (job, row) in &mut rows {
                row.story = index.timeline(*job, row);
            }
        }
        // In the order of the trials. `None` is below every step, so jobs without a trial need the flag to come last.
        rows.sort_by_key(|(job, row)| {
            (row.step.is_none(), row.step, row.outcome, state.jobs[*job as usize].queue, *job)
        });
        Self {
            api_version: API_VERSION,
            kind: "RoundExplanation",
            pool: state.pool.clone(),
            profile: "landed",
            settings: RoundSettings {
                protected_fraction_of_fair_share: state.settings.protected_fraction,
                prefer_large_jobs: state.settings.are_large_jobs_first,
                max_queue_lookback: state.settings.queue_lookback,
                nodes: state.nodes.len(),
            },
            summary,
            termination: match &outcome.end {
                RoundEnd::NoJobLeft => "no remaining candidate jobs".to_owned(),
                RoundEnd::Limit(refusal) => refusal.to_string(),
            },
            queues,
            jobs: rows.into_iter().map(|(_, row)| row).collect(),
        }
    }
}
