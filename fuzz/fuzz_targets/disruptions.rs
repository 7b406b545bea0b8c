//! No texts make the reader of a table of disruptions panic, and a table that is printed and read again is the same.
#![no_main]

#[path = "../bodies/disruptions.rs"]
mod disruptions;
#[path = "../bodies/findings.rs"]
mod findings;

libfuzzer_sys::fuzz_target!(|input: &str| {
    disruptions::disruptions(input);
});
