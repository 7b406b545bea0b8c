//! Retries in the event loop: properties of random worlds, and single cases with the events that they must have.
//!
//! Holds cluster.md 6.

use super::worlds::{Log, check_capacity, check_stickiness, worlds};
use super::*;
use crate::draw::name_key;
use crate::events::EventKind::{Failed, Requeued, Stopped};
use crate::retry::{
    Decider, Next, NoRetries, Requeue, RunDecision, RunGrant, UnitDecision, UnitId,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// By template, number and attempt: when the attempt may be queued, and the nodes that it avoids.
type Grants = HashMap<(usize, u32, u32), (i64, Vec<String>)>;

/// Decides by a hash of the unit and the attempt, so that decisions do not depend on the order of events.
pub(crate) struct HashDecider {
    seed: u64,
    grants: Arc<Mutex<Grants>>,
}

impl HashDecider {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, grants: Arc::default() }
    }
}

const RETRY: RunDecision = RunDecision { code: "retry", rule: Some(0), is_retry: true };
const FAIL: RunDecision = RunDecision { code: "fail_rule", rule: Some(0), is_retry: false };

impl Decider for HashDecider {
    fn decide(&mut self, (template, number): UnitId, ends: &[Event]) -> UnitDecision {
        let first = ends[0];
        let hash = name_key(&format!("{} {template} {number} {}", self.seed, first.attempt));
        let is_failed = |event: &Event| matches!(event.kind, Failed | Preempted);
        let decisions = |decision: RunDecision| {
            ends.iter().map(|event| is_failed(event).then_some(decision)).collect()
        };
        if hash.is_multiple_of(5) {
            let succeeded = ends.iter().map(|event| event.kind == Succeeded).collect();
            return UnitDecision { decisions: decisions(FAIL), next: Next::Over(succeeded) };
        }
        let last = ends.iter().map(|event| event.time).max().unwrap();
        let delay = i64::try_from(hash / 5 % 40).unwrap() * SECOND;
        // Nodes of the property's worlds are named by their clusters: the first of each is avoided by some runs.
        let avoided = match hash / 200 % 3 {
            0 => vec![format!("c{}-0-0", hash / 600 % 3)],
            _ => Vec::new(),
        };
        let retry_after = last + delay;
        let mut grants = self.grants.lock().unwrap();
        for event in ends {
            let key = (event.template, event.number, event.attempt + 1);
            grants.insert(key, (retry_after, avoided.clone()));
        }
        let grants = vec![RunGrant { avoided, memory: None }; ends.len()];
        UnitDecision { decisions: decisions(RETRY), next: Next::Again { retry_after, grants } }
    }
}

/// The observed results of a run with retries: its log, its end, the time of jobs that are not over, and the ids of its nodes.
struct Ran {
    log: Log,
    end: End,
    unfinished: i128,
    nodes: Vec<Vec<String>>,
}

fn run(
    (scheduling, clusters, workload): (&Scheduling, &ClusterSpec, &Workload),
    decider: impl Decider,
    requeue: Requeue,
    is_fast_forward: bool,
) -> Ran {
    let options = LoopOptions { seed: workload.seed, until: 3600 * SECOND, is_fast_forward };
    let simulation = Simulation::new(scheduling, clusters, workload, options);
    let retries = Retries { decider: Box::new(decider), requeue };
    let mut simulation = simulation.with_retries(retries);
    let mut log = Log::default();
    let end = simulation.run(&mut log);
    let unfinished = simulation.open_jobs(end.time).map(|job| i128::from(job.unfinished)).sum();
    let pools = 0..simulation.pool_names().count();
    let nodes = pools.map(|pool| simulation.node_ids(pool).map(str::to_owned).collect()).collect();
    Ran { log, end, unfinished, nodes }
}

const ORDERS: [Requeue; 3] = [Requeue::Original, Requeue::Front, Requeue::Back];

