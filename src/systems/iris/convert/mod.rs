//! A profile of Iris's as a `v1` policy, and a `v1` policy as such a profile.
//!
//! A task is tried until it succeeds or one of its budgets is spent, as an Armada job is run; a job
//! of one task compares with an Armada job, a gang with a gang. Failures go by the default action,
//! lost attempts by rules that stand before it: `outcomes` lists them. Iris has one budget for all
//! that is lost, Armada one a rule. An attempt that is free in Iris, since no worker had begun with
//! it, is a returned lease in Armada, which costs no retry either and is in no policy.
//!
//! Nothing is lost of a job of one task whose lost attempts are not retried; of one with a budget
//! for them all is kept but what an expired lease costs.

mod from_v1;
mod outcomes;
mod to_v1;

pub use from_v1::from_v1;
pub use to_v1::to_v1;

/// Where a profile has its fields.
mod path {
    pub(super) const POLICY: &str = "spec.policy";
    pub(super) const FAILURE: &str = "spec.policy.max_retries_failure";
    pub(super) const PREEMPTION: &str = "spec.policy.max_retries_preemption";
    pub(super) const TASK_FAILURES: &str = "spec.policy.max_task_failures";
    pub(super) const REPLICAS: &str = "spec.policy.replicas";
    pub(super) const COSCHEDULED: &str = "spec.policy.coscheduled";
}
