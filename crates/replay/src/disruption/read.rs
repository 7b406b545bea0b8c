//! Reads the rows of a file that replace those of the table: what `explain disruptions -o yaml` prints, or a part of it.

use super::row::Row;
use super::table::{Disruptions, RowId};
use super::{Kind, RowReport, System};
use armada_retry::policy::Condition;
use document::diag::{Code, Diagnostic, Findings, Place, Source, Span, did_you_mean};
use document::{
    self, Document, FieldValue, KeyCase, Limits, Node, check, choices, other_kind_error, parse,
    shapes,
};
use std::collections::HashMap;
use std::sync::Arc;

const KIND: &str = "DisruptionTable";

shapes! {
    #[doc = "What counts as a disruption, by which sign of which source."]
    /// A row with the system, the source and the sign of a built-in row replaces it; the other rows stay.
    pub static DISRUPTIONS = "table of disruptions" {
        /// The form: armadaproject.io/v1.
        optional apiVersion: document::Kind::Exactly("armadaproject.io/v1"),
        /// The kind: DisruptionTable.
        optional kind: document::Kind::Exactly(KIND),
        /// The rows.
        required items: document::Kind::List { item: &document::Kind::Object(&ROW), min: 0 },
    }

    /// One sign of one source.
    static ROW = "row" (elsewhere: &[("on", "write `enabled`"), ("off", "write `enabled: false`")]) {
        /// The program that leaves the sign.
        required system: System::KIND,
        /// The source that has it.
        required source: document::Kind::OneOf(&SOURCES),
        /// The sign, as `armadactl explain disruptions` prints it.
        required sign: document::Kind::SomeText,
        #[doc = "What ended the run; absent means that of the built-in row."]
        optional kind: Kind::KIND,
        /// The condition of the run under Armada's engines, for pods and sacct.
        /// null means none, absent that of the built-in row.
        optional condition: document::Kind::OneOf(&CONDITIONS),
        /// Whether the sign counts; absent means as in the built-in row.
        optional enabled: document::Kind::Boolean,
        /// The document or code that defines the sign. It is for readers: the built-in one is printed.
        optional rule: document::Kind::Text,
    }
}

choices! {
    static SOURCES = "source" {
        /// Pods, and the records of pods of a Job or a JobSet.
        "pods",
        /// Slurm's accounting.
        "sacct",
        /// Armada's events.
        "armada-events",
        /// Lookout's runs.
        "lookout",
        /// Records of the system's own runs: JSON Lines and documents.
        "records",
    }

    static CONDITIONS = "condition" (elsewhere: &[
        ("OOMKilled", "a container that exceeded its memory was not disrupted"),
        ("DeadlineExceeded", "a run that exceeded its deadline was not disrupted"),
        ("Unschedulable", "a run that could not be scheduled was not disrupted"),
    ]) {
        /// The run has the outcome Preempted.
        "Preempted",
        /// The run has failed, with the condition Evicted.
        "Evicted",
    }
}

/// Reads a file. Returns the table with the rows of the file; `None` if there are errors.
pub fn read_disruptions(source: &Arc<Source>) -> (Option<Disruptions>, Findings) {
    let (documents, mut findings) = parse(source, Limits::POLICY);
    if documents.is_empty() && !findings.has_errors() {
        let place = Place::new(source, Span::default());
        let error =
            Diagnostic::error(Code::NoDocument, place, "the file has no table of disruptions");
        findings.push(error.help("`armadactl explain disruptions -o yaml` prints one"));
    }
    if findings.has_errors() {
        return (None, findings);
    }
    let mut reader = Reader {
        table: Disruptions::default(),
        known: Disruptions::default().rows().map(RowReport::from).collect(),
        places: HashMap::new(),
        findings: &mut findings,
    };
    for document in &documents {
        reader.document(document);
    }
    let table = reader.table;
    if findings.has_errors() { (None, findings) } else { (Some(table), findings) }
}

