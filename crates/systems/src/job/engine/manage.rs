//! The number of pods of a Job after a sync (`pkg/controller/job/job_controller.go`, `manageJob`).
//!
//! A replay has the pods that were recorded and creates none: this is compiled with the feature `internals`
//! only, for the cases of `testdata/vectors`, which give the controller's `status.active`.

use super::pod::{Phase, Pod};
use super::replacement::JobOptions;
use super::status::{Ruling, Status, SyncContext};
use crate::job::manifest::JobPolicy;
use document::units::{GoDuration, Time};
use std::collections::HashSet;

/// The most pods that a sync creates or deletes.
const MAX_PODS_PER_SYNC: u32 = 500;

/// The result of `manageJob`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ManageResult {
    /// `status.active`. While replacements wait the controller writes 0, whatever runs.
    pub active: u32,
    /// Pods created.
    pub created: u32,
    /// The remaining delay before it creates any.
    pub wait: GoDuration,
    /// Whether the Job is complete.
    pub complete: bool,
}

/// Failed pods whose failure is not written to `status.failed` yet. Where indexes have limits of
/// their own, the last failed pod of an index that goes on is kept until its replacement carries
/// its count on, and is counted only then (`getPodsWithDelayedDeletionPerIndex`).
pub fn uncounted_failures(
    policy: &JobPolicy,
    pods: &[Pod<'_>],
    rulings: &[Ruling],
    status: &Status,
) -> u32 {
    // Once the Job is over nothing is replaced, so that everything is counted.
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

/// Where the failed pod of an index is that its next pod waits for and counts on from. Of two it
/// is the later in the list, unless fewer had failed before that one or it ended earlier
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

/// How many active pods an Indexed Job deletes whatever their number: those of no index that it
/// has, and all but one of each index (`appendDuplicatedIndexPodsForRemoval`).
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
        // Misplaced pods are deleted even if the number is right; they are among the active ones, so that the two do
        // not add up.
        let surplus = active.saturating_sub(wanted).max(misplaced).min(MAX_PODS_PER_SYNC);
        let terminating = pods.iter().filter(|pod| holds_index(policy, pod));
        let occupied = active.saturating_add(count(terminating.count()));
        let wanted = wanted.saturating_sub(occupied).min(MAX_PODS_PER_SYNC);
        // It deletes or creates, never both in one sync.
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

    /// How many pods are to run. A Job without completions starts none once one has succeeded.
    fn wanted_pods(&self, policy: &JobPolicy, active: u32, context: &SyncContext) -> u32 {
        let completions =
            if policy.is_indexed() { Some(context.indexes) } else { policy.completions };
        match completions {
            Some(all) => all.saturating_sub(self.succeeded).min(policy.parallelism),
            // The pods that run stay, and none is added.
            None if self.succeeded > 0 => active,
            None => policy.parallelism,
        }
    }

    fn has_enough_successes(&self, policy: &JobPolicy, context: &SyncContext) -> bool {
        let completions =
            if policy.is_indexed() { Some(context.indexes) } else { policy.completions };
        self.succeeded >= completions.unwrap_or(1)
    }

    /// How many of the first `wanted_pods` indexes that none has get a pod; if none does, the
    /// shortest wait of any.
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

/// Whether a pod that is being deleted is replaced only once it has ended: its index is taken
/// (`firstPendingIndexes`).
fn holds_index(policy: &JobPolicy, pod: &Pod<'_>) -> bool {
    policy.waits_for_termination() && pod.is_terminating()
}

/// The remaining delay; 0 if its begin is not known.
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

impl JobOptions {
    /// The remaining delay this long after the last failure.
    pub fn remaining(&self, failures: u32, since_failure: GoDuration) -> GoDuration {
        // A failure that is yet to come, by another clock, makes no wait out of none.
        if failures == 0 {
            return GoDuration::ZERO;
        }
        // In 64 bits and saturating: a time of a record may be far in the past.
        let left = self.delay(failures).as_nanos().saturating_sub(since_failure.as_nanos());
        GoDuration::from_nanos(left.max(0))
    }
}

impl Pod<'_> {
    /// Whether it has not ended and is not being deleted.
    pub fn is_active(&self) -> bool {
        !self.ended() && !self.deleting
    }

    /// Whether it is being deleted and has not ended.
    pub fn is_terminating(&self) -> bool {
        !self.ended() && self.deleting
    }

    fn ended(&self) -> bool {
        matches!(self.phase, Phase::Succeeded | Phase::Failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Creator, FeatureGates, IndexFailures, read};
    use document::diag::Source;
    use document::{Limits, parse};

    fn now() -> Time {
        Time::from_epoch_seconds(1_000_000)
    }

    /// The result for pods of a Job without a past, and the number of uncounted failures.
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

    /// A failed pod of index 0, so many failures and seconds ago.
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
        // One that ended earlier never follows, however many failed before it.
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
    fn without_a_failure_nothing_is_left() {
        let remaining = |failures, since| {
            JobOptions::default().remaining(failures, GoDuration::from_secs(since))
        };
        let all = [remaining(0, -30), remaining(0, 5), remaining(1, -30), remaining(1, 5)];
        assert_eq!(all, [0, 0, 40, 5].map(GoDuration::from_secs));
    }
}
