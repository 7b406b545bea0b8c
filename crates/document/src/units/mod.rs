//! Units of values in documents: Go durations, Kubernetes quantities, RFC 3339 times.
//!
//! Owns their syntax and their arithmetic. It has no access to documents and reads no clock.

mod calendar;
mod duration;
mod quantity;
mod time;
#[cfg(feature = "borsh")]
mod time_bytes;
mod utc_time;

pub use duration::{DurationError, GoDuration};
pub use quantity::{Quantity, QuantityError};
pub use time::{Time, TimeError};
