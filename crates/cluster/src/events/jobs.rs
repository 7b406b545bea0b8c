//! The jobs of a simulation that are not finished, in the order in which they were created.

use super::Event;
use crate::failure::{AttemptEnd, FailureKind};
use crate::job::{Gang, Job, JobIndex};
use crate::retry::RunDecision;
use crate::round::PreemptionKind;
use crate::spec::Nanoseconds;
use std::collections::HashSet;

/// A job's origin and progress, which rounds do not read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Origin {
    pub(super) template: usize,
    /// The number of the job in its template.
    pub(super) number: u32,
    /// The number of its earlier runs.
    pub(super) attempt: u32,
    /// The position of the pool that it runs in.
    pub(super) pool: usize,
    pub(super) first_submitted: Nanoseconds,
    /// The time since which it waits for a node: of its submission, or its last retryAfter.
    pub(super) waiting_since: Nanoseconds,
    /// The time at which its run before ended.
    pub(super) last_ended: Option<Nanoseconds>,
    /// The decision that granted its run, if one did.
    pub(super) granted: Option<RunDecision>,
    /// The work that its runs before have saved.
    pub(super) saved: Nanoseconds,
    /// The overhead of its runs before.
    pub(super) overhead: Nanoseconds,
    /// The time of its last run, if that has ended and nothing is decided about it.
    pub(super) unsettled: Nanoseconds,
    /// The time from its lease to the start of running.
    pub(super) pending: Nanoseconds,
    /// The part of it in which the pods of preempted runs were still on the node.
    pub(super) held: Nanoseconds,
    /// The work of its run: all that is not saved.
    pub(super) work: Nanoseconds,
    /// How its run ends by itself, and when.
    pub(super) end: (Nanoseconds, AttemptEnd),
    /// Why its run failed, or that of the member of its gang with which it was stopped.
    pub(super) failure: Option<FailureKind>,
    /// The kind of its preemption, if it was preempted.
    pub(super) preemption: Option<PreemptionKind>,
    /// Whether it was preempted for a job that runs again.
    pub(super) is_preempted_for_retry: bool,
}

/// A job's origin and progress as they are stored: most jobs of a long queue have made no progress.
#[derive(Debug, Clone)]
struct StoredOrigin {
    template: u32,
    number: u32,
    first_submitted: Nanoseconds,
    /// The reasons for which rounds refused it, a bit each.
    refusals: u16,
    state: JobState,
    /// The origin with its progress; none while the job is as it was first submitted.
    progress: Option<Box<Origin>>,
}

impl StoredOrigin {
    fn new(origin: Origin) -> Self {
        let Origin { template, number, first_submitted, .. } = origin;
        // Most jobs of a large workload never ran, and need no progress in memory.
        let is_new = origin == Origin::new(template, number, first_submitted);
        Self {
            template: u32::try_from(template).unwrap_or(u32::MAX),
            number,
            first_submitted,
            refusals: 0,
            state: JobState::Queued,
            progress: (!is_new).then(|| Box::new(origin)),
        }
    }

    fn get(&self) -> Origin {
        let new = || Origin::new(self.template as usize, self.number, self.first_submitted);
        self.progress.as_deref().copied().unwrap_or_else(new)
    }
}

/// The states of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobState {
    Queued,
    Running,
    /// Its run has ended. What follows is not decided, or it waits until it may be queued.
    Ended,
    Over,
}

/// A job whose run has ended.
#[derive(Debug, Clone)]
pub(super) struct Ended {
    pub(super) job: JobIndex,
    /// The end of the run.
    pub(super) event: Event,
}

impl Origin {
    /// Creates the origin of a queued job.
    pub(super) fn new(template: usize, number: u32, first_submitted: Nanoseconds) -> Self {
        Self {
            template,
            number,
            attempt: 0,
            pool: 0,
            first_submitted,
            waiting_since: first_submitted,
            last_ended: None,
            granted: None,
            saved: 0,
            overhead: 0,
            unsettled: 0,
            pending: 0,
            held: 0,
            work: 0,
            end: (0, AttemptEnd::Success),
            failure: None,
            preemption: None,
            is_preempted_for_retry: false,
        }
    }
}

/// The jobs that are not over, and some finished ones, which are removed in batches. A removal gives
/// the others new positions, in the same order.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    all: Vec<Job>,
    origins: Vec<StoredOrigin>,
    gangs: Vec<Gang>,
    finished: usize,
}

/// The minimum number of finished jobs to remove at once, so that a small number of jobs is not renumbered again and
/// again.
// Tests have few jobs, and remove them one by one.
const MIN_REMOVED: usize = if cfg!(test) { 1 } else { 1024 };

impl Jobs {
    pub(super) fn all(&self) -> &[Job] {
        &self.all
    }

    pub(super) fn gangs(&self) -> &[Gang] {
        &self.gangs
    }

    pub(super) fn get(&self, job: JobIndex) -> &Job {
        &self.all[job as usize]
    }

    pub(super) fn get_mut(&mut self, job: JobIndex) -> &mut Job {
        &mut self.all[job as usize]
    }

    pub(super) fn origin(&self, job: JobIndex) -> Origin {
        self.origins[job as usize].get()
    }

    pub(super) fn origin_mut(&mut self, job: JobIndex) -> &mut Origin {
        let stored = &mut self.origins[job as usize];
        let origin = stored.get();
        stored.progress.get_or_insert_with(|| Box::new(origin))
    }

