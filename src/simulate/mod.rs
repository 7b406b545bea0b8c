//! Replays histories through an engine, and sums up what came of it.
//!
//! Owns the replay of one unit ([`Replay`]), the mergeable [`Summary`] and the shape of the report.
//! The replay knows no engine: it brings each the pending facts and reads the verdicts through
//! their effect; only `armada` says how Armada's decisions are reported. It prints nothing.

mod armada;
mod assume;
mod described;
mod replay;
mod report;
mod run;
mod summary;

pub use armada::{decision_report, failure};
pub use assume::Assume;
pub use described::{Described, RuleLabel, Tally};
pub use replay::{Contradiction, MemberOutcome, Outcome, Replay};
pub use report::{
    AssumptionReport, ContradictionReport, DecisionReport, JobReport, RuleReport, SimulationReport,
    SummaryReport,
};
pub use run::{Options, Timelines, simulate};
pub use summary::Summary;
