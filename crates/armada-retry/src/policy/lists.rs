//! Lists of documents, as programs print several at once. Each item is read as a document.

use super::group::GROUP;
use document::diag::{Place, Source, Span};
use document::{Document, Entry, Node, NodeKind, Scalar, ScalarStyle, ScalarTag};
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
                root: version.map_or_else(
                    || item.clone(),
                    |version| with_head(item, version, "RetryPolicy"),
                ),
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

/// The list in the output of Armada's own `armadactl get queues`, which is no YAML: the lines of `apiVersion` and
/// `kind: Queue`, and then a list without a key. The lines of the list keep their numbers.
pub(super) fn queues_of_armada(source: &Source) -> Option<Arc<Source>> {
    let (mut start, mut has_version, mut has_kind) = (0, false, false);
    for (index, line) in source.text().split_inclusive('\n').enumerate() {
        let words = line.trim_end();
        if let Some(version) = words.strip_prefix("apiVersion:") {
            has_version = version.trim().split('/').next() == Some(GROUP);
        } else if let Some(kind) = words.strip_prefix("kind:") {
            has_kind = kind.trim() == "Queue";
        } else if has_version && has_kind && (words.starts_with("- ") || words == "[]") {
            let list = &source.text()[start..];
            return Some(Source::excerpt(source.name(), list, index + 1));
        } else if !words.is_empty() && !words.starts_with('#') {
            return None;
        }
        start += line.len();
    }
    None
}

/// The queues of such a list, each as a document.
pub(super) fn queue_items(list: &Document) -> Vec<Document> {
    let document = |item: &Node| {
        let version = scalar_entry("apiVersion", &format!("{GROUP}/v1beta1"), item.span);
        let root = with_head(item, &version, "Queue");
        Document { source: Arc::clone(&list.source), root }
    };
    list.root.items().iter().map(document).collect()
}

pub(super) fn scalar_entry(key: &str, text: &str, span: Span) -> Entry {
    let scalar = Scalar { text: text.to_owned(), style: ScalarStyle::Plain, tag: ScalarTag::None };
    let value = Node { span, kind: NodeKind::Scalar(scalar) };
    Entry { key: key.to_owned(), key_span: span, value }
}

/// A list's item as a document. It gets the version and kind of the list if it has none.
fn with_head(item: &Node, version: &Entry, kind: &str) -> Node {
    let mut item = item.clone();
    if let NodeKind::Map(entries) = &mut item.kind {
        let has = |key: &str| entries.iter().any(|entry| entry.key == key);
        let (no_version, no_kind) = (!has("apiVersion"), !has("kind"));
        if no_kind {
            entries.insert(0, scalar_entry("kind", kind, item.span));
        }
        if no_version {
            entries.insert(0, version.clone());
        }
    }
    item
}

#[cfg(test)]
mod tests {
    /// Armada's own `get queues` prints no YAML: its queues are read, with the lines of the file.
    #[test]
    fn the_queues_that_armada_prints_are_read() {
        let head = "apiVersion: armadaproject.io/v1beta1\nkind: Queue\n";
        let text = format!(
            "{head}- name: a\n  priorityFactor: 1\n- cordoned: true\n  name: b\n  priorityFactor: 2\n  retryPolicies:\n  - p\n"
        );
        let (documents, findings) = crate::policy::read(&[Source::new("q.yaml", text.clone())]);
        assert!(findings.is_empty(), "{findings:?}");
        let names: Vec<&str> = documents.queues.iter().map(|q| q.queue.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(documents.lists_refused_by_armada.len(), 1);
        let wrong = text.replace("cordoned: true", "cordond: true");
        let (_, findings) = crate::policy::read(&[Source::new("q.yaml", wrong)]);
        let places: Vec<String> =
            findings.iter().filter_map(|f| f.place.as_ref().map(ToString::to_string)).collect();
        assert_eq!(places, ["q.yaml:5:3"]);
        for other in [format!("{head}name: a\n"), format!("{head}x: 1\n- name: a\n")] {
            assert!(super::queues_of_armada(&Source::new("q.yaml", other)).is_none());
        }
        let (documents, findings) =
            crate::policy::read(&[Source::new("q.yaml", format!("{head}[]\n"))]);
        assert!(findings.is_empty() && documents.queues.is_empty(), "{findings:?}");
    }

    use crate::policy::read;
    use document::diag::Source;

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
