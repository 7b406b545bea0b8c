//! Shares over time: the entitled and the actual ones of queues.

use super::waits::seconds;
use super::{FairnessFigures, Figure, PoolFigures};
use crate::events::PoolRound;
use crate::round::QueueOutcome;
use crate::spec::Nanoseconds;

/// The shares of a pool's queues over time. The shares of a round apply until the next one.
#[derive(Debug, Clone)]
pub(super) struct Meter {
    since: Nanoseconds,
    queues: Vec<QueueMeter>,
}

#[derive(Debug, Clone, Default)]
struct QueueMeter {
    /// The current shares.
    entitled: f64,
    actual: f64,
    has_demand: bool,
    /// Sums over time, in seconds.
    entitled_sum: f64,
    actual_sum: f64,
    missing_sum: f64,
    /// The current time with less than half of its share, and the longest such time.
    below_half: Nanoseconds,
    longest_below_half: Nanoseconds,
}

impl QueueMeter {
    fn advance(&mut self, time: Nanoseconds) {
        let elapsed = seconds(time.into());
        self.entitled_sum += self.entitled * elapsed;
        self.actual_sum += self.actual * elapsed;
        self.missing_sum += (self.entitled - self.actual).max(0.0) * elapsed;
        let is_below = self.has_demand && self.actual < self.entitled / 2.0;
        // The longest time without a break counts, so that it begins anew.
        self.below_half = if is_below { self.below_half.saturating_add(time) } else { 0 };
        self.longest_below_half = self.longest_below_half.max(self.below_half);
    }

    fn set(&mut self, outcome: &QueueOutcome, entitled: f64) {
        self.entitled = entitled;
        self.actual = outcome.cost_after;
        self.has_demand = outcome.shares.demand > 0.0;
    }
}

impl Meter {
    pub(super) fn new(queues: usize) -> Self {
        Self { since: 0, queues: vec![QueueMeter::default(); queues] }
    }

    /// Adds the time since the last round, and sets the shares of this one.
    pub(super) fn round(&mut self, round: &PoolRound<'_>) {
        self.advance_until(round.time);
        let queues = self.queues.iter_mut().zip(&round.outcome.queues).zip(round.entitled);
        for ((queue, outcome), entitled) in queues {
            queue.set(outcome, *entitled);
        }
    }

    fn advance_until(&mut self, time: Nanoseconds) {
        let elapsed = time - self.since;
        self.queues.iter_mut().for_each(|queue| queue.advance(elapsed));
        self.since = time;
    }

    /// Returns the figures of the pool. The shares of the last round apply until the end.
    pub(super) fn figures(mut self, end: Nanoseconds, names: &[&str]) -> PoolFigures {
        self.advance_until(end);
        let duration = seconds(end.into());
        // A mean over zero time is undefined.
        let mean = |sum: f64| (duration > 0.0).then(|| Figure(sum / duration));
        let of_queue = |queue: &QueueMeter| FairnessFigures {
            entitled: mean(queue.entitled_sum),
            actual: mean(queue.actual_sum),
            fairness_error: mean(queue.missing_sum),
            jain: None,
            longest_below_half_share: Some(Figure(seconds(queue.longest_below_half.into()))),
        };
        let sum = |of: fn(&QueueMeter) -> f64| mean(self.queues.iter().map(of).sum());
        // In a pool the queue with the longest such time counts.
        let longest = self.queues.iter().map(|queue| queue.longest_below_half).max();
        PoolFigures {
            nodes: None,
            fairness: FairnessFigures {
                entitled: sum(|queue| queue.entitled_sum),
                actual: sum(|queue| queue.actual_sum),
                fairness_error: sum(|queue| queue.missing_sum),
                jain: self.jain(),
                longest_below_half_share: longest.map(|time| Figure(seconds(time.into()))),
            },
            queues: names
                .iter()
                .zip(&self.queues)
                .map(|(name, queue)| ((*name).to_owned(), of_queue(queue)))
                .collect(),
        }
    }

    /// Returns Jain's index of the ratios of actual to entitled shares: 1 if all queues have the same ratio,
    /// one over the number of queues if one queue has everything.
    fn jain(&self) -> Option<Figure> {
        let entitled = self.queues.iter().filter(|queue| queue.entitled_sum > 0.0);
        let parts: Vec<f64> = entitled.map(|queue| queue.actual_sum / queue.entitled_sum).collect();
        let sum: f64 = parts.iter().sum();
        let squares: f64 = parts.iter().map(|part| part * part).sum();
        (squares > 0.0).then(|| Figure(sum * sum / (Figure::from(parts.len() as u64).0 * squares)))
    }
}

/// Returns the means over pools; the longest time is the maximum over pools.
pub(super) fn over_pools(pools: &[&FairnessFigures]) -> FairnessFigures {
    let mean = |of: fn(&FairnessFigures) -> Option<Figure>| {
        let all: Vec<f64> = pools.iter().copied().filter_map(of).map(|figure| figure.0).collect();
        let count = Figure::from(all.len() as u64).0;
        (!all.is_empty()).then(|| Figure(all.iter().sum::<f64>() / count))
    };
    let longest = pools.iter().filter_map(|pool| pool.longest_below_half_share);
    FairnessFigures {
        entitled: mean(|pool| pool.entitled),
        actual: mean(|pool| pool.actual),
        fairness_error: mean(|pool| pool.fairness_error),
        jain: mean(|pool| pool.jain),
        longest_below_half_share: longest.map(|time| time.0).reduce(f64::max).map(Figure),
    }
}
