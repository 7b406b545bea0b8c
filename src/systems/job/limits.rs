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
