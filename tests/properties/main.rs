//! Properties that hold for any input, each against an independent second opinion.

#[path = "../oracle/mod.rs"]
mod oracle;

mod alone;
mod conversion;
mod evaluator;
mod histories;
mod numbers;
mod round_trip;
mod sources;
mod streams;
mod system_conversion;
