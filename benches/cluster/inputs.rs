//! The settings, nodes and jobs that are timed.

use cluster::job::Shape;
use cluster::requirements::{Labels, Requirements};
use cluster::resources::ResourceTypes;
use cluster::settings::{IndexedResource, PriorityClass, Profile, SeedSettings, Settings};
use cluster::spec::{
    Cluster, ClusterSpec, JobTemplate, NodeTemplate, Queue, ShiftedExponential, Workload,
};
use document::units::Quantity;
use std::collections::BTreeSet;
use std::sync::Arc;

const SECOND: i64 = 1_000_000_000;

pub fn quantity(text: &str) -> Quantity {
    Quantity::parse(text).expect("a quantity")
}

/// Armada's own defaults: two classes of one priority, the second preemptible.
pub fn settings(profile: Profile, protected_fraction: f64) -> Settings {
    let types =
        [("memory", "1"), ("cpu", "1m"), ("ephemeral-storage", "1"), ("nvidia.com/gpu", "1")];
    let resources = ResourceTypes::new(types.map(|(name, text)| (name, quantity(text))));
    let indexed = [
        ("nvidia.com/gpu", "1"),
        ("cpu", "100m"),
        ("memory", "100Mi"),
        ("ephemeral-storage", "1Gi"),
    ];
    let indexed_resources = indexed.map(|(name, text)| {
        let position = resources.position(name).expect("a type");
        IndexedResource { position, resolution: resources.scaled(position, quantity(text)) }
    });
    let no_limit = vec![f64::INFINITY; types.len()];
    let class = |name: &str, is_preemptible| PriorityClass {
        name: name.to_owned(),
        priority: 1000,
        is_preemptible,
        queue_fractions: no_limit.clone(),
        away: Vec::new(),
    };
    Settings {
        classes: vec![class("armada-default", false), class("armada-preemptible", true)],
        default_class: 0,
        floating: None,
        indexed_resources: indexed_resources.to_vec(),
        indexed_taints: BTreeSet::new(),
        indexed_labels: ["armadaproject.io/clusterName".to_owned()].into(),
        multipliers: vec![1.0; types.len()],
        protected_fraction,
        is_uncapped_share_protected: false,
        are_large_jobs_first: false,
        queue_lookback: 0,
        round_fractions: no_limit.clone(),
        burst: None,
        queue_burst: None,
        profile,
        seed: SeedSettings {
            eviction_probability: 1.0 - protected_fraction,
            ..SeedSettings::default()
        },
        resources,
    }
}

/// A cluster of nodes of 32 cores and 256 GiB.
pub fn clusters(settings: &Settings, nodes: u32) -> ClusterSpec {
    let given = [("cpu", quantity("32")), ("memory", quantity("256Gi"))];
    let template = NodeTemplate {
        number: nodes,
        total: settings.resources.of_node(given),
        labels: Labels::new(),
        taints: Vec::new(),
        failure: None,
    };
    let cluster =
        Cluster { name: "c".to_owned(), pool: "p".to_owned(), node_templates: vec![template] };
    ClusterSpec { clusters: vec![cluster], ..ClusterSpec::default() }
}

/// Jobs of 1 to 8 cores in two queues, half of them preemptible, that run for 30 minutes and an
/// exponential rest of the same mean, and take 90 % of the nodes.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of a benchmark"
)]
pub fn workload(settings: &Settings, jobs: u32, nodes: u32) -> Workload {
    const SIZES: [u32; 4] = [1, 2, 4, 8];
    let span = f64::from(jobs) * 3.75 * 3600.0 / (0.9 * f64::from(nodes) * 32.0);
    let per_template = jobs / 16;
    let copies = ((span / 60.0) as u32).min(per_template).max(1);
    let number = (f64::from(per_template) / f64::from(copies)).round().max(1.0) as u32;
    let copies = (per_template / number).max(1);
    let period = span / f64::from(copies);
    let mut templates = Vec::new();
    for queue in 0..2 {
        for (at, size) in SIZES.into_iter().enumerate() {
            for class in 0..2 {
                let position = queue * 8 + at * 2 + class;
                let request = [("cpu", size.to_string()), ("memory", format!("{}Gi", 4 * size))];
                let request = request.each_ref().map(|(name, text)| (*name, quantity(text)));
                let template = JobTemplate {
                    id: String::new(),
                    source: position,
                    queue,
                    number,
                    priority: 0,
                    job_set: None,
                    annotations: std::sync::Arc::default(),
                    shape: Shape {
                        class,
                        request: settings.resources.of_job(request),
                        requirements: Requirements::default(),
                    },
                    dependencies: Vec::new(),
                    earliest_submission: 0,
                    after_dependencies: 0,
                    run_time: ShiftedExponential {
                        minimum: 1800 * SECOND,
                        tail_mean: 1800 * SECOND,
                    },
                    gang: None,
                    failures: Arc::default(),
                };
                templates.extend((0..copies).map(|copy| {
                    let begin = f64::from(copy) * period + position as f64 * period / 16.0;
                    JobTemplate {
                        id: format!("t{position}-repeat-{copy}"),
                        earliest_submission: (begin * SECOND as f64) as i64,
                        ..template.clone()
                    }
                }));
            }
        }
    }
    let queues = ["A", "B"].map(|name| Queue { name: name.to_owned(), weight: 1.0 });
    let template_ids = (0..16).map(|position| format!("t{position}")).collect();
    Workload { seed: 7, queues: queues.to_vec(), templates, template_ids, ..Workload::default() }
}
