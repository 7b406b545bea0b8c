//! The answer: what happened on record, and what differs under each set of policies (docs/answer.md).
//!
//! Owns the counts of the record ([`RecordCounts`]), which depend on no policy; the counts of a column of policies
//! beside it ([`PolicyCounts`]); the table of figures ([`rows`]) and the report of all columns ([`AnswerReport`]). Units
//! that are judged while they are read are counted run by run; members in memory at the end (`members`).

mod advice;
mod evidence;
mod group_report;
mod groups;
mod members;
mod policy;
mod reasons;
mod record;
mod report;
mod rows;
mod run;
mod unit;

pub use advice::{
    AdviceReport, FLAGGED_PRICE, FLAGGED_SHARE, FlaggedRule, KNEE_PRICE, KNEE_SHARE, KneeReport,
    ProposalReport, SweptCost, knee,
};
pub use evidence::{KindEvidence, RetryCost};
pub use group_report::{
    CategoryKey, DayKey, NodeKey, QueueKey, RecordedRetries, RetriesOf, RetryKey,
};
pub(crate) use groups::RetryPlace;
pub(in crate::simulate) use members::kinds_of_ends;
pub use members::{count_members, record_of_members};
pub(crate) use policy::Granted;
pub use policy::PolicyCounts;
pub(crate) use reasons::{Reasons, UnitReason};
pub use record::RecordCounts;
pub use report::PeriodReport;
pub use report::{
    AnswerColumn, AnswerOptions, AnswerReport, AnswerRow, PolicyColumn, ReasonReport,
    SamplesReport, answer_report,
};
pub(crate) use run::LastRun;
pub use unit::CostUnit;
