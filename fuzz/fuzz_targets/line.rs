//! The scanner of lines reads nothing that `serde_json` reads otherwise.
#![no_main]

#[path = "../bodies/line.rs"]
mod line;

libfuzzer_sys::fuzz_target!(|input: &str| {
    line::line(input);
});
