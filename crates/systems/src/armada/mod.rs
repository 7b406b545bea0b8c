//! Armada: jobs and gangs.
//!
//! The evaluator ([`armada_retry::engine`]) decides about each failure. This folder owns gangs (semantics.md, section 9),
//! and the ends without a decision (section 5, step 1).

pub mod classifier;
mod engine;
mod limits;
mod matcher_counts;
mod parts;
mod report;
mod suggest;
mod system;
#[cfg(test)]
mod tests;

pub use engine::Armada;
pub use engine::incomplete_gangs;
pub use limits::{GLOBAL_LIMIT, LIMITS, LimitError, RETRY_LIMIT, has_limit, set_limits};
pub use matcher_counts::{MatcherCount, MatcherCounts, MatcherRow};
pub use report::decision_report;
pub use suggest::rule_for_kind;
