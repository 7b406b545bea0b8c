//! A queue as a document or flags describe it: the fields that they name, and no others.

use super::compare::{differences, without_empty_values};
use super::owners::Owners;
use crate::report::FieldDifference;
use armada_retry::policy::QueueDocument;
use client::{ClientError, ClientErrorKind, Fields, check_name};
use document::diag::{Code, Diagnostic, Findings, Place};
use document::{Node, NodeKind, Resolved};
use serde_json::{Map, Value, json};

/// A queue as a document or flags describe it.
#[derive(Debug, Clone)]
pub(in crate::commands) struct DesiredQueue {
    name: String,
    fields: Map<String, Value>,
    owners: Owners,
    policies: Vec<(String, Option<Place>)>,
}

/// Fields that servers ignore and never return, so that they cannot differ.
const IGNORED: [&str; 2] = ["resourceLimits", "labelsDeprecated"];

/// The field that servers require of a queue.
pub(super) const FACTOR: &str = "priorityFactor";

impl DesiredQueue {
    /// A queue that names no field yet.
    pub(super) fn new(name: &str) -> Self {
        let (fields, owners) = (Map::new(), Owners::default());
        Self { name: name.to_owned(), fields, owners, policies: Vec::new() }
    }

    /// The queue of a valid document. Null fields are not named.
    pub(super) fn from_document(document: &QueueDocument) -> Self {
        let root = &document.document.root;
        let mut queue = Self::new(&document.queue.name);
        for entry in root.get("spec").unwrap_or(root).entries() {
            let own = !matches!(entry.key.as_str(), "apiVersion" | "kind" | "name" | "metadata");
            if own && !entry.value.is_null() {
                queue.set(&entry.key, value(&entry.value));
            }
        }
        let names = root.at(&["spec", "retryPolicies"]).or_else(|| root.get("retryPolicies"));
        for node in names.map(Node::items).unwrap_or_default() {
            let place = document.document.place(node.span);
            queue.policies.extend(node.text().map(|name| (name.to_owned(), Some(place))));
        }
        queue
    }

    /// The finding that no path can carry the name of a document.
    pub(super) fn bad_name(document: &QueueDocument) -> Findings {
        let mut findings = Findings::new();
        let root = &document.document.root;
        let node = root.at(&["metadata", "name"]).or_else(|| root.get("name"));
        if let (Err(error), Some(node)) = (check_name("queue", &document.queue.name), node) {
            let place = document.document.place(node.span);
            findings.push(Diagnostic::error(Code::BadName, place, error.message));
        }
        findings
    }

    /// Names a field and its value. An empty list of owners means no owners.
    pub(super) fn set(&mut self, key: &str, value: Value) {
        let texts = |value: &Value| -> Vec<String> {
            let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
            items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
        };
        match key {
            "userOwners" => self.owners.users = Some(texts(&value)),
            "groupOwners" => self.owners.groups = Some(texts(&value)),
            "permissions" => self.owners.permissions = value.as_array().cloned(),
            "retryPolicies" => {
                let mut names = texts(&value);
                let mut seen = std::collections::HashSet::new();
                names.retain(|name| seen.insert(name.clone()));
                self.fields.insert(key.to_owned(), json!(names));
                return;
            }
            _ => {}
        }
        self.fields.insert(key.to_owned(), value);
    }

    /// Names its policies, from flags.
    pub(super) fn set_policies(&mut self, names: &[String]) {
        self.set("retryPolicies", json!(names));
        self.policies = names.iter().map(|name| (name.clone(), None)).collect();
    }

    pub(in crate::commands) fn name(&self) -> &str {
        &self.name
    }

    /// Whether it names its policies, even if there are none.
    pub(super) fn has_policies(&self) -> bool {
        self.has_field("retryPolicies")
    }

    /// Whether it names owners or permissions, even if there are none.
    pub(super) fn has_named_rights(&self) -> bool {
        self.owners.has_any()
    }

    /// Whether a new queue of this body gives rights to any user or group.
    pub(super) fn has_rights(&self) -> bool {
        self.owners.permissions(&[]).is_some_and(|rights| !without_empty_values(&rights).is_null())
    }

    /// Whether it names this field.
    pub(super) fn has_field(&self, key: &str) -> bool {
        self.fields.contains_key(key)
    }

    /// The policies it names, with their places where a file names them.
    pub(super) fn policies(&self) -> &[(String, Option<Place>)] {
        &self.policies
    }

