//! The number of pods of a Job after a sync, and the delay before replacements
//! (`pkg/controller/job/job_controller.go`, `manageJob`; `backoff_utils.go`).

use super::pod::Pod;
use super::status::{Ruling, Status, SyncContext};
use crate::systems::job::manifest::JobPolicy;
use crate::units::{GoDuration, Time};
use std::collections::HashSet;

/// The maximum number of pods that a sync creates or deletes.
const MOST: u32 = 500;

/// The result of `manageJob`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ManageResult {
    /// `status.active`. While replacements wait the controller writes 0, whatever the number of running pods.
    pub active: u32,
    /// The number of created pods.
    pub created: u32,
    /// The remaining delay before pods are created.
    pub wait: GoDuration,
    /// Whether the Job is complete.
    pub complete: bool,
}

/// Returns the number of failed pods that `status.failed` does not include yet. If indexes have limits of
/// their own, the last failed pod of an index that continues is kept until its replacement exists, which
/// takes over its count; it is counted only then (`getPodsWithDelayedDeletionPerIndex`).
pub fn uncounted_failures(
    policy: &JobPolicy,
    pods: &[Pod<'_>],
    rulings: &[Ruling],
    status: &Status,
) -> u32 {
    let is_over = status.failure.is_some() || status.success.is_some();
    if policy.backoff_limit_per_index.is_none() || !policy.is_indexed() || is_over {
        return 0;
    }
    let same = |pod: &Pod<'_>, other: &Pod<'_>| pod.index == other.index;
    let replaced = |pod: &Pod<'_>| pods.iter().any(|other| same(pod, other) && other.is_active());
    let done = |pod: &Pod<'_>| {
        let over = |index| {
            status.failed_indexes.contains(index) || status.succeeded_indexes.contains(index)
        };
        pod.index.is_none_or(over)
    };
    let last = |place: usize, pod: &Pod<'_>| {
        pod.index.and_then(|index| last_failed(pods, rulings, index)) == Some(place)
    };
    let all = pods.iter().zip(rulings).enumerate();
    let kept = all.filter(|(place, (pod, ruling))| {
        ruling.counted && !done(pod) && !replaced(pod) && last(*place, pod)
    });
    u32::try_from(kept.count()).unwrap_or(u32::MAX)
}

