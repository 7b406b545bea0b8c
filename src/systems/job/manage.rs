//! How many pods a Job that goes on has after a look, and when it looks again
//! (`pkg/controller/job/job_controller.go`, `manageJob`).

use super::backoff::JobOptions;
use super::model::JobPolicy;
use super::pod::Pod;
use super::status::{Around, Ruling, Status};
use crate::units::{GoDuration, Time};

/// What a look leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Managed {
    /// `status.active`. While replacements wait the controller writes 0, whatever runs.
    pub active: u32,
    /// Pods created.
    pub created: u32,
    /// What is left of the wait before it creates any.
    pub wait: GoDuration,
    /// Whether the Job is complete.
    pub complete: bool,
}

/// Failed pods whose failure is not written to `status.failed` yet. Where indexes have limits of
/// their own, the last failed pod of an index that goes on is kept until its replacement carries
/// its count on, and is counted only then (`getPodsWithDelayedDeletionPerIndex`).
pub fn kept(policy: &JobPolicy, pods: &[Pod<'_>], rulings: &[Ruling], status: &Status) -> u32 {
    if policy.backoff_limit_per_index.is_none() || !policy.indexed() || status.failure.is_some() {
        return 0;
    }
    let same = |pod: &Pod<'_>, other: &Pod<'_>| pod.index == other.index;
    let replaced = |pod: &Pod<'_>| pods.iter().any(|other| same(pod, other) && other.active());
    let done = |pod: &Pod<'_>| {
        let over = |index| {
            status.failed_indexes.contains(index) || status.succeeded_indexes.contains(index)
        };
        pod.index.is_none_or(over)
    };
    let last = |place: usize, pod: &Pod<'_>| {
        let mut later = pods.iter().zip(rulings).skip(place + 1);
        !later.any(|(other, ruling)| ruling.failed && same(pod, other))
    };
    let all = pods.iter().zip(rulings).enumerate();
    let kept = all.filter(|(place, (pod, ruling))| {
        ruling.counted && !done(pod) && !replaced(pod) && last(*place, pod)
    });
    u32::try_from(kept.count()).unwrap_or(u32::MAX)
}

impl Status {
    /// What follows from pods that have been counted, for a Job that has not failed.
    pub fn manage(
        &self,
        policy: &JobPolicy,
        options: &JobOptions,
        pods: &[Pod<'_>],
        (rulings, around): (&[Ruling], &Around),
    ) -> Managed {
        let known = || pods.iter().filter(|pod| pod.known(policy, around.indexes));
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let active = count(known().filter(|pod| pod.active()).count());
        let terminating = known().filter(|pod| policy.waits_for_termination() && pod.terminating());
        let occupied = active.saturating_add(count(terminating.count()));
        let wanted = self.wanted(policy, active, around).saturating_sub(occupied);
        let goes_on = Managed { active, ..Managed::default() };
        if wanted == 0 {
            return Managed { complete: active == 0 && self.enough(policy, around), ..goes_on };
        }
        let (created, wait) = match policy.backoff_limit_per_index {
            Some(_) if policy.indexed() => self.by_index(options, pods, (rulings, around), wanted),
            _ => (wanted, left(options, self.backoff.failures, self.backoff.last_failure, around)),
        };
        if wait > GoDuration::ZERO {
            return Managed { active: 0, wait, ..goes_on };
        }
        Managed { active: active.saturating_add(created), created, ..goes_on }
    }

    /// How many pods are to run. A Job without completions starts none once one has succeeded.
    fn wanted(&self, policy: &JobPolicy, active: u32, around: &Around) -> u32 {
        let completions = if policy.indexed() { Some(around.indexes) } else { policy.completions };
        match completions {
            Some(all) => all.saturating_sub(self.succeeded).min(policy.parallelism),
            None if self.succeeded > 0 => active,
            None => policy.parallelism,
        }
    }

    fn enough(&self, policy: &JobPolicy, around: &Around) -> bool {
        let completions = if policy.indexed() { Some(around.indexes) } else { policy.completions };
        self.succeeded >= completions.unwrap_or(1)
    }

    /// How many of the first `wanted` indexes without a pod get one; if none does, the shortest
    /// wait of any.
    fn by_index(
        &self,
        options: &JobOptions,
        pods: &[Pod<'_>],
        (rulings, around): (&[Ruling], &Around),
        wanted: u32,
    ) -> (u32, GoDuration) {
        let over =
            |index| self.failed_indexes.contains(index) || self.succeeded_indexes.contains(index);
        let running = |index| pods.iter().any(|pod| pod.index == Some(index) && pod.active());
        let pending = (0..around.indexes).filter(|index| !over(*index) && !running(*index));
        let (mut created, mut shortest) = (0, None::<GoDuration>);
        for index in pending.take(wanted as usize) {
            let failed = pods.iter().zip(rulings).filter(|(_, ruling)| ruling.failed);
            let last =
                failed.filter(|(pod, _)| pod.index == Some(index)).map(|(pod, _)| pod).next_back();
            let wait = last.map_or(GoDuration::ZERO, |pod| {
                left(options, pod.earlier.total().saturating_add(1), pod.finished_at, around)
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

/// What is left of a wait; where it is not known when it began, it is over.
fn left(options: &JobOptions, failures: u32, last: Option<Time>, around: &Around) -> GoDuration {
    match around.now.zip(last) {
        Some((now, last)) => options.remaining(failures, now.since(last)),
        None => GoDuration::ZERO,
    }
}
