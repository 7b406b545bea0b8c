//! The nodes of a pool: the free amounts of each at each priority, an index by them, and transactions.
//!
//! A node has a level for evicted jobs, one for jobs of other pools, and one for each priority. A preemptible
//! job takes from its own level and all below it. A job that is not preemptible takes from all levels, so
//! that no job displaces it; under the profile `seed` it takes from its own level and below too. An evicted
//! job takes only from the lowest level. A free amount at a level may be below zero.
//!
//! Source: Armada, `internal/scheduler/nodedb` and `internaltypes/node.go`.

pub(crate) mod search;

use super::job::JobIndex;
use super::pair_set::PairSet;
use super::requirements::{Labels, Taint};
use super::resources::Amounts;
use super::settings::{IndexedResource, Profile, Settings};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// A level of a node: 0 for evicted jobs, 1 for jobs of other pools, then each priority, ascending.
pub type Level = usize;

/// The level that only evicted jobs take from.
pub const EVICTED: Level = 0;

/// The priorities of the levels that belong to no priority class: below all classes, as in Armada.
const EVICTED_PRIORITY: i32 = -2;
const CROSS_POOL_PRIORITY: i32 = -1;

/// A node of the input.
#[derive(Debug, Clone)]
pub struct NodeSpec {
    /// The id, which orders nodes with equal amounts.
    pub id: String,
    /// The capacity of the node.
    pub total: Amounts,
    /// The labels, which the nodes of a template share.
    pub labels: Arc<Labels>,
    /// The taints, which the nodes of a template share.
    pub taints: Arc<Vec<Taint>>,
    /// Whether the node accepts no new jobs.
    pub is_unschedulable: bool,
}

/// The label that every node has, with its id.
const ID_LABEL: &str = "armadaproject.io/nodeId";

impl NodeSpec {
    /// Returns the value of a label.
    pub fn label(&self, key: &str) -> Option<&str> {
        if key == ID_LABEL {
            return Some(&self.id);
        }
        self.labels.get(key).map(String::as_str)
    }

    /// Returns the labels with these keys, in the order of the keys.
    fn labels_in(&self, keys: &BTreeSet<String>) -> Vec<(String, String)> {
        let label = |key: &String| Some((key.clone(), self.label(key)?.to_owned()));
        keys.iter().filter_map(label).collect()
    }
}

/// Returns the taint of nodes that accept no new jobs.
fn unschedulable_taint() -> Taint {
    Taint {
        key: "node.kubernetes.io/unschedulable".to_owned(),
        value: String::new(),
        effect: "NoSchedule".to_owned(),
    }
}

/// A node and the jobs on it.
#[derive(Debug, Clone)]
pub struct Node {
    /// The node of the input, with the taint of an unschedulable node.
    pub spec: NodeSpec,
    /// The node's position in the order of the ids.
    rank: u32,
    kind: u32,
    /// The free amounts by level; `None` if all are the capacity.
    free: Option<Box<[Amounts]>>,
    /// The jobs that hold resources, including evicted ones.
    bound: BTreeMap<JobIndex, Bound>,
    /// Whether jobs may start on it. Jobs that were evicted from it may return in any case.
    is_open: bool,
}

/// The resources of a job on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bound {
    /// The highest level that the job takes from.
    cutoff: Level,
    is_evicted: bool,
}

/// The indexed taints and labels of a node, each in order.
type NodeType = (Vec<Taint>, Vec<(String, String)>);

/// Nodes in the order of their indexed amounts, and then of their positions.
pub(crate) type NodeIndex = PairSet<Key>;

/// Indexed amounts, each rounded down to its resolution.
pub(crate) type Key = SmallVec<[i64; 4]>;

/// The nodes of a pool.
#[derive(Debug, Clone)]
pub struct Nodes {
    all: Vec<Node>,
    /// The positions of the nodes in the order of their ids.
    by_id: Vec<u32>,
    priorities: Vec<i32>,
    indexed: Vec<IndexedResource>,
    /// The nodes by level and node type, sorted by their free amounts, and then by their positions.
    index: Vec<Vec<NodeIndex>>,
    /// The values of each indexed label, in the order of the nodes.
    label_values: BTreeMap<String, LabelValues>,
    /// The previous values of all changes of the current transaction, if there is one.
    journal: Option<Vec<Change>>,
}

/// The distinct values of a label.
#[derive(Debug, Clone, Default)]
struct LabelValues {
    order: Vec<String>,
    known: HashSet<String>,
}

impl LabelValues {
    fn add(&mut self, value: &str) {
        if self.known.insert(value.to_owned()) {
            self.order.push(value.to_owned());
        }
    }
}

/// A change of a node, with the previous value.
#[derive(Debug, Clone, Copy)]
struct Change {
    node: usize,
    job: JobIndex,
    before: Option<Bound>,
}

