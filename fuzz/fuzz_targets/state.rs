//! No text makes the reader of state files panic, and a round of a valid one is explained.
#![no_main]

#[path = "../bodies/cluster.rs"]
mod cluster;
#[path = "../bodies/findings.rs"]
mod findings;

libfuzzer_sys::fuzz_target!(|input: &str| {
    cluster::state(input);
});
