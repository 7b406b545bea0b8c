//! From a queue as it was sent to the queue as it is stored: owners become permissions, what is
//! deprecated goes.

use crate::server::wire::{Json, quote};

/// What is stored of a queue.
pub(super) struct Normal {
    /// Its name.
    pub name: String,
    /// Everything else, as it is given back, but for its policies.
    pub rest: Json,
    /// Its policies, each once.
    pub policies: Vec<String>,
    /// Its policies as they were sent, some of them twice perhaps.
    pub named: Vec<String>,
}

const VERBS: [&str; 5] = ["submit", "cancel", "preempt", "reprioritize", "watch"];
const KEPT: [&str; 3] = ["resourceLimitsByPriorityClassName", "cordoned", "labels"];

/// What is stored of a queue, or what Armada refuses in it.
pub(super) fn normal(queue: &Json) -> Result<Normal, String> {
    if *queue == Json::Null {
        return Err("queue is nil".to_owned());
    }
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
    let mut rest = Vec::new();
    for key in ["name", "priorityFactor"] {
        rest.extend(queue.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    if !permissions.is_empty() {
        rest.push(("permissions".to_owned(), Json::List(permissions)));
    }
    for key in KEPT {
        rest.extend(queue.get(key).map(|value| (key.to_owned(), kept(value))));
    }
    let named = queue.texts_of("retryPolicies");
    let name = queue.text_of("name").to_owned();
    Ok(Normal { name, rest: Json::Object(rest), policies: once(&named), named })
}

/// Limits of no class at all are dropped.
fn kept(value: &Json) -> Json {
    let Json::Object(entries) = value else { return value.clone() };
    let given = entries.iter().filter(|(_, value)| *value != Json::Null);
    Json::Object(given.map(|(key, value)| (key.clone(), there(value))).collect())
}

/// Messages inside that are null are empty.
fn there(value: &Json) -> Json {
    match value {
        Json::Null => Json::Object(Vec::new()),
        Json::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| (key.clone(), there(value)));
            Json::Object(entries.collect())
        }
        other => other.clone(),
    }
}

/// The owners' permissions first, then those given.
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
        let verbs = VERBS.iter().map(|verb| text(verb)).collect();
        all.push(Json::object([("subjects", Json::List(owners)), ("verbs", Json::List(verbs))]));
    }
    let given = queue.get("permissions").map(Json::items).unwrap_or_default();
    for (index, permission) in given.iter().enumerate() {
        let failed = |why| format!("failed to map permission with index: {index}. {why}");
        all.push(judged(permission).map_err(failed)?);
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

/// Refuses a permission that Armada refuses. For one that is null, or has a subject that is, the
/// gateway cuts the connection.
fn judged(permission: &Json) -> Result<Json, String> {
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

/// Each text once, in its first place.
fn once(texts: &[String]) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    texts.iter().filter(|text| seen.insert(text.as_str())).cloned().collect()
}

/// Why a path cannot carry a name, if it cannot.
pub(super) fn not_in_a_path(name: &str) -> Option<String> {
    let bad = match name {
        "" => return Some("a queue without a name cannot be addressed".to_owned()),
        "." | ".." => true,
        name => name.contains(['/', ':']),
    };
    bad.then(|| format!("a path cannot carry the name {}", quote(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::wire::{QUEUE, Strictness, decode};

    fn stored(body: &str) -> Result<String, String> {
        let queue = decode(&QUEUE, body.as_bytes(), Strictness::AsArmada).unwrap();
        normal(&queue).map(|queue| queue.rest.to_string())
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
