//! A Job from its first pod to its last, updated with the ends of its pods.
//!
//! It holds a [`Status`] and the counts that the annotations of the next pods have. A history may record only
//! some pods, so indexes without records are assumed to have succeeded.

use super::decision::{JobEnd, Next, PodEnd};
use super::pod::{IndexFailures, Pod};
use super::replacement::JobOptions;
use super::status::{Failure, FailureReason, Ruling, Status, SyncContext};
use crate::systems::job::manifest::JobPolicy;
use crate::systems::job::manifest::indexes::Indexes;
use crate::systems::job::record::{PodFields, PodOutcome};
use crate::units::Time;
use smallvec::SmallVec;

/// A member: an index, or a place that pods take one after another.
#[derive(Debug, Clone, Copy, Default)]
struct MemberState {
    earlier: IndexFailures,
    /// The expected annotations of its next pod if no failure is missing in the records; absent before the
    /// first pod with annotations.
    annotated: Option<IndexFailures>,
    /// The recorded restarts of its running pod.
    restarts: u32,
    /// Whether its last record is of a pod that continues.
    running: bool,
    over: bool,
    /// Whether its pods have no index of the Job, so that the Job does not need them.
    has_no_index: bool,
}

/// A recorded member: a place, or an index of an Indexed Job.
#[derive(Debug, Clone, Copy, Default)]
pub struct KnownMember {
    /// The place or index.
    pub index: u32,
    /// Whether its pods have no valid index.
    pub has_no_index: bool,
    /// The start of its first run.
    pub started_at: Option<Time>,
}

/// The state of a Job.
#[derive(Debug, Clone)]
pub struct JobState {
    status: Status,
    members: SmallVec<[MemberState; 1]>,
    /// The number of members that the Job needs, and how many of them are over.
    needed: usize,
    over: usize,
    /// The number of replaced pods.
    replaced: u32,
    /// The number of failed pods that failed only because the Job ended.
    stopped: u32,
    context: SyncContext,
}

impl KnownMember {
    /// Makes the member whose first run has these fields.
    pub fn of_first(pod: &PodFields, started_at: Option<Time>) -> Self {
        Self { index: pod.index, has_no_index: pod.has_no_index, started_at }
    }
}

impl JobState {
    /// Creates a Job before its first pod, with its recorded members.
    pub fn new(policy: &JobPolicy, members: impl IntoIterator<Item = KnownMember>) -> Self {
        let (mut started_at, mut indexes) = (None::<Time>, policy.indexes());
        let (looks, mut on_record) = (!policy.success_rules.is_empty(), Indexes::default());
        let members: SmallVec<[MemberState; 1]> = members
            .into_iter()
            .map(|KnownMember { index, has_no_index, started_at: started }| {
                let has_no_index = has_no_index && policy.is_indexed();
                if looks && !has_no_index {
                    on_record.insert(index);
                }
                started_at = started_at.into_iter().chain(started).min();
                if !has_no_index {
                    indexes = indexes.max(index.saturating_add(1));
                }
                MemberState { has_no_index, ..MemberState::default() }
            })
            .collect();
        let needed = members.iter().filter(|member| !member.has_no_index).count();
        let presumed = indexes.saturating_sub(u32::try_from(needed).unwrap_or(u32::MAX));
        let presumed_indexes =
            if looks { on_record.others_below(indexes) } else { Indexes::default() };
        Self {
            status: Status { started_at, ..Status::default() },
            members,
            needed,
            over: 0,
            replaced: 0,
            stopped: 0,
            context: SyncContext { indexes, presumed, presumed_indexes, ..SyncContext::default() },
        }
    }

    /// Creates a Job without a manifest.
    pub(crate) fn unjudged() -> Self {
        let (status, context) = (Status::default(), SyncContext::default());
        let members = SmallVec::new();
        Self { status, members, needed: 0, over: 0, replaced: 0, stopped: 0, context }
    }

    /// Returns the Job's status.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Returns the number of counted pods that failed before the end of the Job; limits are compared with it.
    pub fn failed_before_end(&self) -> u32 {
        self.status.failed.saturating_sub(self.stopped)
    }

