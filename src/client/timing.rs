//! Time and chance, as far as a change of a queue depends on them: a test passes in its own.

use std::time::Duration;

/// A clock, waits and random numbers.
pub trait Timing {
    /// The time since some fixed moment.
    fn elapsed(&self) -> Duration;

    /// A random number in 0..1.
    fn draw(&mut self) -> f64;

    /// Waits, and returns whether the wait took all of its time.
    async fn wait(&mut self, time: Duration) -> Wait;
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// It took all of its time.
    Complete,
    /// An interrupt cut it short: begin nothing new.
    Interrupted,
}
