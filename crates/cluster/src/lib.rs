//! The simulated cluster: nodes, queues, and Armada's scheduler, round by round.
//!
//! Contract: docs/cluster*.md and docs/scheduler.md; source: Armada at 207cc9e0, `internal/scheduler`.
#![forbid(unsafe_code)]

mod draw;
pub mod draw_list;
pub mod events;
pub mod failure;
pub mod job;
mod nanoseconds;
pub mod nodes;
mod pair_set;
pub mod read;
pub mod report;
pub mod requirements;
pub mod resources;
pub mod retry;
pub mod round;
pub mod run_record;
pub mod scheduling;
pub mod settings;
pub mod share;
pub mod spec;
pub mod state;
