//! The exact path: a record of a located tree, checked against its shape.
//!
//! Owns the findings about one record. A record without findings is written as JSON and read by the setters
//! that read lines, so that both paths agree on what a value means.

use super::checks::{FieldFault, ends_before_it_starts};
use super::field::Target;
use super::line::{Header, KeyOrder, read_fields};
use super::record::{RecordFields, Run};
use super::scan::{Cursor, Entries};
use super::table::Table;
use super::time_notation::TimeNotation;
use document::diag::{Code, Diagnostic, Findings, Span};
use document::{Document, Field, Kind, Node, Shape, json_of};

/// A record: its header and its run.
pub(super) type Record<F> = (Header<'static>, Run<F>);

/// Reads the record of a node. `findings` are those of its shape.
///
/// # Errors
///
/// All that is wrong with the record. The notation changes only with a record.
pub(super) fn record_of_node<F: RecordFields>(
    document: &Document,
    node: &Node,
    shape: &Shape,
    notation: &mut TimeNotation,
    mut findings: Findings,
) -> Result<Record<F>, Findings> {
    if findings.has_errors() {
        return Err(findings);
    }
    // A copy, which replaces the notation only if the record is valid.
    let mut after = *notation;
    check_times::<F>(document, node, &mut after, &mut findings);
    // A bad time has been reported; the other fields are checked without it.
    let is_timed = !findings.has_errors();
    let select = |field: &Field| is_timed || !matches!(field.kind, Kind::Time);
    let record = read_json::<F>(&json_of(node, shape, select), *notation);
    let fault = |fault: FieldFault| {
        let place = document.place(span_of_fault(node, &fault));
        Diagnostic::error(Code::BadRecord, place, fault.message).maybe_help(fault.help)
    };
    match &record {
        Some((_, run)) => {
            let order = ends_before_it_starts(run.started_at, run.finished_at);
            findings.extend(order.into_iter().chain(run.own.fault()).map(fault));
        }
        None => findings.extend([fault(FieldFault::new("", "this is not a run record"))]),
    }
    match record {
        Some(record) if !findings.has_errors() => {
            *notation = after;
            Ok(record)
        }
        _ => Err(findings),
    }
}

/// Reads the times of a node in the order of the table; a finding for each that is invalid.
fn check_times<F: RecordFields>(
    document: &Document,
    node: &Node,
    notation: &mut TimeNotation,
    findings: &mut Findings,
) {
    let fields = F::FIELDS.iter().map(|field| field.shape);
    for field in fields.filter(|field| matches!(field.kind, Kind::Time)) {
        let Some(at) = node.get(field.name) else {
            continue;
        };
        let Some(Err(message)) = at.some_text().map(|text| notation.read(text)) else {
            continue;
        };
        let finding = Diagnostic::error(Code::BadTime, document.place(at.span), message);
        findings.push(finding.help(notation.help));
    }
}

/// Where a fault is: the item or field that it names, else the record.
pub(super) fn span_of_fault(node: &Node, fault: &FieldFault) -> Span {
    let field = node.get(fault.key);
    let item = fault.item.and_then(|number| field?.items().get(number));
    let name = item.and_then(|item| item.get("name"));
    name.or(item).or(field).map_or(node.span, |node| node.span)
}

/// The own fields of a node that `select` picks, if they can be read.
pub(super) fn read_node<F: RecordFields>(
    node: &Node,
    shape: &Shape,
    select: impl Fn(&Field) -> bool,
) -> Option<F> {
    let notation = TimeNotation::for_lines();
    read_json::<F>(&json_of(node, shape, select), notation).map(|(_, run)| run.own)
}

/// The record of a text of JSON; `None` if it has a value that no field takes.
pub(super) fn read_json<F: RecordFields>(text: &str, notation: TimeNotation) -> Option<Record<F>> {
    let (mut header, mut run) = (Header::default(), Run::<F>::default());
    let mut cursor = Cursor::new(text, notation);
    read_fields(&mut cursor, &mut KeyOrder::default(), &mut header, &mut run)?;
    Some((header.into_owned(), run))
}

/// The member that a bad record names, as far as its fields are valid.
pub(super) fn key_of_node<F: RecordFields>(node: &Node) -> F::Key {
    let mut own = F::default();
    for field in F::FIELDS {
        let Target::Own(set) = field.target else {
            continue;
        };
        let text = json_of(node, Table::<F>::RECORD, |other| other.name == field.shape.name);
        let mut cursor = Cursor::new(&text, TimeNotation::for_lines());
        let read = Entries::new(&mut cursor).and_then(|mut entries| {
            entries.next_key()??;
            set(&mut own, &mut entries.value())
        });
        // The findings have what is wrong with it.
        _ = read;
    }
    own.key()
}
