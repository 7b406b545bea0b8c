//! A child Job while its set is replayed: its members are its pods, and how it fares is the Job
//! controller's to say ([`crate::systems::job`]). A restart makes it anew, with nothing remembered.

use super::decision::SetCode;
use crate::systems::job::{FailureReason, JobPolicy, JobState, KnownMember};
use crate::systems::jobset::record::SetFields;
use crate::units::{GoDuration, Time};
use compact_str::CompactString;
use smallvec::SmallVec;

/// A child Job.
#[derive(Debug)]
pub struct Child {
    /// Its name.
    pub(crate) name: CompactString,
    /// Its replicated Job's place in the manifest, if it is there.
    pub(crate) replicated_job: Option<usize>,
    /// The replicated Job that its label names; empty without a label.
    pub(crate) label: CompactString,
    /// Its index, as its label has it.
    pub(crate) job_index: Option<u32>,
    /// Its pods, in the order that its state has them in.
    pub(crate) slots: SmallVec<[PodSlot; 1]>,
    /// Its status.
    pub(crate) status: ChildStatus,
    /// The Job controller's state of it, absent at first: most sets wait for a Job that has just
    /// begun.
    pub(crate) job: Option<Box<JobState>>,
}

/// A reused allocation for a Job's state. Most Jobs are recreated at the end of their first pod,
/// and the next takes the allocation that they leave.
pub(crate) type StateBuffer = Option<Box<JobState>>;

/// The status of a Job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChildStatus {
    /// It goes on.
    Running,
    /// It has failed.
    Failed,
    /// It has succeeded.
    Complete,
}

/// The slot of a pod and its replacements.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PodSlot {
    /// The member of the unit that it is.
    pub(crate) member: usize,
    /// Its record, as the Job's state takes it.
    known: KnownMember,
}

impl Child {
    /// A Job on record, without a slot for any pod.
    pub(crate) fn new(name: &str, run: Option<&SetFields>) -> Self {
        Self {
            name: name.into(),
            replicated_job: None,
            label: run.map(|run| run.replicated_job.clone()).unwrap_or_default(),
            job_index: run.and_then(|run| run.job_index),
            slots: SmallVec::new(),
            status: ChildStatus::Running,
            job: None,
        }
    }

    /// Adds a slot for a member; returns its index.
    pub(crate) fn slot(&mut self, member: usize, known: KnownMember) -> usize {
        self.slots.push(PodSlot { member, known });
        self.slots.len() - 1
    }

    /// The Job controller's state of it; a new one uses `buffer` if there is any.
    pub(crate) fn job(&mut self, policy: &JobPolicy, buffer: &mut StateBuffer) -> &mut JobState {
        let Self { slots, job, .. } = self;
        job.get_or_insert_with(|| match buffer.take() {
            Some(mut buffer) => {
                *buffer = new_job_state(policy, slots);
                buffer
            }
            None => Box::new(new_job_state(policy, slots)),
        })
    }

    /// Recreates the Job. Its old state is left as `buffer`.
    pub(crate) fn restart(&mut self, now: Option<Time>, buffer: &mut StateBuffer) {
        for slot in &mut self.slots {
            slot.known.started_at = now;
        }
        self.status = ChildStatus::Running;
        *buffer = self.job.take().or_else(|| buffer.take());
    }

    /// When it fails whatever its pods do. A deadline of no time at all is seen at an end only:
    /// made anew at it, a Job would fail over and over at one moment.
    pub(crate) fn deadline(&self, policy: &JobPolicy) -> Option<Time> {
        let running = self.status == ChildStatus::Running;
        policy.active_deadline.filter(|_| running).filter(|span| *span > GoDuration::ZERO)?;
        match &self.job {
            Some(job) => job.deadline(policy),
            None => new_job_state(policy, &self.slots).deadline(policy),
        }
    }

    /// Failed pods that count, and those that do not.
    pub(crate) fn counts(&self) -> (u32, u32) {
        let status = self.job.as_ref().map(|job| job.status());
        status.map_or((0, 0), |status| (status.failed, status.ignored))
    }

    /// Indexes that are taken to have succeeded because no pod of them is on record.
    pub(crate) fn presumed(&self, policy: &JobPolicy) -> u32 {
        new_job_state(policy, &self.slots).presumed()
    }

    /// Indexes that have failed.
    pub(crate) fn failed_indexes(&self) -> u32 {
        let failed = self.job.as_ref().map_or(0, |job| job.status().failed_indexes.len());
        u32::try_from(failed).unwrap_or(u32::MAX)
    }

    /// The count and limit of a decision about the pod of a slot, if a limit applies.
    pub(crate) fn used(
        &self,
        policy: &JobPolicy,
        slot: usize,
        code: SetCode,
    ) -> Option<(u32, u32)> {
        use FailureReason::{
            BackoffLimitExceeded, DeadlineExceeded, FailedIndexes, MaxFailedIndexesExceeded,
        };
        let job = self.job.as_ref()?;
        let failed = job.failed_before_end();
        let per_index = policy.backoff_limit_per_index.filter(|_| policy.is_indexed());
        Some(match (code, per_index) {
            (SetCode::FailJob(DeadlineExceeded | FailedIndexes), _) => return None,
            (SetCode::FailJob(MaxFailedIndexesExceeded), _) => {
                (self.failed_indexes(), policy.max_failed_indexes.unwrap_or_default())
            }
            (SetCode::FailJob(BackoffLimitExceeded), _) if failed <= policy.backoff_limit => {
                (job.restarts(), policy.backoff_limit)
            }
            (SetCode::Retry | SetCode::RetryIgnored | SetCode::FailIndex, Some(limit)) => {
                (job.failures(slot).counted, limit)
            }
            _ => (failed, policy.backoff_limit),
        })
    }
}

/// The state of a Job without a record yet.
fn new_job_state(policy: &JobPolicy, slots: &[PodSlot]) -> JobState {
    JobState::new(policy, slots.iter().map(|slot| slot.known))
}
