//! Which kind of document something is, by what it says of itself.

use super::file::{Other, Reader};
use super::{Form, GROUP};
use crate::diag::{Code, Diagnostic, Span, did_you_mean};
use crate::document::{Document, Node, NodeKind};

/// The kinds of document there are.
const KINDS: [&str; 3] = ["RetryPolicy", "Queue", "FailureHistory"];
const VERSIONS: [&str; 2] = ["armadaproject.io/v1", "armadaproject.io/v1beta1"];

impl Reader {
    /// The document's kind and form, or findings about what it says of them.
    pub(super) fn dispatch(&mut self, document: &Document) -> Option<(&'static str, Form)> {
        let root = &document.root;
        let head = root.span.first_line(document.source.text());
        if !matches!(root.kind, NodeKind::Map(_)) {
            let message = format!(
                "expected a mapping with `apiVersion` and `kind`, found {}",
                root.describe()
            );
            self.findings.push(
                Diagnostic::error(Code::WrongType, document.place(head), message)
                    .help("begin with `apiVersion: armadaproject.io/v1`"),
            );
            return None;
        }
        if let Some(kind) = self.stranger(root) {
            let place = document.place(head);
            let mut other = Self { foreign: self.foreign, ..Self::default() };
            other.kind_and_form(document, head);
            self.strange.push((kind, place, other.findings));
            return None;
        }
        self.kind_and_form(document, head)
    }

    /// The kind of a document that is of no group whose documents are read, where manifests of
    /// other systems are.
    fn stranger(&self, root: &Node) -> Option<String> {
        let text = |key| root.entry_in_any_case(key).and_then(|entry| entry.value.text());
        let (kind, version) = (text("kind")?, text("apiVersion")?);
        let known = KINDS.into_iter().chain(self.foreign.iter().map(|one| one.kind));
        let near = did_you_mean(kind, known).is_some() || kind.ends_with("List");
        let ours = version.split('/').next() == Some(GROUP);
        (!self.foreign.is_empty() && !near && !ours).then(|| kind.to_owned())
    }

    /// Passes over strange documents beside manifests of other systems, as they are applied
    /// together; else says what is wrong with them.
    pub(super) fn strange(&mut self) {
        let foreign = self.foreign;
        let is_foreign = |other: &Other| foreign.iter().any(|one| one.kind == other.kind);
        let beside = self.documents.others.iter().any(is_foreign);
        for (kind, place, findings) in std::mem::take(&mut self.strange) {
            if beside {
                self.documents.passed_over.push((kind, place));
            } else {
                self.findings.extend(findings);
            }
        }
    }

    fn kind_and_form(&mut self, document: &Document, head: Span) -> Option<(&'static str, Form)> {
        let foreign = self.foreign;
        let kinds: Vec<_> = KINDS.into_iter().chain(foreign.iter().map(|one| one.kind)).collect();
        let kind = self.known(document, "kind", &kinds, head);
        let of_kind = foreign.iter().find(|one| Some(one.kind) == kind);
        let versions = match (kind, of_kind) {
            (_, Some(foreign)) => foreign.versions.to_vec(),
            (Some(_), None) => VERSIONS.to_vec(),
            // Of a kind that nobody knows any version will do.
            (None, None) => {
                let others = foreign.iter().flat_map(|one| one.versions);
                let others = others.filter(|version| !VERSIONS.contains(version));
                VERSIONS.iter().chain(others).copied().collect()
            }
        };
        let version = self.known(document, "apiVersion", &versions, head);
        let form = if version? == VERSIONS[0] { Form::V1 } else { Form::V1beta1 };
        Some((kind?, form))
    }

    fn known(
        &mut self,
        document: &Document,
        key: &str,
        known: &[&'static str],
        head: Span,
    ) -> Option<&'static str> {
        let written = document.root.entry_in_any_case(key);
        let Some(node) = written.map(|e| &e.value).filter(|value| !value.is_null()) else {
            if written.is_some_and(|e| document.is_broken_alias(&e.value)) {
                return None;
            }
            let message = format!("the document has no `{key}`");
            let flat = key == "apiVersion" && document.root.get("name").is_some();
            let help = if flat { known[1] } else { known[0] };
            let help = format!("add `{key}: {help}`");
            self.findings.push(
                Diagnostic::error(Code::MissingField, document.place(head), message).help(help),
            );
            return None;
        };
        let Some(scalar) = node.scalar() else {
            let message = format!("`{key}`: expected a text, found {}", node.describe());
            self.findings.push(
                Diagnostic::error(Code::WrongType, document.place(node.span), message)
                    .help(format!("write `{key}: {}`", known[0])),
            );
            return None;
        };
        let text = scalar.text.as_str();
        if let Some(found) = known.iter().find(|value| **value == text) {
            return Some(found);
        }
        let listed = known.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
        let help = match did_you_mean(text, known.iter().copied()) {
            _ if text == "List" => "a List is read for its `items`; write them as a list".to_owned(),
            _ if document.root.get("error").is_some() && ["RetryPolicyList", "QueueList"].contains(&text) => {
                "the list has an `error`: it is not whole; get it again".to_owned()
            }
            _ if text.ends_with("List") => {
                "a list of this kind is not read; give each item as a document of its own, as `get NAME -o yaml` writes it"
                    .to_owned()
            }
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it is one of {listed}"),
        };
        let message = format!("unknown {key} `{text}`");
        self.findings.push(
            Diagnostic::error(Code::UnknownDocument, document.place(node.span), message).help(help),
        );
        None
    }
}
