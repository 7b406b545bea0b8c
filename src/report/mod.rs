//! Renderers: a result in, text out, one small file a form. Nothing is decided or printed here.

pub mod cluster;
mod config;
mod diff;
mod documents;
mod engines;
pub mod explanation;
mod fleet;
mod layout;
mod markdown;
mod narrow;
mod notes;
mod resource;
pub mod round;
pub mod schemas;
pub mod simulation;
mod variants;
mod wrap;
mod writes;

pub use config::{ConfigView, ContextItem, ContextList, CurrentContext};
pub use diff::{DiffItem, DiffReport, FieldDifference};
pub use documents::{
    DecisionExplanation, ErrorReport, ServerReport, TraceItem, ValidateReport, ValidateSummary,
    VersionReport, json, yaml,
};
pub use layout::{Layout, Table};
pub use markdown::markdown;
pub use resource::{Resource, TooDeep};
pub use round::RoundExplanation;
pub use wrap::wrap;
pub use writes::{Action, ApplyReport, Written};
