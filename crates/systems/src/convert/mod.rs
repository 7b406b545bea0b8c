//! The result of a conversion between systems: the new document, and notes on fields.
//!
//! Owns the notes and their places. Each system converts its own fields. A conversion is exact except for its
//! notes, in a fleet with Armada's defaults (`globalMaxRetries` by default, no `defaultBackoff`).

mod armada;
mod budgets;
pub(crate) mod messages;

pub(crate) use armada::{
    LEASE_EXPIRED, fleet_limit, note_default_limit, note_fleet_limit, policy_name,
};
pub(crate) use budgets::Budgets;

use document::diag::{Code, Diagnostic, Findings, Place, Span};
use document::{Document, Node};

/// The differences that no conversion can avoid.
pub const SYSTEMS_DIFFER: &str = "regardless of the manifest, an Armada job ends once it has used the \
                                  fleet's globalMaxRetries, the retry of a preempted run waits until its pod \
                                  is deleted, and a returned lease does not count as a retry";

/// The result of a conversion.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversion<T> {
    /// The new document.
    pub result: T,
    /// A note for each field.
    pub notes: Vec<Note>,
}

/// The conversion of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The path of the field: `spec.rules[0].action`.
    pub path: String,
    /// The part of its meaning that is kept.
    pub fidelity: Fidelity,
    /// The equivalent of the field, or the difference.
    pub what: String,
    /// The remedy, if there is one.
    pub help: Option<String>,
}

/// The part of a field's meaning that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fidelity {
    /// All of the meaning is kept.
    Carried,
    /// The meaning is kept approximately.
    Approximated,
    /// None of the meaning is kept.
    Lost,
}

impl<T> Conversion<T> {
    /// Returns the result as a list with one item.
    pub fn into_list(self) -> Conversion<Vec<T>> {
        Conversion { result: vec![self.result], notes: self.notes }
    }

    /// Returns whether every field is kept in full.
    #[cfg(test)]
    pub fn is_exact(&self) -> bool {
        self.notes.iter().all(|note| note.fidelity == Fidelity::Carried)
    }
}

impl Note {
    /// Returns the field itself: the last step of its path.
    pub fn field(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or(&self.path)
    }

    /// Returns the place of the field in a document; if it is absent, that of its nearest ancestor.
    pub fn span(&self, document: &Document) -> Span {
        let mut span = document.root.span;
        let mut node = Some(&document.root);
        for (step, rest) in steps(&self.path) {
            // A key may contain dots: `core.max_task_retry_delay`.
            let found = node.and_then(|node| step.of(node).or_else(|| Step::Key(rest).of(node)));
            let Some(found) = found else { break };
            (span, node) = found;
        }
        span.first_line(document.source.text())
    }
}

/// A step of a path: a key, or an index of a list.
#[derive(Debug, Clone, Copy)]
enum Step<'p> {
    Key(&'p str),
    Item(usize),
}

impl Step<'_> {
    /// Returns the place and value of the step's target; a null has no value.
    fn of(self, node: &Node) -> Option<(Span, Option<&Node>)> {
        match self {
            Self::Key(key) => {
                let entry = node.entry(key)?;
                Some((entry.key_span, Some(&entry.value).filter(|value| !value.is_null())))
            }
            Self::Item(place) => node.items().get(place).map(|item| (item.span, Some(item))),
        }
    }
}

/// Returns the steps of a path, each with the rest of the path from there on.
fn steps(path: &str) -> impl Iterator<Item = (Step<'_>, &str)> {
    let mut at = 0;
    path.split(['.', '[']).map(move |step| {
        let rest = path.get(at..).unwrap_or_default();
        at += step.len() + 1;
        let place = step.strip_suffix(']').and_then(|digits| digits.parse().ok());
        (place.map_or(Step::Key(step), Step::Item), rest)
    })
}

/// The notes of a conversion, in order.
#[derive(Debug, Default)]
pub(crate) struct Notes(Vec<Note>);

impl Notes {
    /// Notes that the field is kept in full.
    pub fn carried(&mut self, path: impl Into<String>, what: impl Into<String>) {
        self.push(Fidelity::Carried, path, what);
    }

    /// Notes that the field is kept approximately.
    pub fn approximated(&mut self, path: impl Into<String>, what: impl Into<String>) -> &mut Note {
        self.push(Fidelity::Approximated, path, what)
    }

