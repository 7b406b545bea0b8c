//! No text makes the tests of policies panic, and a second run of the same tests gives the same.
#![no_main]

#[path = "../bodies/unit_test.rs"]
mod unit_test;

libfuzzer_sys::fuzz_target!(|input: &str| {
    unit_test::unit_test(input);
});
