//! Detection of templates whose jobs fit no node, even in an empty cluster.

use super::pool::Pool;
use super::template_states;
use crate::cluster::job::{Gang, Job, JobIndex, Shape};
use crate::cluster::resources::Amounts;
use crate::cluster::round::{self, QueueInput, Refusal, RoundInput};
use crate::cluster::scheduling::Scheduling;
use crate::cluster::spec::{ClusterSpec, GangTemplate, Workload};
use std::collections::HashMap;

/// A shape, and the cardinality and label of gangs.
type Need<'w> = (usize, Option<(usize, &'w str)>);

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
    let mut tested: HashMap<Need<'_>, Option<Refusal>> = HashMap::new();
    let each = workload.templates.iter().zip(&templates).enumerate();
    each.filter_map(|(position, (template, state))| {
        let gang = template.gang.as_ref();
        if gang.is_some_and(|gang| gang.cardinality > MAX_MEMBERS) {
            return None;
        }
        let key = gang.map(|gang| (gang.cardinality, gang.uniformity_label.as_str()));
        let refusal = tested.entry((state.shape, key)).or_insert_with(|| {
            let shape = std::slice::from_ref(&shapes[state.shape]);
            let mut refusals = pools.iter_mut().map(|pool| place(pool, shape, gang));
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

/// Runs a round of an empty pool with one job or gang; `None` if it can start.
fn place(pool: &mut Pool, shapes: &[Shape], gang: Option<&GangTemplate>) -> Option<Refusal> {
    let cardinality = gang.map_or(1, |gang| gang.cardinality);
    let members: Vec<JobIndex> = (0..).take(cardinality).collect();
    let job = Job {
        queue: Some(0),
        shape: 0,
        priority: 0,
        submitted: 0,
        gang: gang.map(|_| 0),
        run: None,
    };
    let gangs = gang.map(|gang| Gang {
        cardinality,
        uniformity_label: Some(gang.uniformity_label.clone()),
        members: members.clone(),
    });
    let types = pool.settings.resources.names().len();
    let classes = pool.settings.classes.len();
    let queue = QueueInput {
        weight: 1.0,
        is_active: true,
        is_cordoned: false,
        tokens: None,
        limits: vec![Amounts::from_iter(vec![i64::MAX; types]); classes],
        allocated: vec![pool.settings.resources.zero(); classes],
        demand: pool.settings.resources.zero(),
        queued: members,
    };
    let outcome = round::run(RoundInput {
        settings: &pool.settings,
        total: pool.total.clone(),
        jobs: &vec![job; cardinality],
        shapes,
        gangs: gangs.as_slice(),
        nodes: &mut pool.nodes,
        queues: vec![queue],
        tokens: None,
        seed: 0,
        number: 0,
        priorities: &mut HashMap::new(),
    });
    for (member, placement) in &outcome.scheduled {
        pool.nodes.remove(placement.node, *member, &shapes[0].request);
    }
    let is_refused = outcome.scheduled.is_empty();
    is_refused.then(|| outcome.refused.reasons().next().cloned().unwrap_or(Refusal::NoNode))
}
