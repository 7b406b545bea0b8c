//! Replays histories through an engine, and sums up what came of it.
//!
//! Owns the replay of one unit ([`Replay`]), the mergeable [`Summary`] and the shape of the report.
//! The replay knows no engine: it brings each the pending facts and reads the verdicts through
//! their effect; only `armada` says how Armada's decisions are reported. It prints nothing.

mod alone;
mod armada;
mod assume;
mod blocks;
mod described;
mod digest;
mod draws;
mod fleet;
mod key;
mod names;
mod notes;
mod pool;
mod replay;
mod report;
mod run;
mod suggest;
mod summary;
mod system_report;
mod words;

pub use alone::{Alone, AloneOptions, AloneOutcome, Strangers, Units, fewest};
pub use armada::{decision_report, failure};
pub use assume::Assume;
pub use described::{Described, Reported, RuleLabel, Tally};
pub use draws::Draws;
pub use fleet::{Batch, Fleet, FleetOptions, FleetOutcome, Streamed};
pub use names::{Group, Labels, Names};
pub use notes::{NoteKind, NoteReport, NoteSeverity, merge_notes};
pub use replay::{Contradiction, MemberOutcome, Missing, Outcome, Replay};
pub use report::{
    AssumptionReport, CategoryReport, ContradictionReport, DayReport, DecisionReport,
    FailedByReport, GroupReport, HoursReport, JobReport, PeakReport, QueueReport, RetriedReport,
    RuleNameReport, RuleReport, SimulationReport, SummaryReport, UncaughtReport, VariantReport,
};
pub use run::{Options, Replayed, Timelines, replay, replay_beside, report, simulate};
pub use summary::{Demand, Ending, Summary};
pub use system_report::{JobRestarts, SystemDecision};
pub use words::{container_text, ended_with};
