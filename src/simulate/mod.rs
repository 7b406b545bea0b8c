//! Replays histories through an engine, and sums up the outcomes.
//!
//! Owns the interface of engines ([`Engine`]), the replay of one unit run by run (`unit`) and of units of
//! several members (`group`), the [`Stream`] that reads histories, and the mergeable [`Summary`]. It depends on
//! no system: an engine judges the facts that are passed to it, and a verdict is interpreted by its effect. It
//! prints nothing.

mod assertion;
mod assume;
mod changes;
mod context;
mod decision_note;
mod disruption;
mod engine;
mod failure_text;
mod figure;
mod group;
mod message_shape;
mod names;
mod notes;
mod options;
mod outcome;
mod part;
mod queue_policies;
mod replay;
mod report;
mod retry_report;
mod rng;
mod stream;
mod summary;
mod summary_report;
mod system_report;
#[cfg(test)]
pub(crate) mod testing;
mod unit;
mod verdict;

pub use assertion::AssertionReport;
pub use assume::Assume;
pub use changes::{
    Change, ChangeLine, ChangeLines, Changes, ChangesReport, Compare, DeciderReport, DecisionLog,
    ExampleReport, SampleReport, changes_report,
};
pub use decision_note::DecisionNote;
pub use engine::{
    DecisionCounts, Effect, End, Ending, Engine, Evaluation, Fact, FactKind, IndexMismatch,
    JudgedTogether, Live, Moment, ReportedPer, RuleLabel, Verdict,
};
pub use failure_text::{container_text, ending_text};
pub use figure::Figure;
pub use names::{Group, Labels, Names};
pub use notes::{NoteKind, NoteReport, NoteSeverity, merge_notes};
pub use options::{Options, Timelines};
pub use part::{Absence, MAX_PARTS, Need, Part, Parts, PolicyNeeds, Without};
pub use queue_policies::{PolicySource, QueuePoliciesReport};
pub use replay::{
    NotedReplay, ReplayResult, compare_members, replay, replay_logged, replay_noted, report,
};
pub use report::{
    DecisionReport, HoursReport, JobReport, ListedNamesReport, MissingPartReport, QueueReport,
    RuleReport, SimulationReport, SummaryReport, VariantReport,
};
pub use retry_report::{
    CostReport, DisruptionRowReport, FollowingReport, NodeReport, NumberReport, RateReport,
    RetryReport,
};
pub use rng::Draws;
pub use stream::{
    Amend, Batch, Keep, Stream, StreamOptions, StreamOutcome, UnmatchedUnits, read_history,
};
pub use summary::{Demand, Evidence, FollowingRuns, Summary};
pub use system_report::{JobRestarts, SystemDecision};
pub use verdict::{DifferenceReport, VerdictReport};
#[cfg(test)]
pub use {
    changes::{DecisionChange, OutcomeChange, RuleChange},
    report::{CategoryReport, FailedByReport, PeakReport},
    retry_report::{DisruptionReport, NodesReport, OutcomeReport, PolicyReport, RangeReport},
};
#[cfg(feature = "internals")]
pub use {replay::simulate, report::RetriedReport};
