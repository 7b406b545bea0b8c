//! From texts to the policies and queues in them, with everything that is wrong with any of them.

use super::queue::{QUEUE_V1, QUEUE_V1BETA1};
use super::v1::{self, POLICY_V1};
use super::v1beta1::{self, POLICY_V1BETA1};
use super::{Form, Queue, RetryPolicy};
use crate::diag::{Code, Diagnostic, Findings, Place, Source, Span, did_you_mean};
use crate::document::{
    Document, KeyCase, Limits, Node, NodeKind, Shape, canonical_keys, check, parse,
    too_many_findings,
};
use std::sync::Arc;

/// A policy and the document it stands in.
#[derive(Debug, Clone)]
pub struct PolicyDocument {
    /// What it says.
    pub policy: Arc<RetryPolicy>,
    /// Where it stands.
    pub document: Document,
}

/// A queue and the document it stands in.
#[derive(Debug, Clone)]
pub struct QueueDocument {
    /// What it says.
    pub queue: Queue,
    /// Where it stands.
    pub document: Document,
}

/// A document of a kind that belongs to another room.
#[derive(Debug, Clone)]
pub struct Other {
    /// Its kind, such as `FailureHistory`.
    pub kind: &'static str,
    /// Where it stands.
    pub document: Document,
}

/// A kind of document that another room reads.
#[derive(Debug, Clone, Copy)]
pub struct Foreign {
    /// Its kind, such as `JobSet`.
    pub kind: &'static str,
    /// Its API versions.
    pub versions: &'static [&'static str],
}

/// The documents of some texts, in the order they were given in.
#[derive(Debug, Default)]
pub struct Documents {
    /// The valid policies.
    pub policies: Vec<PolicyDocument>,
    /// The valid queues.
    pub queues: Vec<QueueDocument>,
    /// Documents of other known kinds; nothing in them has been checked.
    pub others: Vec<Other>,
    /// How many documents there were, valid or not.
    pub seen: usize,
}

/// The kinds of document there are.
const KINDS: [&str; 3] = ["RetryPolicy", "Queue", "FailureHistory"];
const VERSIONS: [&str; 2] = ["armadaproject.io/v1", "armadaproject.io/v1beta1"];

/// Reads policies and queues. Every mistake of every text is found in one pass.
pub fn read(sources: &[Arc<Source>]) -> (Documents, Findings) {
    read_among(sources, &[])
}

/// Reads policies and queues among documents that are read by other rooms.
pub fn read_among(sources: &[Arc<Source>], foreign: &'static [Foreign]) -> (Documents, Findings) {
    let mut reader = Reader { foreign, ..Reader::default() };
    for source in sources {
        let (documents, findings) = parse(source, Limits::POLICY);
        let broken = findings.has_errors();
        reader.findings.extend(findings);
        if documents.is_empty() && !broken {
            let place = Place::new(source, Span::default());
            let nothing = Diagnostic::error(Code::NoDocument, place, "there is no document here");
            reader.findings.push(nothing.help("write a `kind: RetryPolicy` document"));
        }
        let before = reader.findings.len();
        for document in documents {
            let place = document.place(document.root.span.first_line(source.text()));
            if reader.findings.len() - before > Limits::FINDINGS {
                reader.findings.push(too_many_findings(place));
                break;
            }
            reader.document(document);
        }
    }
    (reader.documents, reader.findings)
}

#[derive(Default)]
struct Reader {
    foreign: &'static [Foreign],
    documents: Documents,
    findings: Findings,
    names: std::collections::HashMap<(&'static str, String), Place>,
}

impl Reader {
    fn document(&mut self, document: Document) {
        self.documents.seen += 1;
        let Some((kind, form)) = self.dispatch(&document) else { return };
        match (kind, form) {
            ("RetryPolicy", Form::V1) => self.policy(document, &POLICY_V1, KeyCase::Exact, form),
            ("RetryPolicy", Form::V1beta1) => {
                self.policy(document, &POLICY_V1BETA1, KeyCase::Folded, form);
            }
            ("Queue", Form::V1) => self.queue(document, &QUEUE_V1, KeyCase::Exact),
            ("Queue", Form::V1beta1) => self.queue(document, &QUEUE_V1BETA1, KeyCase::Folded),
            _ => self.documents.others.push(Other { kind, document }),
        }
    }

    /// The document's kind and form, or findings about what it says of them.
    fn dispatch(&mut self, document: &Document) -> Option<(&'static str, Form)> {
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
            _ if text.ends_with("List") => {
                "lists are not read; `armadactl get .. -o yaml` writes a document each".to_owned()
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

    fn policy(&mut self, mut document: Document, shape: &'static Shape, keys: KeyCase, form: Form) {
        let mut findings = Findings::new();
        check(&document.source, &document.root, shape, keys, &mut findings);
        if keys == KeyCase::Folded {
            canonical_keys(&mut document.root, shape);
        }
        let policy = match form {
            Form::V1 => v1::read(&document, &mut findings),
            Form::V1beta1 => v1beta1::read(&document),
        };
        let valid = !findings.has_errors();
        self.findings.extend(findings);
        let unique = self.unique("RetryPolicy", &document);
        if let (Some(policy), true, true) = (policy, valid, unique) {
            let policy = Arc::new(policy);
            self.documents.policies.push(PolicyDocument { policy, document });
        }
    }

    fn queue(&mut self, mut document: Document, shape: &'static Shape, keys: KeyCase) {
        let mut findings = Findings::new();
        check(&document.source, &document.root, shape, keys, &mut findings);
        if keys == KeyCase::Folded {
            canonical_keys(&mut document.root, shape);
        }
        let valid = !findings.has_errors();
        self.findings.extend(findings);
        let unique = self.unique("Queue", &document);
        if let (Some(queue), true, true) = (Queue::of_document(&document), valid, unique) {
            self.documents.queues.push(QueueDocument { queue, document });
        }
    }

    /// Whether no document before had the same kind and name.
    fn unique(&mut self, kind: &'static str, document: &Document) -> bool {
        let root = &document.root;
        let Some(node) = root.at(&["metadata", "name"]).or_else(|| root.get("name")) else {
            return true;
        };
        let Some(name) = node.text() else { return true };
        let place = document.place(node.span);
        match self.names.entry((kind, name.to_owned())) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(place);
                true
            }
            std::collections::hash_map::Entry::Occupied(first) => {
                let message = format!("{kind} `{name}` is defined again");
                self.findings.push(
                    Diagnostic::error(Code::DuplicateDocument, place, message)
                        .labelled("again")
                        .also(first.get().clone(), "first")
                        .help("rename or remove one of them"),
                );
                false
            }
        }
    }
}

impl PolicyDocument {
    /// The rule's node in the document.
    pub fn rule(&self, index: usize) -> Option<&Node> {
        let root = &self.document.root;
        let rules = root.at(&["spec", "rules"]).or_else(|| root.get("rules"))?;
        rules.items().get(index)
    }
}
