//! Sums over the time in which jobs wait for their retryAfter.

/// Sums over the time in which jobs waited for their retryAfter, by resource, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IdleSums {
    /// The capacity of the nodes that were up.
    pub capacity: i128,
    /// The part of it that no run had. What pods hold in their grace period is idle, as the scheduler counts it.
    pub idle: i128,
}
