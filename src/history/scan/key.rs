//! The keys of lines and of their containers.
//!
//! Owns their names, and that an object has each of them once.

/// A key of a line.
#[derive(Clone, Copy)]
pub(super) enum Key {
    JobId,
    Outcome,
    Queue,
    JobSet,
    Annotations,
    Resources,
    Gang,
    RunIndex,
    StartedAt,
    FinishedAt,
    Node,
    Cluster,
    Conditions,
    Containers,
    Category,
    Subcategory,
    GracePeriod,
    ConfirmedAt,
}

impl Key {
    /// The key of this name. Few share a length, so that comes first.
    #[inline]
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match (name.len(), name) {
            (4, "gang") => Self::Gang,
            (4, "node") => Self::Node,
            (5, "jobId") => Self::JobId,
            (5, "queue") => Self::Queue,
            (6, "jobSet") => Self::JobSet,
            (7, "outcome") => Self::Outcome,
            (7, "cluster") => Self::Cluster,
            (8, "runIndex") => Self::RunIndex,
            (8, "category") => Self::Category,
            (9, "startedAt") => Self::StartedAt,
            (9, "resources") => Self::Resources,
            (10, "finishedAt") => Self::FinishedAt,
            (10, "conditions") => Self::Conditions,
            (10, "containers") => Self::Containers,
            (11, "annotations") => Self::Annotations,
            (11, "subcategory") => Self::Subcategory,
            (22, "terminationConfirmedAt") => Self::ConfirmedAt,
            (29, "terminationGracePeriodSeconds") => Self::GracePeriod,
            _ => return None,
        })
    }
}

/// A key of a container.
#[derive(Clone, Copy)]
pub(super) enum ContainerKey {
    Name,
    Init,
    ExitCode,
    Reason,
    Message,
}

impl ContainerKey {
    /// The key of this name.
    #[inline]
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match (name.len(), name) {
            (4, "name") => Self::Name,
            (4, "init") => Self::Init,
            (6, "reason") => Self::Reason,
            (7, "message") => Self::Message,
            (8, "exitCode") => Self::ExitCode,
            _ => return None,
        })
    }
}

/// The keys that an object had, by their numbers.
#[derive(Default)]
pub(super) struct Seen(u32);

impl Seen {
    /// Adds a key, unless the object had it before.
    #[inline]
    pub(super) fn add(&mut self, number: u32) -> Option<()> {
        let before = self.0;
        self.0 |= 1 << number;
        (self.0 != before).then_some(())
    }

    /// Whether the object had it.
    #[inline]
    pub(super) fn has(&self, number: u32) -> bool {
        self.0 & 1 << number != 0
    }
}
