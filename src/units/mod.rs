//! Units as the documents write them: Go durations, Kubernetes quantities, RFC 3339 times.
//!
//! Owns their syntax and their arithmetic. Knows no document and reads no clock.

mod digits;
mod duration;
mod quantity;
mod time;

pub use duration::{DurationError, GoDuration};
pub use quantity::{Quantity, QuantityError};
pub use time::{Time, TimeError};
