//! Properties of the event loop on random workloads.
//!
//! Holds cluster.md 3.

use super::EventKind::{Leased, Preempted, Submitted, Succeeded};
use super::*;
use crate::job::Shape;
use crate::requirements::{Labels, Requirements};
use crate::resources::{Amounts, ResourceTypes};
use crate::round::Refusal;
use crate::settings::{IndexedResource, PriorityClass, Profile, SeedSettings};
use crate::spec::{Cluster, GangTemplate, NodeTemplate, Queue, ShiftedExponential};
use document::units::Quantity;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

mod failures;
mod growth;
pub(crate) mod retries;
pub(crate) mod worlds;

const SECOND: i64 = 1_000_000_000;

/// Returns settings with one resource and two classes, the second preemptible.
pub(crate) fn settings(
    priorities: [i32; 2],
    protected_fraction: f64,
    are_large_jobs_first: bool,
) -> Settings {
    let class = |is_preemptible, priority| PriorityClass {
        name: String::new(),
        priority,
        is_preemptible,
        queue_fractions: vec![f64::INFINITY],
        away: Vec::new(),
    };
    Settings {
        resources: ResourceTypes::new([("cpu", Quantity::parse("1").unwrap())]),
        classes: vec![class(false, priorities[0]), class(true, priorities[1])],
        default_class: 0,
        indexed_resources: vec![IndexedResource { position: 0, resolution: 1 }],
        indexed_taints: BTreeSet::new(),
        indexed_labels: [super::super::spec::CLUSTER_LABEL.to_owned()].into(),
        multipliers: vec![1.0],
        protected_fraction,
        is_uncapped_share_protected: false,
        are_large_jobs_first,
        queue_lookback: 0,
        round_fractions: vec![f64::INFINITY],
        burst: None,
        queue_burst: None,
        profile: Profile::Landed,
        seed: SeedSettings::default(),
        floating: None,
    }
}

fn clusters(nodes: &[u32], delay: i64) -> ClusterSpec {
    let cluster = |(at, number): (usize, &u32)| Cluster {
        name: format!("c{at}"),
        pool: format!("p{}", at % 2),
        node_templates: vec![NodeTemplate {
            number: *number,
            total: Amounts::from_iter([8]),
            labels: Labels::new(),
            taints: Vec::new(),
            failure: None,
        }],
    };
    let delay = ShiftedExponential { minimum: delay * SECOND, tail_mean: 0 };
    ClusterSpec {
        clusters: nodes.iter().enumerate().map(cluster).collect(),
        pending_delay: ShiftedExponential::default(),
        resubmission_delay: delay,
    }
}

type Given = (u32, usize, i64, u32, u32, (i64, i64), (bool, bool));

/// Makes a template of number, queue, request, class, begin, run time, and whether it has gangs and waits for
/// the template before it.
fn template(at: usize, given: &Given) -> JobTemplate {
    let (number, queue, request, class, begin, (minimum, tail), (is_gang, waits)) = *given;
    let cardinality = usize::try_from(number).unwrap();
    JobTemplate {
        id: format!("t{at}"),
        source: at,
        queue,
        number,
        priority: 0,
        job_set: None,
        annotations: Arc::default(),
        shape: Shape {
            class: usize::try_from(class).unwrap(),
            request: Amounts::from_iter([request]),
            requirements: Requirements::default(),
        },
        dependencies: if waits && at > 0 { vec![at - 1] } else { Vec::new() },
        earliest_submission: i64::from(begin) * SECOND,
        after_dependencies: 0,
        run_time: ShiftedExponential { minimum: minimum * SECOND, tail_mean: tail * SECOND },
        gang: (is_gang && cardinality > 1).then(|| GangTemplate {
            cardinality,
            uniformity_label: super::super::spec::CLUSTER_LABEL.into(),
        }),
        failures: Arc::default(),
    }
}

fn events(
    scheduling: &Scheduling,
    clusters: &ClusterSpec,
    workload: &Workload,
    is_fast_forward: bool,
) -> (Vec<Event>, End) {
    // Long enough for every run that ends; jobs that never start reach this limit.
    let until = 3600 * SECOND;
    let options = LoopOptions { seed: workload.seed, until, is_fast_forward };
    let mut events = Vec::new();
    let mut simulation = Simulation::new(scheduling, clusters, workload, options);
    let end = simulation.run(&mut |event| events.push(event));
    (events, end)
}

prop_compose! {
    fn workloads()(
        seed in any::<u64>(),
        weights in [0.5..2.0_f64, 0.5..2.0_f64],
        given in prop::collection::vec(
            (1..6_u32, 0..2_usize, 1..9_i64, 0..2_u32, 0..40_u32, (1..60_i64, 0..60_i64), any::<(bool, bool)>()),
            1..6,
        ),
    ) -> Workload {
        let queues = ["a", "b"].into_iter().zip(weights);
        Workload {
            seed,
            queues: queues.map(|(name, weight)| Queue { name: name.to_owned(), weight }).collect(),
            templates: given.iter().enumerate().map(|(at, given)| template(at, given)).collect(),
            template_ids: (0..given.len()).map(|at| format!("t{at}")).collect(),
            ..Workload::default()
        }
    }
}

