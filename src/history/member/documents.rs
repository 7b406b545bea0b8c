//! `kind: FailureHistory` documents of a system's units.

use super::rows::Row;
use super::said::Record;
use super::shapes::Shapes;
use super::tree::{key_of_node, of_node};
use super::{MemberReader, OwnFields};
use crate::diag::{Code, Diagnostic, Source};
use crate::document::{Document, Entry, Items, Limits, Node, NodeKind};
use crate::history::clock::Clock;
use crate::history::documents::{clock_of, id_of_job, spec_of};
use crate::history::reader::{JOBS, checked, differing, outlines_of};
use std::collections::HashSet;
use std::sync::Arc;

impl<F: OwnFields> MemberReader<F> {
    /// Reads the documents of a text.
    pub fn text(&mut self, source: &Arc<Source>) {
        let mut items = Items::new(source, Limits::HISTORY, JOBS);
        for outline in &outlines_of(source, &mut self.findings) {
            self.outline(&outline.document, |take| items.of(outline, take));
        }
    }

    /// Reads a `kind: FailureHistory` document. Its queues are Armada's and say nothing here.
    pub fn document(&mut self, document: &Document) {
        self.outline(document, |take| {
            let jobs = document.root.at(JOBS).map(Node::items).unwrap_or_default();
            _ = jobs.iter().all(take);
        });
    }

    /// Reads a document whose jobs `each` gives, as long as its argument returns `true`.
    fn outline(&mut self, document: &Document, each: impl FnOnce(&mut dyn FnMut(&Node) -> bool)) {
        self.has_document = true;
        let Some(spec) = spec_of(document, &mut self.findings) else { return };
        if let Some(event) = spec.get("events").and_then(|events| events.items().first()) {
            let place = document.place(event.span);
            let message = "an event reloads Armada's scheduler, which has no say in these units";
            let finding = Diagnostic::error(Code::UnknownField, place, message);
            self.findings.push(finding.help("remove `events`"));
        }
        let mut clock = clock_of(spec);
        let mut ids = HashSet::new();
        each(&mut |job| {
            self.job(document, job, &mut clock, &mut ids);
            !self.is_full()
        });
    }

    fn job(
        &mut self,
        document: &Document,
        node: &Node,
        clock: &mut Clock,
        ids: &mut HashSet<String>,
    ) {
        let id = match id_of_job(document, node, Shapes::<F>::JOB, ids) {
            Ok(id) => id,
            Err(findings) => return self.bad_record(None, findings),
        };
        let queue = node.get("queue").and_then(Node::some_text);
        for run in node.get("runs").map(Node::items).unwrap_or_default() {
            let whole = with_inherited::<F>(node, run);
            let findings = checked(document, &whole, Shapes::<F>::RUN);
            match of_node::<F>(document, &whole, clock, findings) {
                Ok(read) => self.run_of_job(document, (id, queue), run, read),
                Err(findings) => {
                    let key = key_of_node::<F>(&whole);
                    self.bad_record(Some((id, key)), findings);
                }
            }
            if self.is_full() {
                return;
            }
        }
    }

    fn run_of_job(
        &mut self,
        document: &Document,
        (id, queue): (&str, Option<&str>),
        node: &Node,
        record: Record<'_, F>,
    ) {
        let place = |key: &str| document.place(node.get(key).map_or(node.span, |node| node.span));
        if record.1.may_have_unread()
            && let Some(conditions) = node.get("podConditions")
        {
            let types = conditions.items().iter().filter_map(|it| it.get("type")?.text());
            self.unread.pod_conditions(types, || document.place(conditions.span));
        }
        let said = record.0.queue.as_deref();
        let other = queue.is_some() && said.is_some() && said != queue;
        let mut row = Row::of(record, &mut self.names);
        if let Some(queue) = queue {
            row.queue = Some(self.names.kept(queue));
        }
        let before = self.findings.len();
        if self.run(id, row, place) && other && self.findings.len() == before {
            self.findings.push(differing(id, "queue", place("queue")));
        }
    }
}

/// A run with what its job says for all of them, unless it says it itself.
fn with_inherited<F: OwnFields>(job: &Node, run: &Node) -> Node {
    let NodeKind::Map(own) = &run.kind else { return run.clone() };
    let is_own = |entry: &Entry| run.get(&entry.key).is_some();
    let inherited: Vec<&Entry> = job
        .entries()
        .iter()
        .filter(|entry| Shapes::<F>::is_inherited(&entry.key) && !is_own(entry))
        .filter(|entry| !entry.value.is_null())
        .collect();
    let left = own.iter().filter(|own| inherited.iter().all(|entry| entry.key != own.key));
    let entries = left.chain(inherited.iter().copied()).cloned().collect();
    Node { span: run.span, kind: NodeKind::Map(entries) }
}
