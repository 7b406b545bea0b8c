//! Reads policies and queues from texts, and collects all findings about them.

use super::documents::{
    Documents, ForeignKind, OtherDocument, OtherKinds, PolicyDocument, QueueDocument,
};
use super::foreign_items::foreign_items;
use super::head::Head;
use super::lists::{items, queue_items, queues_of_armada, refused_by_armada};
use super::queue::{QUEUE_V1, QUEUE_V1BETA1};
use super::v1::{self, POLICY_V1};
use super::v1beta1::{self, POLICY_V1BETA1};
use super::{Form, Queue};
use document::diag::{Code, Diagnostic, Findings, Place, Source, Span};
use document::pattern::PatternBudget;
use document::{
    Document, KeyCase, Limits, Neighbour, Node, Shape, canonical_keys, check, check_for_go, parse,
    settle_whole_numbers, too_many_findings,
};
use std::sync::Arc;

/// Reads policies and queues. One pass finds all mistakes of all texts.
pub fn read(sources: &[Arc<Source>]) -> (Documents, Findings) {
    read_with_foreign(sources, &[])
}

/// Reads policies and queues among documents of `foreign` kinds, which other modules read.
pub fn read_with_foreign(
    sources: &[Arc<Source>],
    foreign: &'static [ForeignKind],
) -> (Documents, Findings) {
    read_selected(sources, foreign, OtherKinds::Refuse)
}

/// Reads policies and queues among documents of `foreign` kinds and of kinds that no module reads.
pub fn read_selected(
    sources: &[Arc<Source>],
    foreign: &'static [ForeignKind],
    other_kinds: OtherKinds,
) -> (Documents, Findings) {
    let mut reader = Reader { foreign, other_kinds, ..Reader::default() };
    // A list without items is a document too, so this is not `document_count > 0`.
    let mut has_documents = false;
    for source in sources {
        if reader.read_neighbour_file(source) {
            has_documents = true;
            continue;
        }
        let queues = queues_of_armada(source);
        let (documents, findings) = parse(queues.as_ref().unwrap_or(source), Limits::POLICY);
        has_documents |= !documents.is_empty();
        let broken = findings.has_errors();
        reader.findings.extend(findings);
        if documents.is_empty() && !broken && !reader.may_skip(source) {
            reader.findings.push(no_document(source));
        }
        reader
            .documents
            .lists_refused_by_armada
            .extend(documents.iter().filter_map(refused_by_armada));
        let before = reader.findings.len();
        let items: fn(Document) -> Vec<Document> = if let Some(list) = &queues {
            let place = Place::new(list, Span::default());
            reader.documents.lists_refused_by_armada.push(place);
            |list| queue_items(&list)
        } else {
            items
        };
        let mut skipped = Findings::new();
        let documents = documents.into_iter().flat_map(items);
        for document in documents.flat_map(|it| foreign_items(it, foreign, &mut skipped)) {
            let place = document.place(document.root.span.first_line(source.text()));
            if reader.findings.len() - before > Limits::FINDINGS {
                reader.findings.push(too_many_findings(place));
                break;
            }
            reader.read_document(document);
        }
        reader.findings.extend(skipped);
    }
    reader.settle_unread();
    if !has_documents && reader.findings.is_empty() && other_kinds == OtherKinds::Refuse {
        reader.report_no_documents(sources);
    }
    (reader.documents, reader.findings)
}

fn no_document(source: &Arc<Source>) -> Diagnostic {
    let place = Place::new(source, Span::default());
    Diagnostic::error(Code::NoDocument, place, "the input has no document")
        .help("write a `kind: RetryPolicy` document")
}

