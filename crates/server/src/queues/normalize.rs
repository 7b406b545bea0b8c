//! Conversion of a queue to its stored form, as Armada does it: owners become permissions, and
//! deprecated fields are dropped.

use crate::wire::Json;
use document::diag::go_quote;

/// A queue in its stored form.
pub(super) struct NormalizedQueue {
    pub name: String,
    /// The fields that are returned, except its policies.
    pub definition: Json,
    /// The policies, without duplicates.
    pub policies: Vec<String>,
    /// The policies as they were sent, with duplicates.
    pub policy_names: Vec<String>,
}

/// The permissions that Armada grants the owners of a queue.
const OWNER_VERBS: [&str; 5] = ["submit", "cancel", "preempt", "reprioritize", "watch"];
/// The optional fields that are stored.
const STORED_FIELDS: [&str; 3] = ["resourceLimitsByPriorityClassName", "cordoned", "labels"];

/// Converts a queue to its stored form; the error is Armada's message.
pub(super) fn normalize(queue: &Json) -> Result<NormalizedQueue, String> {
    if *queue == Json::Null {
        return Err("queue is nil".to_owned());
    }
    // An absent number is 0 in Go.
    let factor = queue.get("priorityFactor").and_then(Json::number).unwrap_or(0.0);
    if factor < 1.0 {
        return Err(format!(
            "failed to map priority factor. priority factor cannot be lower than 1.0. Value: {factor:.6}"
        ));
    }
    let permissions = permissions(queue)?;
    for (key, value) in queue.get("labels").map(Json::entries).unwrap_or_default() {
        let value = value.text().unwrap_or_default();
        if key.is_empty() || value.is_empty() {
            return Err(format!(
                "queue labels must not have an empty key or value, key: {key}, value: {value}"
            ));
        }
    }
    let mut definition = Vec::new();
    for key in ["name", "priorityFactor"] {
        definition.extend(queue.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    if !permissions.is_empty() {
        definition.push(("permissions".to_owned(), Json::List(permissions)));
    }
    for key in STORED_FIELDS {
        definition.extend(queue.get(key).map(|value| (key.to_owned(), stored_value(value))));
    }
    // With duplicates, which strict mode refuses; only the stored list is without.
    let policy_names = queue.texts_of("retryPolicies");
    let name = queue.text_of("name").to_owned();
    Ok(NormalizedQueue {
        name,
        definition: Json::Object(definition),
        policies: unique(&policy_names),
        policy_names,
    })
}

/// The stored form of a field's value: entries that are null are dropped.
fn stored_value(value: &Json) -> Json {
    let Json::Object(entries) = value else { return value.clone() };
    let present = entries.iter().filter(|(_, value)| *value != Json::Null);
    Json::Object(present.map(|(key, value)| (key.clone(), without_nulls(value))).collect())
}

/// Replaces null by an empty message, at all levels.
fn without_nulls(value: &Json) -> Json {
    match value {
        Json::Null => Json::Object(Vec::new()),
        Json::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| (key.clone(), without_nulls(value)));
            Json::Object(entries.collect())
        }
        other => other.clone(),
    }
}

/// The permissions: those of the owners first, then those of the field.
fn permissions(queue: &Json) -> Result<Vec<Json>, String> {
    let text = |text: &str| Json::Text(text.to_owned());
    let subjects = |key: &str, kind: &str| -> Vec<Json> {
        let names = queue.texts_of(key);
        names.iter().map(|name| subject(kind, name)).collect()
    };
    let mut owners = subjects("userOwners", "User");
    owners.extend(subjects("groupOwners", "Group"));
    let mut all = Vec::new();
    if !owners.is_empty() {
        let verbs = OWNER_VERBS.iter().map(|verb| text(verb)).collect();
        all.push(Json::object([("subjects", Json::List(owners)), ("verbs", Json::List(verbs))]));
    }
    let present = queue.get("permissions").map(Json::items).unwrap_or_default();
    for (index, permission) in present.iter().enumerate() {
        let failed = |why| format!("failed to map permission with index: {index}. {why}");
        all.push(check_permission(permission).map_err(failed)?);
    }
    Ok(all)
}

