//! Builds the explanation of a round from its record.

use super::reasons::requests;
use super::summary::summary;
use super::{API_VERSION, JobOutcome, JobRow, RoundExplanation, RoundSettings};
use crate::cluster::job::{Job, JobIndex};
use crate::cluster::round::{EvictionCause, Method, Outcome, RoundEnd, Trace, Trial, TrialResult};
use crate::cluster::state::PoolState;
use std::collections::HashMap;

/// A round, with indexes by job.
pub(super) struct Builder<'a> {
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

impl RoundExplanation {
    /// Explains a round. If jobs are `named`, only these, each with its timeline.
    pub fn new(
        state: &PoolState,
        outcome: &Outcome,
        trace: &Trace,
        named: Option<&[JobIndex]>,
    ) -> Self {
        let builder = Builder::new(state, outcome, trace);
        let all = (0..).take(state.jobs.len());
        let rows: Vec<(JobIndex, JobRow)> = all.map(|job| (job, builder.job(job))).collect();
        let queues = builder.queues(&rows);
        let summary = summary(&rows);
        let mut rows = rows;
        if let Some(named) = named {
            rows.retain(|(job, _)| named.contains(job));
            for (job, row) in &mut rows {
                row.story = builder.timeline(*job, row);
            }
        }
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

impl<'a> Builder<'a> {
    fn new(state: &'a PoolState, outcome: &'a Outcome, trace: &'a Trace) -> Self {
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

    fn job(&self, job: JobIndex) -> JobRow {
        let job_record = self.job_of(job);
        let shape = &self.state.shapes[job_record.shape];
        let last = self.last_trial(job);
        // A skipped job would have been refused at the trial of the first job of its shape.
        let first = self.skipped.get(&job).and_then(|first| self.last_trial(*first));
        let compared = last.or(first).map(|(_, trial)| trial);
        let mut row = JobRow {
            job_id: self.id(job),
            queue: self.state.queue_name(job).to_owned(),
            priority_class: self.state.settings.classes[shape.class].name.clone(),
            gang: job_record.gang.map(|gang| self.state.gang_ids[gang].clone()),
            requests: requests(self.state, shape),
            state_before: if job_record.run.is_some() { "Running" } else { "Queued" },
            outcome: JobOutcome::Kept,
            node: job_record.run.map(|run| self.node(run.node)),
            priority: None,
            method: None,
            preemption: None,
            step: last.map(|(step, _)| step + 1),
            queue_cost: compared.map(|trial| trial.cost),
            queue_cost_with_job: compared.map(|trial| trial.cost_with),
            queue_share: compared.map(|trial| trial.budget),
            reason: String::new(),
            refusal: None,
            nodes: Vec::new(),
            displaced: Vec::new(),
            by: None,
            candidates: Vec::new(),
            story: Vec::new(),
            brief: String::new(),
        };
        if self.outcome.scheduled.contains_key(&job) {
            self.scheduled(job, &mut row);
        } else if self.outcome.preempted.contains_key(&job) {
            self.preempted(job, &mut row);
        } else if job_record.run.is_some() {
            self.kept(job, &mut row);
        } else {
            self.queued(job, &mut row);
        }
        if row.reason.is_empty() {
            row.reason.clone_from(&row.brief);
        }
        row
    }

    pub(super) fn first_id(&self, trial: &Trial) -> String {
        trial.members.first().map(|job| self.id(*job)).unwrap_or_default()
    }
}
