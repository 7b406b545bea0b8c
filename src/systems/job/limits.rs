//! When a Job has failed too often (facts, B6; `pkg/controller/job/job_controller.go`).

use super::model::{JobPolicy, RestartPolicy};

/// Whether the Job has failed for good: `failed` pods counted so far, and `restarts` of containers
/// of pods that have not ended.
///
/// N allows N failed pods, but only N-1 restarts; 0 and 1 allow no restart alike.
pub fn exceeded(policy: &JobPolicy, failed: u32, restarts: u32) -> bool {
    failed > policy.backoff_limit
        || policy.restart_policy == RestartPolicy::OnFailure
            && restarts >= policy.backoff_limit.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Source;
    use crate::document::{Limits, parse};
    use crate::systems::job::{Creator, FeatureGates, read};

    #[test]
    fn restarts_are_counted_one_stricter_than_failures() {
        let (documents, _) = parse(&Source::new("job.yaml", "{}"), Limits::POLICY);
        let plain = read(&documents[0].root, Creator::Manifest, FeatureGates::default());
        for limit in 0..5 {
            let never = JobPolicy { backoff_limit: limit, ..plain.clone() };
            let failed = (0..9).find(|failed| exceeded(&never, *failed, 100));
            assert_eq!(failed, Some(limit + 1));
            let on_failure = JobPolicy { restart_policy: RestartPolicy::OnFailure, ..never };
            let restarts = (0..9).find(|restarts| exceeded(&on_failure, 0, *restarts));
            assert_eq!(restarts, Some(limit.max(1)));
        }
    }
}
