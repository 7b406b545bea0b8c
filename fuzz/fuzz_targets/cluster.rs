//! No texts make the readers of a simulation's inputs panic, and a simulation of them ends.
#![no_main]

#[path = "../bodies/cluster.rs"]
mod cluster;
#[path = "../bodies/findings.rs"]
mod findings;

libfuzzer_sys::fuzz_target!(|input: &str| {
    cluster::cluster(input);
});
