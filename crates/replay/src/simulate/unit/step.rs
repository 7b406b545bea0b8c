//! A run while it is judged.

use super::grant::Grant;
use crate::history::Run;
use crate::simulate::context::{ReplayContext, RunNode, UnitContext};
use crate::simulate::engine::Engine;
use crate::simulate::figures::DecisionFacts;
use crate::simulate::summary::{GrantedRetry, Summary};

/// The state of the member while one of its runs is judged.
#[derive(Debug)]
pub(super) enum Phase {
    /// The run has not ended.
    Live,
    /// The run has ended and is not judged.
    Pending,
    /// The run is judged, and ongoing.
    Ongoing,
    /// The run is judged; the next one was granted.
    Granted(Grant),
    /// The run is judged, and no run follows.
    Done,
}

/// A run while it is judged.
pub(super) struct Step<'s, 'e, 'u, E: Engine> {
    pub(super) context: &'s mut ReplayContext<'e, E>,
    pub(super) unit: &'s UnitContext<'u, E::Fields>,
    pub(super) run: &'s Run<E::Fields>,
    pub(super) summary: &'s mut Summary,
    pub(super) phase: Phase,
    /// The retry that it is, until it is judged.
    pub(super) retry: Option<GrantedRetry>,
    /// The last decision about it.
    pub(super) decision: Option<DecisionFacts>,
}

impl<E: Engine> Step<'_, '_, '_, E> {
    /// The number of its node, if that is recorded.
    pub(super) fn node(&mut self) -> Option<u32> {
        let node = self.context.node(self.unit.node.get(), self.run);
        self.unit.node.set(RunNode::Number(node));
        node
    }
}
