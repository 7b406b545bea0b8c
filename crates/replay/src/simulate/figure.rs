//! A number of a report.

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