struct Reader<'f> {
    table: Disruptions,
    known: Vec<RowReport>,
    /// The line of each row that was replaced.
    places: HashMap<RowId, String>,
    findings: &'f mut Findings,
}

impl Reader<'_> {
    fn document(&mut self, document: &Document) {
        let other = other_kind_error(document, Some(KIND), "a table of disruptions", "items");
        if let Some(error) = other {
            self.findings.push(error);
            return;
        }
        let mut of_shape = Findings::new();
        check(&document.source, &document.root, &DISRUPTIONS, KeyCase::Exact, &mut of_shape);
        let is_wrong = of_shape.has_errors();
        self.findings.extend(of_shape);
        // Its rows would have findings that the shape has reported already.
        if is_wrong {
            return;
        }
        let rows = document.root.get("items").map(Node::items).unwrap_or_default();
        for node in rows {
            self.row(document, node);
        }
    }

    fn row(&mut self, document: &Document, node: &Node) {
        let Some(id) = self.find(document, node) else { return };
        let known = *self.table.row(id);
        let place = document.place(node.span);
        if let Some(first) = self.places.insert(id, place.to_string()) {
            let message = format!("the row `{}` is here twice", known.sign);
            let finding = Diagnostic::error(Code::DuplicateKey, place, message);
            self.findings.push(finding.help(format!("the first is at {first}; keep one")));
            return;
        }
        let text = |key: &str| node.get(key).and_then(Node::text);
        let condition = match node.entry("condition") {
            Some(entry) => entry.value.text().and_then(Condition::from_name),
            None => known.condition,
        };
        if condition != known.condition && !known.source.takes_conditions() {
            let place = node.entry("condition").map_or(node.span, |entry| entry.value.span);
            let source = known.source.as_str();
            let message = format!("a row of `{source}` gives runs no condition");
            let finding = Diagnostic::error(Code::NotAChoice, document.place(place), message);
            let help = "its records have the outcome and the conditions of their runs: leave `condition` out";
            self.findings.push(finding.help(help));
            return;
        }
        let row = Row {
            kind: text("kind").and_then(Kind::from_name).unwrap_or(known.kind),
            condition,
            enabled: node.get("enabled").and_then(Node::boolean).unwrap_or(known.enabled),
            ..known
        };
        let table = std::mem::take(&mut self.table);
        self.table = table.with(id, row);
    }

    /// The built-in row that a row replaces.
    fn find(&mut self, document: &Document, node: &Node) -> Option<RowId> {
        let text = |key: &str| node.get(key).and_then(Node::text).unwrap_or_default();
        let (system, source, sign) = (text("system"), text("source"), text("sign"));
        let is_beside = |row: &&RowReport| row.system == system && row.source == source;
        let found = self.known.iter().position(|row| is_beside(&row) && row.sign == sign);
        if let Some(id) = found.and_then(RowId::from_index) {
            return Some(id);
        }
        let mut beside = self.known.iter().filter(is_beside).peekable();
        let (key, message, help) = if beside.peek().is_none() {
            let known = self.known.iter().filter(|row| row.system == system).map(|row| row.source);
            let mut known: Vec<&str> = known.collect();
            known.dedup();
            known.sort_unstable();
            known.dedup();
            let message = format!("`{system}` leaves no sign in `{source}`");
            ("source", message, format!("it has signs in {}", known.join(", ")))
        } else {
            let near = did_you_mean(sign, beside.map(|row| row.sign.as_str()));
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`armadactl explain disruptions` prints all signs".to_owned(),
            };
            ("sign", format!("`{system}` has no sign `{sign}` in `{source}`"), help)
        };
        let place = node.get(key).map_or(node.span, |value| value.span);
        let finding = Diagnostic::error(Code::UndefinedName, document.place(place), message);
        self.findings.push(finding.help(help));
        None
    }
}
