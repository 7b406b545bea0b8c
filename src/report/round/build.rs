//! Builds the explanation of a round from its record.

use super::reasons::{self, brief, end, nodes, requests};
use super::{
    API_VERSION, JobOutcome, JobRow, NodeRow, QueueRow, RoundExplanation, RoundSettings,
    RoundSummary, counted, percent,
};
use crate::cluster::job::{Job, JobIndex};
use crate::cluster::round::{
    EvictionCause, Method, Outcome, Placed, PreemptionKind, Refusal, RoundEnd, Trace, Trial,
    TrialResult,
};
use crate::cluster::state::PoolState;
use std::collections::{BTreeMap, HashMap};

/// A round, with what is looked up by job.
pub(super) struct Builder<'a> {
    pub(super) state: &'a PoolState,
    pub(super) outcome: &'a Outcome,
    pub(super) trace: &'a Trace,
    /// The positions of the trials of each job.
    pub(super) trials: HashMap<JobIndex, Vec<usize>>,
    /// The jobs because of which others were skipped.
    pub(super) skipped: HashMap<JobIndex, JobIndex>,
    /// The causes for which each job was evicted, in order.
    pub(super) evictions: HashMap<JobIndex, Vec<EvictionCause>>,
    /// By queue: the trial that ended it.
    ends: HashMap<usize, usize>,
}

impl RoundExplanation {
    /// Explains a round. With `named` jobs these alone, each with its whole story.
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
                row.story = builder.story(*job, row);
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
        for (step, trial) in trace.trials.iter().enumerate() {
            for job in &trial.members {
                trials.entry(*job).or_default().push(step);
            }
            if matches!(&trial.result, TrialResult::Refused(refusal, _) if refusal.ends_queue()) {
                ends.entry(trial.queue).or_insert(step);
            }
        }
        let mut evictions: HashMap<JobIndex, Vec<EvictionCause>> = HashMap::new();
        for eviction in &trace.evictions {
            evictions.entry(eviction.job).or_default().push(eviction.cause);
        }
        let skipped = trace.skipped.iter().copied().collect();
        Self { state, outcome, trace, trials, skipped, evictions, ends }
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
    fn last_trial(&self, job: JobIndex) -> Option<(usize, &'a Trial)> {
        let step = *self.trials.get(&job)?.last()?;
        Some((step, self.trace.trials.get(step)?))
    }

    fn job(&self, job: JobIndex) -> JobRow {
        let given = self.job_of(job);
        let shape = &self.state.shapes[given.shape];
        let last = self.last_trial(job);
        // A job that was skipped would have been refused at the trial of the first of its shape.
        let first = self.skipped.get(&job).and_then(|first| self.last_trial(*first));
        let compared = last.or(first).map(|(_, trial)| trial);
        let mut row = JobRow {
            job_id: self.id(job),
            queue: self.state.queue_name(job).to_owned(),
            priority_class: self.state.settings.classes[shape.class].name.clone(),
            gang: given.gang.map(|gang| self.state.gang_ids[gang].clone()),
            requests: requests(self.state, shape),
            state_before: if given.run.is_some() { "Running" } else { "Queued" },
            outcome: JobOutcome::Kept,
            node: given.run.map(|run| self.node(run.node)),
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
            nodes_with_room: None,
            displaced: Vec::new(),
            by: None,
            story: Vec::new(),
            brief: String::new(),
        };
        if self.outcome.scheduled.contains_key(&job) {
            self.scheduled(job, &mut row);
        } else if self.outcome.preempted.contains_key(&job) {
            self.preempted(job, &mut row);
        } else if given.run.is_some() {
            self.kept(job, &mut row);
        } else {
            self.queued(job, &mut row);
        }
        if row.reason.is_empty() {
            row.reason.clone_from(&row.brief);
        }
        row
    }

