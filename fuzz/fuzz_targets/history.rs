//! No bytes make the reader of histories or the replay of what it read panic.
#![no_main]

#[path = "../bodies/history.rs"]
mod history;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| history::history(data));