    /// Notes that the field is not kept.
    pub fn lost(&mut self, path: impl Into<String>, what: impl Into<String>) -> &mut Note {
        self.push(Fidelity::Lost, path, what)
    }

    /// Adds the notes of others after these.
    pub fn append(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Returns all notes, in the order they were made.
    pub fn into_vec(self) -> Vec<Note> {
        self.0
    }

    fn push(
        &mut self,
        fidelity: Fidelity,
        path: impl Into<String>,
        what: impl Into<String>,
    ) -> &mut Note {
        let place = self.0.len();
        self.0.push(Note { path: path.into(), fidelity, what: what.into(), help: None });
        &mut self.0[place]
    }
}

impl Note {
    /// Sets the remedy.
    pub(crate) fn help(&mut self, text: impl Into<String>) {
        self.help = Some(text.into());
    }
}

/// Returns the lost and approximated fields, as findings about the converted document.
pub fn findings(document: &Document, notes: &[Note]) -> Findings {
    let mut findings = Findings::new();
    for note in notes {
        let code = match note.fidelity {
            Fidelity::Carried => continue,
            Fidelity::Approximated => Code::Approximated,
            Fidelity::Lost => Code::NoCounterpart,
        };
        let place = document.place(note.span(document));
        let message = format!("`{}`: {}", note.field(), note.what);
        findings.push(Diagnostic::warning(code, place, message).maybe_help(note.help.clone()));
    }
    findings
}

/// Returns the kept fields: their places and equivalents.
pub fn carried(document: &Document, notes: &[Note]) -> Vec<(Place, String)> {
    let mut kept: Vec<&Note> =
        notes.iter().filter(|note| note.fidelity == Fidelity::Carried).collect();
    kept.sort_by_key(|note| note.span(document).start);
    let entry = |note: &&Note| {
        (document.place(note.span(document)), format!("`{}`: {}", note.field(), note.what))
    };
    let mut entries: Vec<(Place, String)> = kept.iter().map(entry).collect();
    entries.dedup_by(|(place, what), (before, text)| place.span == before.span && what == text);
    entries
}

/// Returns the fields with notes of this fidelity, each once.
#[cfg(test)]
pub(crate) fn fields_noted(notes: &[Note], fidelity: Fidelity) -> Vec<&str> {
    let mut fields: Vec<&str> =
        notes.iter().filter(|note| note.fidelity == fidelity).map(Note::field).collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::diag::Source;
    use document::{Limits, parse};

    #[test]
    fn a_note_points_at_its_field_or_at_what_is_nearest() {
        let source = Source::new(
            "j.yaml",
            "spec:\n  rules:\n  - action: Fail\n  - {action: Retry}\n  none:\n  a.b: 1\n",
        );
        let (documents, _) = parse(&source, Limits::POLICY);
        let document = &documents[0];
        let at = |path: &str| {
            let mut notes = Notes::default();
            notes.lost(path, "it is gone");
            let place = document.place(notes.into_vec()[0].span(document)).start();
            (place.line, place.column)
        };
        assert_eq!(at("spec.rules[1].action"), (4, 6));
        assert_eq!(at("spec.rules[0].retryLimit"), (3, 5));
        assert_eq!(at("spec.rules[2].action"), (2, 3));
        assert_eq!(at("spec.none.deeper"), (5, 3));
        assert_eq!(at("spec.a.b"), (6, 3));
        assert_eq!(at("status"), (1, 1));
    }

    #[test]
    fn what_is_kept_is_no_finding() {
        let source = Source::new("j.yaml", "spec: {a: 1, b: 2}\n");
        let (documents, _) = parse(&source, Limits::POLICY);
        let mut notes = Notes::default();
        notes.carried("spec.b", "as c");
        notes.approximated("spec.a", "nearly").help("write c");
        let notes = notes.into_vec();
        let findings = findings(&documents[0], &notes).sorted();
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].message, "`a`: nearly");
        let [(place, what)] = &carried(&documents[0], &notes)[..] else { panic!("one is kept") };
        assert_eq!((place.to_string(), what.as_str()), ("j.yaml:1:14".to_owned(), "`b`: as c"));
    }
}
