//! A manifest with the numbers of its rules.

use super::manifest::JobSet;

/// A manifest, with the numbers of its rules among those of all manifests.
#[derive(Debug)]
pub(super) struct Numbered {
    pub(super) set: JobSet,
    /// The number of its first rule; the number of its default follows the last.
    pub(super) first: usize,
    /// The number of the first rule of each replicated Job.
    pub(super) jobs: Vec<usize>,
}
