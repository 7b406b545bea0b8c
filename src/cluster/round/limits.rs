//! Limits on new jobs: of the round, of rates and bursts, of queues.
//!
//! Source: Armada, `internal/scheduler/scheduling/constraints/constraints.go`.

use super::candidates::Candidate;
use super::{Refusal, Round};

/// A token bucket during a round, in which nothing refills it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tokens {
    left: f64,
    burst: f64,
}

/// The reasons for which a bucket refuses a gang.
pub(super) enum Shortage {
    Empty,
    Burst,
    TooFew,
}

impl Tokens {
    /// A bucket with these tokens, full if that is not given; without a burst it has no limit.
    pub(super) fn new(tokens: Option<f64>, burst: Option<u32>) -> Self {
        let burst = burst.map_or(f64::INFINITY, f64::from);
        Self { left: tokens.unwrap_or(burst), burst }
    }

    fn shortage(self, wanted: usize) -> Option<Shortage> {
        let wanted = count(wanted);
        if self.left < 1.0 {
            Some(Shortage::Empty)
        } else if self.burst < wanted {
            Some(Shortage::Burst)
        } else {
            (self.left < wanted).then_some(Shortage::TooFew)
        }
    }

    fn take(&mut self, tokens: usize) {
        self.left -= count(tokens);
    }
}

#[expect(clippy::cast_precision_loss, reason = "members of a gang")]
fn count(jobs: usize) -> f64 {
    jobs as f64
}

impl Round<'_> {
    /// Whether the round has scheduled more than it may; the last gang may go beyond the limit.
    pub(super) fn is_over_round_limit(&self) -> bool {
        !self.scheduled.fits(&self.most_scheduled)
    }

    /// Whether limits allow a new gang, which is counted already.
    pub(super) fn check_limits(&self, gang: &Candidate) -> Result<(), Refusal> {
        let queue = &self.queues[gang.queue];
        if queue.is_cordoned {
            return Err(Refusal::Cordoned);
        }
        let size = gang.members.len();
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
        let class = gang.members.first().map_or(0, |job| self.shape(*job).class);
        if queue.allocated_by_class[class].fits(&queue.limits[class]) {
            Ok(())
        } else {
            Err(Refusal::QueueLimit)
        }
    }

    /// Takes the tokens of a new gang.
    pub(super) fn take_tokens(&mut self, gang: &Candidate) {
        self.tokens.take(gang.members.len());
        let queue = &mut self.queues[gang.queue];
        queue.tokens.take(gang.members.len());
        let taken = u32::try_from(gang.members.len()).unwrap_or(u32::MAX);
        queue.tokens_taken = queue.tokens_taken.saturating_add(taken);
    }
}
