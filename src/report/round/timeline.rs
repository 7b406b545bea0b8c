//! The timeline of a job in a round, in sentences.

use super::explanation::{JobOutcome, JobRow};
use super::index::RoundIndex;
use super::reasons::way_out;
use crate::report::figures::percentage;
use cluster::job::JobIndex;
use cluster::round::{EvictionCause, Method, PlacedMember, Trial, TrialResult};
use document::diag::plural;

impl RoundIndex<'_> {
    /// The events of a job in order, as sentences.
    pub(super) fn timeline(&self, job: JobIndex, row: &JobRow) -> Vec<String> {
        let mut sentences = Vec::new();
        if let (Some(run), Some(node)) = (self.job_of(job).run, &row.node) {
            sentences.push(format!("It ran on node {node} at priority {}.", run.priority));
        }
        let trials = self.trials.get(&job).map(Vec::as_slice).unwrap_or_default();
        let mut trials = trials.iter().map(|step| (*step, &self.trace.trials[*step])).peekable();
        let first = self.trace.first_evictions().iter().any(|eviction| eviction.job == job);
        let causes = self.evictions.get(&job).map(Vec::as_slice).unwrap_or_default();
        let mut causes = causes.iter();
        if first {
            sentences.extend(causes.next().map(|cause| self.eviction(job, *cause)));
        }
        while let Some((step, trial)) = trials.next_if(|(_, trial)| !trial.is_second_pass) {
            sentences.push(self.trial(job, step, trial));
        }
        sentences.extend(causes.map(|cause| self.eviction(job, *cause)));
        sentences.extend(trials.map(|(step, trial)| self.trial(job, step, trial)));
        if let Some(first) = self.skipped.get(&job) {
            let steps = self.trials.get(first).map(Vec::as_slice).unwrap_or_default();
            sentences
                .push(format!("It was not tried: job {} has the same shape.", self.id(*first)));
            let trials = steps.iter().map(|step| (*step, &self.trace.trials[*step]));
            sentences.extend(trials.map(|(step, trial)| self.trial(*first, step, trial)));
        }
        sentences.push(ending(row));
        sentences.extend(self.outcome.refused.get(job).and_then(way_out).map(str::to_owned));
        sentences
    }

    fn eviction(&self, job: JobIndex, cause: EvictionCause) -> String {
        match cause {
            EvictionCause::AboveShare => format!("It was evicted: {}.", self.gate(job)),
            EvictionCause::Gang => "It was evicted with another member of its gang.".to_owned(),
            EvictionCause::Oversubscribed => {
                "It was evicted: its node had a negative free amount at its priority.".to_owned()
            }
        }
    }

    /// A trial of a job as a sentence.
    fn trial(&self, job: JobIndex, step: usize, trial: &Trial) -> String {
        let queue = &self.state.queue_names[trial.queue];
        let weight = self.state.queues[trial.queue].weight;
        let others = match trial.members.len() {
            1 => String::new(),
            all => {
                format!(" with {} of its gang", plural(all - 1, "other member", "other members"))
            }
        };
        let turn = format!(
            "Step {} of {} was the turn of {}{others}: queue {queue} had {} of the pool, {} with it, and its share is {}.",
            step + 1,
            self.trace.trials.len(),
            self.id(job),
            percentage(trial.cost * weight),
            percentage(trial.cost_with * weight),
            percentage(trial.budget * weight),
        );
        format!("{turn} {}", self.result(job, trial))
    }

    fn result(&self, job: JobIndex, trial: &Trial) -> String {
        match &trial.result {
            TrialResult::Displaced => "Its place had been taken by then.".to_owned(),
            TrialResult::Refused(refusal, None) => {
                format!("It was refused: {}.", self.refusal_text(refusal))
            }
            TrialResult::Refused(_, Some(unplaced)) if trial.is_evicted => {
                let member = self.id(unplaced.job);
                let who = if unplaced.job == job {
                    "it".to_owned()
                } else {
                    format!("member {member} of its gang")
                };
                format!("It was refused: {who} does not fit on its node any more.")
            }
            TrialResult::Refused(refusal, Some(unplaced)) => {
                let fitted = match (unplaced.fitted, trial.members.len()) {
                    (_, 1) => String::new(),
                    (fitted, all) => {
                        let next = self.id(unplaced.job);
                        format!(" {fitted} of {all} members had a node, and {next} had none.")
                    }
                };
                format!("It was refused: {}.{fitted}", self.refusal_text(refusal))
            }
            TrialResult::PlacedMember(placed) => {
                let own = placed.iter().find(|placed| placed.job == job);
                own.map_or_else(String::new, |own| self.placed(own, trial.is_evicted))
            }
        }
    }

    fn placed(&self, placed: &PlacedMember, is_evicted: bool) -> String {
        let node = self.node(placed.placement.node);
        if is_evicted {
            return format!("It was placed on its node {node} again.");
        }
        let mut how = match placed.placement.method {
            Method::NoPreemption => ", where it fits without preemption".to_owned(),
            Method::Urgency => ", where it fits if other jobs are preempted".to_owned(),
            Method::Away => format!(", as an away job at priority {}", placed.placement.priority),
            Method::FairShare | Method::Rescheduled => String::new(),
        };
        if !placed.displaced.is_empty() {
            how += &format!(", in place of {}", self.in_place_of(placed));
        }
        format!("It was placed on node {node}{how}.")
    }
}

fn ending(row: &JobRow) -> String {
    let node = row.node.as_deref().unwrap_or_default();
    match row.outcome {
        JobOutcome::Scheduled => format!("It starts on node {node}."),
        JobOutcome::Kept if row.step.is_some() => format!("It stays on node {node}."),
        JobOutcome::Kept => format!("It stays on node {node}: {}.", row.reason),
        JobOutcome::Preempted => format!("It is preempted: {}.", row.reason),
        JobOutcome::Queued => "It stays queued.".to_owned(),
        JobOutcome::NotConsidered => format!("It was not tried: {}.", row.reason),
    }
}
