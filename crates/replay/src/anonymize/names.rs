//! The names that replace those of a history: numbers in the order in which names appear. The text of a name does not
//! determine its replacement, so that it cannot be computed from it.

use hashbrown::{HashMap, HashSet};
use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hasher;

document::names! {
    /// A kind of names and texts that are replaced.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum NameKind {
        /// Ids of jobs.
        Job = "job",
        /// Queues.
        Queue = "queue",
        /// Job sets.
        JobSet = "job-set",
        /// Ids of gangs.
        Gang = "gang",
        /// Nodes.
        Node = "node",
        /// Clusters.
        Cluster = "cluster",
        /// Names of containers.
        Container = "container",
        /// Retry policies that jobs and queues name.
        Policy = "policy",
        /// Conditions of runs and reasons of containers that are not Armada's, Kubernetes' or Slurm's own. A report counts
        /// both by the name.
        Reason = "reason",
        /// Termination messages.
        Message = "message",
    }
}

const KINDS: usize = NameKind::ALL.len();

/// The numbers of names. Of a name its hash of 128 bits is kept, since job sets and gangs may be as many as jobs.
#[derive(Debug)]
pub(super) struct Names {
    hash_key: (u64, u64),
    numbers: [HashMap<u128, u32>; KINDS],
    /// The last number of each kind.
    last: [u32; KINDS],
    /// The names of each kind that stay.
    unchanged: [HashSet<Box<str>>; KINDS],
    is_kept: [bool; KINDS],
}

impl Names {
    /// No names so far; all of the kinds in `keep` stay.
    pub(super) fn new(hash_key: (u64, u64), keep: &[NameKind]) -> Self {
        Self {
            hash_key,
            numbers: Default::default(),
            last: [0; KINDS],
            unchanged: Default::default(),
            is_kept: NameKind::ALL.map(|kind| keep.contains(&kind)),
        }
    }

    pub(super) fn keep(&mut self, kind: NameKind, name: &str) {
        self.unchanged[kind as usize].insert(name.into());
    }

    /// Whether all names of a kind stay.
    pub(super) fn keeps_all(&self, kind: NameKind) -> bool {
        self.is_kept[kind as usize]
    }

    /// The hash by which names are told apart: under a random key no two names collide, crafted ones included.
    pub(super) fn hash(&self, name: &str) -> u128 {
        let mut hasher = SipHasher13::new_with_keys(self.hash_key.0, self.hash_key.1);
        hasher.write(name.as_bytes());
        hasher.finish128().as_u128()
    }

    /// The name that replaces another, and whether it is a new one; `None` if the name stays.
    pub(super) fn replace(&mut self, kind: NameKind, name: &str) -> Option<(String, bool)> {
        let at = kind as usize;
        if name.is_empty() || self.is_kept[at] || self.unchanged[at].contains(name) {
            return None;
        }
        // Hashes, so that a long history does not hold all of its names.
        let hash = self.hash(name);
        if let Some(number) = self.numbers[at].get(&hash) {
            return Some((text(kind, *number), false));
        }
        let (number, name) = self.next(kind);
        self.numbers[at].insert(hash, number);
        Some((name, true))
    }

    /// The next number of a kind, and the name with it. No name that stays is given a second time.
    pub(super) fn next(&mut self, kind: NameKind) -> (u32, String) {
        let at = kind as usize;
        loop {
            self.last[at] = self.last[at].saturating_add(1);
            let name = text(kind, self.last[at]);
            if !self.unchanged[at].contains(name.as_str()) {
                return (self.last[at], name);
            }
        }
    }
}

/// The name with a number. Those of jobs have the order of their texts too, up to a million.
pub(super) fn text(kind: NameKind, number: u32) -> String {
    match kind {
        NameKind::Job => format!("job-{number:06}"),
        _ => format!("{}-{number}", kind.as_str()),
    }
}
