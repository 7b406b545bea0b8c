//! Simulated time.

/// Nanoseconds of simulated time, since its beginning or as a duration.
pub type Nanoseconds = i64;
