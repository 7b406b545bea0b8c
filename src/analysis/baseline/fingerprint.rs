//! Fingerprints of findings by the tree of their document: what stays where lines move, comments change, or YAML is
//! written in another style.
//!
//! A fingerprint is made of the id, the file, kind and name of the document, and the path to the finding: keys, and of
//! each list the item, by its name or else by its content. Equal findings are numbered. (The fingerprints of SARIF and
//! GitLab, `report::fingerprint`, are made of lines, as those systems make theirs.)

use document::diag::{Diagnostic, Source};
use document::{Document, Limits, Node, NodeKind, json_of_any, parse};
use serde_json::Value;
use sha1::{Digest, Sha1};
use std::collections::HashMap;
use std::sync::Arc;

/// Returns the fingerprints of findings, in their order: 40 hexadecimal digits each. `path` returns the path of a file
/// that a fingerprint has.
pub fn fingerprints(findings: &[Diagnostic], path: impl Fn(&str) -> String) -> Vec<String> {
    let mut fingerprints = Fingerprints::default();
    findings.iter().map(|finding| fingerprints.fingerprint(finding, &path)).collect()
}

#[derive(Default)]
struct Fingerprints {
    /// The documents of the sources so far, by name.
    documents: HashMap<String, Vec<Document>>,
    /// The number of equal findings so far.
    counts: HashMap<Vec<String>, usize>,
}

impl Fingerprints {
    fn fingerprint(&mut self, finding: &Diagnostic, path: &impl Fn(&str) -> String) -> String {
        let mut parts = vec![finding.code.id().to_owned()];
        match &finding.place {
            None => parts.push(finding.message.clone()),
            Some(place) => {
                parts.push(path(place.source.name()));
                parts.extend(self.location(&place.source, place.span.start));
            }
        }
        let count = self.counts.entry(parts.clone()).or_default();
        *count += 1;
        parts.push(count.to_string());
        let mut hash = Sha1::new();
        for part in &parts {
            // With its length, so that the same letters in other parts have another hash.
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        hash.finalize().iter().fold(String::new(), |digits, byte| digits + &format!("{byte:02x}"))
    }

    /// The document at an offset and the path to it; the text of the line in a file that is no YAML.
    fn location(&mut self, source: &Arc<Source>, at: usize) -> Vec<String> {
        let documents = self.documents.entry(source.name().to_owned());
        let documents = documents.or_insert_with(|| parse(source, Limits::POLICY).0);
        let found = documents.partition_point(|document| document.root.span.start <= at);
        match found.checked_sub(1).and_then(|number| documents.get(number)) {
            Some(document) => path_to(&document.root, at),
            None => vec![source.text()[source.line_at(at)].trim().to_owned()],
        }
    }
}

/// The kind and the name of a document, and the keys and items that lead to an offset.
fn path_to(root: &Node, at: usize) -> Vec<String> {
    let kind = root.get("kind").and_then(Node::text).unwrap_or_default();
    let mut parts = vec![kind.to_owned(), name_of(root).unwrap_or_default().to_owned()];
    let mut node = root;
    loop {
        match &node.kind {
            NodeKind::Map(entries) => {
                let before = entries.iter().filter(|entry| entry.key_span.start <= at);
                let Some(entry) = before.max_by_key(|entry| entry.key_span.start) else { break };
                parts.push(entry.key.clone());
                node = &entry.value;
            }
            NodeKind::List(items) => {
                let before = items.iter().filter(|item| item.span.start <= at);
                let Some(item) = before.max_by_key(|item| item.span.start) else { break };
                parts.push(name_of(item).map_or_else(|| content(item), str::to_owned));
                node = item;
            }
            NodeKind::Scalar(scalar) => {
                parts.push(scalar.text.clone());
                break;
            }
        }
        // The finding is about the collection, not about its first entry.
        if node.scalar().is_none() && node.span.start > at {
            break;
        }
    }
    parts
}

/// The name of a document, or of an item that has one.
fn name_of(node: &Node) -> Option<&str> {
    node.at(&["metadata", "name"]).or_else(|| node.get("name")).and_then(Node::text)
}

/// The content of a node, in an order of keys of its own.
fn content(node: &Node) -> String {
    let mut value: Value = serde_json::from_str(&json_of_any(node)).unwrap_or_default();
    value.sort_all_objects();
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::diag::{Code, Place, Span};

    /// The fingerprints of findings at all occurrences of a text.
    fn at(text: &str, needle: &str) -> Vec<String> {
        let source = Source::new("p.yaml", text);
        let finding = |(start, found): (usize, &str)| {
            let place = Place::new(&source, Span::new(start, start + found.len()));
            Diagnostic::warning(Code::UnknownField, place, "")
        };
        let findings: Vec<Diagnostic> = text.match_indices(needle).map(finding).collect();
        fingerprints(&findings, str::to_owned)
    }

    const BLOCK: &str = "kind: P\nmetadata:\n  name: a\nspec:\n  limit: 3\n  rules:\n  - action: Retry\n    on: [x]\n  - action: Retry\n    on: [y]\n";

    #[test]
    fn only_what_a_document_says_matters() {
        let block = at(BLOCK, "action");
        assert_ne!(block[0], block[1]);
        for same in [
            "# a\nkind: P # b\n\nmetadata: {name: \"a\"}\nspec:\n    # c\n    limit: 3\n    rules: # d\n      - on: [x]\n        action: Retry # e\n      -   action: Retry\n          on:\n          - y\n",
            "{kind: P, metadata: {name: a}, spec: {rules: [{action: Retry, on: [x]}, {on: [y], action: Retry}]}}\n",
            "kind: Q\nname: q\n--- # next\nkind: P\nmetadata: {name: a}\nspec: {limit: 4, rules: [{action: Retry, on: [x]}, {action: Fail}, {action: Retry, on: [y]}]}\n",
        ] {
            let mut found = at(same, "action");
            found.retain(|one| block.contains(one));
            assert_eq!(found, block, "{same}");
        }
        let limit = at(BLOCK, "limit");
        assert_ne!(at(&BLOCK.replace("limit: 3", "limit: 4"), "limit"), limit);
        assert_ne!(at(&BLOCK.replace("name: a", "name: b"), "limit"), limit);
    }

    #[test]
    fn another_rule_is_another_finding() {
        let changed = at(&BLOCK.replace("[y]", "[z]"), "action");
        let before = at(BLOCK, "action");
        assert_eq!((&changed[0], changed[1] == before[1]), (&before[0], false));
        let twice = at(&BLOCK.replace("[y]", "[x]"), "action");
        assert_eq!((&twice[0], twice[1] == before[0]), (&before[0], false));
    }

    #[test]
    fn a_file_that_is_no_yaml_has_lines() {
        assert_eq!(at("a: [\nb", "b"), at("x: 1\na: [\n  b", "b"));
    }
}
