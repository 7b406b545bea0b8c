//! No texts make the reader of executors' configurations panic, and a valid one classifies pods as its trace shows.
#![no_main]

#[path = "../bodies/executor.rs"]
mod executor;
#[path = "../bodies/findings.rs"]
mod findings;

libfuzzer_sys::fuzz_target!(|input: &str| {
    executor::executor(input);
});
