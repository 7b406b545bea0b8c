//! The scanner of lines reads nothing that `serde_json` reads otherwise.
#![no_main]

#[path = "../bodies/scanner.rs"]
mod scanner;

libfuzzer_sys::fuzz_target!(|input: &str| {
    scanner::line(input);
});
