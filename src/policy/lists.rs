//! Lists of documents, as programs print several at once. Each item is read as a document.

use super::GROUP;
use crate::diag::Place;
use crate::document::{Document, Entry, Node, NodeKind, Scalar, ScalarStyle, ScalarTag};
use std::sync::Arc;

/// The items of a list, each as a document; a document of any other kind is returned unchanged.
///
/// There are three kinds of list:
///
/// - `v1` `List`, as `kubectl get -o yaml` prints it, with items of any kind, lists among them
/// - `RetryPolicyList` and `QueueList`, as `get -o json` prints them
/// - one mapping of the kind `RetryPolicy` with `retryPolicies`, as Armada's own `armadactl get
///   retry-policies` prints it; its items have the version and kind of the list
///
/// A list with an `error` is incomplete and is returned unchanged. Go writes an empty list as `items: null`.
pub(super) fn items(document: Document) -> Vec<Document> {
    let text = |key| document.root.get(key).and_then(Node::text);
    let (Some(kind), Some(version)) = (text("kind"), text("apiVersion")) else {
        return vec![document];
    };
    let is_ours = version.split('/').next() == Some(GROUP);
    let is_policies = matches!(kind, "RetryPolicy" | "RetryPolicyList");
    let layout = match (kind, version) {
        ("List", "v1") => Some(("items", None)),
        ("RetryPolicyList" | "QueueList", _) if is_ours && document.root.get("items").is_some() => {
            Some(("items", None))
        }
        _ if is_ours && is_policies => Some(("retryPolicies", document.root.entry("apiVersion"))),
        _ => None,
    };
    let Some((key, version)) = layout else { return vec![document] };
    let listed = document.root.entry(key).map(|entry| &entry.value);
    match listed.map(|items| &items.kind) {
        _ if document.root.get("error").is_some() => vec![document],
        Some(NodeKind::List(items)) => items
            .iter()
            .map(|item| Document {
                source: Arc::clone(&document.source),
                root: version.map_or_else(|| item.clone(), |version| with_head(item, version)),
            })
            // The nesting of a document is limited, and so is this recursion.
            .flat_map(self::items)
            .collect(),
        _ if listed.is_some_and(Node::is_null) => Vec::new(),
        _ => vec![document],
    }
}

/// The place of `retryPolicies` in a list as Armada's own `armadactl get retry-policies` prints it.
/// Its `create -f` and `update -f` read the list as one policy, and refuse it.
pub(super) fn refused_by_armada(document: &Document) -> Option<Place> {
    let text = |key| document.root.get(key).and_then(Node::text);
    let is_ours = text("apiVersion")?.split('/').next() == Some(GROUP);
    let entry = document.root.entry("retryPolicies")?;
    (is_ours && text("kind") == Some("RetryPolicy")).then(|| document.place(entry.key_span))
}

/// A list's item as a document. It gets the version and kind of the list if it has none.
fn with_head(item: &Node, version: &Entry) -> Node {
    let mut item = item.clone();
    if let NodeKind::Map(entries) = &mut item.kind {
        let has = |key: &str| entries.iter().any(|entry| entry.key == key);
        let (no_version, no_kind) = (!has("apiVersion"), !has("kind"));
        if no_kind {
            let span = item.span;
            let text = "RetryPolicy".to_owned();
            let scalar = Scalar { text, style: ScalarStyle::Plain, tag: ScalarTag::None };
            let value = Node { span, kind: NodeKind::Scalar(scalar) };
            entries.insert(0, Entry { key: "kind".to_owned(), key_span: span, value });
        }
        if no_version {
            entries.insert(0, version.clone());
        }
    }
    item
}

#[cfg(test)]
mod tests {
    use crate::diag::Source;
    use crate::policy::read;

    const GPU: &str = "{name: gpu, retryLimit: 3, defaultAction: Fail, rules: [{action: Retry, onCategory: gpu}]}";
    const FULL: &str = "{apiVersion: armadaproject.io/v1beta1, kind: RetryPolicy, name: p, retryLimit: 1, defaultAction: Fail}";
    const QUEUE: &str =
        "{apiVersion: armadaproject.io/v1beta1, kind: Queue, name: q, retryPolicies: [p]}";

    /// The numbers of policies and queues in a text, and the messages of its findings.
    fn found(text: &str) -> (usize, usize, Vec<String>) {
        let (documents, findings) = read(&[Source::new("l.yaml", text)]);
        let messages = findings.iter().map(|finding| finding.message.clone()).collect();
        (documents.policies.len(), documents.queues.len(), messages)
    }

    #[test]
    fn every_list_is_read_as_its_items() {
        for (text, policies, queues) in [
            (format!("{{apiVersion: v1, kind: List, items: [{FULL}, {QUEUE}]}}"), 1, 1),
            (
                format!(
                    "{{apiVersion: v1, kind: List, items: [{{apiVersion: v1, kind: List, items: [{FULL}]}}, {QUEUE}]}}"
                ),
                1,
                1,
            ),
            ("{apiVersion: v1, kind: List, items: null}".to_owned(), 0, 0),
            ("{apiVersion: v1, kind: List, metadata: {}, items: []}".to_owned(), 0, 0),
            (
                format!(
                    "{{apiVersion: armadaproject.io/v1, kind: RetryPolicyList, items: [{FULL}]}}"
                ),
                1,
                0,
            ),
            (
                format!("{{apiVersion: armadaproject.io/v1, kind: QueueList, items: [{QUEUE}]}}"),
                0,
                1,
            ),
            (
                format!(
                    "{{apiVersion: armadaproject.io/v1beta1, kind: RetryPolicy, retryPolicies: [{GPU}, {FULL}]}}"
                ),
                2,
                0,
            ),
            (
                "{apiVersion: armadaproject.io/v1beta1, kind: RetryPolicy, retryPolicies: []}"
                    .to_owned(),
                0,
                0,
            ),
        ] {
            assert_eq!(found(&text), (policies, queues, Vec::new()), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_an_item_is_found_where_it_is() {
        let list = "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nretryPolicies:\n";
        let item = "- name: gpu\n  retryLimit: 3\n  defaultAktion: Fail\n";
        let (_, findings) = read(&[Source::new("l.yaml", format!("{list}{item}"))]);
        let places: Vec<String> = findings
            .iter()
            .filter_map(|finding| Some(finding.place.as_ref()?.to_string()))
            .collect();
        assert_eq!(places, ["l.yaml:6:3"], "{findings:?}");
        let list = format!(
            "apiVersion: v1\nkind: List\nitems:\n- {QUEUE}\n- apiVersion: armadaproject.io/v1beta1\n"
        );
        let item = "  kind: RetryPolicy\n  name: gpu\n  retryLimit: -3\n  defaultAction: Fail\n";
        let (_, findings) = read(&[Source::new("l.yaml", format!("{list}{item}"))]);
        let place = findings.iter().find_map(|finding| Some(finding.place.as_ref()?.to_string()));
        assert_eq!(place.as_deref(), Some("l.yaml:8:15"), "{findings:?}");
    }

    #[test]
    fn a_list_that_is_not_whole_is_refused() {
        let text = format!(
            "{{apiVersion: armadaproject.io/v1, kind: RetryPolicyList, items: [{FULL}], error: broken}}"
        );
        let (policies, _, messages) = found(&text);
        assert_eq!((policies, messages.len()), (0, 1), "{messages:?}");
    }
}
