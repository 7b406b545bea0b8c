//! What the lints of several systems share: bounds, and findings whose texts are the same for all.

mod bounds;
mod shadowed;

pub use bounds::{Bounds, WorstCase};
pub(crate) use shadowed::report_shadowed;
pub use shadowed::{NamedRule, shadowed_rule};
