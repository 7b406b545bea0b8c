//! The command line as people and scripts use it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod corpora;
mod diagnostics;
mod examples;
mod generated;
mod pages;
mod readme;
mod schemas;
