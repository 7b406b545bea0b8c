//! A naive round of Armada's scheduler: no index, no cache, plain loops, to hold the real one against.
//!
//! It shares no code with the crate and takes a round as the golden cases give it, as JSON. What a node has free
//! is counted anew from the jobs on it whenever it is needed; an attempt that fails is undone from a copy.
//!
//! # Readings
//!
//! - The values of a uniformity label are tried in the order of the nodes, each at its first node.
//! - A node that is short of an indexed resource is no candidate, also where Armada's index would loop.
//! - What an undone attempt leaves in Armada's memory stays here too: the priority that a member was placed at,
//!   and the tolerations of the away node type that took it.

mod evict;
mod gang;
mod limits;
pub mod model;
mod order;
pub mod parse;
mod place;
mod quantity;
mod requirements;
pub mod round;
mod shares;
mod state;
