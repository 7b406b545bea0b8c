//! A number of a report, and its comparison by `--assert`.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// A finite number, printed without a fraction if it has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Figure(pub f64);

/// The limit below which floats represent all whole numbers exactly: 2^53.
const EXACT: f64 = 9_007_199_254_740_992.0;

#[expect(clippy::cast_precision_loss, reason = "more than 2^53 of anything is not counted")]
impl From<u64> for Figure {
    fn from(count: u64) -> Self {
        Self(count as f64)
    }
}

impl Serialize for Figure {
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and below 2^53")]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() < EXACT {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl JsonSchema for Figure {
    fn schema_name() -> Cow<'static, str> {
        "Figure".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number"})
    }
}

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
