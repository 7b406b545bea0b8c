//! One round on 1,000 nodes.

use super::inputs::{clusters, quantity, settings};
use cluster::job::{Job, Run, Shape};
use cluster::nodes::{NodeSpec, Nodes};
use cluster::requirements::{Labels, Requirements};
use cluster::resources::Amounts;
use cluster::round::{self, QueueInput, RoundInput};
use cluster::settings::{Profile, Settings};
use std::collections::HashMap;
use std::time::Instant;

/// Rounds by name: running and queued jobs, and the protected fraction.
const ROUNDS: [(&str, u32, u32, f64); 4] = [
    ("32,000 running, all evicted and kept", 32_000, 0, 0.0),
    ("32,000 running, 32,000 queued, half preempted", 32_000, 32_000, 0.0),
    ("32,000 queued, empty nodes", 0, 32_000, 0.0),
    ("30,000 running, none evicted, 1,000 queued", 30_000, 1_000, 1.0),
];

/// Times each round of both profiles; returns a line for each, with its multiple of the baseline.
pub fn lines(baseline: f64) -> impl Iterator<Item = String> {
    let of_profile = move |profile: Profile| {
        ROUNDS.into_iter().map(move |(name, running, waiting, protected)| {
            let settings = settings(profile, protected);
            let (seconds, scheduled, preempted) = time_round(&settings, running, waiting);
            let multiple = seconds / baseline;
            format!(
                "{profile:?}, {name}: {seconds:.3} s, {multiple:.3} baselines, {scheduled} scheduled, {preempted} preempted"
            )
        })
    };
    [Profile::Landed, Profile::Seed].into_iter().flat_map(of_profile)
}

/// Nodes of 32 cores.
fn nodes(settings: &Settings, total: &Amounts, count: usize) -> Nodes {
    let spec = |node: usize| NodeSpec {
        id: format!("n{node:04}"),
        total: total.clone(),
        labels: Labels::new().into(),
        taints: Vec::new().into(),
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
        avoided: &HashMap::new(),
    };
    let begin = Instant::now();
    let outcome = round::run(input);
    (begin.elapsed().as_secs_f64(), outcome.scheduled.len(), outcome.preempted.len())
}
