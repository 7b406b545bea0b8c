//! Compares fields of the server and of a file by their meaning.

use crate::report::FieldDifference;
use armada_retry::policy::wire::{from_wire, to_wire};
use client::Fields;
use serde_json::{Map, Value};

/// The fields in which a policy differs; all of them if the server holds none.
pub(in crate::commands) fn policy_differences(
    live: Option<&Fields>,
    body: &Value,
) -> Vec<FieldDifference> {
    let live = live.and_then(|live| live.to_value().ok()).unwrap_or_default();
    differences("", &normalize(&live), &normalize(body))
}

/// A policy with its durations, quantities and zeros in one notation. A policy that cannot be read
/// stays as it is.
fn normalize(wire: &Value) -> Value {
    let Ok(mut policy) = from_wire(wire) else { return wire.clone() };
    for rule in &mut policy.rules {
        rule.memory_text = None;
    }
    to_wire(&policy)
}

/// The fields in which two values differ. Absent, null, false and empty values are equal, as for Go;
/// `1` and `1.0` are too.
pub(super) fn differences(path: &str, live: &Value, file: &Value) -> Vec<FieldDifference> {
    let mut found = Vec::new();
    walk(path.to_owned(), &without_empty_values(live), &without_empty_values(file), &mut found);
    found
}

fn walk(path: String, live: &Value, file: &Value, found: &mut Vec<FieldDifference>) {
    match (live, file) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in b {
                walk(join_path(&path, key), a.get(key).unwrap_or(&Value::Null), value, found);
            }
            for (key, value) in a.iter().filter(|(key, _)| !b.contains_key(*key)) {
                walk(join_path(&path, key), value, &Value::Null, found);
            }
        }
        // A missing object is compared field by field too.
        (Value::Null, Value::Object(_)) if path.is_empty() => {
            walk(path, &Value::Object(Map::new()), file, found);
        }
        (Value::Object(_), Value::Null) if path.is_empty() => {
            walk(path, live, &Value::Object(Map::new()), found);
        }
        (Value::Array(a), Value::Array(b)) if a.iter().chain(b).all(Value::is_object) => {
            for index in 0..a.len().max(b.len()) {
                let item = |list: &[Value]| list.get(index).cloned().unwrap_or_default();
                walk(format!("{path}[{index}]"), &item(a), &item(b), found);
            }
        }
        _ if is_same(live, file) => {}
        _ => found.push(FieldDifference { path, live: live.clone(), file: file.clone() }),
    }
}

fn join_path(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        _ => a == b,
    }
}

/// A value without the fields that Go's `omitempty` leaves out. Zeros stay: a limit of 0 is a limit.
pub(super) fn without_empty_values(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().map(|(key, value)| (key.clone(), without_empty_values(value)));
            let kept: Map<String, Value> = kept.filter(|(_, value)| !value.is_null()).collect();
            if kept.is_empty() { Value::Null } else { Value::Object(kept) }
        }
        Value::Array(items) if items.is_empty() => Value::Null,
        // An item keeps its place, empty or not.
        Value::Array(items) => items
            .iter()
            .map(|item| match without_empty_values(item) {
                Value::Null => item.clone(),
                item => item,
            })
            .collect(),
        Value::Bool(false) => Value::Null,
        Value::String(text) if text.is_empty() => Value::Null,
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn paths(live: &Value, file: &Value) -> Vec<String> {
        differences("", live, file).into_iter().map(|field| field.path).collect()
    }

    #[test]
    fn equal_meanings_are_equal() {
        let live = json!({"name": "p", "n": 1, "x": [{"a": 1.5}]});
        let file = json!({"x": [{"a": 1.5, "b": {}}], "n": 1.0, "name": "p", "c": false, "d": []});
        assert_eq!(paths(&live, &file), Vec::<String>::new());
        assert_eq!(paths(&json!({"cpu": 0}), &json!({})), ["cpu"], "a limit of 0 is a limit");
    }

    #[test]
    fn paths_lead_to_the_field() {
        let live = json!({"rules": [{"onCategory": "a"}, {"x": 1}], "l": ["a", "b"], "gone": 1});
        let file = json!({"rules": [{"onCategory": "b"}], "l": ["b", "a"]});
        assert_eq!(paths(&live, &file), ["rules[0].onCategory", "rules[1]", "l", "gone"]);
        assert_eq!(paths(&Value::Null, &json!({"a": 1, "b": {"c": 2}})), ["a", "b"]);
    }

    #[test]
    fn durations_and_quantities_are_compared_as_such() {
        let wire = |delay: &str| {
            json!({"name": "p", "rules": [{"action": "Retry", "onConditions": ["Evicted"],
                "backoff": {"initialDelay": delay}}]})
        };
        let live = Fields::of(&wire("90s")).unwrap();
        assert!(policy_differences(Some(&live), &wire("1m30s")).is_empty());
        let found = policy_differences(Some(&live), &wire("2m"));
        assert_eq!(found[0].path, "rules[0].backoff.initialDelay");
        let zero = json!({"name": "p", "retryLimit": 0, "defaultAction": "Fail", "rules": []});
        let live = Fields::parse(r#"{"name":"p","defaultAction":"Fail","new":1}"#).unwrap();
        assert!(policy_differences(Some(&live), &zero).is_empty());
    }
}
