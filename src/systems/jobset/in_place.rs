//! The limit on restarts in place (`in_place_restart.go`), gate `InPlaceRestart`.
//!
//! It is looked at when no Job has failed. Unlike the limit on recreation it is exceeded only by
//! more than `maxRestarts`: the attempt of a pod is its number of restarts so far.

use super::counters::Counters;

/// What a pod tells of its restarts in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PodAttempt {
    /// The most restarts of any of its containers.
    pub container_restarts: u32,
    /// The attempt that its annotation names; absent for a pod that has failed, or whose agent has
    /// not begun.
    pub attempt: Option<u32>,
}

/// Whether pods have been restarted in place more often than `maxRestarts` allows, restarts that
/// do not count set aside.
pub fn in_place_limit(
    max_restarts: i32,
    counters: &Counters,
    pods: impl IntoIterator<Item = PodAttempt>,
) -> bool {
    let most = pods.into_iter().fold((0, 0), |(restarts, attempt), pod| {
        (pod.container_restarts.max(restarts), pod.attempt.unwrap_or(0).max(attempt))
    });
    let uncounted = i64::from(counters.restarts) - i64::from(counters.restarts_count_towards_max);
    let max_restarts = i64::from(max_restarts);
    i64::from(most.0) > max_restarts || i64::from(most.1) - uncounted > max_restarts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exceeded(max_restarts: i32, uncounted: u32, attempts: &[u32]) -> bool {
        let mut counters = Counters::default();
        counters.restarts = uncounted;
        let pods = attempts
            .iter()
            .map(|attempt| PodAttempt { attempt: Some(*attempt), ..PodAttempt::default() });
        in_place_limit(max_restarts, &counters, pods)
    }

    #[test]
    fn the_limit_itself_is_allowed() {
        assert!(!exceeded(1, 0, &[1, 0]));
        assert!(exceeded(1, 0, &[1, 2]));
        assert!(!exceeded(1, 1, &[1, 2]));
        assert!(exceeded(-1, 0, &[]));
        let restarted = PodAttempt { container_restarts: 2, attempt: None };
        assert!(in_place_limit(1, &Counters::default(), [restarted]));
        assert!(!in_place_limit(2, &Counters::default(), [restarted]));
    }
}
