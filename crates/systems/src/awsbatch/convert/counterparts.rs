//! The failures that both systems name.

use armada_retry::policy::Condition;

/// The conditions of Armada that correspond to a terminated host.
pub(super) const HOST_CONDITIONS: [Condition; 2] = [Condition::Evicted, Condition::Preempted];

/// The pattern for the status reason of a terminated host (aws-cdk, aws-batch, `Reason.SPOT_INSTANCE_RECLAIMED`).
pub(super) const HOST_PATTERN: &str = "Host EC2*";

/// The pattern for the reason of a container that exceeded its memory (ECS Developer Guide, "Stopped tasks error
/// messages").
pub(super) const MEMORY_PATTERN: &str = "OutOfMemoryError*";
