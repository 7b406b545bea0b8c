//! No text makes the reading of policies panic, and what is printed reads as what it was.
#![no_main]

#[path = "../bodies.rs"]
#[expect(dead_code, reason = "each target has one body")]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &str| bodies::policy(input));
