//! No pattern makes the parser, the translation or a search panic.
#![no_main]

#[path = "../bodies.rs"]
#[expect(dead_code, reason = "each target has one body")]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &str| bodies::pattern(input));
