//! Fair shares: the cost of an allocation, and the entitlement of each queue (docs/scheduler.md, The order).
//!
//! Source: Armada, `internal/scheduler/scheduling/fairness/fairness.go` and `UpdateFairShares` in
//! `context/scheduling.go`; the costs of the profile `seed`: its design.

use super::resources::{Amounts, CPU, GPU, MEMORY, ResourceTypes};
use super::settings::{Profile, SeedSettings, Settings};

/// The cost of allocations in a pool.
#[derive(Debug, Clone)]
pub struct Costs {
    total: Amounts,
    rule: CostRule,
}

/// The rule by which amounts make a cost.
#[derive(Debug, Clone)]
enum CostRule {
    /// Dominant resource fairness: the largest fraction that an allocation uses of any resource of the pool,
    /// each times its multiplier.
    Dominant { multipliers: Vec<f64> },
    /// Asset fairness: a weighted sum, divided by that of the pool.
    Sum { weights: Vec<f64>, of_pool: f64 },
}

impl Costs {
    /// Creates the costs in a pool with this much of each resource, by the rule of the scheduler's profile.
    pub fn new(settings: &Settings, total: Amounts) -> Self {
        let rule = match settings.profile {
            Profile::Landed => CostRule::Dominant { multipliers: settings.multipliers.clone() },
            Profile::Seed => {
                let weights = seed_weights(&settings.resources, settings.seed);
                let of_pool = weighted_sum(&total, &weights);
                CostRule::Sum { weights, of_pool }
            }
        };
        Self { total, rule }
    }

    /// Returns the cost of an allocation: 0 to 1 if it fits into the pool and multipliers are 1.
    pub fn cost(&self, allocation: &Amounts) -> f64 {
        match &self.rule {
            CostRule::Dominant { multipliers } => {
                largest_fraction(allocation, &self.total, multipliers)
            }
            // A pool without cores, GPUs and memory: any quotient would be no number.
            CostRule::Sum { of_pool, .. } if *of_pool == 0.0 => 0.0,
            CostRule::Sum { weights, of_pool } => weighted_sum(allocation, weights) / of_pool,
        }
    }

    /// Returns the maximum share that a queue with this demand can use: all of a pool without resources.
    fn demand(&self, demand: &Amounts) -> f64 {
        // Armada's demand of a pool without resources is all of it.
        let is_empty = match &self.rule {
            CostRule::Dominant { .. } => self.total.as_slice().iter().all(|amount| *amount == 0),
            CostRule::Sum { of_pool, .. } => *of_pool == 0.0,
        };
        if is_empty { 1.0 } else { self.cost(demand) }
    }
}

#[expect(clippy::cast_precision_loss, reason = "as in Go")]
fn largest_fraction(allocation: &Amounts, total: &Amounts, multipliers: &[f64]) -> f64 {
    let fraction = |(amount, total): (&i64, &i64)| match *total {
        0 => 0.0,
        total => *amount as f64 / total as f64,
    };
    let fractions = allocation.as_slice().iter().zip(total.as_slice()).map(fraction);
    fractions.zip(multipliers).map(|(of, multiplier)| of * multiplier).fold(0.0, f64::max)
}

#[expect(clippy::cast_precision_loss, reason = "amounts far below 53 bits")]
fn weighted_sum(amounts: &Amounts, weights: &[f64]) -> f64 {
    amounts.as_slice().iter().zip(weights).map(|(amount, weight)| *amount as f64 * weight).sum()
}

/// Returns the cost of one unit of each resource: a core costs 1, a GPU and a GiB of memory their weights.
fn seed_weights(resources: &ResourceTypes, seed: SeedSettings) -> Vec<f64> {
    const GIB: f64 = 1_073_741_824.0;
    let weight = |(position, name): (usize, &String)| {
        let per_base_unit = match name.as_str() {
            CPU => 1.0,
            GPU => seed.gpu_weight,
            MEMORY => seed.ram_weight / GIB,
            _ => 0.0,
        };
        per_base_unit * resources.base_unit(position)
    };
    resources.names().iter().enumerate().map(weight).collect()
}

/// The shares of a queue, in fractions of its pool.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Shares {
    /// The weight as a fraction of the weight of all queues.
    pub fair: f64,
    /// The fair share with a part of the unused shares of others, up to the queue's demand.
    pub demand_capped: f64,
    /// The share that the queue would have with unlimited demand.
    pub uncapped: f64,
    /// The cost of its demand.
    pub demand: f64,
}

/// The inputs of a queue's share: its weight, and its demand within its limits.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The weight; above 0.
    pub weight: f64,
    /// The demand.
    pub demand: &'a Amounts,
}

/// The maximum number of rounds in which unused shares are distributed, as in Armada.
const MAX_ROUNDS: usize = 10;

/// The part of a pool that may stay undistributed, as in Armada.
const MAX_UNSHARED: f64 = 0.01;

/// Returns the shares of queues, which are sorted by name: sums are in that order, so that results are equal
/// to the last bit.
pub fn shares(costs: &Costs, claims: &[Claim<'_>]) -> Vec<Shares> {
    let sum: f64 = claims.iter().map(|claim| claim.weight).sum();
    let mut shares: Vec<Shares> = claims
        .iter()
        .map(|claim| Shares {
            fair: claim.weight / sum,
            // Reported as it is, while the shares use the demand of an empty pool.
            demand: costs.cost(claim.demand),
            ..Shares::default()
        })
        .collect();
    let claim_share = |claim: &Claim<'_>| SharingState {
        demand: costs.demand(claim.demand),
        ..SharingState::default()
    };
    let mut sharing: Vec<SharingState> = claims.iter().map(claim_share).collect();
    let mut unallocated = 1.0;
    for _ in 0..MAX_ROUNDS {
        if unallocated <= MAX_UNSHARED {
            break;
        }
        match share_round(claims, &mut shares, &mut sharing, unallocated) {
            Some(unshared) => unallocated = unshared,
            None => break,
        }
    }
    shares
}

/// A queue during the computation of shares.
#[derive(Debug, Clone, Copy, Default)]
struct SharingState {
    /// The maximum share that it can use.
    demand: f64,
    /// Whether it has as much as it demands.
    is_satisfied: bool,
    /// The share that it left unused in the last round.
    spare: f64,
}

/// Distributes the unallocated share; returns the rest, or `None` if all queues are satisfied.
fn share_round(
    claims: &[Claim<'_>],
    shares: &mut [Shares],
    sharing: &mut [SharingState],
    unallocated: f64,
) -> Option<f64> {
    let wanting = claims.iter().zip(sharing.iter()).filter(|(_, state)| !state.is_satisfied);
    let total: f64 = wanting.map(|(claim, _)| claim.weight).sum();
    for ((claim, share), state) in claims.iter().zip(shares.iter_mut()).zip(sharing.iter()) {
        let with_this = if state.is_satisfied { total + claim.weight } else { total };
        // With unlimited demand the queue would use this share.
        share.uncapped += claim.weight / with_this * (unallocated - state.spare);
    }
    if total <= 0.0 {
        return None;
    }
    let mut unshared = 0.0;
    for ((claim, share), state) in claims.iter().zip(shares.iter_mut()).zip(sharing.iter_mut()) {
        if !state.is_satisfied {
            share.demand_capped += claim.weight / total * unallocated;
        }
        state.spare = (share.demand_capped - state.demand).max(0.0);
        if state.spare > 0.0 {
            share.demand_capped = state.demand;
            state.is_satisfied = true;
            unshared += state.spare;
        }
    }
    Some(unshared)
}
