//! No texts make a lint panic, a comment loses no finding without a trace, and corrections keep a valid text valid.
#![no_main]

#[path = "../bodies/lint.rs"]
mod lint;

libfuzzer_sys::fuzz_target!(|input: &str| {
    lint::lint_texts(input);
});
