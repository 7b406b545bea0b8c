//! Which kind of document something is, by what it says of itself.

use super::file::{Other, Reader};
use super::{Form, GROUP};
use crate::diag::{Code, Diagnostic, Span, did_you_mean};
use crate::document::{Document, NodeKind};

/// The kinds of document there are.
const KINDS: [&str; 3] = ["RetryPolicy", "Queue", "FailureHistory"];
const VERSIONS: [&str; 2] = ["armadaproject.io/v1", "armadaproject.io/v1beta1"];

/// What a document names itself by.
const HEAD: [&str; 2] = ["apiVersion", "kind"];
/// Fields of policies and queues: a document that has one of them, and no head, lacks its head.
const OWN_FIELDS: [&str; 6] =
    ["rules", "retryLimit", "defaultAction", "retryPolicies", "priorityFactor", "failurePolicy"];

/// The finding that two documents stand in one, without a line `---` between them.
fn two_in_one(document: &Document) -> Option<Diagnostic> {
    let entries = document.root.entries();
    let of = |key: &'static str| entries.iter().filter(move |entry| entry.key == key);
    let second = |key| of(key).nth(1);
    let (version, kind) = (second("apiVersion")?, second("kind")?);
    let (again, key) = if version.key_span.start < kind.key_span.start {
        (version, "apiVersion")
    } else {
        (kind, "kind")
    };
    let first = of(key).next()?;
    let message = "a second document begins here, without a line `---` before it";
    Some(
        Diagnostic::error(Code::DuplicateKey, document.place(again.key_span), message)
            .labelled("second document")
            .also(document.place(first.key_span), "first document")
            .help("write `---` on a line of its own between them"),
    )
}

impl Reader {
    /// The document's kind and form, or findings about what it says of them.
    pub(super) fn dispatch(&mut self, document: &Document) -> Option<(&'static str, Form)> {
        let root = &document.root;
        let head = root.span.first_line(document.source.text());
        if let Some(kind) = self.stranger(document) {
            let place = document.place(head);
            let mut other = Self { foreign: self.foreign, ..Self::default() };
            other.known_mapping(document, head);
            self.strange.push((kind, place, other.findings));
            return None;
        }
        self.known_mapping(document, head)
    }

    /// The kind and form of a mapping, or findings about what is there instead.
    fn known_mapping(&mut self, document: &Document, head: Span) -> Option<(&'static str, Form)> {
        let root = &document.root;
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
        if let Some(finding) = two_in_one(document) {
            self.findings.push(finding);
            return None;
        }
        self.kind_and_form(document, head)
    }

    /// The kind of a document that is of no group whose documents are read: beside manifests of
    /// other systems, or in a file that nobody named.
    fn stranger(&self, document: &Document) -> Option<String> {
        let (root, in_walk) = (&document.root, document.source.is_in_walk());
        let is_there = |key: &&str| root.entry_in_any_case(key).is_some();
        if in_walk && !HEAD.iter().chain(&OWN_FIELDS).any(is_there) {
            return Some("without a kind".to_owned());
        }
        let text = |key| root.entry_in_any_case(key).and_then(|entry| entry.value.text());
        let (kind, version) = (text("kind")?, text("apiVersion")?);
        let known = KINDS.into_iter().chain(self.foreign.iter().map(|one| one.kind));
        let near = did_you_mean(kind, known).is_some() || kind.ends_with("List") && !in_walk;
        let ours = version.split('/').next() == Some(GROUP);
        ((in_walk || !self.foreign.is_empty()) && !near && !ours).then(|| kind.to_owned())
    }

    /// Passes over strange documents beside manifests of other systems, as they are applied
    /// together, and those of a directory that holds others; else reports what is wrong with them.
    pub(super) fn strange(&mut self) {
        let foreign = self.foreign;
        let is_foreign = |other: &Other| foreign.iter().any(|one| one.kind == other.kind);
        let beside = self.documents.others.iter().any(is_foreign);
        let has_own = self.documents.seen > self.strange.len();
        for (kind, place, findings) in std::mem::take(&mut self.strange) {
            if beside || has_own && place.source.is_in_walk() {
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
            // Fields at the top are of the second form, where a kind has two.
            let flat = key == "apiVersion" && document.root.get("name").is_some();
            let usual = known.get(1).filter(|_| flat).or(known.first());
            let help = usual.map(|value| format!("add `{key}: {value}`"));
            self.findings.push(
                Diagnostic::error(Code::MissingField, document.place(head), message)
                    .maybe_help(help),
            );
            return None;
        };
        let Some(scalar) = node.scalar() else {
            let message = format!("`{key}`: expected a text, found {}", node.describe());
            let help = known.first().map(|value| format!("write `{key}: {value}`"));
            self.findings.push(
                Diagnostic::error(Code::WrongType, document.place(node.span), message)
                    .maybe_help(help),
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
