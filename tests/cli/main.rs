//! The command line as people and scripts use it.

mod examples;
mod generated;
mod readme;
mod schemas;
