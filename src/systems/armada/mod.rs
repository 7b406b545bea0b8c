//! Armada: jobs and gangs, whose failures the evaluator ([`crate::engine`]) decides.

mod engine;
mod record;
mod report;
mod suggest;
mod system;

pub use engine::Armada;
#[cfg(feature = "internals")]
pub use engine::incomplete_gangs;
pub use record::FAILURE_HISTORY;
pub use report::decision_report;
