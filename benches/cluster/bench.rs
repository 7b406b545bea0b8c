//! Times a simulated cluster: `cargo bench --bench cluster -- JOBS NODES PROTECTED`, or one round:
//! `cargo bench --bench cluster -- round`. README.md names the workloads.

use armadactl::cluster::events::{Event, EventKind, LoopOptions, Simulation};
use armadactl::cluster::job::{Job, Run, Shape};
use armadactl::cluster::nodes::{NodeSpec, Nodes};
use armadactl::cluster::requirements::{Labels, Requirements};
use armadactl::cluster::resources::{Amounts, ResourceTypes};
use armadactl::cluster::round::{self, QueueInput, RoundInput};
use armadactl::cluster::scheduling::Scheduling;
use armadactl::cluster::settings::{
    IndexedResource, PriorityClass, Profile, SeedSettings, Settings,
};
use armadactl::cluster::spec::{
    Cluster, ClusterSpec, JobTemplate, NodeTemplate, Queue, ShiftedExponential, Workload,
};
use armadactl::units::Quantity;
use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::time::Instant;

const SECOND: i64 = 1_000_000_000;

fn quantity(text: &str) -> Quantity {
    Quantity::parse(text).expect("a quantity")
}

/// Armada's own defaults: two classes of one priority, the second preemptible.
fn settings(profile: Profile, protected_fraction: f64) -> Settings {
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
        seed: SeedSettings::default(),
        resources,
    }
}

fn clusters(settings: &Settings, nodes: u32) -> ClusterSpec {
    let given = [("cpu", quantity("32")), ("memory", quantity("256Gi"))];
    let template = NodeTemplate {
        number: nodes,
        total: settings.resources.of_node(given),
        labels: Labels::new(),
        taints: Vec::new(),
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
fn workload(settings: &Settings, jobs: u32, nodes: u32) -> Workload {
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
                    queue,
                    number,
                    priority: 0,
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
    Workload { seed: 7, queues: queues.to_vec(), templates }
}

/// Runs a workload; counts jobs that were submitted, leased, preempted and that succeeded.
fn run(simulation: &mut Simulation<'_>) -> [u64; 4] {
    let mut counts = [0; 4];
    simulation.run(&mut |event: Event| {
        counts[match event.kind {
            EventKind::Submitted => 0,
            EventKind::Leased => 1,
            EventKind::Preempted => 2,
            EventKind::Succeeded => 3,
        }] += 1;
    });
    counts
}

/// Nodes of 32 cores.
fn nodes(settings: &Settings, total: &Amounts, count: usize) -> Nodes {
    let spec = |node: usize| NodeSpec {
        id: format!("n{node:04}"),
        total: total.clone(),
        labels: Labels::new(),
        taints: Vec::new(),
        is_unschedulable: false,
    };
    Nodes::new(settings, (0..count).map(spec).collect())
}

/// Jobs of one core: the first ones run, 32 on a node, in the first queue; others wait in the second.
fn job(number: u32, running: u32) -> Job {
    let run = Run {
        node: number as usize / 32,
        priority: 1000,
        started: i64::from(number),
        is_bound: true,
    };
    Job {
        queue: Some(usize::from(number >= running)),
        shape: 0,
        priority: 0,
        submitted: i64::from(number),
        gang: None,
        run: (number < running).then_some(run),
    }
}

/// So many times the amounts.
fn times(amounts: &Amounts, count: u32) -> Amounts {
    amounts.as_slice().iter().map(|amount| amount * i64::from(count)).collect()
}

/// Times a round on 1,000 nodes: preemptible jobs of one core, so many of which run in the first queue,
/// and so many wait in the second. Returns seconds, scheduled and preempted jobs.
fn time_round(settings: &Settings, running: u32, waiting: u32) -> (f64, usize, usize) {
    let total = clusters(settings, 1).clusters[0].node_templates[0].total.clone();
    let mut nodes = nodes(settings, &total, 1000);
    let request = [("cpu", quantity("1")), ("memory", quantity("4Gi"))];
    let request = settings.resources.of_job(request);
    let shape = Shape { class: 1, request: request.clone(), requirements: Requirements::default() };
    let jobs: Vec<Job> = (0..running + waiting).map(|number| job(number, running)).collect();
    let level = nodes.level(1000);
    for number in 0..running {
        nodes.bind(number as usize / 32, number, &request, level);
    }
    let total = times(&total, 1000);
    let no_limit = total.times(&vec![f64::INFINITY; total.as_slice().len()]);
    let queue = |used: u32, queued: std::ops::Range<u32>| QueueInput {
        weight: 1.0,
        is_active: used > 0 || !queued.is_empty(),
        is_cordoned: false,
        tokens: None,
        limits: vec![no_limit.clone(); 2],
        allocated: vec![settings.resources.zero(), times(&request, used)],
        demand: times(&request, used + queued.end - queued.start),
        queued: queued.collect(),
    };
    let input = RoundInput {
        settings,
        total,
        jobs: &jobs,
        shapes: &[shape],
        gangs: &[],
        nodes: &mut nodes,
        queues: vec![queue(running, 0..0), queue(0, running..running + waiting)],
        tokens: None,
        seed: 1,
        number: 0,
        priorities: &mut HashMap::new(),
    };
    let begin = Instant::now();
    let outcome = round::run(input);
    (begin.elapsed().as_secs_f64(), outcome.scheduled.len(), outcome.preempted.len())
}

fn time_rounds() -> String {
    let kinds = [
        ("32,000 running, all evicted and kept", 32_000, 0, 0.0),
        ("32,000 running, 32,000 queued, half preempted", 32_000, 32_000, 0.0),
        ("32,000 queued, empty nodes", 0, 32_000, 0.0),
        ("30,000 running, none evicted, 1,000 queued", 30_000, 1_000, 1.0),
    ];
    let of_profile = |profile: Profile| {
        kinds.map(|(name, running, waiting, protected)| {
            let mut settings = settings(profile, protected);
            settings.seed.eviction_probability = 1.0 - protected;
            let (seconds, scheduled, preempted) = time_round(&settings, running, waiting);
            format!(
                "{profile:?}: {name}: {seconds:.3} s, {scheduled} scheduled, {preempted} preempted\n"
            )
        })
    };
    [Profile::Landed, Profile::Seed].map(|profile| of_profile(profile).concat()).concat()
}

fn main() {
    if std::env::args().any(|argument| argument == "round") {
        std::io::stdout().write_all(time_rounds().as_bytes()).expect("stdout");
        return;
    }
    let numbers: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let number = |at: usize, usual: f64| {
        numbers.get(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or(usual)
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
    let (jobs, nodes) = (number(0, 10_000.0) as u32, number(1, 100.0) as u32);
    let scheduling = Scheduling::from(settings(Profile::Landed, number(2, 1.0)));
    let settings = scheduling.settings();
    let clusters = clusters(settings, nodes);
    let workload = workload(settings, jobs, nodes);
    let options = LoopOptions { seed: workload.seed, until: i64::MAX, is_fast_forward: true };
    let begin = Instant::now();
    let mut simulation = Simulation::new(&scheduling, &clusters, &workload, options);
    let counts = run(&mut simulation);
    let seconds = begin.elapsed().as_secs_f64();
    let line = format!(
        "{jobs} jobs on {nodes} nodes: {seconds:.2} s, {} rounds; submitted, leased, preempted, succeeded: {counts:?}\n",
        simulation.rounds()
    );
    std::io::stdout().write_all(line.as_bytes()).expect("stdout");
}
