//! The worst case of the work of one pod: how often it runs if it fails each time, and how long that takes.

use super::subject::Subject;
use crate::job::engine::replacement::JobOptions;
use crate::job::manifest::{JobPolicy, RestartPolicy};
use crate::lint::HUGE_LIMIT;
use crate::{Bounds, WorstCase};
use document::diag::Findings;
use document::units::GoDuration;

/// The delays of the Job controller.
pub(crate) const BACKOFF: JobOptions =
    JobOptions { backoff_base: GoDuration::from_secs(10), backoff_cap: GoDuration::from_secs(600) };

/// The kubelet's delays before it restarts a container (Kubernetes documentation, Pod Lifecycle, "Container restarts").
pub(crate) const CRASH_LOOP: JobOptions =
    JobOptions { backoff_cap: GoDuration::from_secs(300), ..BACKOFF };

/// The runs of one pod's work if each fails, and none was before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Runs {
    /// The number of runs, the first included.
    pub(crate) attempts: u64,
    /// The waits between them in all, in seconds.
    pub(crate) wait: f64,
}

/// Returns the most runs of a pod's work, of which each fails and counts, at once; `None` if that ends in practice only
/// by the deadline, or not at all.
pub(crate) fn most_runs(policy: &JobPolicy) -> Option<Runs> {
    let limit = policy.backoff_limit_per_index.filter(|_| policy.is_indexed());
    let limit = u64::from(limit.map_or(policy.backoff_limit, |it| it.min(policy.backoff_limit)));
    if limit >= HUGE_LIMIT {
        return None;
    }
    // Restarts of containers are compared with `>=`, failed pods with `>`.
    let (delays, retries) = match policy.restart_policy {
        RestartPolicy::Never => (&BACKOFF, limit),
        RestartPolicy::OnFailure => (&CRASH_LOOP, limit.saturating_sub(1)),
    };
    let retries = match policy.active_deadline {
        Some(deadline) => (1..=retries)
            .take_while(|&retries| waits(delays, retries) < deadline.as_secs_f64())
            .last()
            .unwrap_or(0),
        None => retries,
    };
    Some(Runs { attempts: retries + 1, wait: waits(delays, retries) })
}

/// Returns the sum of the delays after some failures, in seconds.
pub(crate) fn waits(delays: &JobOptions, failures: u64) -> f64 {
    let (mut sum, mut number) = (0.0, 0);
    while u64::from(number) < failures {
        number += 1;
        let delay = delays.delay(number);
        if delay == delays.backoff_cap {
            // All others are as long.
            #[expect(clippy::cast_precision_loss, reason = "limits are below 2^32")]
            let left = (failures - u64::from(number) + 1) as f64;
            return sum + left * delay.as_secs_f64();
        }
        sum += delay.as_secs_f64();
    }
    sum
}

/// Adds the finding that the worst case of a Job by itself is beyond the bounds.
pub(crate) fn check(subject: &Subject<'_>, name: &str, bounds: &Bounds, findings: &mut Findings) {
    let Some(runs) = most_runs(subject.policy) else { return };
    let worst = WorstCase { attempts: runs.attempts, wait: runs.wait, memory_factor: 1.0 };
    let field = subject.field("backoffLimitPerIndex").or_else(|| subject.field("backoffLimit"));
    let place = subject.place(field.map_or(subject.spec, |entry| &entry.value));
    let text = format!("a pod of Job `{name}`");
    findings.extend(worst.finding(bounds, (place, &text), [None, None, None], ""));
}
