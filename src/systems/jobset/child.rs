//! A child Job while its set is replayed: its members are its pods, and how it fares is the Job
//! controller's to say ([`super::super::job`]). A restart makes it anew, with nothing remembered.

use super::super::job::{FailureReason, JobPolicy, JobState, KnownMember};
use super::decision::SetCode;
use super::record::SetFields;
use crate::units::{GoDuration, Time};
use compact_str::CompactString;
use smallvec::SmallVec;

/// A child Job.
#[derive(Debug)]
pub struct Child {
    /// Its name.
    pub(super) name: CompactString,
    /// Its replicated Job's place in the manifest, if it is there.
    pub(super) replicated_job: Option<usize>,
    /// The replicated Job that its label names; empty without a label.
    pub(super) label: CompactString,
    /// Its index, as its label has it.
    pub(super) job_index: Option<u32>,
    /// Its pods, in the order that its state has them in.
    pub(super) seats: SmallVec<[Seat; 1]>,
    /// Where it stands.
    pub(super) standing: Standing,
    /// What the Job controller remembers of it, once there is something: most sets wait for a Job
    /// that has just begun.
    pub(super) job: Option<Box<JobState>>,
}

/// Room for what is remembered of a Job. Most are made anew at the end of their first pod, and the
/// next takes the room that they leave.
pub(super) type Room = Option<Box<JobState>>;

/// Where a Job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It goes on.
    Running,
    /// It has failed.
    Failed,
    /// It has done its work.
    Complete,
}

/// A place that a pod and its replacements take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seat {
    /// The member of the unit that it is.
    pub(super) member: usize,
    /// What the Job knows of it.
    known: KnownMember,
}

impl Child {
    /// A Job of which a record tells, without a place for any pod.
    pub(super) fn new(name: &str, run: Option<&SetFields>) -> Self {
        Self {
            name: name.into(),
            replicated_job: None,
            label: run.map(|run| run.replicated_job.clone()).unwrap_or_default(),
            job_index: run.and_then(|run| run.job_index),
            seats: SmallVec::new(),
            standing: Standing::Running,
            job: None,
        }
    }

    /// Gives a member a place, and says which.
    pub(super) fn seat(&mut self, member: usize, known: KnownMember) -> usize {
        self.seats.push(Seat { member, known });
        self.seats.len() - 1
    }

    /// What the Job controller remembers of it; where that begins only now, in `room` if there is
    /// any.
    pub(super) fn job(&mut self, policy: &JobPolicy, room: &mut Room) -> &mut JobState {
        let Self { seats, job, .. } = self;
        job.get_or_insert_with(|| match room.take() {
            Some(mut room) => {
                *room = begun(policy, seats);
                room
            }
            None => Box::new(begun(policy, seats)),
        })
    }

    /// Makes the Job anew. What was remembered of it is left as `room`.
    pub(super) fn restart(&mut self, now: Option<Time>, room: &mut Room) {
        for seat in &mut self.seats {
            seat.known.started_at = now;
        }
        self.standing = Standing::Running;
        *room = self.job.take().or_else(|| room.take());
    }

    /// When it fails whatever its pods do. A deadline of no time at all is seen at an end only:
    /// made anew at it, a Job would fail over and over at one moment.
    pub(super) fn deadline(&self, policy: &JobPolicy) -> Option<Time> {
        let running = self.standing == Standing::Running;
        policy.active_deadline.filter(|_| running).filter(|span| *span > GoDuration::ZERO)?;
        match &self.job {
            Some(job) => job.deadline(policy),
            None => begun(policy, &self.seats).deadline(policy),
        }
    }

    /// Failed pods that count, and those that do not.
    pub(super) fn counts(&self) -> (u32, u32) {
        let status = self.job.as_ref().map(|job| job.status());
        status.map_or((0, 0), |status| (status.failed, status.ignored))
    }

    /// Indexes that are taken to have succeeded because no pod of them is on record.
    pub(super) fn presumed(&self, policy: &JobPolicy) -> u32 {
        begun(policy, &self.seats).presumed()
    }

    /// Indexes that have failed.
    pub(super) fn failed_indexes(&self) -> u32 {
        let failed = self.job.as_ref().map_or(0, |job| job.status().failed_indexes.len());
        u32::try_from(failed).unwrap_or(u32::MAX)
    }

    /// The limit that a decision about a pod of a place goes by, if it goes by one, and how much
    /// of it has been used.
    pub(super) fn used(
        &self,
        policy: &JobPolicy,
        seat: usize,
        code: SetCode,
    ) -> Option<(u32, u32)> {
        use FailureReason::{
            BackoffLimitExceeded, DeadlineExceeded, FailedIndexes, MaxFailedIndexesExceeded,
        };
        let job = self.job.as_ref()?;
        let failed = job.failed_before_end();
        let per_index = policy.backoff_limit_per_index.filter(|_| policy.indexed());
        Some(match (code, per_index) {
            (SetCode::FailJob(DeadlineExceeded | FailedIndexes), _) => return None,
            (SetCode::FailJob(MaxFailedIndexesExceeded), _) => {
                (self.failed_indexes(), policy.max_failed_indexes.unwrap_or_default())
            }
            (SetCode::FailJob(BackoffLimitExceeded), _) if failed <= policy.backoff_limit => {
                (job.restarts(), policy.backoff_limit)
            }
            (SetCode::Retry | SetCode::RetryIgnored | SetCode::FailIndex, Some(limit)) => {
                (job.failures(seat).counted, limit)
            }
            _ => (failed, policy.backoff_limit),
        })
    }
}

/// A Job of which nothing is told yet.
fn begun(policy: &JobPolicy, seats: &[Seat]) -> JobState {
    JobState::new(policy, seats.iter().map(|seat| seat.known))
}
