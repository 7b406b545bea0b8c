//! Parts that the lints of several systems share: bounds, and findings whose texts are the same for all.

mod bounds;
mod budget;
mod correction;
mod duplicates;
mod findings;
mod shadowed;
mod time_text;

pub use bounds::{Bounds, WorstCase};
pub use budget::{Budget, BudgetWaits, retries_text, short_budget};
pub(crate) use correction::correction;
pub use correction::correction_in;
pub(crate) use duplicates::report_duplicates;
pub use duplicates::{duplicate_title, duplicate_value};
pub(crate) use findings::unlimited_retries;
pub use findings::{HUGE_LIMIT, huge_limit, oom_as_disruption, same_memory, surprising_default};
pub(crate) use shadowed::report_shadowed;
pub use shadowed::{NamedRule, shadowed_rule};
pub(crate) use time_text::time_text;
