//! The restart policy of a pod.

/// Whether containers are restarted in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestartPolicy {
    /// Containers are not restarted: the pod fails.
    Never,
    /// Containers are restarted.
    OnFailure,
}