/// Returns the position of the failed pod that an index's next pod waits for, and whose count it takes over.
/// Of two it is the later in the list, unless fewer had failed before that one or it ended earlier
/// (`pkg/controller/job/indexed_job_utils.go`, `getPodsWithDelayedDeletionPerIndex`).
fn last_failed(pods: &[Pod<'_>], rulings: &[Ruling], index: u32) -> Option<usize> {
    let all = pods.iter().zip(rulings).enumerate();
    let failed = all.filter(|(_, (pod, ruling))| ruling.failed && pod.index == Some(index));
    let failed = failed.map(|(place, (pod, _))| (place, pod));
    let last = failed.reduce(|last, next| {
        let more = next.1.earlier.total() >= last.1.earlier.total();
        if more && next.1.finished_at >= last.1.finished_at { next } else { last }
    });
    last.map(|(place, _)| place)
}

/// Returns the number of active pods that an Indexed Job always deletes: those without an index of the Job,
/// and all but one of each index (`appendDuplicatedIndexPodsForRemoval`).
fn count_misplaced(policy: &JobPolicy, pods: &[Pod<'_>], indexes: u32) -> usize {
    if !policy.is_indexed() {
        return 0;
    }
    let active = || pods.iter().filter(|pod| pod.is_active());
    let taken = active().filter_map(|pod| pod.index).filter(|index| *index < indexes);
    active().count() - taken.collect::<HashSet<_>>().len()
}

impl Status {
    /// Creates and deletes pods of a Job that has not failed; `pods` have been counted.
    pub fn manage(
        &self,
        policy: &JobPolicy,
        options: &JobOptions,
        pods: &[Pod<'_>],
        (rulings, context): (&[Ruling], &SyncContext),
    ) -> ManageResult {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let active = count(pods.iter().filter(|pod| pod.is_active()).count());
        let wanted = self.wanted_pods(policy, active, context);
        let misplaced = count(count_misplaced(policy, pods, context.indexes));
        let surplus = active.saturating_sub(wanted).max(misplaced).min(MOST);
        let terminating = pods.iter().filter(|pod| holds_index(policy, pod));
        let occupied = active.saturating_add(count(terminating.count()));
        let wanted = wanted.saturating_sub(occupied).min(MOST);
        // The controller either deletes or creates, never both in one sync.
        let active = active - surplus;
        let goes_on = ManageResult { active, ..ManageResult::default() };
        if surplus > 0 || wanted == 0 {
            return ManageResult {
                complete: active == 0 && self.has_enough_successes(policy, context),
                ..goes_on
            };
        }
        let (created, wait) = match policy.backoff_limit_per_index {
            Some(_) if policy.is_indexed() => {
                self.create_by_index((policy, options), pods, (rulings, context), wanted)
            }
            _ => (
                wanted,
                remaining_wait(options, self.backoff.failures, self.backoff.last_failure, context),
            ),
        };
        if wait > GoDuration::ZERO {
            return ManageResult { active: 0, wait, ..goes_on };
        }
        ManageResult { active: active.saturating_add(created), created, ..goes_on }
    }

    /// Returns the number of pods that should run. A Job without completions starts none once one has
    /// succeeded.
    fn wanted_pods(&self, policy: &JobPolicy, active: u32, context: &SyncContext) -> u32 {
        let completions =
            if policy.is_indexed() { Some(context.indexes) } else { policy.completions };
        match completions {
            Some(all) => all.saturating_sub(self.succeeded).min(policy.parallelism),
            None if self.succeeded > 0 => active,
            None => policy.parallelism,
        }
    }

    fn has_enough_successes(&self, policy: &JobPolicy, context: &SyncContext) -> bool {
        let completions =
            if policy.is_indexed() { Some(context.indexes) } else { policy.completions };
        self.succeeded >= completions.unwrap_or(1)
    }

    /// Returns the number of new pods, for those of the first `wanted` free indexes whose delay is over, and
    /// the shortest delay if no pod is created.
    fn create_by_index(
        &self,
        (policy, options): (&JobPolicy, &JobOptions),
        pods: &[Pod<'_>],
        (rulings, context): (&[Ruling], &SyncContext),
        wanted: u32,
    ) -> (u32, GoDuration) {
        let over =
            |index| self.failed_indexes.contains(index) || self.succeeded_indexes.contains(index);
        let holds = |pod: &&Pod<'_>| pod.is_active() || holds_index(policy, pod);
        let taken: HashSet<u32> = pods.iter().filter(holds).filter_map(|pod| pod.index).collect();
        let pending = (0..context.indexes).filter(|index| !over(*index) && !taken.contains(index));
        let (mut created, mut shortest) = (0, None::<GoDuration>);
        for index in pending.take(wanted as usize) {
            let last = last_failed(pods, rulings, index).and_then(|place| pods.get(place));
            let wait = last.map_or(GoDuration::ZERO, |pod| {
                remaining_wait(
                    options,
                    pod.earlier.total().saturating_add(1),
                    pod.finished_at,
                    context,
                )
            });
            if wait > GoDuration::ZERO {
                shortest = Some(shortest.map_or(wait, |shortest| shortest.min(wait)));
            } else {
                created += 1;
            }
        }
        (created, shortest.filter(|_| created == 0).unwrap_or(GoDuration::ZERO))
    }
}

/// Returns whether the index of a pod that is being deleted counts as taken, because the pod is replaced only
/// after its end (`firstPendingIndexes`).
fn holds_index(policy: &JobPolicy, pod: &Pod<'_>) -> bool {
    policy.waits_for_termination() && pod.is_terminating()
}

/// Returns the remaining delay; 0 if its beginning is not known.
fn remaining_wait(
    options: &JobOptions,
    failures: u32,
    last: Option<Time>,
    context: &SyncContext,
) -> GoDuration {
    match context.now.zip(last) {
        Some((now, last)) => options.remaining(failures, now.since(last)),
        None => GoDuration::ZERO,
    }
}

/// The parameters of the delays. The controller's values are constants of `job_controller.go`; its
/// documentation has another cap, of six minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobOptions {
    /// The delay after one failure.
    pub backoff_base: GoDuration,
    /// The maximum delay.
    pub backoff_cap: GoDuration,
}

impl Default for JobOptions {
    fn default() -> Self {
        Self { backoff_base: GoDuration::from_secs(10), backoff_cap: GoDuration::from_secs(600) }
    }
}

impl JobOptions {
    /// Returns min(base * 2^(failures-1), cap); 0 without a failure.
    pub fn delay(&self, failures: u32) -> GoDuration {
        let Some(doublings) = failures.checked_sub(1) else { return GoDuration::ZERO };
        let factor = 1_i64.checked_shl(doublings).filter(|factor| *factor > 0);
        let grown = factor.and_then(|factor| self.backoff_base.as_nanos().checked_mul(factor));
        grown.map_or(self.backoff_cap, |nanos| GoDuration::from_nanos(nanos).min(self.backoff_cap))
    }

    /// Returns the remaining delay at the time `since_failure` after the last failure.
    pub fn remaining(&self, failures: u32, since_failure: GoDuration) -> GoDuration {
        // By another clock, the failure may be in the future. Without failures that must not cause a delay.
        if failures == 0 {
            return GoDuration::ZERO;
        }
        let left = self.delay(failures).as_nanos().saturating_sub(since_failure.as_nanos());
        GoDuration::from_nanos(left.max(0))
    }
}

/// The failures that the delay depends on if indexes have no limits of their own. They are counted for the
/// whole Job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BackoffRecord {
    /// The number of failures since the last success, including ignored ones.
    pub failures: u32,
    /// The end of the last of them, if known.
    pub last_failure: Option<Time>,
}

impl BackoffRecord {
    /// Counts the pods that have ended since the last sync; `None` is an end at an unknown time.
    ///
    /// A success removes all failures except those that ended after it. An end at an unknown time is not
    /// assumed to be after a success.
    pub fn observe(
        &mut self,
        succeeded: impl IntoIterator<Item = Option<Time>>,
        failed: impl IntoIterator<Item = Option<Time>>,
    ) {
        let mut succeeded = succeeded.into_iter();
        let Some(first) = succeeded.next() else {
            return self.add(failed.into_iter());
        };
        *self = Self::default();
        let last = succeeded.fold(first, Option::max);
        self.add(failed.into_iter().filter(|at| at.is_some() && *at > last));
    }

    fn add(&mut self, failed: impl Iterator<Item = Option<Time>>) {
        let mut last = None;
        let before = self.failures;
        for at in failed {
            self.failures = self.failures.saturating_add(1);
            last = last.max(at);
        }
        if self.failures != before {
            self.last_failure = last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Source;
    use crate::document::{Limits, parse};
    use crate::systems::job::{Creator, FeatureGates, IndexFailures, Phase, read};
    use proptest::prelude::*;

    fn now() -> Time {
        Time::from_epoch_seconds(1_000_000)
    }

    /// Returns the result for pods of a Job without a past, and the number of uncounted failures.
    fn sync(spec: &str, pods: &[Pod<'_>]) -> (ManageResult, u32) {
        let (documents, _) = parse(&Source::new("job.yaml", spec), Limits::POLICY);
        let policy = read(&documents[0].root, Creator::Manifest, FeatureGates::default());
        let context =
            SyncContext { now: Some(now()), indexes: policy.indexes(), ..SyncContext::default() };
        let (mut status, mut rulings) = (Status::default(), Vec::new());
        assert_eq!(status.sync(&policy, pods, &context, &mut rulings), None, "{spec}");
        let managed = status.manage(&policy, &JobOptions::default(), pods, (&rulings, &context));
        (managed, uncounted_failures(&policy, pods, &rulings, &status))
    }

    fn running(index: Option<u32>) -> Pod<'static> {
        Pod { phase: Phase::Running, index, ..Pod::default() }
    }

    /// Makes a failed pod of index 0 that ended `ago` seconds ago, with `counted` earlier failures.
    fn failed(counted: u32, ago: i64) -> Pod<'static> {
        let finished_at = Some(now().plus(GoDuration::from_secs(-ago)));
        let earlier = IndexFailures { counted, ignored: 0 };
        Pod { phase: Phase::Failed, index: Some(0), earlier, finished_at, ..Pod::default() }
    }

    #[test]
    fn the_index_of_a_pod_that_is_being_deleted_is_taken() {
        let spec = "{completionMode: Indexed, completions: 2, parallelism: 2, backoffLimitPerIndex: 0, podReplacementPolicy: Failed}";
        let pods = [failed(0, 3600), Pod { deleting: true, ..running(Some(1)) }];
        assert_eq!(sync(spec, &pods).0.active, 0);
        assert_eq!(sync(spec, &pods[..1]).0.active, 1);
    }

    #[test]
    fn an_index_waits_for_the_pod_before_which_most_failed() {
        let spec = "{completionMode: Indexed, completions: 1, backoffLimitPerIndex: 5}";
        let wait = |pods: &[Pod<'_>]| {
            let (managed, kept) = sync(spec, pods);
            assert_eq!((managed.active, kept), (0, 1), "{pods:?}");
            managed.wait
        };
        assert_eq!(wait(&[failed(1, 0), failed(0, 300)]), GoDuration::from_secs(20));
        assert_eq!(wait(&[failed(0, 300), failed(1, 0)]), GoDuration::from_secs(20));
        // A pod that ended earlier never replaces the last one, whatever its number of earlier failures.
        assert_eq!(wait(&[failed(0, 2), failed(3, 30)]), GoDuration::from_secs(8));
        assert_eq!(wait(&[failed(1, 5), failed(1, 5)]), GoDuration::from_secs(15));
    }

    #[test]
    fn pods_that_are_too_many_are_deleted_and_none_is_created() {
        let [none, zero, one, far] = [None, Some(0), Some(1), Some(7)].map(running);
        let indexed = "{completionMode: Indexed, completions: 3, parallelism: 3}";
        let by_index =
            "{completionMode: Indexed, completions: 3, parallelism: 3, backoffLimitPerIndex: 1}";
        let done = Pod { phase: Phase::Succeeded, ..none };
        for (spec, pods, active) in [
            ("{completions: 5, parallelism: 2}", &[none, none, none][..], 2),
            ("{completions: 2, parallelism: 2}", &[done, none, none][..], 1),
            ("{parallelism: 2}", &[done, none, none][..], 2),
            (indexed, &[none, zero][..], 1),
            (indexed, &[zero, far, one][..], 2),
            (by_index, &[zero, zero, one][..], 2),
            (by_index, &[zero, one][..], 3),
            ("{completions: 600, parallelism: 600}", &[none][..], 501),
        ] {
            assert_eq!(sync(spec, pods).0.active, active, "{spec} {pods:?}");
        }
    }

    #[test]
    fn doubles_up_to_the_cap() {
        let options = JobOptions::default();
        let waits: Vec<f64> = (0..9).map(|n| options.delay(n).as_secs_f64()).collect();
        assert_eq!(waits, [0.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 600.0, 600.0]);
    }

    #[test]
    fn without_a_failure_nothing_is_left() {
        let remaining = |failures, since| {
            JobOptions::default().remaining(failures, GoDuration::from_secs(since))
        };
        let all = [remaining(0, -30), remaining(0, 5), remaining(1, -30), remaining(1, 5)];
        assert_eq!(all, [0, 0, 40, 5].map(GoDuration::from_secs));
    }

    proptest! {
        /// For every number of failures, the delay is at most the cap, and not shorter than with one failure
        /// less.
        #[test]
        fn grows_and_never_overflows(failures: u32, base in 0..i64::MAX, cap in 0..i64::MAX) {
            let options = JobOptions {
                backoff_base: GoDuration::from_nanos(base),
                backoff_cap: GoDuration::from_nanos(cap),
            };
            let delay = options.delay(failures);
            prop_assert!(delay <= options.backoff_cap);
            prop_assert!(failures == 0 || delay >= options.delay(failures - 1));
        }

        /// Parallel failures count each, in every order. A success at the time of the last one removes all.
        #[test]
        fn a_success_forgets_what_came_before(mut times in proptest::collection::vec(0_i64..50, 1..8)) {
            let at = |seconds: &i64| Some(Time::from_epoch_seconds(*seconds));
            let mut record = BackoffRecord::default();
            record.observe([], times.iter().map(at));
            times.sort_unstable();
            prop_assert_eq!(record.failures as usize, times.len());
            prop_assert_eq!(record.last_failure, times.last().and_then(at));
            record.observe([times.last().and_then(at)], times.iter().map(at));
            prop_assert_eq!(record, BackoffRecord::default());
        }
    }
}
