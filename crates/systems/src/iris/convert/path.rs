//! The paths of a profile's fields.

pub(super) const POLICY: &str = "spec.policy";
pub(super) const FAILURE: &str = "spec.policy.max_retries_failure";
pub(super) const PREEMPTION: &str = "spec.policy.max_retries_preemption";
pub(super) const TASK_FAILURES: &str = "spec.policy.max_task_failures";
pub(super) const REPLICAS: &str = "spec.policy.replicas";
pub(super) const COSCHEDULED: &str = "spec.policy.coscheduled";
