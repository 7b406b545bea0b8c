//! The fast path reads no line differently from the exact path.
#![no_main]

#[path = "../bodies/line.rs"]
mod line;

libfuzzer_sys::fuzz_target!(|input: &str| {
    line::line(input);
});