    /// The last place that a job was given.
    fn place(&self, job: JobIndex) -> Option<&'a Placed> {
        let steps = self.trials.get(&job)?.iter().rev();
        let mut trials = steps.filter_map(|step| self.trace.trials.get(*step));
        trials.find_map(|trial| match &trial.result {
            TrialResult::Placed(placed) => placed.iter().find(|placed| placed.job == job),
            _ => None,
        })
    }

    fn scheduled(&self, job: JobIndex, row: &mut JobRow) {
        row.outcome = JobOutcome::Scheduled;
        let Some(placement) = self.outcome.scheduled.get(&job) else { return };
        row.node = Some(self.node(placement.node));
        row.priority = Some(placement.priority);
        row.method = Some(reasons::method(placement.method));
        let place = self.place(job);
        row.nodes_with_room =
            place.filter(|_| placement.method != Method::Rescheduled).map(|place| place.room);
        let displaced = place.map(|place| place.displaced.as_slice()).unwrap_or_default();
        row.displaced = displaced.iter().map(|job| self.id(*job)).collect();
        row.brief = match placement.method {
            Method::NoPreemption => "there is room".to_owned(),
            Method::FairShare => {
                let mut queues: Vec<&str> =
                    displaced.iter().map(|job| self.state.queue_name(*job)).collect();
                queues.sort_unstable();
                queues.dedup();
                format!("takes the place of jobs of queue {}, above its share", queues.join(", "))
            }
            Method::Urgency => "jobs of lower priority make room".to_owned(),
            Method::Away => format!("as a guest at priority {}", placement.priority),
            Method::Rescheduled => "placed, evicted and placed again".to_owned(),
        };
        row.reason = match (placement.method, row.nodes_with_room) {
            (Method::NoPreemption, Some(room)) => {
                format!("{} had room without preemption", counted(room, "node"))
            }
            (Method::FairShare, _) => format!("takes the place of {}", row.displaced.join(", ")),
            _ => String::new(),
        };
    }

    fn preempted(&self, job: JobIndex, row: &mut JobRow) {
        row.outcome = JobOutcome::Preempted;
        let Some(preemption) = self.outcome.preempted.get(&job) else { return };
        row.preemption = Some(reasons::preemption(preemption.kind));
        row.by = preemption.by.map(|by| self.id(by));
        row.nodes = self.refusal_nodes(job);
        row.brief = match (preemption.kind, preemption.by) {
            (PreemptionKind::FairShare, Some(by)) => format!(
                "queue {} is above its share; a job of queue {} takes its place",
                row.queue,
                self.state.queue_name(by)
            ),
            (PreemptionKind::FairShare, None) => "its queue is above its share".to_owned(),
            (PreemptionKind::Urgency, _) => "a job of higher priority takes its place".to_owned(),
            (PreemptionKind::Unknown, _) => "it does not fit on its node any more".to_owned(),
            (PreemptionKind::UnknownGang, _) => {
                "it or a member of its gang does not fit on its node any more".to_owned()
            }
        };
        row.reason = match (&row.by, preemption.kind) {
            (Some(by), PreemptionKind::FairShare) => {
                format!("job {by} takes its place; {}", self.gate(job))
            }
            (Some(by), _) => format!("job {by} of higher priority takes its place"),
            _ => String::new(),
        };
    }

    /// The share of a job's queue before the round, as a clause.
    pub(super) fn gate(&self, job: JobIndex) -> String {
        let Some(position) = self.job_of(job).queue else { return String::new() };
        let Some(queue) = self.outcome.queues.get(position) else { return String::new() };
        let shares = queue.shares;
        let share = if self.state.settings.is_uncapped_share_protected {
            shares.uncapped
        } else {
            shares.demand_capped.max(shares.fair)
        };
        format!(
            "queue {} had {} of the pool, its share is {} and {} of that is protected",
            self.state.queue_name(job),
            percent(queue.cost_before),
            percent(share),
            percent(self.state.settings.protected_fraction),
        )
    }

    fn kept(&self, job: JobIndex, row: &mut JobRow) {
        row.outcome = JobOutcome::Kept;
        let given = self.job_of(job);
        let class = &self.state.settings.classes[self.state.shapes[given.shape].class];
        row.brief = if self.evictions.contains_key(&job) {
            row.reason.push_str("evicted, and placed again before another job took its place");
            "evicted and placed again".to_owned()
        } else if given.queue.is_none() {
            "its queue is not listed".to_owned()
        } else if given.run.is_some_and(|run| !run.is_bound) {
            "it holds no resources of its node".to_owned()
        } else if class.is_preemptible {
            row.reason = self.gate(job);
            "its queue is within its protected share".to_owned()
        } else {
            format!("class {} is not preemptible", class.name)
        };
    }

    /// The nodes of the last refusal of a job, or of the one of its shape.
    fn refusal_nodes(&self, job: JobIndex) -> Vec<NodeRow> {
        let refused = self.skipped.get(&job).copied().unwrap_or(job);
        match self.last_trial(refused).map(|(_, trial)| &trial.result) {
            Some(TrialResult::Refused(refusal, Some(unplaced))) => {
                let is_uniform = *refusal == Refusal::UniformGangWithoutNode;
                nodes(self.state, unplaced, is_uniform)
            }
            _ => Vec::new(),
        }
    }

    fn queued(&self, job: JobIndex, row: &mut JobRow) {
        row.outcome = JobOutcome::Queued;
        if let Some(refusal) = self.outcome.refused.get(job) {
            row.refusal = Some(refusal.to_string());
            row.brief.push_str(brief(refusal));
            row.nodes = self.refusal_nodes(job);
            let main = row.nodes.first().map(|node| node.reason.as_str());
            row.reason = match (self.skipped.get(&job), refusal) {
                (Some(first), _) => {
                    format!("{}, as job {} of the same shape", row.brief, self.id(*first))
                }
                (None, Refusal::NoNode) if self.state.nodes.is_empty() => {
                    "the pool has no nodes".to_owned()
                }
                (None, Refusal::LabelNotIndexed(label)) => {
                    format!("the label {label} of its gang is not in indexedNodeLabels")
                }
                (None, Refusal::LabelWithoutValues(label)) => {
                    format!("no node has the label {label} of its gang")
                }
                (None, _) => main.map_or(String::new(), |main| format!("{}: {main}", row.brief)),
            };
        } else if self.place(job).is_some() {
            row.brief.push_str("placed, then evicted from the oversubscribed node");
        } else {
            row.outcome = JobOutcome::NotConsidered;
            (row.brief, row.reason) = self.unseen(job);
        }
    }

    /// Why a queued job was not looked at: in a few words, and as a sentence.
    fn unseen(&self, job: JobIndex) -> (String, String) {
        let same = |text: String| (text.clone(), text);
        let given = self.job_of(job);
        let Some(queue) = given.queue else {
            return same(format!("queue {} is not listed", self.state.queue_name(job)));
        };
        if let Some(position) = given.gang {
            let (gang, id) = (&self.state.gangs[position], &self.state.gang_ids[position]);
            let is_queued = |job: &&JobIndex| self.job_of(**job).run.is_none();
            let queued = gang.members.iter().filter(is_queued).count();
            if queued < gang.cardinality {
                let all = gang.cardinality;
                return same(format!("gang {id} is not complete: {queued} of {all} are queued"));
            }
            let skipped = gang.members.iter().find(|member| self.skipped.contains_key(member));
            if let Some(member) = skipped {
                let brief = format!("a member of gang {id} was skipped for its shape");
                return (
                    brief,
                    format!("job {} of gang {id} was skipped for its shape", self.id(*member)),
                );
            }
        }
        if let Some(step) = self.ends.get(&queue) {
            let trial = &self.trace.trials[*step];
            if let TrialResult::Refused(refusal, _) = &trial.result {
                return (
                    format!("behind a job of its queue: {}", end(refusal)),
                    format!("behind job {}: {}", self.first_id(trial), end(refusal)),
                );
            }
        }
        if self.trace.is_lookback_reached.get(queue) == Some(&true) {
            let most = self.state.settings.queue_lookback;
            return same(format!("beyond maxQueueLookback ({most})"));
        }
        match &self.outcome.end {
            RoundEnd::Limit(refusal) => same(format!("the round ended: {}", end(refusal))),
            RoundEnd::NoJobLeft => same("it was not reached".to_owned()),
        }
    }

    pub(super) fn first_id(&self, trial: &Trial) -> String {
        trial.members.first().map(|job| self.id(*job)).unwrap_or_default()
    }

    fn queues(&self, rows: &[(JobIndex, JobRow)]) -> Vec<QueueRow> {
        let named = self.state.queue_names.iter().zip(&self.state.queues);
        let mut queues: Vec<QueueRow> = named
            .zip(&self.outcome.queues)
            .map(|((name, input), outcome)| QueueRow {
                name: name.clone(),
                weight: input.weight,
                cordoned: input.is_cordoned,
                fair: outcome.shares.fair,
                demand_capped: outcome.shares.demand_capped,
                uncapped: outcome.shares.uncapped,
                demand: outcome.shares.demand,
                cost_before: outcome.cost_before,
                cost_after: outcome.cost_after,
                evicted: 0,
                rescheduled: 0,
                scheduled: 0,
                preempted: 0,
                queued: 0,
            })
            .collect();
        for eviction in self.trace.first_evictions() {
            let queue = self.job_of(eviction.job).queue;
            if let Some(queue) = queue.and_then(|queue| queues.get_mut(queue)) {
                queue.evicted += 1;
            }
        }
        for (job, row) in rows {
            let queue = self.job_of(*job).queue;
            let Some(queue) = queue.and_then(|queue| queues.get_mut(queue)) else { continue };
            match row.outcome {
                JobOutcome::Scheduled => queue.scheduled += 1,
                JobOutcome::Preempted => queue.preempted += 1,
                JobOutcome::Kept => {
                    queue.rescheduled += usize::from(self.evictions.contains_key(job));
                }
                JobOutcome::Queued | JobOutcome::NotConsidered => queue.queued += 1,
            }
        }
        queues
    }
}

