//! The resources that the pods of preempted runs hold until they are gone. Rounds do not see them: a run that needs them
//! is leased and starts later, as in Armada, whose scheduler frees the resources at once.

use crate::resources::Amounts;
use crate::spec::Nanoseconds;
use std::collections::HashMap;

/// The pods of preempted runs that hold resources.
#[derive(Debug, Default)]
pub(super) struct Holds {
    /// By pool and node: the resources of pods, and the times at which they are gone.
    pub(super) pods: HashMap<(usize, usize), Vec<(Nanoseconds, Amounts)>>,
    /// The time at which the last one is gone.
    pub(super) end: Nanoseconds,
}

impl Holds {
    pub(super) fn add(&mut self, node: (usize, usize), gone: Nanoseconds, request: Amounts) {
        self.pods.entry(node).or_default().push((gone, request));
        self.end = self.end.max(gone);
    }
}
