//! A child Job while its set is replayed: its members are its pods, and how it fares is the Job
//! controller's to say ([`super::super::job`]). A restart makes it anew, with nothing remembered.

use super::super::job::{
    Around, Failure, IndexFailures, JobOptions, JobPolicy, Pod, PodOutcome, Ruling, Status,
};
use super::record::SetFields;
use crate::history::MemberRun;
use crate::units::{GoDuration, Time};

/// A child Job.
#[derive(Debug)]
pub struct Child {
    /// Its name.
    pub(super) name: Box<str>,
    /// Its replicated Job's place in the manifest, if it is there.
    pub(super) replicated_job: Option<usize>,
    /// The replicated Job that its label names; empty without a label.
    pub(super) label: Box<str>,
    /// Its index, as its label has it.
    pub(super) job_index: Option<u32>,
    /// Its pods.
    pub(super) seats: Vec<Seat>,
    /// Where it stands.
    pub(super) standing: Standing,
    status: Status,
}

/// Where a Job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Running,
    Failed,
    Complete,
}

/// A place that a pod and its replacements take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seat {
    /// The member of the unit that it is.
    pub(super) member: usize,
    index: u32,
    earlier: IndexFailures,
    /// Restarts in place of its live pod.
    restarts: u32,
    /// Whether no other pod follows.
    over: bool,
}

/// A pod that has ended, and where it sat.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended<'r> {
    pub(super) seat: usize,
    pub(super) run: &'r MemberRun<SetFields>,
}

/// What the replacement of a pod waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wait {
    pub(super) delay: GoDuration,
    pub(super) not_before: Option<Time>,
}

impl Child {
    /// A Job of which nothing has happened yet.
    pub(super) fn new(name: &str, run: Option<&SetFields>) -> Self {
        Self {
            name: name.into(),
            replicated_job: None,
            label: run.map(|run| run.replicated_job.clone()).unwrap_or_default(),
            job_index: run.and_then(|run| run.job_index),
            seats: Vec::new(),
            standing: Standing::Running,
            status: Status::default(),
        }
    }

    /// Gives a member a place.
    pub(super) fn seat(&mut self, member: usize, index: u32) -> usize {
        let earlier = IndexFailures::default();
        self.seats.push(Seat { member, index, earlier, restarts: 0, over: false });
        self.seats.len() - 1
    }

    /// Makes the Job anew.
    pub(super) fn restart(&mut self, now: Option<Time>) {
        self.standing = Standing::Running;
        self.status = Status { started_at: now, ..Status::default() };
        for seat in &mut self.seats {
            (seat.earlier, seat.restarts, seat.over) = (IndexFailures::default(), 0, false);
        }
    }

    /// When the Job began, if that was not known.
    pub(super) fn begin(&mut self, at: Option<Time>) {
        let known = self.status.started_at;
        self.status.started_at = known.into_iter().chain(at).min();
    }

    /// When it fails whatever its pods do.
    pub(super) fn deadline(&self, policy: &JobPolicy) -> Option<Time> {
        self.status.deadline(policy).filter(|_| self.standing == Standing::Running)
    }

    /// The counters that reports tell: failed pods that count, and those that do not.
    pub(super) fn counts(&self) -> (u32, u32) {
        (self.status.failed, self.status.ignored)
    }

    /// How often pods of a place have failed, so that it counts.
    pub(super) fn failures_of(&self, seat: usize) -> u32 {
        self.seats.get(seat).map_or(0, |seat| seat.earlier.counted)
    }

    /// Notes restarts in place.
    pub(super) fn restarted(&mut self, seat: usize, restarts: u32) {
        if let Some(seat) = self.seats.get_mut(seat) {
            seat.restarts = seat.restarts.max(restarts);
        }
    }

    /// Looks at the pods that have ended, and says whether the Job has failed. `rulings` says what
    /// each comes to.
    pub(super) fn look(
        &mut self,
        policy: &JobPolicy,
        ended: &[Ended<'_>],
        now: Option<Time>,
        rulings: &mut Vec<Ruling>,
    ) -> Option<Failure> {
        for end in ended {
            self.restarted(end.seat, end.run.own.pod.restarts);
        }
        let around = self.around(policy, now);
        let pod = |end: &Ended<'_>| self.pod(end);
        let failure = match ended {
            // One end needs no list.
            [one] => {
                let pods = [pod(one)];
                self.status.sync(policy, &pods, &around, rulings)
            }
            many => {
                let pods: Vec<Pod<'_>> = many.iter().map(pod).collect();
                self.status.sync(policy, &pods, &around, rulings)
            }
        };
        self.settle(ended, rulings);
        self.standing = match failure {
            Some(_) => Standing::Failed,
            None if self.seats.iter().all(|seat| seat.over) => Standing::Complete,
            None => Standing::Running,
        };
        failure
    }

    /// The pod of a run as the Job controller sees it.
    fn pod<'r>(&self, ended: &Ended<'r>) -> Pod<'r> {
        let earlier = self.seats.get(ended.seat).map(|seat| seat.earlier).unwrap_or_default();
        ended.run.own.pod.pod(ended.run, earlier)
    }

    /// Restarts count while a pod has not ended, so those of pods that end now still do. Indexes
    /// without a member on record are taken to have succeeded.
    fn around(&self, policy: &JobPolicy, now: Option<Time>) -> Around {
        let indexes = if policy.indexed() { self.indexes(policy) } else { 0 };
        let seated = self.seats.iter().filter(|seat| seat.index < indexes).count();
        let presumed = indexes.saturating_sub(u32::try_from(seated).unwrap_or(u32::MAX));
        let live = self.seats.iter().map(|seat| seat.restarts);
        Around { now, indexes, presumed, restarts: live.fold(0, u32::saturating_add) }
    }

    /// How many indexes the Job has: at least those on record, since a manifest may be newer than
    /// what happened.
    fn indexes(&self, policy: &JobPolicy) -> u32 {
        let last = self.seats.iter().map(|seat| seat.index.saturating_add(1)).max();
        policy.indexes().max(last.unwrap_or(0))
    }

    fn settle(&mut self, ended: &[Ended<'_>], rulings: &[Ruling]) {
        for (end, ruling) in ended.iter().zip(rulings) {
            let Some(seat) = self.seats.get_mut(end.seat) else { continue };
            seat.restarts = 0;
            if ruling.failed {
                seat.earlier = seat.earlier.after(ruling.counted);
                seat.over = ruling.index_failed;
            } else {
                seat.over = end.run.own.pod.outcome == PodOutcome::Succeeded;
            }
        }
    }

    /// What the replacement of a pod that failed just now waits.
    pub(super) fn wait(
        &self,
        policy: &JobPolicy,
        options: &JobOptions,
        ended: &Ended<'_>,
    ) -> Wait {
        let by_index = policy.indexed() && policy.backoff_limit_per_index.is_some();
        let (failures, last) = match self.seats.get(ended.seat) {
            Some(seat) if by_index => (seat.earlier.total(), ended.run.time()),
            _ => (self.status.backoff.failures, self.status.backoff.last_failure),
        };
        let delay = options.delay(failures);
        Wait { delay, not_before: last.map(|last| last.plus(delay)) }
    }
}