impl Nodes {
    /// Creates nodes without jobs. Nodes of one type with equal amounts are tried in this order.
    pub fn new(settings: &Settings, specs: Vec<NodeSpec>) -> Self {
        let mut priorities = vec![EVICTED_PRIORITY, CROSS_POOL_PRIORITY];
        priorities.extend(settings.priorities());
        let label_values =
            settings.indexed_labels.iter().map(|key| (key.clone(), LabelValues::default()));
        let mut all = Self {
            all: Vec::with_capacity(specs.len()),
            by_id: Vec::new(),
            indexed: settings.indexed_resources.clone(),
            index: Vec::new(),
            label_values: label_values.collect(),
            journal: None,
            priorities,
        };
        let mut types = HashMap::new();
        for spec in specs {
            let node = all.node(settings, spec, &mut types);
            all.all.push(node);
        }
        // Before the index is filled, which orders nodes with equal amounts.
        all.rank();
        all.index = vec![vec![NodeIndex::default(); types.len()]; all.priorities.len()];
        for position in 0..all.all.len() {
            for level in 0..all.priorities.len() {
                all.insert(position, level);
            }
        }
        all
    }

    fn node(
        &mut self,
        settings: &Settings,
        mut spec: NodeSpec,
        types: &mut HashMap<NodeType, u32>,
    ) -> Node {
        if spec.is_unschedulable {
            Arc::make_mut(&mut spec.taints).push(unschedulable_taint());
        }
        let taints =
            spec.taints.iter().filter(|taint| settings.indexed_taints.contains(&taint.key));
        let mut taints: Vec<Taint> = taints.cloned().collect();
        // Nodes with the same taints in another order are of one type.
        taints.sort();
        let labels = spec.labels_in(&settings.indexed_labels);
        for (key, value) in &labels {
            self.label_values.entry(key.clone()).or_default().add(value);
        }
        let new = number(types.len());
        let node_type = *types.entry((taints, labels)).or_insert(new);
        Node { spec, rank: 0, kind: node_type, free: None, bound: BTreeMap::new(), is_open: true }
    }

    /// Sets every node's position in the order of the ids.
    fn rank(&mut self) {
        let mut by_id: Vec<u32> = (0..number(self.all.len())).collect();
        let id = |position: &u32| &self.all[*position as usize].spec.id;
        by_id.sort_by(|a, b| id(a).cmp(id(b)));
        for (rank, position) in (0..).zip(&by_id) {
            self.all[*position as usize].rank = rank;
        }
        self.by_id = by_id;
    }