    /// Counts the pods that the Job's failure stops: those that continue by their record, and those of
    /// members that are `live`. A Job that fails counts its active pods as failed.
    pub fn stop_active(&mut self, ends: &[PodEnd<'_>], live: impl Fn(usize) -> bool) {
        let is_active = |place: usize, member: &MemberState| {
            let ended = || ends.iter().any(|end| end.member == place);
            !member.over && (member.running || live(place)) && !ended()
        };
        let members = self.members.iter().enumerate();
        let active = members.filter(|(place, member)| is_active(*place, member)).count();
        self.count_stopped(active);
    }

    fn count_stopped(&mut self, pods: usize) {
        let pods = u32::try_from(pods).unwrap_or(u32::MAX);
        self.stopped = self.stopped.saturating_add(pods);
        self.status.failed = self.status.failed.saturating_add(pods);
    }

    /// Returns the number of replaced pods so far.
    pub fn replaced(&self) -> u32 {
        self.replaced
    }

    /// Returns the number of recorded restarts in place in running pods.
    pub fn restarts(&self) -> u32 {
        self.context.restarts
    }

    /// Counts failed pods that were replaced before the first recorded one.
    pub fn add_earlier_failures(&mut self, failures: u32) {
        self.status.failed = self.status.failed.saturating_add(failures);
        self.status.backoff.failures = self.status.backoff.failures.saturating_add(failures);
        self.replaced = self.replaced.saturating_add(failures);
    }

    /// Stops assuming that unrecorded indexes succeeded.
    pub fn presume_nothing(&mut self) {
        self.context.presumed = 0;
        self.context.presumed_indexes = Indexes::default();
    }

    /// Returns the number of indexes without records, which are assumed to have succeeded.
    pub fn presumed(&self) -> u32 {
        self.context.presumed
    }

    /// Returns the number of pods that continue by their last record.
    pub fn running(&self) -> u32 {
        let running = self.members.iter().filter(|member| member.running && !member.over);
        u32::try_from(running.count()).unwrap_or(u32::MAX)
    }

    /// Returns a member's failures so far.
    pub fn failures(&self, member: usize) -> IndexFailures {
        self.members.get(member).map(|member| member.earlier).unwrap_or_default()
    }

    /// Returns whether a member is over.
    pub fn is_over(&self, member: usize) -> bool {
        self.members.get(member).is_some_and(|member| member.over)
    }

    /// Returns the first member that is not over.
    pub fn first_open(&self) -> Option<usize> {
        self.members.iter().position(|member| !member.over)
    }

    /// Syncs the Job with runs that ended at the same moment. Fills `rulings` with one ruling per run, and
    /// returns how the Job ended, if it has. If the Job continues, [`next`](Self::next) returns the effect on
    /// its members.
    pub fn sync(
        &mut self,
        policy: &JobPolicy,
        ends: &[PodEnd<'_>],
        now: Option<Time>,
        rulings: &mut Vec<Ruling>,
    ) -> Option<JobEnd> {
        // After its deadline a Job has no pods that could end.
        if self.status.deadline(policy).zip(now).is_some_and(|(deadline, now)| deadline < now) {
            rulings.clear();
            rulings.resize(ends.len(), Ruling::default());
            self.count_stopped(ends.len());
            return Some(JobEnd::Failed(self.expire()));
        }
        let restarts = self.update_restarts(ends);
        self.context.now = now;
        let live = std::mem::replace(&mut self.context.restarts, restarts);
        let failure = match ends {
            [] => None,
            [end] => self.status.sync(policy, &[self.pod(end)], &self.context, rulings),
            many => {
                let pods: Vec<Pod<'_>> = many.iter().map(|end| self.pod(end)).collect();
                self.status.sync(policy, &pods, &self.context, rulings)
            }
        };
        if let Some(failure) = failure {
            let last = || failure.reason == FailureReason::BackoffLimitExceeded;
            let causing_pod =
                failure.causing_pod.or_else(|| ends.len().checked_sub(1).filter(|_| last()));
            return Some(JobEnd::Failed(Failure { causing_pod, ..failure }));
        }
        self.context.restarts = live;
        for (end, ruling) in ends.iter().zip(rulings.iter()) {
            self.finish_pod(policy, end, ruling);
        }
        // Pods without an index do not complete an Indexed Job, even if all its indexes are assumed to have
        // succeeded.
        let all_over = self.over == self.needed && (self.needed > 0 || self.members.is_empty());
        let over = all_over || self.status.success.is_some();
        over.then_some(JobEnd::Complete)
    }

    /// Records the restarts and annotations of pods. Returns the restarts that limits are compared with:
    /// those of running pods only (`pastBackoffLimitOnFailure`). A pod that ends now was running while the
    /// others still had their earlier restarts, so the higher of both sums counts.
    fn update_restarts(&mut self, ends: &[PodEnd<'_>]) -> u32 {
        let is_running = |end: &&PodEnd<'_>| end.fields.outcome == PodOutcome::Running;
        for end in ends.iter().filter(|end| !is_running(end)) {
            self.set_restarts(end.member, end.fields.restarts);
        }
        let before = self.context.restarts;
        for end in ends {
            self.set_restarts(end.member, if is_running(&end) { end.fields.restarts } else { 0 });
            self.add_recorded_failures(end);
        }
        self.context.restarts.max(before)
    }

    /// Returns the effect of an end in the last sync on its member, in a Job that continues.
    pub fn next(
        &self,
        policy: &JobPolicy,
        options: &JobOptions,
        end: &PodEnd<'_>,
        ruling: &Ruling,
    ) -> Next {
        if !ruling.failed {
            return match end.fields.outcome {
                PodOutcome::Succeeded => Next::Succeeded,
                PodOutcome::Failed => Next::NotReplaced,
                _ => Next::Running,
            };
        }
        if ruling.index_failed {
            return Next::IndexFailed;
        }
        if self.is_over(end.member) || self.status.success.is_some() {
            return Next::NotReplaced;
        }
        let by_index = policy.is_indexed() && policy.backoff_limit_per_index.is_some();
        let (failures, last) = if by_index {
            (self.failures(end.member).total(), end.at)
        } else {
            let record = self.status.backoff;
            (record.failures, record.last_failure.or(end.at))
        };
        let delay = options.delay(failures);
        Next::Replaced { delay, not_before: last.map(|last| last.plus(delay)) }
    }

    /// Fails the Job at its deadline.
    pub fn expire(&mut self) -> Failure {
        let reason = FailureReason::DeadlineExceeded;
        self.status.failure = Some(reason);
        Failure { reason, causing_pod: None }
    }

    /// Returns the time of the deadline, if there is one and its start is known.
    pub fn deadline(&self, policy: &JobPolicy) -> Option<Time> {
        self.status.deadline(policy)
    }

    /// Marks a member's pod as stopped; its restarts no longer count.
    pub fn stop_pod(&mut self, member: usize) {
        self.set_restarts(member, 0);
        if let Some(member) = self.members.get_mut(member) {
            member.running = false;
        }
    }

    /// Adds the failures of an index before a pod that only the pod's annotations contain: those before the
    /// first recorded pod, and those of pods missing between two records. Annotations follow the policy that
    /// was in force, so they are added to the derived counts and do not replace them.
    fn add_recorded_failures(&mut self, end: &PodEnd<'_>) {
        let Some(member) = self.members.get_mut(end.member) else { return };
        member.running = end.fields.outcome == PodOutcome::Running;
        let Some(recorded) = end.fields.recorded_failures() else { return };
        let missing = recorded.beyond(member.annotated.unwrap_or(member.earlier));
        member.annotated = Some(recorded);
        member.earlier = member.earlier.plus(missing);
        self.status.failed = self.status.failed.saturating_add(missing.counted);
        self.status.ignored = self.status.ignored.saturating_add(missing.ignored);
    }

    /// Returns the pod of an end as the controller sees it. Its restarts occurred before its end, so they are
    /// in the sum already.
    pub fn pod<'r>(&self, end: &PodEnd<'r>) -> Pod<'r> {
        Pod { restarts: 0, ..end.fields.pod(end.at, self.failures(end.member)) }
    }

    /// Sets the restarts of a member's live pod.
    fn set_restarts(&mut self, member: usize, restarts: u32) {
        let Some(member) = self.members.get_mut(member) else { return };
        let others = self.context.restarts.saturating_sub(member.restarts);
        self.context.restarts = others.saturating_add(restarts);
        member.restarts = restarts;
    }

    fn finish_pod(&mut self, policy: &JobPolicy, end: &PodEnd<'_>, ruling: &Ruling) {
        let succeeded = end.fields.outcome == PodOutcome::Succeeded;
        if !succeeded && !ruling.failed {
            return;
        }
        self.set_restarts(end.member, 0);
        // A Job without completions starts no pod once one has succeeded.
        let enough =
            policy.completions.is_none() && !policy.is_indexed() && self.status.succeeded > 0;
        let enough = enough || self.status.success.is_some();
        let over = succeeded || ruling.index_failed || enough;
        let Some(member) = self.members.get_mut(end.member) else { return };
        if ruling.failed {
            member.earlier = member.earlier.after(ruling.counted);
            member.annotated = member.annotated.map(|before| before.after(ruling.counted));
        }
        self.over += usize::from(over && !member.over && !member.has_no_index);
        member.over |= over;
        self.replaced = self.replaced.saturating_add(u32::from(!over));
    }
}
