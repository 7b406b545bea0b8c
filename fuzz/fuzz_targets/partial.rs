//! No bytes of a partial summary make a reader panic.
#![no_main]

#[path = "../bodies/partial.rs"]
mod partial;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    partial::partial(input);
});
