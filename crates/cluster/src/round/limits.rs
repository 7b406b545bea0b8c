//! Limits on new jobs: those of the round, of rates and bursts, and of queues; and on all jobs: floating resources.
//!
//! Source: Armada, `internal/scheduler/scheduling/constraints/constraints.go` and
//! `internal/scheduler/floatingresources/floating_resource_types.go`.

use super::input::QueueInput;
use super::refusal::Refusal;
use crate::resources::Amounts;
use crate::settings::{Floating, Settings};

/// A token bucket during a round, in which nothing refills it.
#[derive(Debug, Clone, Copy)]
struct Tokens {
    remaining: f64,
    burst: f64,
}

/// The reasons for which a bucket refuses a gang.
enum Shortage {
    Empty,
    Burst,
    TooFew,
}

impl Tokens {
    /// Creates a bucket with these tokens, or a full one if they are absent; without a burst it has no limit.
    fn new(tokens: Option<f64>, burst: Option<u32>) -> Self {
        let burst = burst.map_or(f64::INFINITY, f64::from);
        Self { remaining: tokens.unwrap_or(burst), burst }
    }

    fn shortage(self, size: usize) -> Option<Shortage> {
        let size = count(size);
        if self.remaining < 1.0 {
            Some(Shortage::Empty)
        } else if self.burst < size {
            Some(Shortage::Burst)
        } else {
            (self.remaining < size).then_some(Shortage::TooFew)
        }
    }

    fn take(&mut self, tokens: usize) {
        self.remaining -= count(tokens);
    }
}

#[expect(clippy::cast_precision_loss, reason = "members of a gang")]
fn count(jobs: usize) -> f64 {
    jobs as f64
}

/// Checks that all jobs of a pool, with this allocation of each queue, have at most what the pool has of its floating
/// resources. As in Armada, only gangs that request one are refused; `requests` are those of the members.
pub(super) fn check_floating<'q>(
    settings: &Settings,
    mut requests: impl Iterator<Item = &'q Amounts>,
    allocated: impl Iterator<Item = &'q Amounts>,
) -> Result<(), Refusal> {
    let amount = |amounts: &Amounts, position: usize| {
        amounts.as_slice().get(position).copied().unwrap_or_default()
    };
    let Some(Floating { pool, available }) = &settings.floating else { return Ok(()) };
    let floating = || settings.resources.floating();
    if !requests.any(|request| floating().any(|(position, _)| amount(request, position) > 0)) {
        return Ok(());
    }
    if available.as_slice().iter().all(|amount| *amount == 0) {
        return Err(Refusal::NoFloating { pool: pool.clone() });
    }
    let mut sum = settings.resources.zero();
    allocated.for_each(|of_queue| sum.add(of_queue));
    match floating().find(|(position, _)| amount(&sum, *position) > amount(available, *position)) {
        None => Ok(()),
        Some((_, resource)) => {
            Err(Refusal::FloatingShortage { resource: resource.to_owned(), pool: pool.clone() })
        }
    }
}

/// The limits of a round, and their use so far.
#[derive(Debug)]
pub(super) struct Limits {
    tokens: Tokens,
    queues: Vec<QueueLimits>,
    /// The amounts that new jobs got in the round, and the limit above which no other new job is tried.
    scheduled: Amounts,
    max_scheduled: Amounts,
}

/// The limits of a queue.
#[derive(Debug)]
struct QueueLimits {
    is_cordoned: bool,
    tokens: Tokens,
    tokens_taken: u32,
    /// The maximum allocation of its jobs, by class.
    limits: Vec<Amounts>,
}

impl Limits {
    pub(super) fn new(
        settings: &Settings,
        total: &Amounts,
        tokens: Option<f64>,
        queues: &[QueueInput],
    ) -> Self {
        let of_queue = |queue: &QueueInput| QueueLimits {
            is_cordoned: queue.is_cordoned,
            tokens: Tokens::new(queue.tokens, settings.queue_burst),
            tokens_taken: 0,
            limits: queue.limits.clone(),
        };
        Self {
            tokens: Tokens::new(tokens, settings.burst),
            queues: queues.iter().map(of_queue).collect(),
            scheduled: settings.resources.zero(),
            max_scheduled: total.times(&settings.round_fractions),
        }
    }

    pub(super) fn add(&mut self, request: &Amounts) {
        self.scheduled.add(request);
    }

    /// Uncounts a new job.
    pub(super) fn subtract(&mut self, request: &Amounts) {
        self.scheduled.subtract(request);
    }

    /// Returns whether the round has exceeded its limit; the last gang may exceed it.
    pub(super) fn is_over_round_limit(&self) -> bool {
        !self.scheduled.fits(&self.max_scheduled)
    }

    /// Checks the limits of a new gang with this number of members. `allocated` is the allocation
    /// of its class in the queue, including the gang.
    pub(super) fn check(
        &self,
        size: usize,
        queue: usize,
        class: usize,
        allocated: &Amounts,
    ) -> Result<(), Refusal> {
        let queue = &self.queues[queue];
        if queue.is_cordoned {
            return Err(Refusal::Cordoned);
        }
        if let Some(shortage) = self.tokens.shortage(size) {
            return Err(match shortage {
                Shortage::Empty => Refusal::Rate,
                Shortage::Burst => Refusal::Burst,
                Shortage::TooFew => Refusal::RateForGang,
            });
        }
        if let Some(shortage) = queue.tokens.shortage(size) {
            return Err(match shortage {
                Shortage::Empty => Refusal::QueueRate,
                Shortage::Burst => Refusal::QueueBurst,
                Shortage::TooFew => Refusal::QueueRateForGang,
            });
        }
        if allocated.fits(&queue.limits[class]) { Ok(()) } else { Err(Refusal::QueueLimit) }
    }

    /// Returns the tokens that new jobs of a queue took.
    pub(super) fn tokens_taken(&self, queue: usize) -> u32 {
        self.queues[queue].tokens_taken
    }

    /// Takes the tokens of a new gang.
    pub(super) fn take_tokens(&mut self, size: usize, queue: usize) {
        self.tokens.take(size);
        let queue = &mut self.queues[queue];
        queue.tokens.take(size);
        let taken = u32::try_from(size).unwrap_or(u32::MAX);
        queue.tokens_taken = queue.tokens_taken.saturating_add(taken);
    }
}
