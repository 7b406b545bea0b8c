//! The pods of a Job without indexes.
//!
//! Records do not link a pod to its replacement. The controller keeps a number of pods active, and whichever pod ends,
//! the next one is created for the Job as a whole (`pkg/controller/job/job_controller.go`, `manageJob`). So each
//! recorded pod is a member, and this module assigns the pods that the controller creates to the recorded ones, in the
//! order of their starts.

use crate::job::manifest::JobPolicy;
use document::units::Time;

/// A recorded pod of a Job without indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownPod {
    /// When it started; its end if that alone is known.
    pub starts_at: Option<Time>,
    /// Whether it belongs to an earlier Job of the same name, so that it is over.
    pub is_over: bool,
}

/// The stage of a recorded pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It has not started, and the Job has not created it.
    Upcoming,
    /// The Job has created it, or does so once its wait is over; it has not started.
    Expected,
    /// It has started.
    Active,
    /// It has ended, or was stopped.
    Over,
}

/// The pod that takes the place of one that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Replacement {
    /// The failed pod.
    failed: usize,
    /// The other one; absent if it is not recorded.
    by: Option<usize>,
}

/// The pods of a Job that goes on.
#[derive(Debug, Clone, Default)]
pub(super) struct Pool {
    pods: Vec<(Option<Time>, Stage)>,
    /// The pods by their start.
    order: Vec<usize>,
    /// The position of the first pod in the order that has not started.
    next_start: usize,
    /// The position of the first one that may be upcoming.
    next_upcoming: usize,
    expected: u32,
    active: u32,
    over: usize,
    /// Pods whose creation waits, and until when.
    waiting: Vec<(usize, Option<Time>)>,
    /// The replacements of the last sync, by failed pod.
    replacements: Vec<Replacement>,
    /// The pods that no longer wait since the last sync.
    released: Vec<usize>,
    /// Whether a pod was to be replaced and no replacement is recorded.
    lacks_pod: bool,
}

impl Pool {
    /// The pods of a Job that begins: it creates as many as may run at once.
    ///
    /// A member that is no pod counts as over.
    pub(super) fn new(policy: &JobPolicy, members: Vec<Option<KnownPod>>) -> Self {
        let pod = |pod: Option<KnownPod>| match pod {
            Some(KnownPod { starts_at, is_over: false }) => (starts_at, Stage::Upcoming),
            Some(KnownPod { starts_at, is_over: true }) => (starts_at, Stage::Over),
            None => (None, Stage::Over),
        };
        let pods: Vec<_> = members.into_iter().map(pod).collect();
        let mut order: Vec<usize> =
            (0..pods.len()).filter(|pod| pods[*pod].1 == Stage::Upcoming).collect();
        // Pods without times come last: `advance` ends at the first of them.
        order.sort_by_key(|pod| (pods[*pod].0.is_none(), pods[*pod].0));
        let over = pods.len() - order.len();
        let mut pool = Self { pods, order, over, ..Self::default() };
        // A Job without completions starts its parallelism.
        let wanted = policy.completions.unwrap_or(u32::MAX).min(policy.parallelism);
        for _ in 0..wanted {
            if pool.expect_next().is_none() {
                break;
            }
        }
        pool
    }

    /// Starts the pods that start before a time. One that starts at the time itself did not run yet.
    pub(super) fn advance(&mut self, now: Option<Time>) {
        while let Some(pod) = self.order.get(self.next_start).copied()
            && let Some(start) = self.pods[pod].0
            && now.is_some_and(|now| start < now)
        {
            self.next_start += 1;
            if matches!(self.pods[pod].1, Stage::Upcoming | Stage::Expected) {
                self.set(pod, Stage::Active);
            }
        }
        // Pods that started need not be expected any more.
        self.next_upcoming = self.next_upcoming.max(self.next_start);
    }

    /// Takes the next upcoming pod for one that the Job creates.
    fn expect_next(&mut self) -> Option<usize> {
        while let Some(pod) = self.order.get(self.next_upcoming).copied() {
            self.next_upcoming += 1;
            if self.pods[pod].1 == Stage::Upcoming {
                self.set(pod, Stage::Expected);
                return Some(pod);
            }
        }
        None
    }

