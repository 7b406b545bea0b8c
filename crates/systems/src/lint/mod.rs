//! Parts that the lints of several systems share: bounds, and findings whose texts are the same for all.

mod bounds;
mod budget;
mod correction;
mod duplicates;
mod huge_limit;
mod oom;
mod shadowed;
mod surprising_default;
mod time_text;
mod unlimited;

pub use bounds::{Bounds, WorstCase};
pub use budget::{Budget, BudgetWaits, retries_text, short_budget};
pub(crate) use correction::correction;
pub use correction::correction_in;
pub(crate) use duplicates::report_duplicates;
pub use duplicates::{duplicate_title, duplicate_value};
pub use huge_limit::{HUGE_LIMIT, huge_limit};
pub use oom::{oom_as_disruption, same_memory};
pub(crate) use shadowed::report_shadowed;
pub use shadowed::{NamedRule, shadowed_rule};
pub use surprising_default::surprising_default;
pub(crate) use time_text::time_text;
pub(crate) use unlimited::unlimited_retries;
