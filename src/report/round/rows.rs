//! The row of a job: why it starts, stays, is preempted or waits.

use super::explanation::{JobOutcome, JobRow, NodeRow};
use super::index::RoundIndex;
use super::reasons::{self, brief, nodes, requests};
use crate::report::figures::percentage;
use cluster::job::JobIndex;
use cluster::round::{
    EvictionCause, Method, PlacedMember, Preemption, PreemptionKind, Refusal, TrialResult,
};

impl<'a> RoundIndex<'a> {
    /// The row of a job, without its timeline.
    pub(super) fn job(&self, job: JobIndex) -> JobRow {
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

    /// The ids of jobs, separated by commas.
    pub(super) fn ids<'j>(&self, jobs: impl IntoIterator<Item = &'j JobIndex>) -> String {
        let ids: Vec<String> = jobs.into_iter().map(|job| self.id(*job)).collect();
        ids.join(", ")
    }

    /// The placements of a job, the last one first.
    fn places(&self, job: JobIndex) -> impl Iterator<Item = &'a PlacedMember> {
        let steps = self.trials.get(&job).map(Vec::as_slice).unwrap_or_default();
        let trials = steps.iter().rev().filter_map(|step| self.trace.trials.get(*step));
        trials.filter_map(move |trial| match &trial.result {
            TrialResult::PlacedMember(placed) => placed.iter().find(|placed| placed.job == job),
            _ => None,
        })
    }

    /// The jobs that a job displaced on its node, and the jobs on other nodes that lost their places with
    /// them, as a clause.
    pub(super) fn in_place_of(&self, placed: &PlacedMember) -> String {
        let node = placed.placement.node;
        let is_here = |job: &&JobIndex| self.job_of(**job).run.is_some_and(|run| run.node == node);
        let (here, others): (Vec<&JobIndex>, Vec<&JobIndex>) =
            placed.displaced.iter().partition(is_here);
        let mut text = self.ids(here);
        if !others.is_empty() {
            let others = self.ids(others);
            text += &format!(" (members of their gangs on other nodes go too: {others})");
        }
        text
    }

    fn scheduled(&self, job: JobIndex, row: &mut JobRow) {
        row.outcome = JobOutcome::Scheduled;
        let Some(placement) = self.outcome.scheduled.get(&job) else { return };
        row.node = Some(self.node(placement.node));
        row.priority = Some(placement.priority);
        row.method = Some(reasons::method(placement.method));
        // A job that was placed twice displaced others at its first placement.
        let displaced: Vec<JobIndex> =
            self.places(job).flat_map(|place| place.displaced.iter().copied()).collect();
        row.displaced = displaced.iter().map(|job| self.id(*job)).collect();
        row.brief = match placement.method {
            Method::NoPreemption => "it fits without preemption".to_owned(),
            Method::FairShare => {
                let mut queues: Vec<&str> =
                    displaced.iter().map(|job| self.state.queue_name(*job)).collect();
                queues.sort_unstable();
                queues.dedup();
                let queues = queues.join(", ");
                format!("takes the place of jobs of queue {queues}, above its protected share")
            }
            Method::Urgency => "it fits if other jobs are preempted".to_owned(),
            Method::Away => format!("as an away job at priority {}", placement.priority),
            Method::Rescheduled => "placed, evicted and placed again".to_owned(),
        };
        let first = self.places(job).next();
        if let (Method::FairShare, Some(placed)) = (placement.method, first) {
            row.reason = format!("takes the place of {}", self.in_place_of(placed));
        }
    }

    fn preempted(&self, job: JobIndex, row: &mut JobRow) {
        row.outcome = JobOutcome::Preempted;
        let Some(preemption) = self.outcome.preempted.get(&job) else { return };
        row.preemption = Some(reasons::preemption(preemption.kind));
        match (preemption.kind, preemption.by) {
            (PreemptionKind::FairShare, Some(by)) => {
                self.displaced(job, preemption, by, row);
            }
            (PreemptionKind::FairShare, None) => {
                row.brief.push_str("its queue was above its protected share");
            }
            _ => self.not_placed_again(job, preemption, row),
        }
    }

    /// Fills the row of a job that lost its place to job `by`, itself or together with a member of its gang.
    fn displaced(&self, job: JobIndex, preemption: &Preemption, by: JobIndex, row: &mut JobRow) {
        row.by = Some(self.id(by));
        let (by_id, of_queue) = (self.id(by), self.state.queue_name(by));
        let place = self.places(by).find(|placed| placed.displaced.contains(&job));
        let is_here = place.is_none_or(|placed| placed.placement.node == preemption.node);
        let (brief, reason) = if !is_here {
            (
                format!("a member of its gang lost its place to a job of queue {of_queue}"),
                format!("a member of its gang lost its place to job {by_id}"),
            )
        } else if self.outcome.scheduled.contains_key(&by) {
            (
                format!("a job of queue {of_queue} takes its place"),
                format!("job {by_id} takes its place"),
            )
        } else {
            let then = "was placed there, and then lost the place too";
            (format!("a job of queue {of_queue} {then}"), format!("job {by_id} {then}"))
        };
        row.brief = format!("queue {} was above its protected share; {brief}", row.queue);
        row.reason = format!("{reason}; {}", self.gate(job));
    }

    /// Fills the row of a job that was evicted and not placed again.
    fn not_placed_again(&self, job: JobIndex, preemption: &Preemption, row: &mut JobRow) {
        let last = self.last_trial(job);
        match last.map(|(step, trial)| (step, &trial.result)) {
            Some((step, TrialResult::Refused(_, Some(unplaced)))) if unplaced.job == job => {
                row.nodes = nodes(self.state, unplaced, false);
                let urgent = self.urgent_before(job, preemption.node, step);
                row.candidates = urgent.iter().map(|job| self.id(*job)).collect();
                (row.brief, row.reason) = self.does_not_fit(&urgent);
                if let [only] = urgent.as_slice() {
                    row.by = Some(self.id(*only));
                }
            }
            Some((_, TrialResult::Refused(_, Some(unplaced)))) => {
                let does_not_fit = "does not fit on its node any more";
                row.brief = format!("a member of its gang {does_not_fit}");
                row.reason = format!("member {} of its gang {does_not_fit}", self.id(unplaced.job));
            }
            Some((_, TrialResult::Refused(refusal, None))) => {
                row.brief = format!("evicted, and not placed again: {}", brief(refusal));
                row.reason =
                    format!("evicted, and not placed again: {}", self.refusal_text(refusal));
            }
            _ => row.brief.push_str("evicted, and not placed again"),
        }
    }

    /// The jobs of higher priority that start on a node and were placed there by urgency before a step.
    fn urgent_before(&self, job: JobIndex, node: usize, before: usize) -> Vec<JobIndex> {
        let Some(run) = self.job_of(job).run else { return Vec::new() };
        let placed = self.urgent.get(&node).map(Vec::as_slice).unwrap_or_default();
        let placed = placed.iter().filter(|(step, _)| *step < before).map(|(_, job)| *job);
        let is_higher = |urgent: &JobIndex| {
            let start = self.outcome.scheduled.get(urgent);
            start.is_some_and(|start| start.priority > run.priority)
        };
        placed.filter(is_higher).collect()
    }

    /// The reason that a job does not fit on its node, on which `urgent` jobs of higher priority start.
    fn does_not_fit(&self, urgent: &[JobIndex]) -> (String, String) {
        let text = "it does not fit on its node any more";
        match urgent {
            [] => (text.to_owned(), text.to_owned()),
            [only] => {
                let placed = "of higher priority was placed there";
                let id = self.id(*only);
                (format!("{text}; a job {placed}"), format!("{text}; job {id} {placed}"))
            }
            all => {
                let placed = "of higher priority were placed there";
                let ids = self.ids(all);
                (format!("{text}; jobs {placed}"), format!("{text}; jobs {ids} {placed}"))
            }
        }
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
            percentage(queue.cost_before),
            percentage(share),
            percentage(self.state.settings.protected_fraction),
        )
    }

    fn kept(&self, job: JobIndex, row: &mut JobRow) {
        row.outcome = JobOutcome::Kept;
        let job_record = self.job_of(job);
        let class = &self.state.settings.classes[self.state.shapes[job_record.shape].class];
        row.brief = if self.evictions.contains_key(&job) {
            "evicted and placed again".to_owned()
        } else if job_record.queue.is_none() {
            "its queue is not listed".to_owned()
        } else if job_record.run.is_some_and(|run| !run.is_bound) {
            "it holds no resources of its node".to_owned()
        } else if class.is_preemptible {
            row.reason = self.gate(job);
            "its queue is within its protected share".to_owned()
        } else {
            format!("class {} is not preemptible", class.name)
        };
    }

    /// The nodes of the job's last refusal, or of the refusal of its shape.
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

    /// A refusal as text, with the names of the objects involved.
    pub(super) fn refusal_text(&self, refusal: &Refusal) -> String {
        match refusal {
            Refusal::NoNode if self.state.nodes.is_empty() => "the pool has no nodes".to_owned(),
            Refusal::LabelNotIndexed(label) => {
                format!("the label {label} of its gang is not in indexedNodeLabels")
            }
            Refusal::LabelWithoutValues(label) => {
                format!("no node has the label {label} of its gang")
            }
            Refusal::FloatingShortage { resource, .. } => {
                format!("too little is left of the floating resource {resource} of the pool")
            }
            other => brief(other).to_owned(),
        }
    }

    fn queued(&self, job: JobIndex, row: &mut JobRow) {
        row.outcome = JobOutcome::Queued;
        row.refusal = self.outcome.refused.get(job).map(ToString::to_string);
        if let Some(cause) = self.evictions.get(&job).and_then(|causes| causes.last()) {
            self.withdrawn(job, *cause, row);
        } else if let Some(refusal) = self.outcome.refused.get(job) {
            row.brief.push_str(brief(refusal));
            row.nodes = self.refusal_nodes(job);
            row.reason = match (self.skipped.get(&job), row.nodes.first()) {
                (Some(first), _) => {
                    format!("{}, as job {} of the same shape", row.brief, self.id(*first))
                }
                (None, Some(main)) => format!("{}: {}", row.brief, main.reason),
                (None, None) => self.refusal_text(refusal),
            };
        } else {
            row.outcome = JobOutcome::NotConsidered;
            (row.brief, row.reason) = self.not_tried(job);
        }
    }

    /// Fills the row of a queued job that was placed and then evicted.
    fn withdrawn(&self, job: JobIndex, cause: EvictionCause, row: &mut JobRow) {
        let node = self.places(job).next().map(|placed| self.node(placed.placement.node));
        let on = node.map(|node| format!(" on node {node}")).unwrap_or_default();
        let (brief, reason) = match cause {
            EvictionCause::Gang => {
                ("with another member of its gang", " with another member of its gang")
            }
            _ => (
                "from its oversubscribed node",
                ": the node had a negative free amount at its priority",
            ),
        };
        row.brief = format!("placed, then evicted {brief}");
        row.reason = format!("placed{on}, then evicted{reason}");
    }
}
