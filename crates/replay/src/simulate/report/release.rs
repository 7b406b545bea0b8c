//! The releases of programs whose rules decided.

use schemars::JsonSchema;
use serde::Serialize;

/// A release of a program whose rules decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecidingRelease {
    /// The program, as `--release` names it: `kubernetes`.
    pub program: &'static str,
    /// The version: `1.37`. A minor version is its newest patch.
    pub version: String,
    /// Where it comes from: `default`, `option` or `profile`.
    pub origin: &'static str,
    /// The text of the tables, with the newest patch.
    #[serde(skip)]
    pub title: String,
}
