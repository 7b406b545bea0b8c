//! Armada's rounds, held against a naive second implementation.

#[path = "../oracle/cluster/mod.rs"]
mod oracle;
#[path = "../vectors/scheduler/read.rs"]
mod read;

mod compare;
mod golden;
