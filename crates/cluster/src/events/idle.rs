//! The progress of simulated time, and the capacity that stays idle while jobs wait for their retryAfter.

use super::idle_sums::IdleSums;
use super::simulation::Simulation;
use crate::spec::Nanoseconds;

impl Simulation<'_> {
    /// Goes on to a time.
    pub(super) fn advance(&mut self, time: Nanoseconds) {
        let elapsed = i128::from(time - self.now);
        self.now = time;
        let is_any_waiting = self.retries.as_ref().is_some_and(|retries| retries.next().is_some());
        if elapsed == 0 || !is_any_waiting {
            return;
        }
        for pool in &self.pools {
            let amounts = pool.total.as_slice().iter().zip(pool.leased.as_slice());
            for (sums, (total, leased)) in self.idle.iter_mut().zip(amounts) {
                sums.capacity += i128::from(*total) * elapsed;
                sums.idle += i128::from((*total - *leased).max(0)) * elapsed;
            }
        }
    }

    /// Returns the sums over the time in which jobs waited for their retryAfter, by resource.
    pub fn idle_while_backing_off(&self) -> &[IdleSums] {
        &self.idle
    }
}
