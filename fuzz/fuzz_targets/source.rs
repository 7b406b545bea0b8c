//! No bytes make the reader of another program's history panic.
#![no_main]

#[path = "../bodies/source.rs"]
mod source;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| source::source(data));
