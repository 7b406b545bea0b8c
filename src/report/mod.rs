//! Renderers of results as text, one file for each form. They decide nothing and print nothing.

pub mod answer;
mod apply;
mod assertions;
mod baseline;
mod breakdown;
mod budget;
pub mod category;
mod changes;
mod ci_report;
mod classification;
pub mod cluster;
pub mod comment;
mod comparison;
mod config;
pub mod csv;
mod decision_line;
mod diff;
mod disruptions;
mod documents;
mod durations;
mod event_line;
pub mod explanation;
mod field_page;
mod figures;
mod fingerprint;
mod github;
mod gitlab;
mod history_check;
mod html;
mod junit;
mod layout;
mod markdown;
mod narrow_table;
mod notes;
pub mod page;
mod provenance;
mod queue_sources;
mod releases;
mod report_format;
mod report_paths;
mod resource;
mod retries;
pub mod round;
mod sarif;
#[cfg(feature = "internals")]
pub mod schemas;
mod short_paths;
mod side_by_side;
pub mod simulation;
pub mod svg;
mod table;
mod test_report;
pub mod test_results;
pub mod test_yaml;
#[cfg(test)]
mod testing;
mod timeline;
mod unified_diff;
mod variants;
mod verdict;

pub use apply::{Action, ApplyReport, WriteItem};
pub use baseline::BaselineDocument;
pub use budget::{BudgetExplanation, BudgetInput, table as budget_table};
pub use ci_report::{CiReport, RunFacts};
pub use classification::{FailureClassification, category_name};
pub use comparison::{
    ComparedItem, ComparedRule, ComparisonReport, DifferenceGroup, ItemStatus, RecordedCounts,
    RecordedTotals, RulePair, Unknown, Witness,
};
pub use config::WhoAmI;
pub use config::{ConfigView, ContextItem, ContextList, CurrentContext};
pub use decision_line::{DecisionLine, decision_line};
pub use diff::{DiffItem, DiffReport, FieldDifference};
pub use disruptions::{DisruptionTable, table as disruption_table};
pub use documents::RemainingBudget;
pub use documents::{
    DecisionExplanation, ErrorReport, ExplanationNote, LintReport, LintSummary, ServerReport,
    SuppressedItem, TraceItem, ValidateReport, ValidateSummary, VersionReport, json, yaml,
};
pub use event_line::{event_header, event_line};
pub use field_page::{FieldExplanation, TopicExplanation, VariantKind, Variants};
pub use history_check::{
    FieldItem, HistoryCheckReport, MatcherItem, MatcherState, ValueItem,
    table as history_check_table,
};
pub use html::html;
pub use layout::Layout;
pub use layout::wrap;
pub use markdown::markdown;
pub use provenance::{InputFile, Provenance, ReplaySources};
pub use releases::{NamedPolicy, ReleaseReport, table as release_table};
pub use report_format::ReportFormat;
pub use report_paths::ReportPaths;
pub use resource::{Resource, TooDeep};
pub use round::RoundExplanation;
pub use short_paths::ShortPaths;
pub(crate) use table::columns;
pub use table::{Head, Table, head, text_columns};
pub use test_report::{
    CoverageItem, CoverageReport, TestItem, TestOutcome, TestReport, TestSummary,
};
pub use test_results::{TestResult, TestResults};
pub use unified_diff::unified_diff;
