//! Makes a failing question small: drops whatever can go while it stays valid and still fails.

use serde_json::Value;

use super::valid::problems;
use super::{Engine, Input};

/// The smallest question found for which `still_fails` holds, as it must for `input`.
pub fn shrink(input: &Input, still_fails: &dyn Fn(&Input) -> bool) -> Input {
    let mut best = input.to_json();
    loop {
        let before = best.clone();
        for pointer in pointers(&best) {
            let smaller = without(&best, &pointer);
            let asked = smaller.as_ref().and_then(Input::from_json);
            if asked.is_some_and(|input| problems(&input).is_empty() && still_fails(&input)) {
                best = smaller.expect("it was asked");
            }
        }
        if best == before {
            return Input::from_json(&best).expect("it was one before");
        }
    }
}

/// The places of all parts, the biggest parts first, later elements of a list before earlier ones (so that a
/// place stays right when one after it goes).
fn pointers(value: &Value) -> Vec<String> {
    let mut level = vec![(String::new(), value)];
    let mut all = Vec::new();
    while !level.is_empty() {
        level = level.iter().flat_map(|(pointer, value)| parts(pointer, value)).collect();
        all.extend(level.iter().map(|part| part.0.clone()));
    }
    all
}

fn parts<'a>(pointer: &str, value: &'a Value) -> Vec<(String, &'a Value)> {
    match value {
        Value::Array(items) => {
            let numbered = items.iter().enumerate().rev();
            numbered.map(|(index, item)| (format!("{pointer}/{index}"), item)).collect()
        }
        Value::Object(fields) => {
            let escaped = |key: &String| key.replace('~', "~0").replace('/', "~1");
            fields.iter().map(|(key, item)| (format!("{pointer}/{}", escaped(key)), item)).collect()
        }
        _ => Vec::new(),
    }
}

fn without(value: &Value, pointer: &str) -> Option<Value> {
    let mut value = value.clone();
    let (parent, last) = pointer.rsplit_once('/')?;
    match value.pointer_mut(parent)? {
        Value::Array(items) => {
            let index: usize = last.parse().ok()?;
            if index >= items.len() {
                return None;
            }
            items.remove(index);
        }
        Value::Object(fields) => {
            fields.remove(&last.replace("~1", "/").replace("~0", "~"))?;
        }
        _ => return None,
    }
    Some(value)
}

impl Input {
    /// The question as one document.
    pub fn to_json(&self) -> Value {
        let mut all = serde_json::json!({
            "policies": self.policies,
            "history": self.history,
            "engine": match self.engine { Engine::V1 => "v1", Engine::V1beta1 => "v1beta1" },
        });
        if let Some(scheduler) = &self.scheduler {
            all["scheduler"] = scheduler.clone();
        }
        if let Some(names) = &self.queue_policies {
            all["queuePolicies"] = serde_json::json!(names);
        }
        if self.missing_policy_skip {
            all["missingPolicySkip"] = serde_json::json!(true);
        }
        all
    }

    /// The question that [`Input::to_json`] wrote.
    pub fn from_json(all: &Value) -> Option<Self> {
        let names = |names: &Value| serde_json::from_value(names.clone()).ok();
        Some(Self {
            policies: all["policies"].as_array()?.clone(),
            history: all.get("history")?.clone(),
            scheduler: all.get("scheduler").cloned(),
            engine: match all["engine"].as_str()? {
                "v1" => Engine::V1,
                _ => Engine::V1beta1,
            },
            queue_policies: all.get("queuePolicies").and_then(names),
            missing_policy_skip: all["missingPolicySkip"] == true,
        })
    }
}
