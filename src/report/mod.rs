//! Renderers: a result in, text out, one small file a form. Nothing is decided or printed here.

mod documents;
pub mod explanation;
mod fleet;
mod layout;
pub mod schemas;
pub mod simulation;
mod variants;

pub use documents::{
    DecisionExplanation, ErrorReport, TraceItem, ValidateReport, ValidateSummary, VersionReport,
    json, yaml,
};
pub use layout::{Layout, Table};
