//! Indexes of the record of a round.

use cluster::job::{Job, JobIndex};
use cluster::round::{EvictionCause, Method, Outcome, Trace, Trial, TrialResult};
use cluster::state::PoolState;
use std::collections::HashMap;

/// A round, with indexes by job.
pub(super) struct RoundIndex<'a> {
    pub(super) state: &'a PoolState,
    pub(super) outcome: &'a Outcome,
    pub(super) trace: &'a Trace,
    /// By job: the positions of its trials.
    pub(super) trials: HashMap<JobIndex, Vec<usize>>,
    /// By skipped job: the job whose refusal caused the skip.
    pub(super) skipped: HashMap<JobIndex, JobIndex>,
    /// By job: the causes of its evictions, in order.
    pub(super) evictions: HashMap<JobIndex, Vec<EvictionCause>>,
    /// By queue: the trial that ended the queue.
    pub(super) ends: HashMap<usize, usize>,
    /// By node: the trials that placed a job there by urgency, and these jobs.
    pub(super) urgent: HashMap<usize, Vec<(usize, JobIndex)>>,
    /// By job: its position among the queued jobs of its queue.
    pub(super) positions: HashMap<JobIndex, usize>,
}

impl<'a> RoundIndex<'a> {
    pub(super) fn new(state: &'a PoolState, outcome: &'a Outcome, trace: &'a Trace) -> Self {
        let mut trials: HashMap<JobIndex, Vec<usize>> = HashMap::new();
        let mut ends = HashMap::new();
        let mut urgent: HashMap<usize, Vec<(usize, JobIndex)>> = HashMap::new();
        for (step, trial) in trace.trials.iter().enumerate() {
            for job in &trial.members {
                trials.entry(*job).or_default().push(step);
            }
            if matches!(&trial.result, TrialResult::Refused(refusal, _) if refusal.ends_queue()) {
                ends.entry(trial.queue).or_insert(step);
            }
            let TrialResult::PlacedMember(placed) = &trial.result else { continue };
            for placed in placed.iter().filter(|it| it.placement.method == Method::Urgency) {
                urgent.entry(placed.placement.node).or_default().push((step, placed.job));
            }
        }
        let queued = state.queues.iter().flat_map(|queue| queue.queued.iter().copied().enumerate());
        let positions = queued.map(|(position, job)| (job, position)).collect();
        let mut evictions: HashMap<JobIndex, Vec<EvictionCause>> = HashMap::new();
        for eviction in &trace.evictions {
            evictions.entry(eviction.job).or_default().push(eviction.cause);
        }
        let skipped = trace.skipped.iter().copied().collect();
        Self { state, outcome, trace, trials, skipped, evictions, ends, urgent, positions }
    }

    pub(super) fn id(&self, job: JobIndex) -> String {
        self.state.job_ids[job as usize].clone()
    }

    pub(super) fn node(&self, node: usize) -> String {
        self.state.nodes.get(node).spec.id.clone()
    }

    pub(super) fn job_of(&self, job: JobIndex) -> &'a Job {
        &self.state.jobs[job as usize]
    }

    /// The last trial of a job.
    pub(super) fn last_trial(&self, job: JobIndex) -> Option<(usize, &'a Trial)> {
        let step = *self.trials.get(&job)?.last()?;
        Some((step, self.trace.trials.get(step)?))
    }

    pub(super) fn first_id(&self, trial: &Trial) -> String {
        trial.members.first().map(|job| self.id(*job)).unwrap_or_default()
    }
}