proptest! {
    #[test]
    fn skipped_rounds_change_nothing(
        workload in workloads(),
        nodes in prop::collection::vec(1..4_u32, 1..4),
        priorities in prop::sample::select(vec![[1000, 1000], [30000, 20000], [1, 2]]),
        protected in prop::sample::select(vec![0.0, 0.5, 1.0]),
        delay in 0..30_i64,
        are_large_first in any::<bool>(),
        profile in prop::sample::select(vec![Profile::Landed, Profile::Seed]),
        eviction_probability in prop::sample::select(vec![0.0, 0.5, 1.0]),
        bursts in prop::array::uniform2(prop::option::of(1..6_u32)),
        rates in prop::array::uniform2(prop::option::of(0.0..0.5_f64)),
    ) {
        let seed = SeedSettings { eviction_probability, ..SeedSettings::default() };
        let settings = settings(priorities, protected, are_large_first);
        let [burst, queue_burst] = bursts;
        let settings = Settings { burst, queue_burst, profile, seed, ..settings };
        let [rate, queue_rate] = rates;
        let scheduling = Scheduling { rate, queue_rate, ..Scheduling::from(settings) };
        let clusters = clusters(&nodes, delay);
        let all = events(&scheduling, &clusters, &workload, false);
        prop_assert_eq!(&all, &events(&scheduling, &clusters, &workload, true));
        // Every attempt of a job is submitted, leased, and then preempted or done.
        let mut lives: BTreeMap<_, Vec<EventKind>> = BTreeMap::new();
        for event in &all.0 {
            let job = (event.template, event.number, event.attempt);
            lives.entry(job).or_default().push(event.kind);
        }
        let whole = [vec![Submitted, Leased, Preempted], vec![Submitted, Leased, Succeeded]];
        for life in lives.values() {
            prop_assert!(whole.iter().any(|whole| whole.starts_with(life)), "{:?}", life);
        }
    }
}

/// Makes one cluster of `nodes` nodes of 8 cores, and a queue with these templates.
fn small(nodes: u32, given: &[Given]) -> (ClusterSpec, Workload) {
    let templates = given.iter().enumerate().map(|(at, given)| template(at, given)).collect();
    let queues = vec![Queue { name: "a".to_owned(), weight: 1.0 }];
    let template_ids = (0..given.len()).map(|at| format!("t{at}")).collect();
    (clusters(&[nodes], 0), Workload { queues, templates, template_ids, ..Workload::default() })
}

fn job(number: u32, request: i64, seconds: i64, waits: bool) -> Given {
    (number, 0, request, 0, 0, (seconds, 0), (false, waits))
}

#[test]
fn jobs_that_fit_no_node_are_not_submitted_nor_waited_for() {
    let (clusters, workload) =
        small(1, &[job(1, 8, 60, false), job(2, 9, 60, true), job(1, 1, 60, true)]);
    let scheduling = Scheduling::from(settings([1, 1], 1.0, false));
    assert_eq!(unschedulable(&scheduling, &clusters, &workload), [(1, Refusal::NoNode)]);
    let (events, end) = events(&scheduling, &clusters, &workload, true);
    assert!(events.iter().all(|event| event.template == 0), "{events:?}");
    assert_eq!(end, End { time: 60 * SECOND, reason: EndReason::Done });
}

#[test]
fn a_gang_that_fits_no_cluster_is_not_submitted() {
    let (clusters, workload) = small(2, &[(3, 0, 8, 0, 0, (60, 0), (true, false))]);
    let scheduling = Scheduling::from(settings([1, 1], 1.0, false));
    let refused = unschedulable(&scheduling, &clusters, &workload);
    assert_eq!(refused, [(0, Refusal::UniformGangWithoutNode)]);
}

#[test]
fn a_queue_at_its_limit_stalls() {
    let mut settings = settings([1, 1], 1.0, false);
    settings.classes[0].queue_fractions = vec![0.5];
    let (clusters, workload) = small(1, &[job(1, 8, 60, false)]);
    for is_fast_forward in [true, false] {
        let scheduling = Scheduling::from(settings.clone());
        let (events, end) = events(&scheduling, &clusters, &workload, is_fast_forward);
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!(end, End { time: 10 * SECOND, reason: EndReason::Stalled });
    }
}

#[test]
fn rates_delay_jobs() {
    let mut scheduling = Scheduling::from(settings([1, 1], 1.0, false));
    scheduling.settings.burst = Some(2);
    scheduling.rate = Some(0.05);
    let (clusters, workload) = small(1, &[job(4, 1, 60, false)]);
    for is_fast_forward in [true, false] {
        let options = LoopOptions { seed: 1, until: 3600 * SECOND, is_fast_forward };
        let mut leased = Vec::new();
        let mut simulation = Simulation::new(&scheduling, &clusters, &workload, options);
        simulation.run(&mut |event: Event| {
            if event.kind == Leased {
                leased.push(event.time / SECOND);
            }
        });
        // Two tokens are available at once, then one every 20 s.
        assert_eq!(leased, [0, 0, 20, 40]);
    }
}
