//! The inputs of a simulation: clusters of nodes, and queues of jobs.
//!
//! Source: Armada, `internal/scheduler/simulator/simulator.proto`; docs/cluster.md, Inputs.

pub use super::nanoseconds::Nanoseconds;

use super::failure::{JobFailures, NodeFailures};
use super::job::Shape;
use super::nodes::NodeSpec;
use super::requirements::{Labels, Taint};
use super::resources::Amounts;
use document::diag::Place;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The label with the name of a node's cluster. It is always indexed.
pub const CLUSTER_LABEL: &str = "armadaproject.io/clusterName";

/// The clusters of a simulation.
#[derive(Debug, Clone, Default)]
pub struct ClusterSpec {
    /// The clusters.
    pub clusters: Vec<Cluster>,
    /// The delay between a lease and the start of the job.
    pub pending_delay: ShiftedExponential,
    /// The delay between a preemption and the submission of the job that replaces the preempted one.
    pub resubmission_delay: ShiftedExponential,
}

/// A cluster. Clusters of one pool are scheduled together.
#[derive(Debug, Clone)]
pub struct Cluster {
    /// The name, which its nodes have as a label.
    pub name: String,
    /// The pool.
    pub pool: String,
    /// The nodes.
    pub node_templates: Vec<NodeTemplate>,
}

impl ClusterSpec {
    /// Returns the names of all pools, in their order.
    pub fn pools(&self) -> BTreeSet<&str> {
        self.clusters.iter().map(|cluster| cluster.pool.as_str()).collect()
    }

    /// Returns the names of a pool's nodes, by template.
    pub fn node_names(&self, pool: &str) -> Vec<NodeNames> {
        let mut all = Vec::new();
        let mut begin = 0;
        for cluster in self.clusters.iter().filter(|cluster| cluster.pool == pool) {
            let name: Arc<str> = cluster.name.as_str().into();
            for (position, template) in cluster.node_templates.iter().enumerate() {
                all.push(NodeNames { begin, cluster: Arc::clone(&name), template: position });
                begin += template.number as usize;
            }
        }
        all
    }

    /// Returns the nodes of a pool, in the order of the file. A node is named `<cluster>-<position of its
    /// template>-<number>`.
    pub fn nodes_of_pool(&self, pool: &str) -> Vec<NodeSpec> {
        self.clusters
            .iter()
            .filter(|cluster| cluster.pool == pool)
            .flat_map(Cluster::nodes)
            .collect()
    }
}

impl Cluster {
    /// Returns the id of a node, by the position of its template and its number.
    pub fn node_id(&self, template: usize, number: u32) -> String {
        node_id(&self.name, template, number as usize)
    }

    fn nodes(&self) -> impl Iterator<Item = NodeSpec> {
        self.node_templates.iter().enumerate().flat_map(move |(position, template)| {
            let mut labels = template.labels.clone();
            labels.insert(CLUSTER_LABEL.to_owned(), self.name.clone());
            let (labels, taints) = (Arc::new(labels), Arc::new(template.taints.clone()));
            (0..template.number).map(move |number| NodeSpec {
                id: self.node_id(position, number),
                total: template.total.clone(),
                labels: Arc::clone(&labels),
                taints: Arc::clone(&taints),
                is_unschedulable: false,
            })
        })
    }
}

fn node_id(cluster: &str, template: usize, number: usize) -> String {
    format!("{cluster}-{template}-{number}")
}

/// The names of the nodes of a template, which follow each other in their pool.
#[derive(Debug, Clone)]
pub struct NodeNames {
    /// The position of the first node in the pool.
    pub begin: usize,
    /// The name of the cluster.
    pub cluster: Arc<str>,
    /// The position of the template in the cluster.
    template: usize,
}

impl NodeNames {
    /// Returns the id of the node at a position in the pool.
    pub fn id(&self, position: usize) -> String {
        node_id(&self.cluster, self.template, position - self.begin)
    }
}

