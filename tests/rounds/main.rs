//! Armada's rounds, held against a naive second implementation.
//!
//! `ROUNDS=20000 cargo test --release --test rounds` compares that many random rounds instead of 300,
//! `FIRST_SEED` is the seed of the first.

#[path = "../oracle/generate/draw.rs"]
mod draw;
#[path = "../oracle/cluster/mod.rs"]
mod oracle;
#[path = "../vectors/scheduler/read.rs"]
mod read;

mod compare;
mod filling;
mod generate;
mod golden;
mod properties;
mod random;
mod seed;
mod shrink;
