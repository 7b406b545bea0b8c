//! A pool before a round, and what a round did.

use std::collections::{BTreeMap, BTreeSet};

/// Amounts of the supported resources, in the order of the settings, in units of each one's scale.
pub type Amounts = Vec<i64>;

pub struct Pool {
    pub name: String,
    pub settings: Settings,
    pub nodes: Vec<Node>,
    /// By name.
    pub queues: Vec<Queue>,
    /// By id.
    pub jobs: Vec<Job>,
    pub total: Amounts,
    pub tokens: Option<f64>,
}

pub struct Settings {
    pub resources: Vec<Resource>,
    /// Positions of floating resources, and what the pool has of each.
    pub floating: Vec<(usize, i64)>,
    pub classes: BTreeMap<String, Class>,
    pub default_class: String,
    /// Positions of resources, and the resolution of each one's index.
    pub indexed: Vec<(usize, i64)>,
    pub indexed_taints: Vec<String>,
    pub indexed_labels: Vec<String>,
    pub multipliers: Vec<f64>,
    pub protected_fraction: f64,
    pub is_uncapped_share_protected: bool,
    pub are_large_jobs_first: bool,
    /// 0 means no limit.
    pub lookback: usize,
    pub round_limit: Amounts,
    pub burst: Option<f64>,
    pub queue_burst: Option<f64>,
}

pub struct Resource {
    pub name: String,
    /// A unit is ten to the power of this.
    pub scale: i32,
}

pub struct Class {
    pub priority: i32,
    pub is_preemptible: bool,
    pub away: Vec<Away>,
}

pub struct Away {
    pub priority: i32,
    pub entries: Vec<AwayEntry>,
}

pub struct AwayEntry {
    pub taints: Vec<Taint>,
    pub condition: Option<Condition>,
}

/// A bound to a request, in base units.
pub struct Condition {
    pub resource: String,
    pub operator: String,
    pub value: i128,
}

#[derive(Clone, PartialEq, PartialOrd, Eq, Ord)]
pub struct Taint {
    pub key: String,
    pub value: String,
    pub effect: String,
}

#[derive(Clone, PartialEq, PartialOrd, Eq, Ord, Debug)]
pub struct Toleration {
    pub key: String,
    pub value: String,
    pub operator: String,
    pub effect: String,
}

#[derive(Debug)]
pub struct Expression {
    pub key: String,
    pub operator: String,
    pub values: Vec<String>,
}

pub struct Node {
    pub id: String,
    pub total: Amounts,
    /// Free amounts by priority without the listed jobs, where they differ from the total.
    pub allocatable: BTreeMap<i32, Amounts>,
    pub labels: BTreeMap<String, String>,
    pub taints: Vec<Taint>,
    /// Equal for nodes with equal indexed taints and labels.
    pub kind: String,
}

pub struct Queue {
    pub name: String,
    pub weight: f64,
    pub is_cordoned: bool,
    pub tokens: Option<f64>,
    /// By class.
    pub limits: BTreeMap<String, Amounts>,
    /// By class.
    pub allocated: BTreeMap<String, Amounts>,
    pub demand: Amounts,
}

pub struct Job {
    pub id: String,
    /// Its position, if it is listed.
    pub queue: Option<usize>,
    pub queue_name: String,
    pub class: String,
    pub request: Amounts,
    /// The request without floating resources.
    pub on_node: Amounts,
    /// The lower is first.
    pub rank: u64,
    pub submitted: i64,
    pub gang: Option<Gang>,
    pub selector: BTreeMap<String, String>,
    pub tolerations: Vec<Toleration>,
    pub affinity: Option<Vec<Vec<Expression>>>,
    pub run: Option<Run>,
    /// Priorities and tolerations of the away node types that its class has for it.
    pub away: Vec<(i32, Vec<Toleration>)>,
    /// Equal for jobs that fit the same nodes.
    pub shape: String,
}

pub struct Gang {
    pub id: String,
    pub cardinality: usize,
    pub label: Option<String>,
}

pub struct Run {
    pub node: usize,
    pub priority: i32,
    pub started: i64,
    pub is_bound: bool,
}

impl Pool {
    pub fn class(&self, job: usize) -> &Class {
        &self.settings.classes[&self.jobs[job].class]
    }

    /// All listed jobs of the job's gang; only itself without a gang.
    pub fn gang_members(&self, job: usize) -> Vec<usize> {
        let own = &self.jobs[job];
        let Some(gang) = &own.gang else { return vec![job] };
        let is_member = |other: &Job| {
            other.queue_name == own.queue_name
                && other.gang.as_ref().is_some_and(|other| other.id == gang.id)
        };
        (0..self.jobs.len()).filter(|other| is_member(&self.jobs[*other])).collect()
    }
}

/// What a round did.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    /// By job: the node, and the priority that it is scheduled at.
    pub scheduled: BTreeMap<String, (String, i32)>,
    pub preempted: BTreeSet<String>,
    pub refused: BTreeMap<String, String>,
    pub queues: BTreeMap<String, Figures>,
}

/// The shares and costs of a queue.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Figures {
    pub fair: f64,
    pub demand_capped: f64,
    pub uncapped: f64,
    pub demand: f64,
    pub cost_before: f64,
    pub cost_after: f64,
}

impl Figures {
    /// By the names that the golden cases use.
    pub fn by_name(&self) -> [(&'static str, f64); 6] {
        [
            ("fair", self.fair),
            ("demandCapped", self.demand_capped),
            ("uncapped", self.uncapped),
            ("demandShare", self.demand),
            ("costBefore", self.cost_before),
            ("costAfter", self.cost_after),
        ]
    }
}

pub fn add(to: &mut Amounts, other: &Amounts) {
    for (to, other) in to.iter_mut().zip(other) {
        *to += other;
    }
}

pub fn subtract(from: &mut Amounts, other: &Amounts) {
    for (from, other) in from.iter_mut().zip(other) {
        *from -= other;
    }
}

pub fn fits(request: &Amounts, free: &Amounts) -> bool {
    request.iter().zip(free).all(|(request, free)| request <= free)
}