proptest! {
    #[test]
    fn retries_keep_their_rules(
        (clusters, workload) in worlds(),
        seed in any::<u64>(),
        protected in prop::sample::select(vec![0.0, 0.5, 1.0]),
        profile in prop::sample::select(vec![Profile::Landed, Profile::Seed]),
        requeue in prop::sample::select(ORDERS.to_vec()),
    ) {
        let settings = Settings { profile, ..settings([30000, 20000], protected, false) };
        let scheduling = Scheduling::from(settings);
        let world = (&scheduling, &clusters, &workload);
        let decider = HashDecider::new(seed);
        let grants = Arc::clone(&decider.grants);
        let ran = run(world, decider, requeue, false);
        let skipping = run(world, HashDecider::new(seed), requeue, true);
        prop_assert_eq!(&ran.log, &skipping.log);
        prop_assert_eq!((ran.end, ran.unfinished), (skipping.end, skipping.unfinished));
        follow(&ran, &workload, &grants.lock().unwrap())?;
    }

    #[test]
    fn without_retries_every_job_starts_at_most_once(
        (clusters, workload) in worlds(),
        profile in prop::sample::select(vec![Profile::Landed, Profile::Seed]),
    ) {
        let settings = Settings { profile, ..settings([30000, 20000], 0.0, false) };
        let scheduling = Scheduling::from(settings);
        let ran = run((&scheduling, &clusters, &workload), NoRetries, Requeue::Original, true);
        prop_assert!(ran.log.events.iter().all(|event| event.attempt == 0 && event.kind != Requeued));
        let mut starts = BTreeSet::new();
        for event in ran.log.events.iter().filter(|event| event.kind == Leased) {
            prop_assert!(starts.insert((event.template, event.number)), "{:?}", event);
        }
    }
}

/// Checks the events of a run against what was granted.
fn follow(ran: &Ran, workload: &Workload, grants: &Grants) -> Result<(), TestCaseError> {
    let mut lives: BTreeMap<_, Vec<EventKind>> = BTreeMap::new();
    let mut starts: BTreeMap<_, BTreeSet<u32>> = BTreeMap::new();
    let mut used: HashMap<(usize, usize), i64> = HashMap::new();
    let (mut allocated, mut spent) = (HashMap::<_, i128>::new(), HashMap::<_, i128>::new());
    for event in &ran.log.events {
        let template = &workload.templates[event.template];
        let job = (event.template, event.number);
        let key = (event.template, event.number, event.attempt);
        let life = lives.entry(key).or_default();
        life.push(event.kind);
        let first = if event.attempt == 0 { Submitted } else { Requeued };
        let ends = [Preempted, Succeeded, Failed, Stopped].map(|end| [first, Leased, end]);
        prop_assert!(ends.iter().any(|whole| whole.starts_with(life)), "{:?} {:?}", event, life);
        let request = template.shape.request.as_slice()[0];
        match (event.kind, event.node) {
            (Leased, Some(node)) => {
                let in_use = used.entry(node).or_default();
                *in_use += request;
                prop_assert!(*in_use <= 8, "{:?}", event);
                if let Some((retry_after, avoided)) = grants.get(&key) {
                    prop_assert!(event.time >= *retry_after, "{:?}", event);
                    prop_assert!(!avoided.contains(&ran.nodes[node.0][node.1]), "{:?}", event);
                    prop_assert_eq!(event.waiting_since, *retry_after);
                }
                let members = template.gang.as_ref().map_or(1, |gang| gang.cardinality);
                let gang = event.number / u32::try_from(members).unwrap();
                starts
                    .entry((event.template, gang, event.attempt, event.time))
                    .or_default()
                    .insert(event.number);
            }
            (Submitted | Requeued | Leased, _) => {}
            (_, Some(node)) => {
                *used.entry(node).or_default() -= request;
                *allocated.entry(job).or_default() += i128::from(event.allocated());
                prop_assert!(event.time + event.hold <= ran.end.time, "{:?}", event);
            }
            (_, None) => prop_assert!(false, "{:?}", event),
        }
    }
    check_capacity(&ran.log, workload)?;
    check_stickiness(&ran.log, workload)?;
    // No gang starts in part.
    for ((template, ..), members) in &starts {
        let gang = workload.templates[*template].gang.as_ref();
        prop_assert_eq!(members.len(), gang.map_or(1, |gang| gang.cardinality));
    }
    // Useful, lost and overhead time of each job that has ended is what its runs held.
    let mut over = BTreeSet::new();
    for run in &ran.log.settled {
        let job = (run.event.template, run.event.number);
        let Spent { useful, lost, overhead } = run.spent;
        *spent.entry(job).or_default() +=
            i128::from(useful) + i128::from(lost) + i128::from(overhead);
        if run.outcome.is_some() {
            prop_assert!(over.insert(job), "{:?}", run);
        }
    }
    for job in &over {
        prop_assert_eq!(spent[job], allocated[job], "{:?}", job);
    }
    let last = ran.log.events.iter().filter(|event| event.kind == Leased);
    let running =
        last.filter(|event| lives[&(event.template, event.number, event.attempt)].len() == 2);
    let since = |event: &Event| (ran.end.time - event.time - event.held).max(0);
    let running: i128 = running.map(|event| i128::from(since(event))).sum();
    let all = spent.values().sum::<i128>() + ran.unfinished;
    prop_assert_eq!(all, allocated.values().sum::<i128>() + running);
    Ok(())
}
