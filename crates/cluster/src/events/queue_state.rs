//! The jobs of a queue.

use super::rate_limit::Bucket;
use crate::pair_set::PairSet;
use crate::resources::Amounts;
use crate::round::JobOrder;
use crate::settings::Settings;

/// The jobs of a queue.
#[derive(Debug, Clone)]
pub(super) struct QueueState {
    /// The demand of its jobs by class, queued and running, in all pools; `None` before its first submission.
    pub(super) demand: Option<Vec<Amounts>>,
    pub(super) queued: PairSet<JobOrder>,
    /// The number of its jobs that wait until they may be queued again.
    pub(super) backing_off: u32,
    pub(super) tokens: Bucket,
}

impl QueueState {
    pub(super) fn new(tokens: Bucket) -> Self {
        // Without a demand: only active queues, which have had a job, take part in rounds.
        Self { demand: None, queued: PairSet::default(), backing_off: 0, tokens }
    }

    /// Returns the demand within limits by class.
    pub(super) fn demand_within(&self, limits: &[Amounts], settings: &Settings) -> Amounts {
        let mut sum = settings.resources.zero();
        for (demand, limit) in self.demand.iter().flatten().zip(limits) {
            sum.add(&demand.min(limit));
        }
        sum
    }
}
