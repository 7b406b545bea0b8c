//! Costs of allocations, and the shares that queues are entitled to.

use super::model::{Amounts, Figures, Pool};

/// The dominant share of an allocation.
pub fn cost(pool: &Pool, allocation: &Amounts) -> f64 {
    let mut cost = 0.0_f64;
    for (at, amount) in allocation.iter().enumerate() {
        if pool.total[at] != 0 {
            let share = float(*amount) / float(pool.total[at]) * pool.settings.multipliers[at];
            cost = cost.max(share);
        }
    }
    cost
}

/// The shares of all queues, without the costs.
pub fn shares(pool: &Pool) -> Vec<Figures> {
    let is_empty = pool.total.iter().all(|amount| *amount == 0);
    let weights: f64 = pool.queues.iter().map(|queue| queue.weight).sum();
    let entitled = |weight: f64, demand: &Amounts| Figures {
        fair: weight / weights,
        demand: cost(pool, demand),
        ..Figures::default()
    };
    let mut all: Vec<Figures> =
        pool.queues.iter().map(|queue| entitled(queue.weight, &queue.demand)).collect();
    let mut spare = vec![0.0; all.len()];
    let mut is_full = vec![false; all.len()];
    let mut free = 1.0;
    for _ in 0..10 {
        if free <= 0.01 {
            break;
        }
        let hungry: f64 =
            (0..all.len()).filter(|at| !is_full[*at]).map(|at| pool.queues[at].weight).sum();
        for at in 0..all.len() {
            let weight = pool.queues[at].weight;
            let others = if is_full[at] { hungry + weight } else { hungry };
            all[at].uncapped += (weight / others) * (free - spare[at]);
        }
        if hungry <= 0.0 {
            break;
        }
        for at in 0..all.len() {
            if !is_full[at] {
                all[at].demand_capped += (pool.queues[at].weight / hungry) * free;
            }
        }
        free = 0.0;
        for at in 0..all.len() {
            // A pool without capacity counts as wanted whole.
            let demand = if is_empty { 1.0 } else { all[at].demand };
            spare[at] = (all[at].demand_capped - demand).max(0.0);
            if spare[at] > 0.0 {
                all[at].demand_capped = demand;
                is_full[at] = true;
                free += spare[at];
            }
        }
    }
    all
}

#[expect(clippy::cast_precision_loss, reason = "shares are as exact as a float is")]
pub fn float(amount: i64) -> f64 {
    amount as f64
}
