//! The report of `--assert`.

use super::figure::Figure;
use schemars::JsonSchema;
use serde::Serialize;

/// A comparison of a figure.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssertionReport {
    /// The expression.
    pub assertion: String,
    /// The figure; null if there is none, such as a wait if no job started.
    pub value: Option<Figure>,
    /// The number that it was compared with; null if the first variant has no such figure.
    pub bound: Option<Figure>,
    /// Whether it holds. A figure without a value is below and above nothing.
    pub holds: bool,
    /// Why the figure is 0 although the report does not have it; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
