//! Iris as an [`Engine`](replay::simulate::Engine): a unit is a job, and its members are its tasks.
//!
//! Events are applied one by one. A task without records runs until all recorded tasks are over, and then is
//! assumed to succeed. Until then it is a sibling like any other.

pub(super) mod decision;
mod interface;
pub(super) mod job;
pub(super) mod job_state;
pub(super) mod outcome;
pub(super) mod task;

use super::manifest::{IrisProfile, Rules};
use super::record::IrisFields;
use decision::{Change, Decision, Ruling};
use document::units::{GoDuration, Time};
use job::{Job, to_u32};
use job_state::{JobState, StateReason};
use outcome::Outcome;
use replay::history::{Member, Run};
use replay::simulate::{Effect, End, Evaluation, Verdict};
use task::TaskState;

/// The engine of a profile, which applies to every job.
#[derive(Debug, Clone, Default)]
pub struct IrisEngine {
    pub(super) profile: IrisProfile,
}

/// The state of a job.
#[derive(Debug, Clone)]
pub struct IrisUnit {
    /// The job.
    pub job: Job,
    /// The member of each task, or `NONE`; absent if task n is member n.
    members: Option<Box<[u32]>>,
    /// The number of tasks without records.
    unrecorded: u32,
    /// Whether a cancel of the job is recorded: the job ends with it, unless it ends before.
    cancelled: bool,
    /// The retries granted so far.
    pub(super) retries: u32,
    /// Whether tasks without records were assumed to succeed.
    pub(super) assumed: bool,
}

/// The member of a task without records.
const NONE: u32 = u32::MAX;

impl IrisEngine {
    /// Creates the engine of a profile.
    pub fn new(profile: IrisProfile) -> Self {
        Self { profile }
    }

    /// Returns the rules of its decisions.
    pub fn rules(&self) -> &Rules {
        &self.profile.rules
    }

    /// Judges the end of an attempt. `at` is the time of the end.
    fn judge(
        &self,
        unit: &mut IrisUnit,
        changes: &mut Vec<Change>,
        (member, run): (usize, &Run<IrisFields>),
        answer: &mut Evaluation<Decision>,
    ) {
        let mut decision = unit.job.apply(self.rules(), run.own.event(), changes);
        unit.retries = unit.retries.saturating_add(u32::from(decision.retries()));
        // Before the end is read: tasks without records may be all that keep the job open.
        unit.succeed_unrecorded(self.rules());
        answer.end = end(unit.job.state_reason());
        let (effect, decided) = match decision.ruling {
            Ruling::Ignored(_) => (Effect::Keep, false),
            Ruling::Cancelled => (Effect::End(End::Cancelled), false),
            Ruling::Task(_) if decision.retries() => (rerun(run.time()), true),
            Ruling::Task(_) if decision.event.outcome == Outcome::Succeeded => {
                // A success is reported as a decision only if it ends a job that failed.
                decision.ends_job = answer.end.is_some();
                decision.state_reason = unit.job.state_reason();
                (Effect::End(End::Succeeded), answer.end == Some(End::Failed))
            }
            Ruling::Task(_) => (Effect::End(End::Failed), true),
        };
        answer.verdicts.push(Verdict { member, effect, decision: decided.then_some(decision) });
        // The end of the job is the verdict about all other tasks.
        if answer.end.is_none() {
            let siblings = changes.iter().filter_map(|change| {
                let effect = match change.to {
                    TaskState::Pending => rerun(run.time()),
                    _ => Effect::End(End::Failed),
                };
                Some(Verdict { member: unit.member(change.task)?, effect, decision: None })
            });
            answer.verdicts.extend(siblings);
        }
    }
}

impl IrisUnit {
    fn new(replicas: u32, members: &[&Member<IrisFields>]) -> Self {
        let in_order = |(place, member): (usize, &&Member<_>)| member.key == to_u32(place);
        // Where each task has records, in order, member and task have one number, and the table is not needed.
        let placed = (!members.iter().enumerate().all(in_order)).then(|| {
            let mut all = vec![NONE; replicas as usize].into_boxed_slice();
            for (place, member) in members.iter().enumerate() {
                if let Some(slot) = all.get_mut(member.key as usize) {
                    *slot = to_u32(place);
                }
            }
            all
        });
        let recorded = members.iter().filter(|member| member.key < replicas).count();
        let unrecorded = replicas.saturating_sub(to_u32(recorded));
        let mut runs = members.iter().flat_map(|member| &member.runs);
        Self {
            job: Job::new(replicas),
            members: placed,
            unrecorded,
            // Only a job with tasks without records can end by a cancellation of theirs.
            cancelled: unrecorded > 0 && runs.any(|run| run.own.outcome == Outcome::CancelJob),
            retries: 0,
            assumed: false,
        }
    }

    /// Returns the member of a task, if it has records.
    fn member(&self, task: u32) -> Option<usize> {
        let member = match &self.members {
            Some(members) => *members.get(task as usize)?,
            None => task,
        };
        let recorded = to_u32(self.job.tasks().len()).saturating_sub(self.unrecorded);
        (member < recorded).then_some(member as usize)
    }

    /// Sets the tasks without records to succeeded once all others are over, unless the job is cancelled
    /// before that.
    fn succeed_unrecorded(&mut self, rules: &Rules) {
        if self.unrecorded > 0 && !self.cancelled && self.job.open_tasks() == self.unrecorded {
            self.job.succeed_open_tasks(rules);
            self.assumed = true;
        }
    }
}

/// Returns the effect of a task that is queued again at once.
fn rerun(at: Option<Time>) -> Effect {
    Effect::Rerun { delay: Some(GoDuration::from_secs(0)), not_before: at }
}

/// Returns how a job ended, if it has.
fn end(state_reason: StateReason) -> Option<End> {
    match state_reason.state() {
        JobState::Pending | JobState::Running => None,
        JobState::Succeeded => Some(End::Succeeded),
        JobState::Killed if state_reason == StateReason::Cancelled => Some(End::Cancelled),
        JobState::Failed | JobState::Killed | JobState::WorkerFailed | JobState::Unschedulable => {
            Some(End::Failed)
        }
    }
}
