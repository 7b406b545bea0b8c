//! Retry policies of [Armada](https://armadaproject.io): read, judged and replayed.
pub mod diag;
pub mod document;
pub mod units;