/// What happened to how many jobs.
fn summary(rows: &[(JobIndex, JobRow)]) -> RoundSummary {
    let mut summary = RoundSummary::default();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, row) in rows {
        let state = match row.state_before {
            "Running" => &mut summary.running,
            _ => &mut summary.queued,
        };
        *state += 1;
        match row.outcome {
            JobOutcome::Scheduled => summary.scheduled += 1,
            JobOutcome::Preempted => summary.preempted += 1,
            JobOutcome::Kept => {}
            JobOutcome::Queued => {
                summary.refused += 1;
                *reasons.entry(row.brief.as_str()).or_default() += 1;
            }
            JobOutcome::NotConsidered => {
                summary.not_considered += 1;
                *reasons.entry("not looked at").or_default() += 1;
            }
        }
    }
    let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
    reasons.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    summary.sentence = sentence(&summary, &reasons);
    summary
}

/// The verdict in a sentence.
fn sentence(summary: &RoundSummary, reasons: &[(&str, usize)]) -> String {
    let is_are = |count: usize| if count == 1 { "is" } else { "are" };
    let start = if summary.scheduled == 1 { "starts" } else { "start" };
    let mut text = match summary.queued {
        0 => "No job is queued".to_owned(),
        _ => format!("{} of {} {start}", summary.scheduled, counted(summary.queued, "queued job")),
    };
    let stay = summary.refused + summary.not_considered;
    if summary.running > 0 {
        let (lost, running) = (summary.preempted, counted(summary.running, "running job"));
        text += &format!(", {lost} of {running} {} preempted", is_are(lost));
    }
    if stay > 0 {
        let reasons = reasons.iter().map(|(reason, count)| format!("{reason} ({count})"));
        let verb = if stay == 1 { "stays" } else { "stay" };
        text += &format!(", {stay} {verb} queued: {}", reasons.collect::<Vec<_>>().join("; "));
    }
    text + "."
}
