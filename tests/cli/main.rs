//! Tests from outside: what a user sees.

mod corpora;
mod diagnostics;
mod pages;
