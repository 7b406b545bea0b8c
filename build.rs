//! Links the program at a fixed address on Linux, as Go links `kubectl`.
//!
//! A program at a random address adjusts every pointer of its static tables when it starts: here some 20,000, on about
//! 100 pages that most commands do not use otherwise. Libraries, heap and stack stay at random addresses.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name, value| env::var(name).is_ok_and(|it| it == value);
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let is_static = features.split(',').any(|feature| feature == "crt-static");
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && !is_static {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
