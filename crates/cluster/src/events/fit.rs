//! Detection of templates whose jobs fit no node, even in an empty cluster.

use super::pool::Pool;
use super::template_state::template_states;
use crate::job::{Gang, Job, JobIndex, Shape};
use crate::resources::Amounts;
use crate::round::{self, QueueInput, Refusal, RoundInput};
use crate::scheduling::Scheduling;
use crate::spec::{ClusterSpec, GangTemplate, Workload};
use std::collections::HashMap;
use std::sync::Arc;

/// A shape, and the cardinality and label of gangs.
type NeedKey<'w> = (usize, Option<(usize, &'w str)>);

/// The amounts of a pool that a job, or the members of a gang, need.
pub(super) struct Need<'n> {
    /// The shape of each member; of one job without a gang.
    pub(super) shapes: &'n [Shape],
    pub(super) gang: Option<&'n GangTemplate>,
    /// The nodes that each member avoids; empty if none avoids any.
    pub(super) avoided: Vec<Vec<usize>>,
}

/// The maximum size of gangs that are tried: a round needs memory for each member.
const MAX_MEMBERS: usize = 10_000;

/// Returns the templates whose jobs, or gangs, cannot start on an empty cluster in any pool, with the reason.
/// Limits of rounds, rates and queues are ignored; gangs of more than 10,000 members are not tried.
pub fn unschedulable(
    scheduling: &Scheduling,
    clusters: &ClusterSpec,
    workload: &Workload,
) -> Vec<(usize, Refusal)> {
    let mut pools = Pool::all(scheduling, clusters, 1);
    pools.iter_mut().for_each(remove_limits);
    let (shapes, templates) = template_states(workload);
    // Most templates have equal needs, so each need is tried once.
    let mut tested: HashMap<NeedKey<'_>, Option<Refusal>> = HashMap::new();
    let each = workload.templates.iter().zip(&templates).enumerate();
    each.filter_map(|(position, (template, state))| {
        let gang = template.gang.as_ref();
        if gang.is_some_and(|gang| gang.cardinality > MAX_MEMBERS) {
            return None;
        }
        let key = gang.map(|gang| (gang.cardinality, &*gang.uniformity_label));
        let refusal = tested.entry((state.shape, key)).or_insert_with(|| {
            let members = gang.map_or(1, |gang| gang.cardinality);
            let shapes = vec![shapes[state.shape].clone(); members];
            let need = Need { shapes: &shapes, gang, avoided: Vec::new() };
            let mut refusals = pools.iter_mut().map(|pool| place(pool, &need));
            refusals.try_fold(Refusal::NoNode, |_, refusal| refusal)
        });
        Some((position, refusal.clone()?))
    })
    .collect()
}

fn remove_limits(pool: &mut Pool) {
    let settings = &mut pool.settings;
    (settings.burst, settings.queue_burst, settings.queue_lookback) = (None, None, 0);
    settings.round_fractions.fill(f64::INFINITY);
}

/// Returns whether a job or gang can start in an empty pool.
pub(super) fn can_start(mut pool: Pool, need: &Need<'_>) -> bool {
    if need.shapes.len() > MAX_MEMBERS {
        return true;
    }
    remove_limits(&mut pool);
    place(&mut pool, need).is_none()
}

/// Runs a round of an empty pool with one job or gang; `None` if it can start.
fn place(pool: &mut Pool, need: &Need<'_>) -> Option<Refusal> {
    let Need { shapes, gang, avoided } = need;
    let members: Vec<JobIndex> = (0..).take(shapes.len()).collect();
    let job = |shape| Job {
        queue: Some(0),
        shape,
        priority: 0,
        submitted: 0,
        gang: gang.map(|_| 0),
        run: None,
    };
    let jobs: Vec<Job> = (0..shapes.len()).map(job).collect();
    let gangs = gang.map(|gang| Gang {
        cardinality: members.len(),
        uniformity_label: Some(Arc::clone(&gang.uniformity_label)),
        members: members.clone(),
    });
    let types = pool.settings.resources.names().len();
    let classes = pool.settings.classes.len();
    let queue = QueueInput {
        weight: 1.0,
        is_active: true,
        is_cordoned: false,
        tokens: None,
        // Without limits, since those of queues are not about nodes.
        limits: vec![Amounts::from_iter(vec![i64::MAX; types]); classes],
        allocated: vec![pool.settings.resources.zero(); classes],
        demand: pool.settings.resources.zero(),
        queued: members.clone(),
    };
    let outcome = round::run(RoundInput {
        settings: &pool.settings,
        total: pool.total.clone(),
        jobs: &jobs,
        shapes,
        gangs: gangs.as_slice(),
        nodes: &mut pool.nodes,
        queues: vec![queue],
        tokens: None,
        seed: 0,
        number: 0,
        priorities: &mut HashMap::new(),
        avoided: &members.into_iter().zip(avoided.iter().cloned()).collect(),
    });
    // The pool is used for the next need, and has to be empty again.
    for (member, placement) in &outcome.scheduled {
        pool.nodes.remove(placement.node, *member, &shapes[*member as usize].request);
    }
    let is_refused = outcome.scheduled.is_empty();
    is_refused.then(|| outcome.refused.reasons().next().cloned().unwrap_or(Refusal::NoNode))
}
