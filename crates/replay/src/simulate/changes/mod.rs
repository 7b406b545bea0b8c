//! The changes between the decisions of several engines and those of the first one.
//!
//! A decision is changed if its code differs, or if only one of two engines makes it: a run may not be reached under
//! the other. Decisions of the same code with another wait, or by another rule, are counted apart. A job is changed
//! if its outcome differs.
//!
//! A run of a stream is compared as soon as all engines have judged it; members in memory are compared when all of
//! them are replayed ([`DecisionLog`]).

mod change;
mod comparison;
mod counts;
mod log;
mod report;
mod samples;
mod side;

pub use change::{Change, ChangeLines, CompareOptions};
pub(crate) use comparison::{Compared, Comparison};
pub use counts::Changes;
use counts::QueueChanges;
pub use log::DecisionLog;
pub(crate) use log::MemberLog;
pub use report::{
    ChangeLine, ChangesReport, DeciderReport, ExampleReport, FailedJobsReport, KindJobs,
    OutcomeChange, SampleReport, changes_report,
};
pub use report::{DecisionChange, QueueChange, QueueJobs, RuleChange};
pub(in crate::simulate) use samples::Samples;
pub(crate) use side::{Decided, Reach};
