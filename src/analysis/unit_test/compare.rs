//! Comparison of expected fields with a report.

use super::case::ExpectedField;
use super::value_text::format_value;
use document::units::Time;
use serde_json::Value;
use systems::Comparison;

/// A field whose reported value is another than the expected one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldDifference {
    /// The name of the field.
    pub field: String,
    /// The expected value, as it is written.
    pub expected: String,
    /// The reported value.
    pub got: String,
}

/// The differences between expected fields and a report.
pub(super) fn differences(fields: &[ExpectedField], report: &Value) -> Vec<FieldDifference> {
    let different = fields.iter().filter(|field| {
        let got = report.get(&field.name).unwrap_or(&Value::Null);
        !is_met(field.comparison, &field.value, got)
    });
    let difference = |field: &ExpectedField| {
        let got = report.get(&field.name).unwrap_or(&Value::Null);
        let expected = match field.comparison {
            Comparison::Contains if !field.value.is_null() => format!("..{}..", field.text),
            _ => field.text.clone(),
        };
        FieldDifference { field: field.name.clone(), expected, got: got_text(field, got) }
    };
    different.map(difference).collect()
}

/// A tenth of a nanosecond: delays are whole nanoseconds.
const LEAST_SECONDS: f64 = 1e-10;

fn is_met(comparison: Comparison, expected: &Value, got: &Value) -> bool {
    if expected.is_null() || got.is_null() {
        return expected == got;
    }
    match comparison {
        Comparison::Equal | Comparison::Bytes => expected == got,
        Comparison::Contains => {
            let both = got.as_str().zip(expected.as_str());
            both.is_some_and(|(got, expected)| got.contains(expected))
        }
        Comparison::Seconds => {
            let both = got.as_f64().zip(expected.as_f64());
            both.is_some_and(|(got, expected)| (got - expected).abs() < LEAST_SECONDS)
        }
        Comparison::Instant => {
            let time = |value: &Value| value.as_str().and_then(|text| Time::parse(text).ok());
            time(got).is_some() && time(got) == time(expected)
        }
        Comparison::Entries => expected.as_object().is_some_and(|expected| {
            expected.iter().all(|(key, value)| {
                is_met(comparison_of_entry(value), value, got.get(key).unwrap_or(&Value::Null))
            })
        }),
    }
}

/// A mapping in a mapping is compared by its entries too.
fn comparison_of_entry(value: &Value) -> Comparison {
    if value.is_object() { Comparison::Entries } else { Comparison::Equal }
}

/// A reported value beside the expected one: with the unit that the expected one has.
fn got_text(field: &ExpectedField, got: &Value) -> String {
    match (field.comparison, got) {
        (_, Value::Null) => "null".to_owned(),
        (Comparison::Seconds, got) if field.text.parse::<f64>().is_err() => {
            got.as_f64().map_or_else(|| format_value(got), |seconds| format!("{seconds}s"))
        }
        (Comparison::Bytes, got) => bytes_text(got),
        _ => format_value(got),
    }
}

/// Bytes, with the largest binary unit of which they are a whole number.
fn bytes_text(got: &Value) -> String {
    let Some(bytes) = got.as_u64() else { return format_value(got) };
    let units = [("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)];
    let unit = units.iter().find(|(_, bits)| bytes > 0 && bytes % (1 << bits) == 0);
    unit.map_or_else(|| bytes.to_string(), |(unit, bits)| format!("{}{unit}", bytes >> bits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_compared_by_meaning() {
        use Comparison::{Contains, Entries, Equal, Instant, Seconds};
        for (comparison, expected, got, meets) in [
            (Equal, json!("Retry"), json!("Retry"), true),
            (Equal, json!("Retry"), json!("Fail"), false),
            (Equal, json!(null), json!(null), true),
            (Equal, json!(null), json!(0), false),
            (Equal, json!(0), json!(null), false),
            (Equal, json!(["a", "b"]), json!(["b", "a"]), false),
            (Seconds, json!(0.3), json!(0.1 + 0.2), true),
            (Seconds, json!(30.0), json!(30), true),
            (Seconds, json!(30.0), json!(30.000_000_001), false),
            (Contains, json!("3 retries"), json!("has used its 3 retries"), true),
            (Contains, json!("4 retries"), json!("has used its 3 retries"), false),
            (Instant, json!("2026-01-01T01:00:00+01:00"), json!("2026-01-01T00:00:00Z"), true),
            (Instant, json!("2026-01-01T01:00:00Z"), json!("2026-01-01T00:00:00Z"), false),
            (Entries, json!({"a": 1}), json!({"a": 1, "b": 2}), true),
            (Entries, json!({"a": 1, "c": 0}), json!({"a": 1}), false),
            (Entries, json!({"j": {"a": 1}}), json!({"j": {"a": 1, "b": 2}}), true),
            (Entries, json!({"j": {"a": 2}}), json!({"j": {"a": 1, "b": 2}}), false),
        ] {
            assert_eq!(is_met(comparison, &expected, &got), meets, "{expected} {got}");
        }
    }

    #[test]
    fn bytes_have_their_largest_whole_unit() {
        for (bytes, text) in [(0, "0"), (1 << 30, "1Gi"), (3 << 29, "1536Mi"), (1000, "1000")] {
            assert_eq!(bytes_text(&json!(bytes)), text);
        }
    }
}
