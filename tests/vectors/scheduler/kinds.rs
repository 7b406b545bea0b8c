//! How a round did what it did: the way in which each job got or lost its place, and how many jobs
//! of each queue were evicted and placed again.

use super::read;
use cluster::round::{self, Method, Outcome, PreemptionKind, Trace};
use cluster::state::PoolState;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Runs a round and compares methods and kinds of preemption.
pub fn run_methods(case: &Value) -> Result<(), String> {
    let mut state = read::state(&case["in"]);
    let outcome = round::run(state.input());
    methods(&state, &outcome, &case["out"]).map_or(Ok(()), Err)
}

/// Runs a round with a record of it and compares methods, kinds of preemption and evictions.
pub fn run(case: &Value) -> Result<(), String> {
    let mut state = read::state(&case["in"]);
    let (outcome, trace) = round::run_traced(state.input());
    let answers =
        case["outAny"].as_array().map_or_else(|| vec![&case["out"]], |all| all.iter().collect());
    let differ = |answer: &&Value| {
        let evictions = || evictions(&state, &outcome, &trace, answer);
        methods(&state, &outcome, answer).or_else(evictions)
    };
    let all: Option<Vec<String>> = answers.iter().map(differ).collect();
    all.map_or(Ok(()), |all| Err(all.join(" | or ")))
}

fn methods(state: &PoolState, outcome: &Outcome, expected: &Value) -> Option<String> {
    let id = |job: u32| state.job_ids[job as usize].as_str();
    let method = |(job, place): (&u32, &round::Placement)| {
        let method = match place.method {
            Method::NoPreemption => "no-preemption",
            Method::FairShare => "fairshare",
            Method::Urgency => "urgency",
            Method::Away => "away",
            Method::Rescheduled => "rescheduled",
        };
        let wanted = &expected["scheduled"][id(*job)][2];
        (wanted != method).then(|| format!("{}: {method}, not {wanted}", id(*job)))
    };
    let kind = |(job, preemption): (&u32, &round::Preemption)| {
        let (kind, by) = match preemption.kind {
            PreemptionKind::FairShare => ("fairshare", preemption.by.map_or("", id)),
            // Upstream names the job of a fair-share preemption alone.
            PreemptionKind::Urgency => ("urgency", ""),
            PreemptionKind::Unknown => ("unknown", ""),
            PreemptionKind::UnknownGang => ("unknown-gang", ""),
        };
        let ours = json!([state.nodes.get(preemption.node).spec.id, kind, by]);
        let theirs = &expected["preempted"][id(*job)];
        (ours != *theirs).then(|| format!("{}: {ours}, not {theirs}", id(*job)))
    };
    let scheduled = || outcome.scheduled.iter().find_map(method);
    let preempted = || outcome.preempted.iter().find_map(kind);
    scheduled().or_else(preempted)
}

/// Compares how many jobs of each queue were evicted first, and how many evicted ones were kept.
fn evictions(
    state: &PoolState,
    outcome: &Outcome,
    trace: &Trace,
    expected: &Value,
) -> Option<String> {
    let queue = |job: u32| state.jobs[job as usize].queue;
    let first = trace.first_evictions().iter().map(|eviction| eviction.job);
    let first: Vec<u32> = first.collect();
    let mut times: HashMap<u32, usize> = HashMap::new();
    for eviction in &trace.evictions {
        *times.entry(eviction.job).or_default() += 1;
    }
    state.queue_names.iter().enumerate().find_map(|(at, name)| {
        let evicted = first.iter().filter(|job| queue(**job) == Some(at)).count();
        // Upstream counts a job that was evicted twice as one that starts.
        let is_kept = |(job, times): &(&u32, &usize)| {
            let is_running = state.jobs[**job as usize].run.is_some();
            let is_preempted = outcome.preempted.contains_key(*job);
            queue(**job) == Some(at) && **times == 1 && is_running && !is_preempted
        };
        let kept = times.iter().filter(is_kept).count();
        let ours = [evicted, kept];
        let theirs = ["evicted", "rescheduled"]
            .map(|key| expected["queues"][name][key].as_u64().unwrap_or_default());
        (ours.map(|count| count as u64) != theirs)
            .then(|| format!("queue {name}: evicted and kept {ours:?}, not {theirs:?}"))
    })
}
