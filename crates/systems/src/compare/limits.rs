//! The limits of two versions that differ.

use crate::{Limit, ManifestSystem};
use serde_json::Value;
use std::fmt;

/// A limit with another value in each version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedLimit {
    /// The field.
    pub field: &'static str,
    /// The name of the item that has it, such as a replicated Job; `None` if the whole manifest has it.
    item: Option<String>,
    /// Both values; `None` if it is not set.
    values: [Option<i64>; 2],
}

/// The largest limit of Jobs and JobSets, which is never reached.
const NO_LIMIT: i64 = i32::MAX as i64;

impl fmt::Display for ChangedLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = self.values.map(|value| match value {
            None => "unset".to_owned(),
            Some(NO_LIMIT) => "unlimited".to_owned(),
            Some(value) => value.to_string(),
        });
        let item = self.item.as_ref().map(|item| format!(" of `{item}`")).unwrap_or_default();
        write!(f, "`{}`{item} is {after}, before {before}", self.field)
    }
}

/// Returns the limits that differ between two versions, among those that a sweep sets.
pub fn changed_limits<S: ManifestSystem>(engines: [&S; 2]) -> Vec<ChangedLimit> {
    let [old, new] = engines.map(ManifestSystem::parameters);
    let mut changed = Vec::new();
    add_changed(S::LIMITS, None, [&old, &new], &mut changed);
    changed
}

fn add_changed(
    limits: &'static [Limit],
    item: Option<&str>,
    [old, new]: [&Value; 2],
    changed: &mut Vec<ChangedLimit>,
) {
    let name = |item: &Value| item.get("name").and_then(Value::as_str).map(str::to_owned);
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, before) in old {
                let after = new.get(key).unwrap_or(&Value::Null);
                let limit = limits.iter().find(|limit| limit.name == *key);
                let Some(limit) = limit.filter(|_| before != after) else {
                    add_changed(limits, item, [before, after], changed);
                    continue;
                };
                let values = [before, after].map(Value::as_i64);
                let item = item.map(str::to_owned);
                changed.push(ChangedLimit { field: limit.name, item, values });
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            for before in old {
                let own = name(before);
                let after = new.iter().find(|after| own.is_some() && name(after) == own);
                if let Some(after) = after {
                    add_changed(limits, own.as_deref(), [before, after], changed);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    static LIMITS: [Limit; 2] = [Limit::count("most", &["most"]), Limit::count("each", &["each"])];

    #[test]
    fn limits_that_differ_have_both_values_and_the_name_of_their_item() {
        let old = json!({
            "most": null,
            "wait": 1,
            "jobs": [{"name": "a", "job": {"each": 3}}, {"name": "b", "job": {"each": 3}}, {"each": 1}],
        });
        let new = json!({
            "most": i32::MAX,
            "wait": 2,
            "jobs": [{"name": "b", "job": {"each": 2}}, {"name": "a", "job": {"each": 3}}, {"each": 2}],
        });
        let mut changed = Vec::new();
        add_changed(&LIMITS, None, [&old, &new], &mut changed);
        let texts: Vec<String> = changed.iter().map(ToString::to_string).collect();
        let expected = ["`most` is unlimited, before unset", "`each` of `b` is 2, before 3"];
        assert_eq!(texts, expected);
        changed.clear();
        add_changed(&LIMITS, None, [&old, &old], &mut changed);
        assert_eq!(changed, []);
    }
}
