//! A Job from its first pod to its last, updated with the ends of its pods.
//!
//! It holds a [`Status`] and the counts that the annotations of the next pods have. A history may record only
//! some pods, so indexes without records are assumed to have succeeded. Of a Job without indexes each member is one
//! pod, and the [`Pool`] has the pods; only if one runs at a time, and its records do not overlap, all pods may be of
//! one member.

use super::decision::{JobEnd, Next, PodEnd, Successor};
use super::pod::{IndexFailures, Pod};
use super::pool::{KnownPod, Pool};
use super::replacement::JobOptions;
use super::status::{Failure, FailureReason, Ruling, Status, SyncContext};
use crate::job::manifest::JobPolicy;
use crate::job::manifest::indexes::Indexes;
use crate::job::record::{PodFields, PodOutcome};
use document::units::{GoDuration, Time};
use replay::history::Run;
use smallvec::SmallVec;

/// A member: an index; of a Job without indexes one pod, or all pods if one runs at a time.
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

/// A recorded member of a Job.
#[derive(Debug, Clone, Copy, Default)]
pub struct KnownMember {
    /// The index of its pods, if they have one.
    pub index: Option<u32>,
    /// The start of its first run, or of the Job if that is later.
    pub started_at: Option<Time>,
    /// The member's pod, if it is one pod of a Job without indexes.
    pub pod: Option<KnownPod>,
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
    /// The pods of a Job without indexes, if each is a member. Boxed, since a stream holds the states of Jobs of one
    /// pod.
    pool: Option<Box<Pool>>,
}

impl KnownMember {
    /// Makes the member whose first run is this one. `is_pod` holds if it is one pod of a Job without indexes.
    pub fn from_first<F>(run: &Run<F>, pod: &PodFields, is_pod: bool) -> Self {
        let known = KnownPod { starts_at: run.started_at.or(run.finished_at), is_over: false };
        let started_at = run.started_at;
        Self { index: pod.completion_index(), started_at, pod: is_pod.then_some(known) }
    }
}