    /// Returns the position of the node with an id.
    pub fn find(&self, id: &str) -> Option<usize> {
        let id_at = |position: &u32| self.all[*position as usize].spec.id.as_str();
        let rank = self.by_id.binary_search_by(|position| id_at(position).cmp(id)).ok()?;
        Some(self.by_id[rank] as usize)
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether the pool has no nodes.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns a node.
    pub fn get(&self, position: usize) -> &Node {
        &self.all[position]
    }

    /// Returns the positions of all nodes in the order of their ids.
    pub fn by_id(&self) -> Vec<usize> {
        self.by_id.iter().map(|position| *position as usize).collect()
    }

    /// Returns the number of levels of a node.
    pub fn levels(&self) -> usize {
        self.priorities.len()
    }

    /// Returns the priority of a level.
    pub fn priority(&self, level: Level) -> i32 {
        self.priorities[level]
    }

    /// Returns the level of a priority. A priority without a class uses the nearest level below.
    pub fn level(&self, priority: i32) -> Level {
        self.priorities.partition_point(|known| *known <= priority).saturating_sub(1)
    }

    /// Returns the highest level that a job of a class takes from when it runs at a priority.
    pub fn cutoff(&self, settings: &Settings, class: usize, priority: i32) -> Level {
        let is_preemptible = settings.classes[class].is_preemptible;
        match settings.profile {
            Profile::Landed if !is_preemptible => self.levels() - 1,
            Profile::Landed | Profile::Seed => self.level(priority),
        }
    }

    /// Returns the values of an indexed label, in the order of the nodes; `None` if the label is not indexed.
    /// Armada's order is not defined.
    pub fn label_values(&self, label: &str) -> Option<&[String]> {
        self.label_values.get(label).map(|values| values.order.as_slice())
    }

    /// Sets the free amounts at a priority, before any job is bound.
    pub fn set_free(&mut self, node: usize, priority: i32, free: Amounts) {
        let level = self.level(priority);
        self.remove_from_index(node, level);
        self.free_mut(node)[level] = free;
        self.insert(node, level);
    }

    fn free_mut(&mut self, node: usize) -> &mut [Amounts] {
        let levels = self.levels();
        let Node { free, spec, .. } = &mut self.all[node];
        // Most nodes of a large cluster are idle at first, and need no amounts of their own.
        free.get_or_insert_with(|| vec![spec.total.clone(); levels].into())
    }

    /// Lets jobs start on a node, or not.
    pub fn set_open(&mut self, node: usize, is_open: bool) {
        self.all[node].is_open = is_open;
    }

    /// Binds a job. A job that was evicted from the node returns to it.
    pub fn bind(&mut self, node: usize, job: JobIndex, request: &Amounts, cutoff: Level) {
        self.set(node, job, Some(Bound { cutoff, is_evicted: false }), request);
    }

    /// Evicts a bound job: it stays on its node until the round ends, but holds resources only at
    /// the level of evicted jobs.
    pub fn evict(&mut self, node: usize, job: JobIndex, request: &Amounts) {
        if let Some(bound) = self.all[node].bound.get(&job).copied() {
            self.set(node, job, Some(Bound { is_evicted: true, ..bound }), request);
        }
    }

    /// Removes a job, if it is bound.
    pub fn remove(&mut self, node: usize, job: JobIndex, request: &Amounts) {
        self.set(node, job, None, request);
    }

    fn set(&mut self, node: usize, job: JobIndex, after: Option<Bound>, request: &Amounts) {
        let before = self.all[node].bound.get(&job).copied();
        // Without this a change of nothing would move the node in the index twice.
        if before == after {
            return;
        }
        if let Some(journal) = &mut self.journal {
            journal.push(Change { node, job, before });
        }
        self.replace(node, job, after, request);
    }

    /// Replaces the resources of a job, and updates the index.
    fn replace(&mut self, node: usize, job: JobIndex, after: Option<Bound>, request: &Amounts) {
        let before = match after {
            Some(after) => self.all[node].bound.insert(job, after),
            None => self.all[node].bound.remove(&job),
        };
        let top = |bound: Option<Bound>| match bound {
            None => 0,
            Some(bound) if bound.is_evicted => EVICTED + 1,
            Some(bound) => bound.cutoff + 1,
        };
        let (released, taken) = (top(before), top(after));
        // Only the levels that change: an eviction keeps the lowest one.
        for level in released.min(taken)..released.max(taken) {
            self.remove_from_index(node, level);
            let free = &mut self.free_mut(node)[level];
            if released < taken {
                free.subtract(request);
            } else {
                free.add(request);
            }
            self.insert(node, level);
        }
    }

    fn key(&self, node: usize, level: Level) -> Key {
        key(self.all[node].free(level), &self.indexed)
    }

    fn insert(&mut self, node: usize, level: Level) {
        let key = self.key(node, level);
        let node_type = self.all[node].node_type();
        self.index[level][node_type].insert(key, number(node));
    }

    fn remove_from_index(&mut self, node: usize, level: Level) {
        let key = self.key(node, level);
        let node_type = self.all[node].node_type();
        self.index[level][node_type].remove(&key, number(node));
    }

    /// Gives the bound jobs new positions, in the same order.
    pub fn renumber(&mut self, position: impl Fn(JobIndex) -> Option<JobIndex>) {
        for node in &mut self.all {
            let bound = std::mem::take(&mut node.bound).into_iter();
            node.bound = bound.filter_map(|(job, bound)| Some((position(job)?, bound))).collect();
        }
    }

    /// Begins a transaction, which ends with [`commit`](Self::commit) or
    /// [`roll_back`](Self::roll_back).
    pub fn begin(&mut self) {
        self.journal = Some(Vec::new());
    }

    /// Keeps the changes since the beginning of the transaction.
    pub fn commit(&mut self) {
        self.journal = None;
    }

    /// Undoes the changes since the beginning of the transaction. `request` returns the amounts that a job
    /// requests.
    pub fn roll_back<'r>(&mut self, request: impl Fn(JobIndex) -> &'r Amounts) {
        // Backwards: a job may have changed twice, and its first value is restored last.
        for change in self.journal.take().unwrap_or_default().into_iter().rev() {
            self.replace(change.node, change.job, change.before, request(change.job));
        }
    }
}

/// Returns a position as a number of 32 bits: there are fewer nodes, as the files with them would be larger than is read.
fn number(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

/// Returns the amounts of an index key, each rounded down to its resolution.
pub(crate) fn key(free: &Amounts, indexed: &[IndexedResource]) -> Key {
    let free = free.as_slice();
    // Division truncates towards zero, as in Go.
    let rounded = |by: &IndexedResource| free[by.position] / by.resolution * by.resolution;
    indexed.iter().map(rounded).collect()
}

impl Node {
    /// Returns the free amounts at a level.
    pub fn free(&self, level: Level) -> &Amounts {
        self.free.as_ref().map_or(&self.spec.total, |free| &free[level])
    }

    /// Returns whether jobs may start on it.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Returns the type of the node.
    pub fn node_type(&self) -> usize {
        self.kind as usize
    }

    /// Returns the jobs that hold resources and are not evicted.
    pub fn active_jobs(&self) -> impl Iterator<Item = JobIndex> {
        self.bound.iter().filter(|(_, bound)| !bound.is_evicted).map(|(job, _)| *job)
    }

    /// Returns whether a job holds resources and is not evicted.
    pub fn is_active(&self, job: JobIndex) -> bool {
        self.bound.get(&job).is_some_and(|bound| !bound.is_evicted)
    }
}
