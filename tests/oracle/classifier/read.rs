//! From JSON as an operator or Kubernetes writes it. What is absent or null is empty.

use super::model::{
    Category, Checks, Container, ContainerCheck, End, Event, EventPattern, Executor, Matcher, Pod,
    Rule, StatusCheck,
};
use regex::Regex;
use serde_json::Value;

pub fn executor(config: &Value) -> Executor {
    let block = &config["application"]["errorCategories"];
    let checks = &config["kubernetes"]["failedPodChecks"];
    Executor {
        is_enabled: block["enabled"] == true,
        default_category: text(&block["defaultCategory"]),
        default_subcategory: text(&block["defaultSubcategory"]),
        categories: list(&block["categories"], category),
        checks: Checks {
            containers: list(&checks["containerStatuses"], |check| ContainerCheck {
                name: regexp(&check["containerNameRegexp"]),
                message: regexp(&check["messageRegexp"]),
            }),
            events: list(&checks["events"], event_pattern),
            statuses: list(&checks["podStatuses"], |check| StatusCheck {
                regexp: regexp(&check["regexp"]),
                reason: text(&check["reason"]),
            }),
        },
    }
}

fn category(category: &Value) -> Category {
    Category {
        name: text(&category["name"]),
        is_delete: category["action"] == "Delete",
        rules: list(&category["rules"], rule),
    }
}

fn rule(rule: &Value) -> Rule {
    Rule {
        container: text(&rule["containerName"]),
        matcher: matcher(rule),
        subcategory: text(&rule["subcategory"]),
        hint: text(&rule["hint"]),
    }
}

fn matcher(rule: &Value) -> Matcher {
    if !list(&rule["onConditions"], text).is_empty() {
        return Matcher::Conditions(list(&rule["onConditions"], text));
    }
    if let Some(codes) = rule.get("onExitCodes") {
        let value = |value: &Value| value.as_i64().expect("an exit code");
        let is_in = codes["operator"] == "In";
        return Matcher::ExitCodes { is_in, values: list(&codes["values"], value) };
    }
    if let Some(message) = rule.get("onTerminationMessage") {
        return Matcher::TerminationMessage(regexp(&message["pattern"]));
    }
    if let Some(error) = rule.get("onPodError") {
        return Matcher::PodError(regexp(&error["pattern"]));
    }
    Matcher::PodEvents(event_pattern(&rule["onPodEvents"]))
}

fn event_pattern(pattern: &Value) -> EventPattern {
    EventPattern {
        regexp: regexp(&pattern["regexp"]),
        kind: text(&pattern["type"]),
        reason: text(&pattern["reason"]),
    }
}

pub fn pod(pod: &Value, events: &Value) -> Pod {
    let status = &pod["status"];
    let mut containers = list(&status["containerStatuses"], container);
    containers.extend(list(&status["initContainerStatuses"], container));
    let event = |event: &Value| Event {
        kind: text(&event["type"]),
        reason: text(&event["reason"]),
        message: text(&event["message"]),
    };
    Pod {
        reason: text(&status["reason"]),
        message: text(&status["message"]),
        containers,
        events: list(events, event),
    }
}

fn container(status: &Value) -> Container {
    let has_started = |state: &Value| !state["running"].is_null() || !state["terminated"].is_null();
    let end = |ended: &Value| End {
        code: ended["exitCode"].as_i64().unwrap_or(0),
        reason: text(&ended["reason"]),
        message: text(&ended["message"]),
    };
    let ended = &status["state"]["terminated"];
    Container {
        name: text(&status["name"]),
        end: (!ended.is_null()).then(|| end(ended)),
        has_started: has_started(&status["state"]) || has_started(&status["lastState"]),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list<T>(value: &Value, read: impl FnMut(&Value) -> T) -> Vec<T> {
    value.as_array().map(|items| items.iter().map(read).collect()).unwrap_or_default()
}

fn regexp(value: &Value) -> Regex {
    Regex::new(&text(value)).expect("a regexp of both dialects")
}
