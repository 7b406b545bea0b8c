//! A report as a page to look at: its answer, pictures and tables as data.
//!
//! `html` and `svg` write it. Everything here is bounded: no list grows with the jobs of a history.

pub(in crate::report) mod chart;
mod charts;
mod choice;
mod cluster;
mod findings;
mod foot;
mod labels;
mod model;
pub(in crate::report) mod numbers;
mod replay;
mod scale;
mod sweep;
pub(in crate::report) mod table;

pub use cluster::cluster;
pub(super) use findings::findings;
pub use model::Page;
pub(super) use model::{Line, Part, Picture, Reply, Section};
pub use replay::replay;
