//! The categories as a part of an executor's configuration.

use super::CategoryConversion;
use crate::armada::classifier::config::{
    CategoryConfig, EventConfig, FailedChecksConfig, RuleConfig, Text,
};
use serde_json::{Map, Value, json};

impl CategoryConversion {
    /// The sections of the executor's configuration that change: the categories, and the lists of the checks, which are
    /// empty. Laid over the file that was converted, it turns the checks off.
    pub fn to_value(&self, checks: &FailedChecksConfig) -> Value {
        let mut section = Map::new();
        section.insert("enabled".to_owned(), json!(self.categories.enabled));
        insert(&mut section, "defaultCategory", &self.categories.default_category);
        insert(&mut section, "defaultSubcategory", &self.categories.default_subcategory);
        let categories: Vec<Value> = self.categories.categories.iter().map(category).collect();
        section.insert("categories".to_owned(), json!(categories));
        let lists = [
            ("events", checks.events.is_empty()),
            ("podStatuses", checks.pod_statuses.is_empty()),
            ("containerStatuses", checks.container_statuses.is_empty()),
        ];
        let emptied = lists.into_iter().filter(|(_, is_empty)| !is_empty);
        let emptied: Map<String, Value> =
            emptied.map(|(name, _)| (name.to_owned(), json!([]))).collect();
        json!({
            "application": {"errorCategories": section},
            "kubernetes": {"failedPodChecks": emptied},
        })
    }
}

/// Sets a field, unless the text is empty, which is the same as absent.
fn insert(object: &mut Map<String, Value>, field: &str, text: &Text) {
    if !text.is_empty() {
        object.insert(field.to_owned(), json!(text.text));
    }
}

fn category(category: &CategoryConfig) -> Value {
    let mut object = Map::new();
    insert(&mut object, "name", &category.name);
    insert(&mut object, "action", &category.action);
    let rules: Vec<Value> = category.rules.iter().map(rule).collect();
    object.insert("rules".to_owned(), json!(rules));
    Value::Object(object)
}

fn rule(rule: &RuleConfig) -> Value {
    let mut object = Map::new();
    insert(&mut object, "containerName", &rule.container_name);
    let mut set = |field: &str, value: Value| object.insert(field.to_owned(), value);
    if let Some(codes) = &rule.exit_codes {
        set("onExitCodes", json!({"operator": codes.operator.text, "values": codes.values}));
    }
    if let Some(pattern) = &rule.termination_message {
        set("onTerminationMessage", json!({"pattern": pattern.text}));
    }
    if let Some(pattern) = &rule.pod_error {
        set("onPodError", json!({"pattern": pattern.text}));
    }
    if let Some(event) = &rule.pod_events {
        set("onPodEvents", events(event));
    }
    if !rule.conditions.is_empty() {
        let conditions: Vec<&str> = rule.conditions.iter().map(|it| it.text.as_str()).collect();
        set("onConditions", json!(conditions));
    }
    insert(&mut object, "subcategory", &rule.subcategory);
    insert(&mut object, "hint", &rule.hint);
    Value::Object(object)
}

fn events(event: &EventConfig) -> Value {
    let mut object = Map::from_iter([("regexp".to_owned(), json!(event.regexp.text))]);
    insert(&mut object, "reason", &event.reason);
    insert(&mut object, "type", &event.event_type);
    Value::Object(object)
}
