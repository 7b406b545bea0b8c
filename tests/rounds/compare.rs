//! Whether two rounds are equal.

use crate::oracle::model::{Figures, Outcome};
use cluster::round;
use cluster::state::PoolState;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Debug;

/// What a golden case expects.
pub fn expected(out: &Value) -> Outcome {
    let entries = |key: &str| out[key].as_object().into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let place = |(job, place): (&String, &Value)| {
        let priority = place[1].as_i64().expect("a priority");
        (job.clone(), (text(&place[0]), i32::try_from(priority).expect("a priority")))
    };
    let figures = |(queue, figures): (&String, &Value)| {
        let number = |key: &str| figures[key].as_f64().unwrap_or(f64::NAN);
        let figures = Figures {
            fair: number("fair"),
            demand_capped: number("demandCapped"),
            uncapped: number("uncapped"),
            demand: number("demandShare"),
            cost_before: number("costBefore"),
            cost_after: number("costAfter"),
        };
        (queue.clone(), figures)
    };
    Outcome {
        scheduled: entries("scheduled").map(place).collect(),
        preempted: entries("preempted").map(|(job, _)| job.clone()).collect(),
        refused: entries("unschedulable").map(|(job, why)| (job.clone(), text(why))).collect(),
        queues: entries("queues").map(figures).collect(),
    }
}

/// What the crate's round does, by names.
pub fn real(state: &mut PoolState) -> Outcome {
    let outcome = round::run(state.input());
    let id = |job: &u32| state.job_ids[*job as usize].clone();
    let node = |node: usize| state.nodes.get(node).spec.id.clone();
    let scheduled = outcome.scheduled.iter();
    let queues = state.queue_names.iter().zip(&outcome.queues);
    let figures = |(name, queue): (&String, &round::QueueOutcome)| {
        let figures = Figures {
            fair: queue.shares.fair,
            demand_capped: queue.shares.demand_capped,
            uncapped: queue.shares.uncapped,
            demand: queue.shares.demand,
            cost_before: queue.cost_before,
            cost_after: queue.cost_after,
        };
        (name.clone(), figures)
    };
    Outcome {
        scheduled: scheduled.map(|(job, at)| (id(job), (node(at.node), at.priority))).collect(),
        preempted: outcome.preempted.keys().map(id).collect(),
        refused: outcome.refused.iter().map(|(job, why)| (id(&job), why.to_string())).collect(),
        queues: queues.map(figures).collect(),
    }
}

/// The first kind of difference, if there is one.
pub fn differences(one: &Outcome, other: &Outcome) -> Option<String> {
    if one.scheduled != other.scheduled {
        return Some(format!("scheduled {}", sides(&one.scheduled, &other.scheduled)));
    }
    if one.preempted != other.preempted {
        let one_alone: Vec<_> = one.preempted.difference(&other.preempted).collect();
        let other_alone: Vec<_> = other.preempted.difference(&one.preempted).collect();
        return Some(format!("preempted {one_alone:?} against {other_alone:?}"));
    }
    if one.refused != other.refused {
        return Some(format!("refused {}", sides(&one.refused, &other.refused)));
    }
    if !one.queues.keys().eq(other.queues.keys()) {
        return Some(format!("queues {:?} against {:?}", one.queues, other.queues));
    }
    for (name, figures) in &one.queues {
        for ((key, a), (_, b)) in figures.by_name().iter().zip(other.queues[name].by_name()) {
            let is_equal = a.total_cmp(&b).is_eq() || (a - b).abs() <= 1e-9 * b.abs();
            if !is_equal {
                return Some(format!("queue {name}: {key} {a} against {b}"));
            }
        }
    }
    None
}

fn sides<V: PartialEq + Debug>(one: &BTreeMap<String, V>, other: &BTreeMap<String, V>) -> String {
    let one_alone = one.iter().filter(|(key, value)| other.get(*key) != Some(value));
    let other_alone = other.iter().filter(|(key, value)| one.get(*key) != Some(value));
    let first = |all: Vec<(&String, &V)>| format!("{:?}", &all[..all.len().min(4)]);
    format!("{} against {}", first(one_alone.collect()), first(other_alone.collect()))
}
