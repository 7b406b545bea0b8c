//! Properties that hold for any input, each against an independent second opinion.

#[path = "../oracle/mod.rs"]
mod oracle;

mod classifier;
mod conversion;
mod evaluator;
mod failed_pod_checks;
mod histories;
mod jobs_without_index;
mod numbers;
mod round_trip;
mod shadowing;
mod single_members;
mod sources;
mod streams;
mod system_conversion;