    fn set(&mut self, pod: usize, stage: Stage) {
        let Some((_, old)) = self.pods.get_mut(pod) else { return };
        let old = std::mem::replace(old, stage);
        match old {
            Stage::Expected => self.expected -= 1,
            Stage::Active => self.active -= 1,
            Stage::Over => self.over -= 1,
            Stage::Upcoming => {}
        }
        match stage {
            Stage::Expected => self.expected += 1,
            Stage::Active => self.active += 1,
            Stage::Over => self.over += 1,
            Stage::Upcoming => {}
        }
    }

    pub(super) fn end(&mut self, pod: usize) {
        self.set(pod, Stage::Over);
    }

    /// Starts a pod of which a record reports that it goes on.
    pub(super) fn start(&mut self, pod: usize) {
        if !self.is_over(pod) {
            self.set(pod, Stage::Active);
        }
    }

    fn is_over(&self, pod: usize) -> bool {
        self.pods.get(pod).is_none_or(|(_, stage)| *stage == Stage::Over)
    }

    /// Whether a pod has not started.
    pub(super) fn is_upcoming(&self, pod: usize) -> bool {
        let stage = self.pods.get(pod).map(|(_, stage)| *stage);
        matches!(stage, Some(Stage::Upcoming | Stage::Expected))
    }

    /// The number of pods that have started and not ended.
    pub(super) fn active(&self) -> u32 {
        self.active
    }

    /// Handles the end of pods that `failed`, in a Job that goes on, of which this number has `succeeded`: creates as
    /// many pods as it then requires. `wait_end` is the end of the wait before it does, if it waits.
    pub(super) fn replace(
        &mut self,
        policy: &JobPolicy,
        failed: impl Iterator<Item = usize>,
        succeeded: u32,
        (now, wait_end): (Option<Time>, Option<Time>),
    ) {
        self.replacements.clear();
        let existing = self.active + self.expected;
        let wanted = match policy.completions {
            Some(all) => all.saturating_sub(succeeded).min(policy.parallelism),
            // Once a pod has succeeded, no other is created.
            None if succeeded > 0 => 0,
            None => policy.parallelism,
        };
        let mut created = wanted.saturating_sub(existing);
        // Without a time nothing is later, so that no wait is assumed.
        let is_waiting = wait_end > now;
        for failed in failed {
            if created == 0 {
                return;
            }
            created -= 1;
            let by = self.expect_next();
            self.lacks_pod |= by.is_none();
            self.replacements.push(Replacement { failed, by });
            self.waiting.extend(by.filter(|_| is_waiting).map(|by| (by, wait_end)));
        }
        // The others take the place of pods that succeeded. Those without a record are assumed to succeed too.
        for _ in 0..created {
            if self.expect_next().is_none() {
                return;
            }
        }
    }

    /// Ends all waits, as a success does. A Job without completions creates none of the pods that wait.
    pub(super) fn release(&mut self, policy: &JobPolicy, now: Option<Time>) {
        for (pod, until) in std::mem::take(&mut self.waiting) {
            if !self.pods.get(pod).is_some_and(|(_, stage)| *stage == Stage::Expected) {
                continue;
            }
            if policy.completions.is_some() {
                self.released.push(pod);
            } else if until > now {
                self.set(pod, Stage::Upcoming);
            }
        }
    }

    /// Takes the pods that no longer wait.
    pub(super) fn take_released(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.released)
    }

    /// The replacement of a pod that failed in the last sync; absent if it is not replaced.
    #[expect(clippy::option_option, reason = "a replacement may have no record")]
    pub(super) fn replacement(&self, failed: usize) -> Option<Option<usize>> {
        // Failures come in the order of members, so that the list is sorted.
        let found = self.replacements.binary_search_by_key(&failed, |one| one.failed).ok()?;
        self.replacements.get(found).map(|one| one.by)
    }

    /// Whether the Job is complete after this number of successes: it has its completions; or without completions,
    /// one has succeeded and none runs; or nothing more is recorded, and what is missing is assumed to succeed.
    pub(super) fn is_complete(&self, policy: &JobPolicy, succeeded: u32) -> bool {
        let has_enough = match policy.completions {
            Some(completions) => succeeded >= completions,
            None => succeeded > 0 && self.active + self.expected == 0,
        };
        has_enough || self.over == self.pods.len() && !self.lacks_pod && policy.parallelism > 0
    }
}
