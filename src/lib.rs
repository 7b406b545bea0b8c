//! Retry policies of [Armada](https://armadaproject.io): read, judged and replayed.
pub mod diag;
pub mod document;
pub mod engine;
pub mod history;
pub mod pattern;
pub mod policy;
pub mod simulate;
pub mod units;
