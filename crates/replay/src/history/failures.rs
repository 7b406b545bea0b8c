//! Failures of tests of policies: records that a document holds outside of a history, with shorthands.
//!
//! A failure is turned into a record, which the exact path reads as any other.

use super::checks::FieldFault;
use super::documents::{notation_of, place_of};
use super::failure_args::failed_outcome;
use super::reader::{Reader, Row, Sink, checked};
use super::record::RecordFields;
use super::table::{OF_MAIN, REPEAT, Table};
use super::tree::{Record, record_of_node, span_of_fault};
use document::diag::{Code, Diagnostic, Findings, Span};
use document::{Document, Entry, Kind, Node, NodeKind, Scalar, ScalarStyle, ScalarTag};

/// A failure of a test.
#[derive(Debug, Clone)]
pub struct Failure<'n> {
    /// Its node, which has no finding of [`Table::FAILURE`].
    pub node: &'n Node,
    /// Values of fields that it lacks, by their keys: the unit, and what the policies determine.
    pub defaults: Vec<(String, String)>,
}

/// How many runs a failure stands for.
fn failure_count(node: &Node) -> u32 {
    let repeat = node.get(REPEAT).and_then(Node::integer);
    repeat.and_then(|repeat| u32::try_from(repeat).ok()).unwrap_or(1)
}

impl<F: RecordFields> Reader<F> {
    /// Reads the failures of a test, and the reloads of its `events`. Returns the unit and the member of each run, in
    /// the order of the failures.
    pub(crate) fn failures(
        &mut self,
        document: &Document,
        test: &Node,
        failures: &[Failure<'_>],
        sink: &mut dyn Sink<F>,
    ) -> Vec<(String, F::Key)> {
        let mut notation = notation_of(test);
        let mut runs = Vec::new();
        for failure in failures {
            let node = match record_of::<F>(document, failure) {
                Ok(node) => node,
                Err(findings) => {
                    self.bad_record(findings);
                    continue;
                }
            };
            for _ in 0..failure_count(failure.node) {
                let shape = Table::<F>::RECORD;
                let findings = checked(document, &node, shape);
                match record_of_node::<F>(document, &node, shape, &mut notation, findings) {
                    Ok(record) => {
                        runs.push((record.0.id.to_string(), record.1.own.key()));
                        self.failure(document, &node, record, sink);
                    }
                    Err(findings) => {
                        self.bad_record(findings);
                        // The same failure again would have the same findings.
                        break;
                    }
                }
            }
        }
        if F::HAS_SCHEDULER && !self.is_full() {
            self.read_reloads(document, test, &mut notation);
        }
        runs
    }

    fn failure(
        &mut self,
        document: &Document,
        node: &Node,
        (header, run): Record<F>,
        sink: &mut dyn Sink<F>,
    ) {
        let place = |fault: &FieldFault| document.place(span_of_fault(node, fault));
        let place_of = |key: &str| place_of(document, node, key);
        self.unread.conditions(&run.own, &place_of);
        let id = header.id.to_string();
        let row = Row::new(header, run, &mut self.names);
        self.add(sink, &id, row, &[], &place, &|message| message);
    }
}

/// The record that a failure stands for.
///
/// # Errors
///
/// If it has a shorthand besides the containers.
fn record_of<F: RecordFields>(
    document: &Document,
    failure: &Failure<'_>,
) -> Result<Node, Findings> {
    let node = failure.node;
    let present = |key: &str| node.get(key).is_some();
    let is_shorthand = |entry: &&Entry| {
        OF_MAIN.contains(&entry.key.as_str()) && Table::<F>::RECORD.field(&entry.key).is_none()
    };
    let entries = node.entries().iter().filter(|entry| !entry.value.is_null());
    let (of_main, mut entries): (Vec<Entry>, Vec<Entry>) = entries
        .filter(|entry| entry.key != REPEAT)
        .cloned()
        .partition(|entry| is_shorthand(&entry));
    if let Some(first) = of_main.first() {
        if present("containers") {
            let key = &first.key;
            let message = format!(
                "`{key}` stands for the only container `main`, but the failure has `containers`"
            );
            let finding =
                Diagnostic::error(Code::BadRecord, document.place(first.key_span), message);
            return Err(Findings::of(
                finding.help(format!("write `{key}` in one of the containers")),
            ));
        }
        // One node for several keys: a finding about it marks all of them.
        let span = Span::new(first.key_span.start, first.value.span.end);
        entries.push(entry("containers", span, main_container(span, of_main)));
    }
    let outcome = failed_outcome(Table::<F>::RECORD).map(|outcome| ("outcome", outcome));
    let defaults = failure.defaults.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    for (key, value) in defaults.chain(outcome) {
        if entries.iter().all(|entry| entry.key != key) {
            let field = Table::<F>::RECORD.field(key);
            let is_number = field.is_some_and(|field| matches!(field.kind, Kind::Whole { .. }));
            let style = if is_number { ScalarStyle::Plain } else { ScalarStyle::Single };
            entries.push(entry(key, node.span, scalar(node.span, value, style)));
        }
    }
    Ok(Node { span: node.span, kind: NodeKind::Map(entries) })
}

/// The list of one container `main` with these fields.
fn main_container(span: Span, fields: Vec<Entry>) -> Node {
    let name = entry("name", span, scalar(span, "main", ScalarStyle::Single));
    let container = NodeKind::Map([name].into_iter().chain(fields).collect());
    Node { span, kind: NodeKind::List(vec![Node { span, kind: container }]) }
}

fn entry(key: &str, key_span: Span, value: Node) -> Entry {
    Entry { key: key.to_owned(), key_span, value }
}

fn scalar(span: Span, text: &str, style: ScalarStyle) -> Node {
    let scalar = Scalar { text: text.to_owned(), style, tag: ScalarTag::None };
    Node { span, kind: NodeKind::Scalar(scalar) }
}
