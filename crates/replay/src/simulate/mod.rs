//! Replays histories through an engine, and sums up the outcomes.
//!
//! Owns the interface of engines ([`Engine`], with [`Units`], [`SummaryFacts`] and [`ReportTexts`]), the replay of one unit run by run (`unit`) and of units of
//! several members (`group`), the [`Stream`] that reads histories, and the mergeable [`Summary`]. It depends on
//! no system: an engine judges the facts that are passed to it, and a verdict is interpreted by its effect. It
//! prints nothing.

mod answer;
mod assume;
mod both;
mod changes;
mod context;
mod counter;
mod decision_note;
mod disruption;
mod end_facts;
mod engine;
mod evaluation;
mod failure_text;
mod figure;
mod figures;
mod group;
mod history_shard;
mod message_shape;
mod moment;
mod names;
mod notes;
mod numbering;
mod options;
mod outcome;
mod part;
mod partial;
mod queue_policies;
mod replay;
mod report;
mod report_texts;
mod rng;
mod stream;
mod stream_decision;
mod summary;
mod summary_facts;
mod swept;
#[doc(hidden)]
pub mod testing;
mod text_map;
mod unit;
mod unit_hash;
mod unit_members;
mod units;
mod variant_engine;

pub use answer::{
    AdviceReport, AnswerColumn, AnswerOptions, AnswerReport, AnswerRow, CategoryKey, CostUnit,
    DayKey, FLAGGED_PRICE, FLAGGED_SHARE, FlaggedRule, KNEE_PRICE, KNEE_SHARE, KindEvidence,
    KneeReport, NodeKey, PolicyColumn, PolicyCounts, ProposalReport, QueueKey, ReasonReport,
    RecordCounts, RecordedRetries, RetriesOf, RetryCost, RetryKey, SamplesReport, SweptCost,
    answer_report, count_members, knee, record_of_members,
};
pub use assume::Assume;
pub use both::{DecidedFailure, FailureUnderBoth, count_under_both};
pub use changes::{
    Change, ChangeLine, ChangeLines, Changes, ChangesReport, CompareOptions, DeciderReport,
    DecisionLog, ExampleReport, FailedJobsReport, KindJobs, OutcomeChange, SampleReport,
    changes_report,
};
pub use decision_note::DecisionNote;
pub use engine::Engine;
pub use evaluation::{Effect, End, Evaluation, JudgedTogether, ReportedPer, Verdict};
pub use failure_text::{container_text, ending_text};
pub use figure::{AssertionReport, Figure};
pub use figures::{DecisionFacts, Ending, FollowingRuns, IndexMismatch, RuleLabel, Totals};
pub use figures::{FailureFigures, NodeFigures, QueueFigures, RuleFigures};
pub use history_shard::HistoryShard;
pub(crate) use message_shape::write_shape;
pub use moment::{Fact, FactKind, Live, Matched, Moment};
pub use names::{Group, Kind, Labels, Names};
pub use notes::{NoteKind, NoteReport, NoteSeverity, merge_notes};
pub use options::{Options, Timelines};
pub use part::{Absence, MAX_PARTS, Need, Part, Parts, PolicyNeeds, Without};
pub use partial::{
    BadPartial, Figures, Header, HeldShard, PartialFile, system_of_partial, write as write_partial,
};
pub use queue_policies::{PolicySource, QueuePoliciesReport};
pub use replay::{
    NotedReplay, ReplayResult, compare_members, replay, replay_logged, replay_noted, report,
};
pub use report::{
    CategoryReport, CostReport, DayReport, DecidingRelease, DecisionReport, DifferenceReport,
    DisruptionRowReport, FollowingReport, GroupReport, HoursReport, JobReport, ListedNamesReport,
    LoadReport, MissingPartReport, NodeReport, NumberReport, QueueReport, RateReport, RetryReport,
    RuleReport, RunReach, RunReport, SimulationReport, SummaryReport, SystemFields, VariantReport,
    VerdictReport, difference_of_times,
};
pub use report_texts::ReportTexts;
pub use rng::Draws;
pub use stream::{
    Batch, IsUnmatched, Observe, Retention, RunTransform, Stream, StreamOptions, StreamOutcome,
    UnmatchedUnits, ValidRun, read_history,
};
pub use stream_decision::StreamDecision;
pub use summary::{Evidence, Summary};
pub use summary_facts::SummaryFacts;
pub use swept::{SecondLimit, SweptLimit, SweptUnit, SweptValue};
pub use units::Units;
pub use variant_engine::VariantEngine;
pub use {
    answer::PeriodReport,
    changes::{DecisionChange, QueueChange, QueueJobs, RuleChange},
    report::{
        DisruptionReport, FailedByReport, NodesReport, OutcomeReport, PeakReport, PolicyReport,
        RangeReport,
    },
};
pub use {partial::seal as seal_partial, replay::simulate, report::RetriedReport};
