//! Working memory of a thread.

use super::child::StateBuffer;
use super::state::Pending;
use crate::job::Ruling;
use crate::jobset::manifest::{FailurePolicy, JobSet};

/// Working memory of a thread.
#[derive(Debug, Default)]
pub struct SetMemory {
    pub(super) rulings: Vec<Ruling>,
    /// The ended pods: the index of the Job, that of the pod in the Job, and that of the fact.
    pub(super) ended: Vec<(usize, usize, usize)>,
    /// A reused list for failed Jobs. Most sets handle a failed Job at once, so they keep no list of their
    /// own.
    pub(super) pending: Vec<Pending>,
    /// A reused allocation for the state of the next Job.
    pub(super) buffer: StateBuffer,
    /// The failure policies by manifest. Each is cloned on first use, since threads that share a pattern
    /// contend for its cache.
    policies: Vec<Option<FailurePolicy>>,
}

impl SetMemory {
    /// Returns the failure policy of a manifest, with patterns that this thread does not share.
    pub(super) fn policy(&mut self, manifest: usize, set: &JobSet) -> Option<&FailurePolicy> {
        if self.policies.len() <= manifest {
            self.policies.resize(manifest + 1, None);
        }
        let policy = self.policies.get_mut(manifest)?;
        if policy.is_none() {
            policy.clone_from(&set.failure_policy);
        }
        policy.as_ref()
    }
}
