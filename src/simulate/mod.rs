//! Replays histories through an engine, and sums up the outcomes.
//!
//! Owns the interface of engines ([`Engine`]), the replay of one unit run by run (`unit`) and of units of
//! several members (`group`), the [`Stream`] that reads histories, and the mergeable [`Summary`]. It knows no
//! system: an engine judges the facts that are brought to it, and a verdict is interpreted by its effect. It
//! prints nothing.

mod assume;
mod digest;
mod engine;
mod failure_text;
mod group;
mod names;
mod notes;
mod outcome;
mod replay;
mod report;
mod rng;
mod stream;
mod summary;
mod system_report;
#[cfg(test)]
pub(crate) mod testing;
mod unit;

pub use assume::Assume;
pub use engine::{
    DecisionCounts, Effect, End, Engine, Evaluation, Fact, FactKind, JudgedTogether, Live, Moment,
    ReportedPer, RuleLabel, Verdict,
};
pub use failure_text::{container_text, ended_with};
pub use names::{Group, Labels, Names};
pub use notes::{NoteKind, NoteReport, NoteSeverity, merge_notes};
pub use outcome::{Contradiction, MemberOutcome, MissingRun, Outcome};
pub use replay::{Options, Replayed, Timelines, replay, replay_among, report, simulate};
pub use report::{
    AssumptionReport, CategoryReport, ContradictionReport, DayReport, DecisionReport,
    FailedByReport, GroupReport, HoursReport, JobReport, PeakReport, QueueReport, RetriedReport,
    RuleNameReport, RuleReport, SimulationReport, SummaryReport, UncaughtReport, VariantReport,
};
pub use rng::Draws;
pub use stream::{Batch, Keep, Stream, StreamOptions, StreamOutcome, UnmatchedUnits, read_history};
pub use summary::{Demand, Ending, Summary};
pub use system_report::{JobRestarts, SystemDecision};
