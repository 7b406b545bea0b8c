//! Which kind of document something is, by what it says of itself.

use super::file::{Other, Reader};
use super::{Form, GROUP};
use crate::diag::{Code, Diagnostic, Span, did_you_mean};
use crate::document::{Document, Node, NodeKind, TWO_IN_ONE, refuse_bytes};

/// The kinds of document there are.
const KINDS: [&str; 3] = ["RetryPolicy", "Queue", "FailureHistory"];
const VERSIONS: [&str; 2] = ["armadaproject.io/v1", "armadaproject.io/v1beta1"];

/// What a document names itself by.
const HEAD: [&str; 2] = ["apiVersion", "kind"];
/// Fields of policies and queues: a document that has one of them, and no head, lacks its head.
const OWN_FIELDS: [&str; 6] =
    ["rules", "retryLimit", "defaultAction", "retryPolicies", "priorityFactor", "failurePolicy"];

fn has_any(node: &Node, keys: &[&str]) -> bool {
    keys.iter().any(|key| node.entry_in_any_case(key).is_some())
}

/// The finding that two documents are in one, without a line `---` between them.
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
    let (message, help) = TWO_IN_ONE;
    Some(
        Diagnostic::error(Code::DuplicateKey, document.place(again.key_span), message)
            .labelled("second document")
            .also(document.place(first.key_span), "first document")
            .help(help),
    )
}

/// The finding that a line `---` goes on with a key: to YAML it is a part of that key.
fn mark_in_key(document: &Document) -> Option<Diagnostic> {
    let is_mark = |key: &str| key.strip_prefix("---").is_some_and(|key| HEAD.contains(&key.trim()));
    let entry = document.root.entries().iter().find(|entry| is_mark(&entry.key))?;
    let message = "`---` begins a document only on a line of its own";
    Some(
        Diagnostic::error(Code::Syntax, document.place(entry.key_span), message)
            .help("break the line after `---`"),
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
        if document.source.is_in_walk() {
            refuse_bytes(document, &mut self.findings);
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
        if let Some(finding) = two_in_one(document).or_else(|| mark_in_key(document)) {
            self.findings.push(finding);
            return None;
        }
        self.kind_and_form(document, head)
    }

    /// The kind of a document that is of no group whose documents are read: beside manifests of
    /// other systems, or in a file that nobody named.
    fn stranger(&self, document: &Document) -> Option<String> {
        let (root, in_walk) = (&document.root, document.source.is_in_walk());
        let text = |key| root.entry_in_any_case(key).and_then(|entry| entry.value.text());
        let (kind, version) = (text("kind"), text("apiVersion"));
        let ours = version.is_some_and(|version| version.split('/').next() == Some(GROUP));
        let is_headless =
            !has_any(root, &HEAD) && !root.items().iter().any(|item| has_any(item, &HEAD));
        let is_own = has_any(root, &OWN_FIELDS)
            || root.items().iter().any(|item| has_any(item, &OWN_FIELDS));
        let is_other_version =
            version.is_some_and(|version| !ours && !self.is_near_version(version));
        let has_no_kind = root.entry_in_any_case("kind").is_none();
        if in_walk && !is_own && (is_headless || has_no_kind && is_other_version) {
            return Some("without a kind".to_owned());
        }
        let kind = kind.filter(|_| version.is_some())?;
        let known = KINDS.into_iter().chain(self.foreign.iter().map(|one| one.kind));
        let near = did_you_mean(kind, known).is_some() || kind.ends_with("List") && !in_walk;
        ((in_walk || !self.foreign.is_empty()) && !near && !ours).then(|| kind.to_owned())
    }

    /// Whether a version is that of a kind that is read, or a slip of one.
    fn is_near_version(&self, version: &str) -> bool {
        let foreign = self.foreign.iter().flat_map(|one| one.versions).copied();
        let known = VERSIONS.into_iter().chain(foreign);
        known.clone().any(|one| one == version) || did_you_mean(version, known).is_some()
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
            if !written.is_some_and(|e| document.is_broken_alias(&e.value)) {
                self.findings.push(absent(document, key, known, head));
            }
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
        if !scalar.is_bytes() {
            let message = format!("unknown {key} `{text}`");
            self.findings.push(
                Diagnostic::error(Code::UnknownDocument, document.place(node.span), message)
                    .help(unknown_help(document, text, known)),
            );
        }
        None
    }
}

/// The finding that a document lacks a part of its head.
fn absent(document: &Document, key: &str, known: &[&'static str], head: Span) -> Diagnostic {
    let message = format!("the document has no `{key}`");
    // Fields at the top are of the second form, where a kind has two.
    let flat = key == "apiVersion" && document.root.get("name").is_some();
    let usual = known.get(1).filter(|_| flat).or(known.first());
    let help = usual.map(|value| format!("add `{key}: {value}`"));
    Diagnostic::error(Code::MissingField, document.place(head), message).maybe_help(help)
}

/// What to write instead of a kind or version that is none of `known`.
fn unknown_help(document: &Document, text: &str, known: &[&'static str]) -> String {
    let has_error = document.root.get("error").is_some();
    match did_you_mean(text, known.iter().copied()) {
        _ if text == "List" => "a List is read for its `items`; write them as a list".to_owned(),
        _ if has_error && ["RetryPolicyList", "QueueList"].contains(&text) => {
            "the list has an `error`: it is not whole; get it again".to_owned()
        }
        _ if text.ends_with("List") => "a list of this kind is not read; give each item as a \
             document of its own, as `get NAME -o yaml` writes it"
            .to_owned(),
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let listed: Vec<String> = known.iter().map(|value| format!("`{value}`")).collect();
            format!("it is one of {}", listed.join(", "))
        }
    }
}
