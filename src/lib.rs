//! Retry policies of [Armada](https://armadaproject.io): read, judged and replayed.
#![forbid(unsafe_code)]

pub mod diag;
pub mod document;
pub mod engine;
pub mod history;
pub mod pattern;
pub mod policy;
pub mod units;
