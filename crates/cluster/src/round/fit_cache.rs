//! The nodes that shapes may use.

use crate::job::Shape;
use crate::nodes::Nodes;
use crate::requirements::Toleration;
use document::steps;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// The nodes that a shape may use, if the free amounts are sufficient.
#[derive(Debug, Clone)]
pub(super) struct Fit {
    pub(super) node_types: Rc<[usize]>,
    pub(super) nodes: Rc<[bool]>,
}

impl Fit {
    /// Returns whether the shape may use a node, if the free amounts are sufficient.
    pub(super) fn is_allowed(&self, node: usize) -> bool {
        self.nodes[node]
    }
}

/// The nodes of each shape, by the additional tolerations for away nodes. It is of one round: nodes close and open
/// between rounds.
#[derive(Debug, Default)]
pub(super) struct FitCache(HashMap<(usize, Vec<Toleration>), Fit>);

impl FitCache {
    pub(super) fn get(
        &mut self,
        nodes: &Nodes,
        position: usize,
        shape: &Shape,
        tolerations: &[Toleration],
    ) -> Fit {
        let fit = self.0.entry((position, tolerations.to_vec())).or_insert_with(|| {
            let is_allowed = |node: usize| {
                steps::count(1);
                let node = nodes.get(node);
                let spec = &node.spec;
                node.is_open()
                    && shape.requirements.are_met(|key| spec.label(key), &spec.taints, tolerations)
                    && shape.request.fits(&spec.total)
            };
            let allowed: Vec<bool> = (0..nodes.len()).map(is_allowed).collect();
            let of_allowed = (0..nodes.len()).filter(|node| allowed[*node]);
            let node_types: BTreeSet<usize> =
                of_allowed.map(|node| nodes.get(node).node_type()).collect();
            Fit { node_types: node_types.into_iter().collect(), nodes: allowed.into() }
        });
        fit.clone()
    }
}