fn subject(kind: &str, name: &str) -> Json {
    let mut fields = vec![("kind".to_owned(), Json::Text(kind.to_owned()))];
    if !name.is_empty() {
        fields.push(("name".to_owned(), Json::Text(name.to_owned())));
    }
    Json::Object(fields)
}

/// Refuses a permission that Armada refuses. If one is null, or has a null subject, Armada's gateway closes
/// the connection.
fn check_permission(permission: &Json) -> Result<Json, String> {
    if *permission == Json::Null {
        return Err("permission is null".to_owned());
    }
    let subjects = permission.get("subjects").map(Json::items).unwrap_or_default();
    for (index, subject) in subjects.iter().enumerate() {
        let kind = subject.text_of("kind");
        let why = match (subject, kind) {
            (Json::Null, _) => "subject is null".to_owned(),
            (_, "User" | "Group") => continue,
            _ => format!("invalid kind value: {kind}"),
        };
        return Err(format!(
            "failed to map subjects. failed to map kind with index: {index}. {why}"
        ));
    }
    Ok(permission.clone())
}

/// Removes duplicates; the first occurrence is kept.
fn unique(texts: &[String]) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    texts.iter().filter(|text| seen.insert(text.as_str())).cloned().collect()
}

/// The reason that a name does not fit into a path; `None` if it does.
pub(super) fn path_name_error(name: &str) -> Option<String> {
    let bad = match name {
        "" => return Some("a queue without a name cannot be addressed".to_owned()),
        "." | ".." => true,
        name => name.contains(['/', ':']),
    };
    bad.then(|| format!("a path cannot carry the name {}", go_quote(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{QUEUE, Strictness, decode};

    fn stored(body: &str) -> Result<String, String> {
        let queue = decode(&QUEUE, body.as_bytes(), Strictness::AsArmada).unwrap();
        normalize(&queue).map(|queue| queue.definition.to_string())
    }

    #[test]
    fn owners_become_permissions_and_go_first() {
        let body = r#"{"priorityFactor":1,"userOwners":["u"],"groupOwners":["g"],"permissions":[{"subjects":[{"kind":"User","name":"x"}],"verbs":["any"]},{}],"resourceLimits":{"cpu":1},"labelsDeprecated":["l"]}"#;
        let stored = stored(body).unwrap();
        assert_eq!(
            stored,
            r#"{"priorityFactor":1,"permissions":[{"subjects":[{"kind":"User","name":"u"},{"kind":"Group","name":"g"}],"verbs":["submit","cancel","preempt","reprioritize","watch"]},{"subjects":[{"kind":"User","name":"x"}],"verbs":["any"]},{}]}"#
        );
    }

    #[test]
    fn nothing_that_is_stored_is_null() {
        let body = r#"{"priorityFactor":1,"resourceLimitsByPriorityClassName":{"a":null,"b":{"maximumResourceFractionByPool":{"p":null}}}}"#;
        let stored = stored(body).unwrap();
        assert_eq!(
            stored,
            r#"{"priorityFactor":1,"resourceLimitsByPriorityClassName":{"b":{"maximumResourceFractionByPool":{"p":{}}}}}"#
        );
    }

    #[test]
    fn what_armada_refuses_is_refused() {
        for (body, text) in [
            ("{}", "cannot be lower than 1.0. Value: 0.000000"),
            (r#"{"priorityFactor":0.5}"#, "Value: 0.500000"),
            (r#"{"priorityFactor":1,"labels":{"a":""}}"#, "empty key or value, key: a, value: "),
            (
                r#"{"priorityFactor":1,"permissions":[{},{"subjects":[{"kind":"user"}]}]}"#,
                "permission with index: 1. failed to map subjects. failed to map kind with index: 0. invalid kind value: user",
            ),
            (r#"{"priorityFactor":1,"permissions":[null]}"#, "index: 0. permission is null"),
            (
                r#"{"priorityFactor":1,"permissions":[{"subjects":[null]}]}"#,
                "index: 0. subject is null",
            ),
        ] {
            let said = stored(body).unwrap_err();
            assert!(said.contains(text), "{said}");
        }
    }
}