/// A number of equal nodes.
#[derive(Debug, Clone)]
pub struct NodeTemplate {
    /// The number of nodes.
    pub number: u32,
    /// The capacity of each node.
    pub total: Amounts,
    /// The labels of the nodes.
    pub labels: Labels,
    /// The taints of the nodes.
    pub taints: Vec<Taint>,
    /// How the nodes fail; `None` if they do not.
    pub failure: Option<NodeFailures>,
}

/// The queues of a simulation, in the order of their names.
#[derive(Debug, Clone, Default)]
pub struct Workload {
    /// The seed of all draws.
    pub seed: u64,
    /// The queues.
    pub queues: Vec<Queue>,
    /// The templates of all queues, in the order of the file.
    pub templates: Vec<JobTemplate>,
    /// The ids of the file's templates, of which `repeat` makes copies.
    pub template_ids: Vec<String>,
    /// Whether a preempted run keeps its resources until its pod is gone.
    pub grace_holds_node: bool,
    /// The changes of the settings of the retry engine, by simulated time.
    pub reloads: Vec<TimedReload>,
    /// The place of each template in its file; empty for a workload that was not read from one.
    pub places: Vec<Place>,
}

/// A change of the settings of the retry engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedReload {
    /// When.
    pub at: Nanoseconds,
    /// The new `globalMaxRetries`, if it changes.
    pub global_max_retries: Option<u32>,
    /// The new `enabled`, if it changes.
    pub enabled: Option<bool>,
}

/// A queue.
#[derive(Debug, Clone)]
pub struct Queue {
    /// The name.
    pub name: String,
    /// The weight, above 0.
    pub weight: f64,
}

/// A number of equal jobs.
#[derive(Debug, Clone)]
pub struct JobTemplate {
    /// The id, which is unique.
    pub id: String,
    /// The position in [`Workload::template_ids`] of this template, or of the one that it is a copy of.
    pub source: usize,
    /// The position of its queue.
    pub queue: usize,
    /// The number of jobs that have to succeed.
    pub number: u32,
    /// The priority of its jobs in their queue; lower values come first.
    pub priority: u32,
    /// The job set of its jobs, which only their records have.
    pub job_set: Option<String>,
    /// The annotations of its jobs, which only their records have; without those of gangs.
    pub annotations: Arc<BTreeMap<String, String>>,
    /// The needs of its jobs.
    pub shape: Shape,
    /// The positions of the templates that have to succeed first.
    pub dependencies: Vec<usize>,
    /// The time of submission of its jobs, since the beginning, or since its dependencies succeeded.
    pub earliest_submission: Nanoseconds,
    /// The minimum time after its dependencies succeeded; the later of both times is used.
    pub after_dependencies: Nanoseconds,
    /// The run time of its jobs.
    pub run_time: ShiftedExponential,
    /// The gangs that its jobs form; `None` without gangs.
    pub gang: Option<GangTemplate>,
    /// Causes of its jobs' failures. Copies of a template share it.
    pub failures: Arc<JobFailures>,
}

/// The gangs of a template: consecutive jobs form one.
#[derive(Debug, Clone)]
pub struct GangTemplate {
    /// The number of members, at least 2; it divides the number of the template's jobs.
    pub cardinality: usize,
    /// The label by which the nodes of a gang must agree.
    pub uniformity_label: Arc<str>,
}

/// A duration: a minimum and an exponentially distributed rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShiftedExponential {
    /// The minimum.
    pub minimum: Nanoseconds,
    /// The mean of the rest.
    pub tail_mean: Nanoseconds,
}

impl ShiftedExponential {
    /// Returns the duration of a draw from 0 to below 1: the minimum if that is constant, else rounded up to
    /// whole milliseconds.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a draw")]
    pub fn at(&self, uniform: f64) -> Nanoseconds {
        const MILLISECOND: i64 = 1_000_000;
        if self.tail_mean == 0 {
            return self.minimum;
        }
        let tail = -(1.0 - uniform).ln() * self.tail_mean as f64;
        let duration = self.minimum.saturating_add(tail as i64);
        duration.saturating_add(MILLISECOND - 1) / MILLISECOND * MILLISECOND
    }
}
