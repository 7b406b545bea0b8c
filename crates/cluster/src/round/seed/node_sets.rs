//! Sets of nodes by the queues that use them, each in the order of the available amounts.

use crate::job::JobIndex;
use crate::nodes::search::Search;
use crate::nodes::{Key, Level, NodeIndex, Nodes, key};
use crate::resources::{Amounts, CPU, GPU, MEMORY};
use crate::settings::{IndexedResource, Settings};

/// Nodes by the available amounts of each, then by their positions in the order of names.
type Index = NodeIndex;

/// The queues with running jobs on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Users {
    Nobody,
    Queue(usize),
    /// Several queues, or one that is not scheduled.
    Others,
}

/// The values of a node in the sets.
#[derive(Debug)]
struct Entry {
    /// The position in the order of names.
    rank: u32,
    users: Users,
    /// The keys by level.
    keys: Vec<Key>,
}

/// The sets of nodes. All indexes are by level.
pub(super) struct NodeSets {
    /// Cores, GPUs and memory, as far as they are supported.
    indexed: Vec<IndexedResource>,
    by_name: Vec<usize>,
    entries: Vec<Entry>,
    /// The nodes that only one queue uses, by queue.
    own: Vec<Vec<Index>>,
    unused: Vec<Index>,
    /// All nodes with users.
    used: Vec<Index>,
}

impl NodeSets {
    /// Creates sets in which each node has no users until it is [refreshed](Self::refresh).
    pub(super) fn new(settings: &Settings, nodes: &Nodes, queues: usize) -> Self {
        let resources = [CPU, GPU, MEMORY];
        let positions = resources.into_iter().filter_map(|name| settings.resources.position(name));
        let indexed = positions.map(|position| IndexedResource { position, resolution: 1 });
        let none = vec![Index::default(); nodes.levels()];
        let mut sets = Self {
            indexed: indexed.collect(),
            by_name: nodes.by_id(),
            entries: Vec::with_capacity(nodes.len()),
            own: vec![none.clone(); queues],
            unused: none.clone(),
            used: none,
        };
        // Ranks by name, so that equal nodes do not depend on the order of the file.
        let mut ranks = vec![0; nodes.len()];
        for (rank, node) in (0..).zip(&sets.by_name) {
            ranks[*node] = rank;
        }
        for (node, rank) in ranks.into_iter().enumerate() {
            let keys = sets.keys(nodes, node);
            sets.entries.push(Entry { rank, users: Users::Nobody, keys });
            sets.insert(node);
        }
        sets
    }

    /// Updates a node for its jobs. `queue` returns the queue of a job.
    pub(super) fn refresh(
        &mut self,
        nodes: &Nodes,
        node: usize,
        queue: impl Fn(JobIndex) -> Option<usize>,
    ) {
        let users = nodes.get(node).active_jobs().fold(Users::Nobody, |users, job| {
            match (users, queue(job)) {
                (Users::Nobody, Some(queue)) => Users::Queue(queue),
                (Users::Queue(one), Some(queue)) if one == queue => users,
                _ => Users::Others,
            }
        });
        let keys = self.keys(nodes, node);
        let entry = &self.entries[node];
        if entry.users != users || entry.keys != keys {
            self.remove(node);
            let rank = self.entries[node].rank;
            self.entries[node] = Entry { rank, users, keys };
            self.insert(node);
        }
    }

    /// Returns the allowed node for a job of a queue that has sufficient resources at a level: one that the
    /// queue alone uses, else an unused one, else any; among these, the one with the least available.
    pub(super) fn best(
        &self,
        nodes: &Nodes,
        (queue, level): (usize, Level),
        request: &Amounts,
        is_allowed: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        [&self.own[queue], &self.unused, &self.used].into_iter().find_map(|set| {
            let free = |rank: usize| nodes.get(self.by_name[rank]).free(level);
            Search::new(&set[level], &self.indexed, request, free)
                .map(|rank| self.by_name[rank])
                .find(|node| request.fits(nodes.get(*node).free(level)) && is_allowed(*node))
        })
    }

    fn keys(&self, nodes: &Nodes, node: usize) -> Vec<Key> {
        let node = nodes.get(node);
        (0..nodes.levels()).map(|level| key(node.free(level), &self.indexed)).collect()
    }

    fn insert(&mut self, node: usize) {
        let Self { entries, own, unused, used, .. } = self;
        let entry = &entries[node];
        for set in sets_of(entry.users, own, unused, used) {
            for (index, key) in set.iter_mut().zip(&entry.keys) {
                index.insert(key.clone(), entry.rank);
            }
        }
    }

    fn remove(&mut self, node: usize) {
        let Self { entries, own, unused, used, .. } = self;
        let entry = &entries[node];
        for set in sets_of(entry.users, own, unused, used) {
            for (index, key) in set.iter_mut().zip(&entry.keys) {
                index.remove(key, entry.rank);
            }
        }
    }
}

/// Returns the sets that a node with these users is in.
fn sets_of<'s>(
    users: Users,
    own: &'s mut [Vec<Index>],
    unused: &'s mut Vec<Index>,
    used: &'s mut Vec<Index>,
) -> impl Iterator<Item = &'s mut Vec<Index>> {
    let (first, second) = match users {
        Users::Nobody => (unused, None),
        Users::Queue(queue) => (used, own.get_mut(queue)),
        Users::Others => (used, None),
    };
    [first].into_iter().chain(second)
}