impl JobState {
    /// Creates a Job before its first pod, with its recorded members.
    pub fn new(policy: &JobPolicy, members: impl IntoIterator<Item = KnownMember>) -> Self {
        let (mut started_at, mut indexes) = (None::<Time>, policy.indexes());
        let (looks, mut on_record) = (!policy.success_rules.is_empty(), Indexes::default());
        let mut pods = Vec::new();
        let members: SmallVec<[MemberState; 1]> = members
            .into_iter()
            .map(|KnownMember { index, started_at: started, pod }| {
                let over = pod.is_some_and(|pod| pod.is_over);
                // A pod that is over was there before the history began, and tells nothing about the start of the Job.
                if !over {
                    started_at = started_at.into_iter().chain(started).min();
                }
                pods.push(pod);
                let index = index.filter(|_| policy.is_indexed());
                if let Some(index) = index {
                    if looks {
                        on_record.insert(index);
                    }
                    // An index beyond the policy's is on record, so that the Job had it.
                    indexes = indexes.max(index.saturating_add(1));
                }
                let has_no_index = index.is_none() && policy.is_indexed();
                MemberState { over, has_no_index, ..MemberState::default() }
            })
            .collect();
        let has_pool = !policy.is_indexed() && pods.iter().any(Option::is_some);
        let pool = has_pool.then(|| Box::new(Pool::new(policy, pods)));
        let needed = members.iter().filter(|member| !member.has_no_index).count();
        // Indexes without records are assumed to have succeeded.
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
            pool,
        }
    }

    /// Creates a Job without a manifest.
    pub(crate) fn unjudged() -> Self {
        let (status, context) = (Status::default(), SyncContext::default());
        let members = SmallVec::new();
        Self { status, members, needed: 0, over: 0, replaced: 0, stopped: 0, context, pool: None }
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
        if let Some(pool) = &mut self.pool {
            // Those of the sync that go on are counted by it.
            for end in ends {
                pool.end(end.member);
            }
            let active = pool.active();
            return self.count_stopped(active as usize);
        }
        let is_active = |place: usize, member: &MemberState| {
            let ended = || ends.binary_search_by_key(&place, |end| end.member).is_ok();
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

    /// Returns the first member that is not over; of pods without an index the first that runs, if one does.
    pub fn first_open(&self) -> Option<usize> {
        let open = |at: &usize| self.members.get(*at).is_some_and(|member| !member.over);
        let mut all = (0..self.members.len()).filter(open);
        let runs = |at: &usize| self.is_upcoming_pod(*at) == Some(false);
        all.clone().find(runs).or_else(|| all.next())
    }

    /// Starts the pods of a Job without indexes that start before a time.
    pub(crate) fn advance(&mut self, now: Option<Time>) {
        if let Some(pool) = &mut self.pool {
            pool.advance(now);
        }
    }

    /// Returns whether a pod of a Job without indexes has not started; `None` for other members.
    pub(crate) fn is_upcoming_pod(&self, member: usize) -> Option<bool> {
        Some(self.pool.as_ref()?.is_upcoming(member))
    }

    /// Takes the pods of a Job without indexes that no longer wait, since another one succeeded.
    pub(crate) fn take_released(&mut self) -> Vec<usize> {
        self.pool.as_mut().map(|pool| pool.take_released()).unwrap_or_default()
    }

    /// Syncs the Job with runs that ended at the same moment, in the order of their members. Fills `rulings` with
    /// one ruling per run, and returns how the Job ended, if it has. If the Job continues, [`next`](Self::next)
    /// returns the effect on its members.
    pub fn sync(
        &mut self,
        (policy, options): (&JobPolicy, &JobOptions),
        ends: &[PodEnd<'_>],
        now: Option<Time>,
        rulings: &mut Vec<Ruling>,
    ) -> Option<JobEnd> {
        self.advance(now);
        // After its deadline a Job has no pods that could end.
        if self.status.deadline(policy).zip(now).is_some_and(|(deadline, now)| deadline < now) {
            rulings.clear();
            rulings.resize(ends.len(), Ruling::default());
            self.count_stopped(ends.len());
            return Some(JobEnd::Failed(self.expire(now)));
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
                // The last pod of a sync is the one that reached the limit.
                failure.causing_pod.or_else(|| ends.len().checked_sub(1).filter(|_| last()));
            return Some(JobEnd::Failed(Failure { causing_pod, ..failure }));
        }
        // The restarts of pods that end now counted in this sync only.
        self.context.restarts = live;
        for (end, ruling) in ends.iter().zip(rulings.iter()) {
            self.finish_pod(policy, end, ruling);
        }
        if self.pool.is_some() {
            let is_complete = self.replace_pods((policy, options), ends, rulings);
            return is_complete.then_some(JobEnd::Complete);
        }
        // Pods without an index do not complete an Indexed Job, even if all its indexes are assumed to have
        // succeeded.
        let all_over = self.over == self.needed && (self.needed > 0 || self.members.is_empty());
        let over = all_over || self.status.success.is_some();
        over.then_some(JobEnd::Complete)
    }

    /// Replaces pods of a Job without indexes. Returns whether the Job is complete.
    fn replace_pods(
        &mut self,
        (policy, options): (&JobPolicy, &JobOptions),
        ends: &[PodEnd<'_>],
        rulings: &[Ruling],
    ) -> bool {
        let (_, wait_end) = self.wait(options);
        let Some(pool) = &mut self.pool else { return false };
        let all = || ends.iter().zip(rulings);
        for (end, ruling) in all() {
            match end.fields.outcome {
                PodOutcome::Succeeded => pool.end(end.member),
                _ if ruling.failed => pool.end(end.member),
                _ => pool.start(end.member),
            }
        }
        let (now, succeeded) = (self.context.now, self.status.succeeded);
        if ends.iter().any(|end| end.fields.outcome == PodOutcome::Succeeded) {
            pool.release(policy, now);
        }
        let failed = all().filter(|(_, ruling)| ruling.failed).map(|(end, _)| end.member);
        pool.replace(policy, failed, succeeded, (now, wait_end));
        let replaced = all().filter(|(end, _)| pool.replacement(end.member).is_some()).count();
        self.replaced = self.replaced.saturating_add(u32::try_from(replaced).unwrap_or(u32::MAX));
        pool.is_complete(policy, succeeded)
    }

    /// Returns the wait before the next pod, counted for the whole Job, and its end.
    fn wait(&self, options: &JobOptions) -> (GoDuration, Option<Time>) {
        let record = self.status.backoff;
        let delay = options.delay(record.failures);
        (delay, record.last_failure.map(|last| last.plus(delay)))
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
        let by = match &self.pool {
            Some(pool) => match pool.replacement(end.member) {
                Some(by) => Successor::Other(by),
                None => return Next::NotReplaced,
            },
            None if self.is_over(end.member) || self.status.success.is_some() => {
                return Next::NotReplaced;
            }
            None => Successor::Same,
        };
        let by_index = policy.is_indexed() && policy.backoff_limit_per_index.is_some();
        let (delay, not_before) = if by_index {
            let delay = options.delay(self.failures(end.member).total());
            (delay, end.at.map(|at| at.plus(delay)))
        } else {
            let (delay, not_before) = self.wait(options);
            (delay, not_before.or_else(|| end.at.map(|at| at.plus(delay))))
        };
        Next::Replaced { delay, not_before, by }
    }

    /// Fails the Job at its deadline.
    pub fn expire(&mut self, now: Option<Time>) -> Failure {
        self.advance(now);
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
        if let Some(pool) = &mut self.pool {
            pool.end(member);
        }
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
        // In a Job without indexes no pod succeeds another, so that annotations name no earlier pods.
        if self.pool.is_some() {
            return;
        }
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
        let enough = enough || self.status.success.is_some() || self.pool.is_some();
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
