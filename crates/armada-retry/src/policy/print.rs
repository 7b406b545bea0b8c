//! Policies as documents: the canonical form, fields in the order of the shape.

use super::model::{Action, AntiAffinity, Backoff, Form, MemoryBump, RetryPolicy, Rule};
use serde_json::{Map, Value, json};

/// The policy as a document of its own form.
pub fn to_value(policy: &RetryPolicy) -> Value {
    match policy.form {
        Form::V1 => v1(policy),
        Form::V1beta1 => v1beta1(policy),
    }
}

/// A rule in YAML's flow form, as it stands in a list of rules: `{action: Retry, onConditions: [OOMKilled]}`.
pub fn rule_to_flow(rule: &Rule, form: Form) -> String {
    flow(&match form {
        Form::V1 => v1_rule(rule),
        Form::V1beta1 => v1beta1_rule(rule),
    })
}

fn flow(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let entries: Vec<String> =
                map.iter().map(|(key, value)| format!("{key}: {}", flow(value))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// Quotes a text for YAML, valid in every position.
pub fn quoted(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    // YAML reads some words, and digits, as other types than texts.
    let is_word = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word));
    if is_word && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    if text.chars().any(char::is_control) {
        return Value::from(text).to_string();
    }
    format!("'{}'", text.replace('\'', "''"))
}

fn v1(policy: &RetryPolicy) -> Value {
    let mut spec = Map::new();
    put(&mut spec, "retryLimit", policy.retry_limit);
    put(&mut spec, "defaultAction", policy.default_action.map(Action::as_str));
    common(&mut spec, policy.backoff, policy.anti_affinity);
    spec.insert("rules".to_owned(), policy.rules.iter().map(v1_rule).collect());
    json!({
        "apiVersion": "armadaproject.io/v1",
        "kind": "RetryPolicy",
        "metadata": {"name": policy.name.as_str()},
        "spec": spec,
    })
}

fn v1_rule(rule: &Rule) -> Value {
    let mut map = Map::new();
    put(&mut map, "action", Some(rule.action.as_str()));
    put(&mut map, "retryLimit", rule.retry_limit);
    put(&mut map, "containerName", rule.container.as_deref());
    put(&mut map, "includeInitContainers", rule.include_init_containers.then_some(true));
    for matcher in rule.matchers() {
        map.insert(matcher.field().to_owned(), matcher.to_value());
    }
    common(&mut map, rule.backoff, rule.anti_affinity);
    let text = rule.memory_text.as_deref();
    put(
        &mut map,
        "mutate",
        rule.memory.map(|memory| json!({"resources": resources(memory, text)})),
    );
    Value::Object(map)
}

fn common(map: &mut Map<String, Value>, backoff: Backoff, affinity: Option<AntiAffinity>) {
    if !backoff.is_empty() {
        let mut block = Map::new();
        put(&mut block, "initialDelay", backoff.initial_delay.map(|delay| delay.to_string()));
        put(&mut block, "maxDelay", backoff.max_delay.map(|delay| delay.to_string()));
        put(&mut block, "multiplier", backoff.multiplier);
        map.insert("backoff".to_owned(), Value::Object(block));
    }
    let mode = affinity.map(|mode| if mode == AntiAffinity::Node { "node" } else { "none" });
    put(map, "antiAffinity", mode.map(|mode| json!({"mode": mode})));
}

fn v1beta1(policy: &RetryPolicy) -> Value {
    let mut map = Map::new();
    put(&mut map, "apiVersion", Some("armadaproject.io/v1beta1"));
    put(&mut map, "kind", Some("RetryPolicy"));
    put(&mut map, "name", Some(policy.name.as_str()));
    put(&mut map, "retryLimit", policy.retry_limit);
    put(&mut map, "defaultAction", policy.default_action.map(Action::as_str));
    put(&mut map, "rules", Some(policy.rules.iter().map(v1beta1_rule).collect::<Value>()));
    Value::Object(map)
}

fn v1beta1_rule(rule: &Rule) -> Value {
    let mut map = Map::new();
    put(&mut map, "action", Some(rule.action.as_str()));
    put(&mut map, "onCategory", rule.categories.first().map(String::as_str));
    put(&mut map, "onSubcategory", rule.subcategories.first().map(String::as_str));
    let mut mutate = Map::new();
    put(&mut mutate, "affinity", rule.avoid_same_node.then(|| json!({"avoidSameNode": true})));
    put(
        &mut mutate,
        "resources",
        rule.memory.map(|memory| resources(memory, rule.memory_text.as_deref())),
    );
    put(&mut map, "mutate", (!mutate.is_empty()).then_some(mutate));
    Value::Object(map)
}

fn resources(memory: MemoryBump, text: Option<&str>) -> Value {
    match memory {
        MemoryBump::Factor(factor) => json!({"memory": {"factor": factor}}),
        MemoryBump::Static(amount) => {
            let text = text.map_or_else(|| amount.to_string(), str::to_owned);
            json!({"memory": {"static": text}})
        }
    }
}

fn put<T: Into<Value>>(map: &mut Map<String, Value>, key: &str, value: Option<T>) {
    if let Some(value) = value {
        map.insert(key.to_owned(), value.into());
    }
}
