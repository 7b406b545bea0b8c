//! Refusals and reasons as sentences.

use super::explanation::NodeRow;
use cluster::job::Shape;
use cluster::requirements::Taint;
use cluster::round::{Method, NodeGroup, NodeReason, PreemptionKind, Refusal, UnplacedMember};
use cluster::state::PoolState;

/// A short text of a refusal.
pub(super) fn brief(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::NoNode => "fits no node",
        Refusal::GangWithoutNode => "a member of its gang fits no node",
        Refusal::UniformGangWithoutNode => "its gang fits no nodes with one value of its label",
        Refusal::LabelNotIndexed(_) => "the label of its gang is not indexed",
        Refusal::LabelWithoutValues(_) => "no node has the label of its gang",
        Refusal::RoundLimit => "the round has scheduled as much as it may",
        Refusal::QueueLimit => "the queue has as much of its class as it may",
        Refusal::Cordoned => "the queue is cordoned",
        Refusal::Rate => "the global rate limit is reached",
        Refusal::RateForGang => "the gang is larger than the global rate still allows",
        Refusal::Burst => "the gang is larger than a burst",
        Refusal::QueueRate => "the queue's rate limit is reached",
        Refusal::QueueRateForGang => "the gang is larger than the queue's rate still allows",
        Refusal::QueueBurst => "the gang is larger than a burst of the queue",
        Refusal::NoFloating { .. } => "the pool has no floating resources",
        Refusal::FloatingShortage { .. } => "a floating resource of the pool is used up",
    }
}

/// The reason of a refusal that ends a round or a queue: after it no other new job is tried.
pub(super) fn end(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::RoundLimit => "the round had scheduled maximumResourceFractionToSchedule",
        Refusal::Rate => "the tokens of maximumSchedulingRate were used up",
        Refusal::QueueRate => "the queue's tokens of maximumPerQueueSchedulingRate were used up",
        Refusal::Cordoned => "the queue is cordoned",
        other => brief(other),
    }
}

/// The correction by which an operator can avoid a refusal; `None` if there is none.
pub(super) fn way_out(refusal: &Refusal) -> Option<&'static str> {
    Some(match refusal {
        Refusal::LabelNotIndexed(_) => "Add the label to indexedNodeLabels.",
        Refusal::QueueLimit => {
            "The limit is maximumResourceFractionPerQueue of its class, or the queue's own."
        }
        Refusal::Burst => "A gang this large never starts: raise maximumSchedulingBurst.",
        Refusal::QueueBurst => {
            "A gang this large never starts: raise maximumPerQueueSchedulingBurst."
        }
        Refusal::NoFloating { .. } => "Add the pool to `pools` of an entry of floatingResources.",
        _ => return None,
    })
}

pub(super) fn method(method: Method) -> &'static str {
    match method {
        Method::NoPreemption => "no-preemption",
        Method::FairShare => "fairshare",
        Method::Urgency => "urgency",
        Method::Away => "away",
        Method::Rescheduled => "rescheduled",
    }
}

pub(super) fn preemption(kind: PreemptionKind) -> &'static str {
    match kind {
        PreemptionKind::FairShare => "fairshare",
        PreemptionKind::Urgency => "urgency",
        PreemptionKind::Unknown => "unknown",
        PreemptionKind::UnknownGang => "unknown-gang",
    }
}

/// The request of a shape: `8 cpu, 16Gi memory`.
pub(super) fn requests(state: &PoolState, shape: &Shape) -> String {
    let resources = &state.settings.resources;
    let amounts = shape.request.as_slice().iter().zip(resources.names()).enumerate();
    let some = amounts.filter(|(_, (amount, _))| **amount != 0);
    let texts =
        some.map(|(at, (_, name))| format!("{} {name}", resources.text(&shape.request, at)));
    let all: Vec<String> = texts.collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
}

/// The nodes that a job could not use, grouped by reason. For a gang with a label, nodes without the label
/// are a group.
pub(super) fn nodes(
    state: &PoolState,
    unplaced: &UnplacedMember,
    is_uniform: bool,
) -> Vec<NodeRow> {
    let shape = &state.shapes[state.jobs[unplaced.job as usize].shape];
    let mut rows: Vec<NodeRow> =
        unplaced.nodes.iter().map(|group| row(state, shape, group)).collect();
    let counted: usize = rows.iter().map(|row| row.count).sum();
    let rest = state.nodes.len().saturating_sub(counted);
    if is_uniform && rest > 0 {
        rows.push(NodeRow {
            kind: "UniformityLabel",
            reason: "without the label of the gang".to_owned(),
            count: rest,
            example: None,
        });
    }
    rows
}

fn row(state: &PoolState, shape: &Shape, group: &NodeGroup) -> NodeRow {
    let resources = &state.settings.resources;
    let amounts = |resource: usize| {
        let most = resources.amount_text(group.most, resource);
        (resources.names()[resource].as_str(), most, resources.text(&shape.request, resource))
    };
    let (kind, reason) = match &group.reason {
        NodeReason::Unschedulable => ("Unschedulable", "unschedulable".to_owned()),
        NodeReason::Taint(taint) => {
            ("Taint", format!("taint {} is not tolerated", taint_text(taint)))
        }
        NodeReason::Label { key, value } => ("Label", format!("without the label {key}={value}")),
        NodeReason::Affinity => ("Affinity", "the affinity does not hold".to_owned()),
        NodeReason::TooSmall { resource } => {
            let (name, most, requested) = amounts(*resource);
            let reason = format!("too small: {requested} {name} requested, {most} at most");
            ("TooSmall", reason)
        }
        NodeReason::InUse { resource, priority } => {
            let (name, most, requested) = amounts(*resource);
            let state = if group.most < 0 { "overcommitted" } else { "in use" };
            let reason = format!(
                "{state}: {requested} {name} requested, {most} free at most at priority {priority}"
            );
            ("InUse", reason)
        }
        NodeReason::PassedOver { resource } => {
            ("PassedOver", passed_over(state, shape, group, *resource))
        }
    };
    let example = Some(state.nodes.get(group.example).spec.id.clone());
    NodeRow { kind, reason, count: group.count, example }
}

/// The reason that the search passed over nodes on which a job fits.
fn passed_over(
    state: &PoolState,
    shape: &Shape,
    group: &NodeGroup,
    resource: Option<usize>,
) -> String {
    let is_of = |position: usize| resource == Some(position);
    let indexed = state.settings.indexed_resources.iter().find(|by| is_of(by.position));
    let Some(by) = indexed else {
        return "skipped by the search, which rounds free amounts down".to_owned();
    };
    let (resources, at) = (&state.settings.resources, by.position);
    let rounded = group.most / by.resolution * by.resolution;
    format!(
        "skipped: {} {} requested, {} free at most, which counts as {}: the resolution in indexedResources \
         is {}",
        resources.text(&shape.request, at),
        resources.names()[at],
        resources.amount_text(group.most, at),
        resources.amount_text(rounded, at),
        resources.amount_text(by.resolution, at),
    )
}

fn taint_text(taint: &Taint) -> String {
    match taint.value.as_str() {
        "" => format!("{}:{}", taint.key, taint.effect),
        value => format!("{}={value}:{}", taint.key, taint.effect),
    }
}
