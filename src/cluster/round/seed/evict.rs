//! Eviction to fair share.

use super::Round;
use crate::cluster::draw::{Draw, draw_of_node};
use crate::cluster::job::{Job, JobIndex};
use std::collections::BTreeSet;

impl Round<'_> {
    /// Evicts the preemptible jobs of nodes that are drawn, with the rest of their gangs. Their costs
    /// are subtracted from those of their queues.
    pub(super) fn evict(&mut self, seed: u64, number: u64) -> Vec<JobIndex> {
        let probability = self.settings.seed.eviction_probability;
        let mut evicted = BTreeSet::new();
        for node in 0..self.nodes.len() {
            let node = self.nodes.get(node);
            if draw_of_node(seed, Draw::Eviction, &node.spec.id, number) >= probability {
                continue;
            }
            for job in node.active_jobs() {
                if !evicted.contains(&job) && self.preemptible_at(job).is_some() {
                    evicted.extend(self.running_members(job));
                }
            }
        }
        for job in &evicted {
            let Job { gang, queue, .. } = self.jobs[*job as usize];
            let shape = self.shape(*job);
            let (Some(node), Some(queue)) = (self.node_of(*job), queue) else { continue };
            self.nodes.evict(node, *job, &shape.request);
            self.queues[queue].subtract(shape.class, &shape.request);
            self.evicted.insert(*job, node);
            if let Some(gang) = gang {
                *self.evicted_members.entry(gang).or_default() += 1;
            }
        }
        let nodes: BTreeSet<usize> = self.evicted.values().copied().collect();
        for node in nodes {
            self.refresh(node);
        }
        evicted.into_iter().collect()
    }
}
