//! A child Job while its set is replayed. Its members are its pods, and the Job controller
//! ([`crate::job`]) decides about it. A restart recreates it without any state.

use super::decision::SetCode;
use crate::job::{FailureReason, JobPolicy, JobState, KnownMember, KnownPod};
use crate::jobset::record::SetFields;
use compact_str::CompactString;
use document::units::{GoDuration, Time};
use smallvec::SmallVec;

/// A child Job.
#[derive(Debug, Clone)]
pub struct Child {
    /// The Job's name.
    pub(crate) name: CompactString,
    /// The index of its replicated Job in the manifest, if it is there.
    pub(crate) replicated_job: Option<usize>,
    /// The replicated Job that its label names; empty without a label.
    pub(crate) label: CompactString,
    /// The Job's index, from its label.
    pub(crate) job_index: Option<u32>,
    /// The Job's pods, in the order of its state.
    pub(crate) slots: SmallVec<[PodSlot; 1]>,
    /// The Job's status.
    pub(crate) status: ChildStatus,
    /// The Job controller's state of the Job. Absent until the first use, since most sets wait for a Job that
    /// has just begun.
    pub(crate) job: Option<Box<JobState>>,
}

/// A reused allocation for a Job's state. Most Jobs are recreated at the end of their first pod, and the next
/// state uses the allocation of the last.
pub(crate) type StateBuffer = Option<Box<JobState>>;

/// The status of a Job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChildStatus {
    /// The Job continues.
    Running,
    /// The Job has failed.
    Failed,
    /// The Job has succeeded.
    Complete,
}

/// The slot of a pod and its replacements.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PodSlot {
    /// The index of the member in the unit.
    pub(crate) member: usize,
    /// The record of the pod, in the form that the Job's state uses.
    known: KnownMember,
}

impl PodSlot {
    /// Whether it has one pod of a Job without indexes.
    pub(crate) fn is_pod(&self) -> bool {
        self.known.pod.is_some()
    }
}

/// The members that are pods without an index of a Job that restarts.
#[derive(Debug, Default)]
pub(crate) struct RestartedPods {
    /// Those that ran, or ended, since the Job began.
    pub(crate) ended: Vec<usize>,
    /// The first one of the new Job; absent if none is recorded.
    pub(crate) first: Option<usize>,
}

impl Child {
    /// Creates a recorded Job without pods.
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

    /// Returns the Job controller's state of the Job; a new one uses `buffer` if it is present.
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

    /// Recreates the Job. Its old state is moved to `buffer`. Of pods without an index those that have started are the
    /// old Job's, and the others are the new one's.
    pub(crate) fn restart(
        &mut self,
        policy: &JobPolicy,
        now: Option<Time>,
        buffer: &mut StateBuffer,
    ) -> RestartedPods {
        let mut pods = RestartedPods::default();
        if self.has_pods() {
            self.job(policy, buffer).advance(now);
            pods = self.end_started_pods();
        }
        for slot in &mut self.slots {
            slot.known.started_at = now;
        }
        self.status = ChildStatus::Running;
        *buffer = self.job.take().or_else(|| buffer.take());
        pods
    }

    /// Whether its pods have no index, so that each is a slot.
    fn has_pods(&self) -> bool {
        self.slots.iter().any(PodSlot::is_pod)
    }

    fn end_started_pods(&mut self) -> RestartedPods {
        let Self { slots, job, .. } = self;
        let is_upcoming =
            |slot: usize| job.as_ref().and_then(|job| job.is_upcoming_pod(slot)) == Some(true);
        let mut first: Option<(Option<Time>, usize)> = None;
        let mut ended = Vec::new();
        for (number, slot) in slots.iter_mut().enumerate() {
            let Some(pod @ KnownPod { is_over: false, .. }) = &mut slot.known.pod else { continue };
            if is_upcoming(number) {
                let this = (pod.starts_at, slot.member);
                // The pod that starts first is the one that takes the place of those that ended.
                first = Some(first.map_or(this, |first| first.min(this)));
            } else {
                pod.is_over = true;
                ended.push(slot.member);
            }
        }
        RestartedPods { ended, first: first.map(|(_, member)| member) }
    }

    /// Returns the time at which the Job fails, whatever the state of its pods. A deadline of zero is checked
    /// only at the end of a pod: otherwise the Job would be recreated and fail endlessly at one moment.
    pub(crate) fn deadline(&self, policy: &JobPolicy) -> Option<Time> {
        let running = self.status == ChildStatus::Running;
        policy.active_deadline.filter(|_| running).filter(|span| *span > GoDuration::ZERO)?;
        match &self.job {
            Some(job) => job.deadline(policy),
            None => new_job_state(policy, &self.slots).deadline(policy),
        }
    }

    /// Returns the number of failed pods that count, and of those that do not.
    pub(crate) fn counts(&self) -> (u32, u32) {
        let status = self.job.as_ref().map(|job| job.status());
        status.map_or((0, 0), |status| (status.failed, status.ignored))
    }

    /// Returns the number of indexes without a recorded pod, which are assumed to have succeeded.
    pub(crate) fn presumed(&self, policy: &JobPolicy) -> u32 {
        new_job_state(policy, &self.slots).presumed()
    }

    /// Returns the number of failed indexes.
    pub(crate) fn failed_indexes(&self) -> u32 {
        let failed = self.job.as_ref().map_or(0, |job| job.status().failed_indexes.len());
        u32::try_from(failed).unwrap_or(u32::MAX)
    }

    /// Returns the count and limit of a decision about the pod of a slot, if a limit applies.
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

/// Creates the state of a Job before its first record.
fn new_job_state(policy: &JobPolicy, slots: &[PodSlot]) -> JobState {
    JobState::new(policy, slots.iter().map(|slot| slot.known))
}
