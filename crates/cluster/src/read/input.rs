//! Detection of the inputs of a simulation, and the check of several inputs together.

use super::located::items;
use super::scheduling_shape::{PERIOD, SCHEDULING};
use super::{Profile, StateFile, fit, read_cluster, read_scheduling, read_workload};
use armada_retry::policy::read_scheduler_config;
use document::diag::{Findings, Source};
use document::{Limits, Node, parse};
use std::sync::Arc;

/// The kinds of inputs, which are recognized by their keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// A cluster file: it has `clusters`.
    Cluster,
    /// A workload file: it has `queues`.
    Workload,
    /// A state file: it has `queues` and `jobs`.
    State,
    /// A scheduler configuration: it has `scheduling`, or keys of that section.
    Scheduler,
}

/// The key of the section in a scheduler configuration.
const SECTION: &str = "scheduling";
/// Keys of the section that files of other programs may have too.
const COMMON: [&str; 3] = ["pools", "priorityClasses", PERIOD.name];

impl InputKind {
    /// Returns the kind of a document, if its keys are those of an input and it has no `kind` of its own.
    pub fn of(root: &Node) -> Option<Self> {
        if ["kind", "apiVersion"].iter().any(|key| root.entry_in_any_case(key).is_some()) {
            return None;
        }
        if root.entry("clusters").is_some() {
            return Some(Self::Cluster);
        }
        if root.entry("queues").is_some() {
            let is_state = root.entry("jobs").is_some();
            return Some(if is_state { Self::State } else { Self::Workload });
        }
        let is_scheduler = root.entry_in_any_case(SECTION).is_some() || has_own_key(root);
        is_scheduler.then_some(Self::Scheduler)
    }

    /// Returns whether the document has a key that no other file has.
    fn is_certain(self, root: &Node) -> bool {
        let has_item_with =
            |list: &str, key: &str| items(root, list).iter().any(|item| item.entry(key).is_some());
        match self {
            Self::Cluster => has_item_with("clusters", "nodeTemplates"),
            Self::Workload => has_item_with("queues", "jobTemplates"),
            Self::State => has_item_with("jobs", "req"),
            Self::Scheduler => {
                let section = root.entry_in_any_case(SECTION).map(|entry| &entry.value);
                match section {
                    Some(section) => has_own_key(section) || has_retry_policy(section),
                    None => keys(root) > 1,
                }
            }
        }
    }

    /// Returns the kind of a text, by its first document.
    pub fn of_source(source: &Arc<Source>) -> Option<Self> {
        // A search of the text is much cheaper than a parse, and most files are none of these.
        let text = source.text().to_ascii_lowercase();
        let own_keys = SCHEDULING.fields.iter().map(|field| field.name.to_ascii_lowercase());
        let keys = ["clusters", "queues", SECTION].map(str::to_owned).into_iter().chain(own_keys);
        if !keys.into_iter().any(|key| text.contains(&key)) {
            return None;
        }
        let (documents, _) = parse(source, Limits::POLICY);
        let root = &documents.first()?.root;
        // Other files in a directory, such as the values of a chart, often have such keys.
        Self::of(root).filter(|kind| !source.is_in_walk() || kind.is_certain(root))
    }

    /// Returns the kind of a document, if it has a key that no other file has.
    pub fn certainly_of(root: &Node) -> Option<Self> {
        Self::of(root).filter(|kind| kind.is_certain(root))
    }

    /// Returns the name of a file of the kind, with its article.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cluster => "a cluster file",
            Self::Workload => "a workload file",
            Self::State => "a state file",
            Self::Scheduler => "a scheduler configuration",
        }
    }

    /// Returns the key that a file of the kind begins with.
    pub fn content(self) -> &'static str {
        match self {
            Self::Cluster => "clusters",
            Self::Workload => "queues",
            Self::State => "jobs",
            Self::Scheduler => "scheduling.retryPolicy",
        }
    }

    /// Returns the flag that takes files of the kind.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Cluster => "--cluster",
            Self::Workload => "--workload",
            Self::State => "--state",
            Self::Scheduler => "--scheduler-config",
        }
    }
}

/// Returns the number of keys of the section that a mapping has.
fn keys(node: &Node) -> usize {
    SCHEDULING.fields.iter().filter(|field| node.entry_in_any_case(field.name).is_some()).count()
}

/// Returns whether a mapping has a key of the section that files of other programs do not have.
fn has_own_key(node: &Node) -> bool {
    let mut names = SCHEDULING.fields.iter().map(|field| field.name);
    names.any(|name| !COMMON.contains(&name) && node.entry_in_any_case(name).is_some())
}

/// Returns whether a section configures the retry engine.
fn has_retry_policy(section: &Node) -> bool {
    let Some(retry) = section.entry_in_any_case("retryPolicy") else { return false };
    ["enabled", "globalMaxRetries", "defaultPolicyName", "defaultBackoff"]
        .iter()
        .any(|key| retry.value.entry_in_any_case(key).is_some())
}

/// Returns the findings about inputs. If exactly one of them is a scheduler configuration, and it is valid,
/// the names that a configuration defines are looked up in it; otherwise they are not looked up. Job
/// templates that fit no node of any cluster file get a warning.
pub fn check_inputs(inputs: &[(InputKind, Arc<Source>)]) -> Findings {
    let mut findings = Findings::new();
    let mut configs = Vec::new();
    let of_kind = |wanted: InputKind| inputs.iter().filter(move |(kind, _)| *kind == wanted);
    for (_, source) in of_kind(InputKind::Scheduler) {
        let (config, more) = read_scheduling(source, Profile::Landed);
        findings.extend(more);
        // A finding of both readers is reported once: findings are unique by place and message.
        findings.extend(read_scheduler_config(source).1);
        configs.push(config);
    }
    // Several configurations may define a name differently.
    let config = if let [config] = configs.as_slice() { config.as_ref() } else { None };
    for (_, source) in of_kind(InputKind::State) {
        findings.extend(check_state(source));
    }
    let mut clusters = Vec::new();
    for (_, source) in of_kind(InputKind::Cluster) {
        let (spec, more) = read_cluster(source, config);
        findings.extend(more);
        clusters.push(spec);
    }
    let is_complete = configs.is_empty() || config.is_some();
    let clusters: Option<Vec<_>> = clusters.into_iter().collect();
    let clusters = clusters.filter(|clusters| is_complete && !clusters.is_empty());
    for (_, source) in of_kind(InputKind::Workload) {
        let (workload, more) = read_workload(source, config);
        findings.extend(more);
        if let (Some(clusters), Some(workload)) = (&clusters, &workload) {
            findings.extend(fit::warnings(config, clusters, workload));
        }
    }
    findings
}

/// Returns the findings about a single state file. Without nodes, only its shape is checked.
fn check_state(source: &Arc<Source>) -> Findings {
    let (file, mut findings) = StateFile::parse(source);
    let Some(file) = file else { return findings };
    let (scheduling, more) = file.scheduling(Profile::Landed);
    findings.extend(more);
    if let Some(scheduling) = scheduling.filter(|_| file.has_nodes()) {
        findings.extend(file.read(&scheduling, None).1);
    }
    findings
}