    /// The policies it is to have, each once.
    pub(super) fn policy_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (name, _) in &self.policies {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// The whole queue, for a server that has none of this name. Servers refuse one without a
    /// priority factor, so that an absent one is 1.
    pub(super) fn body(&self) -> Value {
        let mut body = Map::new();
        body.insert("name".to_owned(), json!(self.name));
        body.insert(FACTOR.to_owned(), json!(1));
        let named = self.fields.iter().filter(|(_, value)| !without_empty_values(value).is_null());
        body.extend(named.map(|(key, value)| (key.clone(), value.clone())));
        Value::Object(body)
    }

    /// The fields in which the server's queue differs; all of them if it has none of this name.
    pub(in crate::commands) fn differences(&self, live: Option<&Fields>) -> Vec<FieldDifference> {
        let Some(live) = live else { return differences("", &Value::Null, &self.body()) };
        let targets = self.targets(live);
        let differing =
            |(key, desired): &(&str, Value)| differences(key, &live_value(live, key), desired);
        targets.iter().flat_map(differing).collect()
    }

    /// Changes a queue of the server. A field whose value means the same keeps its text.
    pub(super) fn change(&self, live: &mut Fields) -> Result<(), ClientError> {
        if live.get("name").is_none() {
            let why = format!("the server's queue `{}` has no name", self.name);
            return Err(ClientError::new(ClientErrorKind::Server, why));
        }
        for (key, desired) in self.targets(live) {
            if differences(key, &live_value(live, key), &desired).is_empty() {
                continue;
            }
            if without_empty_values(&desired).is_null() {
                live.remove(key);
            } else {
                live.set(key, &desired);
            }
        }
        Ok(())
    }

    /// The values of the named fields on an existing queue.
    fn targets(&self, live: &Fields) -> Vec<(&str, Value)> {
        let special = ["userOwners", "groupOwners", "permissions"]
            .into_iter()
            .chain(IGNORED)
            .collect::<Vec<_>>();
        let plain = self.fields.iter().filter(|(key, _)| !special.contains(&key.as_str()));
        let mut targets: Vec<(&str, Value)> =
            plain.map(|(key, value)| (key.as_str(), value.clone())).collect();
        let permissions = live_value(live, "permissions");
        let permissions = permissions.as_array().map(Vec::as_slice).unwrap_or_default();
        targets
            .extend(self.owners.permissions(permissions).map(|desired| ("permissions", desired)));
        targets
    }
}

fn live_value(live: &Fields, key: &str) -> Value {
    live.value(key).unwrap_or_default()
}

/// A node as data.
fn value(node: &Node) -> Value {
    match &node.kind {
        NodeKind::List(items) => items.iter().map(value).collect(),
        NodeKind::Map(entries) => {
            entries.iter().map(|entry| (entry.key.clone(), value(&entry.value))).collect()
        }
        NodeKind::Scalar(scalar) => match scalar.resolve() {
            Resolved::Null => Value::Null,
            Resolved::Boolean(value) => json!(value),
            Resolved::Float(value) => json!(value),
            Resolved::Text(text) => json!(text),
            Resolved::Integer(number) => match i64::try_from(number) {
                Ok(number) => json!(number),
                Err(_) => json!(node.number()),
            },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armada_retry::policy;
    use document::diag::Source;

    fn desired(text: &str) -> DesiredQueue {
        let (documents, findings) = policy::read(&[Source::new("q.yaml", text)]);
        assert!(findings.is_empty(), "{findings:?}");
        DesiredQueue::from_document(&documents.queues[0])
    }

    const HEAD: &str = "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: q\n";

    #[test]
    fn only_what_is_named_and_differs_is_changed() {
        let queue = desired(&format!(
            "{HEAD}priorityFactor: 2.0\ncordoned: false\nlabels: {{}}\nretryPolicies: [b, b]\npermissions: ~\n"
        ));
        let text = r#"{"name":"q", "priorityFactor":2,"big":1e400, "retryPolicies":["a"],"labels":{"x":"y"},"permissions":[{"verbs":["watch"]}]}"#;
        let mut live = Fields::parse(text).unwrap();
        let paths: Vec<String> =
            queue.differences(Some(&live)).into_iter().map(|field| field.path).collect();
        assert_eq!(paths, ["labels", "retryPolicies"]);
        queue.change(&mut live).unwrap();
        let expected = r#"{"name":"q", "priorityFactor":2,"big":1e400, "retryPolicies":["b"],"permissions":[{"verbs":["watch"]}]}"#;
        assert_eq!(live.text(), expected);
        queue.change(&mut live).unwrap();
        assert_eq!(live.text(), expected);
    }

    #[test]
    fn both_forms_have_the_same_fields() {
        let flat =
            desired(&format!("{HEAD}priorityFactor: 1\nlabels: {{a: b}}\nuserOwners: [me]\n"));
        let nested = desired(
            "apiVersion: armadaproject.io/v1\nkind: Queue\nmetadata: {name: q}\nspec:\n  priorityFactor: 1\n  labels: {a: b}\n  userOwners: [me]\n",
        );
        assert_eq!(flat.body(), nested.body());
        assert_eq!(
            flat.body(),
            json!({"name": "q", "priorityFactor": 1, "labels": {"a": "b"}, "userOwners": ["me"]})
        );
    }
}
