//! Where a report differs from the expected one. Fields may have been added; none may be missing or different.

use serde_json::Value;

use super::time::instant;

/// Every place where `actual` is not what `expected` says, with both values; empty where they agree.
pub fn differences(expected: &Value, actual: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", expected, actual, &mut found);
    found
}

fn compare(place: &str, expected: &Value, actual: &Value, found: &mut Vec<String>) {
    match (expected, actual) {
        (Value::Object(wanted), Value::Object(_)) => {
            for (key, value) in wanted {
                compare(&format!("{place}/{key}"), value, &actual[key], found);
            }
            if place.ends_with("/byDecision") || place.ends_with("/outcomes") {
                found.extend(unexpected(place, expected, actual));
            }
        }
        (Value::Array(wanted), Value::Array(given)) if wanted.len() == given.len() => {
            for (index, (value, other)) in in_order(wanted).iter().zip(in_order(given)).enumerate()
            {
                compare(&format!("{place}/{index}"), value, other, found);
            }
        }
        _ if same(expected, actual) => {}
        _ => found.push(format!("{place}: expected {expected}, is {actual}")),
    }
}

/// Counts of what should not have happened at all.
fn unexpected(place: &str, expected: &Value, actual: &Value) -> Vec<String> {
    let counts = actual.as_object().into_iter().flatten();
    let more = counts.filter(|(key, count)| expected[key.as_str()].is_null() && **count != 0);
    more.map(|(key, count)| format!("{place}/{key}: expected none, is {count}")).collect()
}

/// Jobs by id and rows by rule, whatever their order; everything else as it stands.
fn in_order(items: &[Value]) -> Vec<&Value> {
    let mut items: Vec<&Value> = items.iter().collect();
    if items.iter().all(|item| item["jobId"].is_string()) {
        items.sort_by_key(|item| item["jobId"].as_str());
    } else if items.iter().all(|item| item.get("matched").is_some()) {
        items.sort_by_key(|item| (item["policy"].as_str(), item["ruleIndex"].as_u64()));
    }
    items
}

/// Numbers by value (durations to the nanosecond), times by instant.
fn same(expected: &Value, actual: &Value) -> bool {
    if let (Some(one), Some(other)) = (expected.as_f64(), actual.as_f64()) {
        return (one - other).abs() < 1e-9;
    }
    let at = |value: &Value| {
        value.as_str().filter(|text| text.ends_with('Z')).and_then(|text| instant(text, 0))
    };
    expected == actual || (at(expected).is_some() && at(expected) == at(actual))
}