    /// Returns the position of a job's template.
    pub(super) fn template(&self, job: JobIndex) -> usize {
        self.origins[job as usize].template as usize
    }

    pub(super) fn state(&self, job: JobIndex) -> JobState {
        self.origins[job as usize].state
    }

    /// Adds a reason for which rounds refused a job; returns whether it is new.
    pub(super) fn add_refusal(&mut self, job: JobIndex, bit: u16) -> bool {
        let refusals = &mut self.origins[job as usize].refusals;
        let is_new = *refusals & bit == 0;
        *refusals |= bit;
        is_new
    }

    /// Adds a queued job, which becomes a member of its gang.
    pub(super) fn add(&mut self, job: Job, origin: Origin) -> JobIndex {
        let position = self.push(job, StoredOrigin::new(origin));
        self.join_gang(position);
        position
    }

    /// Adds a copy of a job, which does not become a member of its gang.
    pub(super) fn copy(&mut self, job: JobIndex) -> JobIndex {
        let at = job as usize;
        self.push(self.all[at].clone(), self.origins[at].clone())
    }

    fn push(&mut self, job: Job, origin: StoredOrigin) -> JobIndex {
        let position = JobIndex::try_from(self.all.len()).unwrap_or(JobIndex::MAX);
        self.all.push(job);
        self.origins.push(origin);
        position
    }

    /// Makes a job a member of its gang.
    pub(super) fn join_gang(&mut self, job: JobIndex) {
        if let Some(gang) = self.all[job as usize].gang {
            self.gangs[gang].members.push(job);
        }
    }

    pub(super) fn add_gang(&mut self, gang: Gang) -> usize {
        self.gangs.push(gang);
        self.gangs.len() - 1
    }

    pub(super) fn set_state(&mut self, job: JobIndex, state: JobState) {
        self.finished += usize::from(state == JobState::Over);
        self.origins[job as usize].state = state;
    }

    /// Drops the progress of a job that is over, so that it takes no memory until the job is removed.
    pub(super) fn forget_progress(&mut self, job: JobIndex) {
        self.origins[job as usize].progress = None;
    }

    pub(super) fn is_running(&self, job: JobIndex) -> bool {
        self.state(job) == JobState::Running
    }

    /// Returns the members of a job's gang that have not ended, without the job.
    pub(super) fn siblings(&self, job: JobIndex) -> Vec<JobIndex> {
        let gang = self.all[job as usize].gang.map(|gang| self.gangs[gang].members.as_slice());
        gang.unwrap_or_default().iter().copied().filter(|member| *member != job).collect()
    }

    /// Returns the jobs that are not over.
    pub(super) fn open(&self) -> impl Iterator<Item = JobIndex> {
        let open = (0..).zip(&self.origins).filter(|(_, origin)| origin.state != JobState::Over);
        open.map(|(job, _)| job)
    }

    /// Removes a finished job from its gang.
    pub(super) fn leave_gang(&mut self, job: JobIndex) {
        if let Some(gang) = self.all[job as usize].gang {
            self.gangs[gang].members.retain(|member| *member != job);
        }
    }

    /// Returns whether most jobs are finished: then the cost of a removal is amortized over the jobs that
    /// finished.
    pub(super) fn is_sparse(&self) -> bool {
        self.finished >= MIN_REMOVED && self.finished * 2 >= self.all.len()
    }

    /// Removes the finished jobs, and the gangs of which no job is left unless `is_kept`. Returns the new positions.
    pub(super) fn remove_finished(&mut self, is_kept: impl Fn(usize) -> bool) -> Renumbering {
        let is_open = |origin: &StoredOrigin| origin.state != JobState::Over;
        let jobs = positions(self.origins.iter().map(is_open));
        let open = self.all.iter().zip(&self.origins).filter(|(_, origin)| is_open(origin));
        let used: HashSet<usize> = open.filter_map(|(job, _)| job.gang).collect();
        let gangs = (0..self.gangs.len()).map(|gang| used.contains(&gang) || is_kept(gang));
        let renumbering = Renumbering { gangs: positions(gangs), jobs };
        let mut position = 0;
        self.all.retain_mut(|job| {
            position += 1;
            job.gang = job.gang.and_then(|gang| renumbering.gang(gang));
            renumbering.jobs[position - 1].is_some()
        });
        self.origins.retain(is_open);
        let mut position = 0;
        self.gangs.retain_mut(|gang| {
            position += 1;
            for member in &mut gang.members {
                *member = renumbering.job(*member).unwrap_or(*member);
            }
            renumbering.gangs[position - 1].is_some()
        });
        self.finished = 0;
        renumbering
    }
}

/// Returns the new positions of the entries that are kept.
fn positions(kept: impl Iterator<Item = bool>) -> Vec<Option<u32>> {
    let mut next = 0;
    kept.map(|is_kept| {
        is_kept.then(|| {
            next += 1;
            next - 1
        })
    })
    .collect()
}

/// New positions of jobs and gangs; `None` for those that were removed.
pub(super) struct Renumbering {
    jobs: Vec<Option<JobIndex>>,
    gangs: Vec<Option<u32>>,
}

impl Renumbering {
    pub(super) fn job(&self, job: JobIndex) -> Option<JobIndex> {
        self.jobs[job as usize]
    }

    pub(super) fn gang(&self, gang: usize) -> Option<usize> {
        self.gangs[gang].map(|gang| gang as usize)
    }
}
