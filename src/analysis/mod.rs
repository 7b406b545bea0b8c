//! What is said of policies themselves, of every system.
//!
//! `unit_test` runs the tests that authors of policies write, and counts which rules, defaults and limits the tests
//! cover. It judges nothing itself: decisions come from the systems' engines, through the replay of `simulate`.

pub mod unit_test;
