//! Grants of further runs of jobs: the nodes that these avoid, and their memory.

use super::Simulation;
use super::fit::{Need, can_start};
use super::jobs::Ended;
use crate::job::Shape;
use crate::resources::MEMORY;
use crate::retry::RunGrant;

impl Simulation<'_> {
    /// Sets what the next run of a job is granted.
    pub(super) fn apply_grant(&mut self, ended: &Ended, grant: &RunGrant) {
        let shape = self.granted_shape(ended, grant);
        self.jobs.get_mut(ended.job).shape = self.shape_number(shape);
        for (pool, avoided) in self.avoided_nodes(grant).into_iter().enumerate() {
            let pool = &mut self.pools[pool];
            if avoided.is_empty() {
                pool.avoided.remove(&ended.job);
            } else {
                pool.avoided.insert(ended.job, avoided);
            }
        }
    }

    /// Returns whether some nodes could take the jobs of a unit with what they are granted, if nothing else ran.
    pub(super) fn can_ever_start(&self, ends: &[Ended], grants: &[RunGrant]) -> bool {
        let changes = |grant: &RunGrant| !grant.avoided.is_empty() || grant.memory.is_some();
        // A retry that changes nothing fits where the run before did.
        if !grants.iter().any(changes) {
            return true;
        }
        // A round places the members of a gang in the order of their submission, and so must this.
        let mut members: Vec<_> = ends.iter().zip(grants).collect();
        members.sort_by_key(|(ended, _)| ended.job);
        let shapes: Vec<Shape> =
            members.iter().map(|(ended, grant)| self.granted_shape(ended, grant)).collect();
        let avoided: Vec<Vec<Vec<usize>>> =
            members.iter().map(|(_, grant)| self.avoided_nodes(grant)).collect();
        let gang = self.template(ends[0].event.template).gang.as_ref();
        (0..self.pools.len()).any(|number| {
            let of_pool = |avoided: &Vec<Vec<usize>>| avoided[number].clone();
            let avoided: Vec<Vec<usize>> = avoided.iter().map(of_pool).collect();
            let pool = &self.pools[number];
            // The search for a node is much cheaper than a round, and for a single job it is enough.
            if gang.is_none() && pool.has_node_for(&shapes[0], &avoided[0]) {
                return true;
            }
            let gone = |node: &usize| self.fleet.is_gone(number, *node);
            let gone: Vec<usize> = (0..pool.nodes.len()).filter(gone).collect();
            can_start(pool.empty(&gone), &Need { shapes: &shapes, gang, avoided })
        })
    }

    /// Returns the needs of a job with the memory that it is granted.
    fn granted_shape(&self, ended: &Ended, grant: &RunGrant) -> Shape {
        let mut shape = self.template(ended.event.template).shape.clone();
        let types = &self.settings().resources;
        if let (Some(memory), Some(position)) = (grant.memory, types.position(MEMORY)) {
            shape.request.set(position, types.of_base_units(position, memory));
        }
        shape
    }

    fn shape_number(&mut self, shape: Shape) -> usize {
        let known = self.shapes.iter().position(|known| *known == shape);
        known.unwrap_or_else(|| {
            self.shapes.push(shape);
            self.shapes.len() - 1
        })
    }

    /// Returns by pool the positions of the nodes that a run avoids.
    fn avoided_nodes(&self, grant: &RunGrant) -> Vec<Vec<usize>> {
        let mut avoided = vec![Vec::new(); self.pools.len()];
        for id in &grant.avoided {
            let pools = self.pools.iter().zip(&mut avoided);
            for (node, avoided) in pools.filter_map(|(pool, it)| Some((pool.nodes.find(id)?, it))) {
                avoided.push(node);
            }
        }
        avoided
    }
}