#[derive(Default)]
pub(super) struct Reader {
    pub(super) foreign: &'static [ForeignKind],
    pub(super) other_kinds: OtherKinds,
    /// Documents of kinds that no module reads, with the findings to report unless they are skipped.
    pub(super) unread_documents: Vec<(String, Place, Findings)>,
    pub(super) documents: Documents,
    pub(super) findings: Findings,
    /// The memory left for the patterns of all policies.
    pub(super) budget: PatternBudget,
    pub(super) names: std::collections::HashMap<(&'static str, String), Place>,
}

impl Reader {
    /// Reports, or skips, a file of another system that is no YAML; returns whether it is one. Such files have endings that
    /// are not read from directories.
    fn read_neighbour_file(&mut self, source: &Arc<Source>) -> bool {
        let named = (!source.is_in_walk()).then(|| Neighbour::find_file(source)).flatten();
        let Some(neighbour) = named else { return false };
        let place = Place::new(source, Span::default());
        match self.other_kinds {
            OtherKinds::Skip => {
                self.documents.unread.push((neighbour.document_name(None), place));
            }
            OtherKinds::Refuse => self.findings.push(neighbour.error(None, place)),
        }
        true
    }

    fn read_document(&mut self, document: Document) {
        self.documents.document_count += 1;
        let Some(mut document) = self.read_by_shape(document) else { return };
        let Some(head) = self.dispatch(&mut document) else { return };
        match (head.kind, head.form) {
            ("RetryPolicy", Form::V1) => {
                self.read_policy(document, &POLICY_V1, KeyCase::Exact, head);
            }
            ("RetryPolicy", Form::V1beta1) => {
                self.read_policy(document, &POLICY_V1BETA1, KeyCase::Folded, head);
            }
            ("Queue", Form::V1) => self.read_queue(document, &QUEUE_V1, KeyCase::Exact, head),
            ("Queue", Form::V1beta1) => {
                self.read_queue(document, &QUEUE_V1BETA1, KeyCase::Folded, head);
            }
            (kind, _) => self.documents.others.push(OtherDocument { kind, document }),
        }
    }

    /// Reports that none of the files of a directory holds a document.
    fn report_no_documents(&mut self, sources: &[Arc<Source>]) {
        let Some(source) = sources.first() else { return };
        let place = Place::new(source, Span::default());
        let nothing = Diagnostic::error(Code::NoDocument, place, "the input has no document");
        self.findings.push(nothing.help("write a `kind: RetryPolicy` document"));
    }

    fn read_policy(
        &mut self,
        mut document: Document,
        shape: &'static Shape,
        keys: KeyCase,
        Head { form, is_valid: has_head, .. }: Head,
    ) {
        let mut findings = Findings::new();
        if form == Form::V1beta1 {
            let source = Arc::clone(&document.source);
            v1beta1::drop_zero_factors(&mut document, &mut findings);
            settle_whole_numbers(&source, &mut document.root, shape, &mut findings);
            check_for_go(&source, &document.root, shape, &mut findings);
        }
        check(&document.source, &document.root, shape, keys, &mut findings);
        if keys == KeyCase::Folded {
            canonical_keys(&mut document.root, shape);
        }
        let policy = match form {
            Form::V1 => v1::read(&document, &mut self.budget, &mut findings),
            Form::V1beta1 => v1beta1::read(&document),
        };
        let is_valid = has_head && !findings.has_errors();
        self.findings.extend(findings);
        let is_unique = self.register_name("RetryPolicy", &document);
        if let (Some(policy), true, true) = (policy, is_valid, is_unique) {
            let policy = Arc::new(policy);
            self.documents.policies.push(PolicyDocument { policy, document });
        }
    }

    fn read_queue(
        &mut self,
        mut document: Document,
        shape: &'static Shape,
        keys: KeyCase,
        head: Head,
    ) {
        let mut findings = Findings::new();
        if keys == KeyCase::Folded {
            check_for_go(&document.source, &document.root, shape, &mut findings);
        }
        check(&document.source, &document.root, shape, keys, &mut findings);
        if keys == KeyCase::Folded {
            canonical_keys(&mut document.root, shape);
        }
        let is_valid = head.is_valid && !findings.has_errors();
        self.findings.extend(findings);
        let is_unique = self.register_name("Queue", &document);
        if let (Some(queue), true, true) = (Queue::from_document(&document), is_valid, is_unique) {
            self.documents.queues.push(QueueDocument { queue, document });
        }
    }

    /// Registers the document's name. Reports a name that an earlier document of the kind has, and
    /// returns `false`.
    fn register_name(&mut self, kind: &'static str, document: &Document) -> bool {
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
