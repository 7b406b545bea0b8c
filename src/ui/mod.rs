//! Output: data to stdout, everything else to stderr. No other module prints.
//!
//! Owns the streams, colour, width and the form of findings. It decides nothing else.

mod progress;
mod streams;
mod trace;

pub use progress::{Progress, SimulatedProgress};
pub use streams::{ColorChoice, ErrorFormat, Ui, json_line};
pub use trace::trace;
