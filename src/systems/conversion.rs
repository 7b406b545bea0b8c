//! What comes of a policy that is written for another system: the new document, and a note on
//! every field that had to be thought about.
//!
//! Owns how notes are gathered and where they point. Which field becomes what is each system's
//! own. A conversion is exact where no note says otherwise, in a fleet that is set up as Armada
//! comes (`globalMaxRetries` as it is by default, no `defaultBackoff`).

mod armada;

pub(in crate::systems) use armada::{
    BUILT_IN, LEASE_EXPIRED, fleet_limit, unsaid_limit, within_fleet,
};

use crate::diag::{Code, Diagnostic, Findings, Place, Span};
use crate::document::{Document, Node};

/// What no conversion can keep, whatever a manifest says.
pub const SYSTEMS_DIFFER: &str = "whatever a manifest says, a job of Armada's ends once it has had the fleet's \
     globalMaxRetries, the retry of a preempted run waits until its pod is gone, and a returned lease \
     costs no retry";

/// What a conversion gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversion<T> {
    /// What there is to be written.
    pub result: T,
    /// What became of each field.
    pub notes: Vec<Note>,
}

/// What became of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Where the field is, or would be: `spec.rules[0].action`.
    pub path: String,
    /// How much of it is left.
    pub kept: Kept,
    /// What was made of it, or what differs.
    pub what: String,
    /// The way out, where there is one.
    pub help: Option<String>,
}

/// How much of a field's meaning is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kept {
    /// All of it.
    Carried,
    /// Something near it.
    Approximated,
    /// Nothing.
    Lost,
}

impl<T> Conversion<T> {
    /// Whether every note says that all is kept.
    pub fn is_exact(&self) -> bool {
        self.notes.iter().all(|note| note.kept == Kept::Carried)
    }
}

impl Note {
    /// The field itself: the last step of its path.
    pub fn field(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or(&self.path)
    }

    /// Where a document has the field; where it lacks it, the nearest thing around it.
    pub fn span(&self, document: &Document) -> Span {
        let mut span = document.root.span;
        let mut node = Some(&document.root);
        for (step, rest) in steps(&self.path) {
            // A key may hold dots: `core.max_task_retry_delay`.
            let found = node.and_then(|node| step.of(node).or_else(|| Step::Key(rest).of(node)));
            let Some(found) = found else { break };
            (span, node) = found;
        }
        span.first_line(document.source.text())
    }
}

/// A step of a path: a key, or a place in a list.
#[derive(Debug, Clone, Copy)]
enum Step<'p> {
    Key(&'p str),
    Item(usize),
}

impl Step<'_> {
    /// What it leads to: where that is written, and its value, which a null lacks.
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

/// The steps of a path, each with what is left of the path from there on.
fn steps(path: &str) -> impl Iterator<Item = (Step<'_>, &str)> {
    let mut at = 0;
    path.split(['.', '[']).map(move |step| {
        let rest = path.get(at..).unwrap_or_default();
        at += step.len() + 1;
        let place = step.strip_suffix(']').and_then(|digits| digits.parse().ok());
        (place.map_or(Step::Key(step), Step::Item), rest)
    })
}

/// Notes as they are gathered.
#[derive(Debug, Default)]
pub(in crate::systems) struct Notes(Vec<Note>);

impl Notes {
    /// All of the field is kept.
    pub fn carried(&mut self, path: impl Into<String>, what: impl Into<String>) {
        self.push(Kept::Carried, path, what);
    }

    /// Something near the field's meaning is kept.
    pub fn approximated(&mut self, path: impl Into<String>, what: impl Into<String>) -> &mut Note {
        self.push(Kept::Approximated, path, what)
    }

    /// Nothing of the field is kept.
    pub fn lost(&mut self, path: impl Into<String>, what: impl Into<String>) -> &mut Note {
        self.push(Kept::Lost, path, what)
    }

    /// All of them, in the order they were made.
    pub fn into_vec(self) -> Vec<Note> {
        self.0
    }

    fn push(&mut self, kept: Kept, path: impl Into<String>, what: impl Into<String>) -> &mut Note {
        let place = self.0.len();
        self.0.push(Note { path: path.into(), kept, what: what.into(), help: None });
        &mut self.0[place]
    }
}

impl Note {
    /// Adds the way out.
    pub(in crate::systems) fn help(&mut self, text: impl Into<String>) {
        self.help = Some(text.into());
    }
}

/// What is lost or approximated, as findings about the document that was converted.
pub fn findings(document: &Document, notes: &[Note]) -> Findings {
    let mut findings = Findings::new();
    for note in notes {
        let code = match note.kept {
            Kept::Carried => continue,
            Kept::Approximated => Code::Approximated,
            Kept::Lost => Code::NoCounterpart,
        };
        let place = document.place(note.span(document));
        let message = format!("`{}`: {}", note.field(), note.what);
        findings.push(Diagnostic::warning(code, place, message).maybe_help(note.help.clone()));
    }
    findings
}

/// What is kept: where it stands, and what was made of it.
pub fn carried(document: &Document, notes: &[Note]) -> Vec<(Place, String)> {
    let mut kept: Vec<&Note> = notes.iter().filter(|note| note.kept == Kept::Carried).collect();
    kept.sort_by_key(|note| note.span(document).start);
    let told = |note: &&Note| {
        (document.place(note.span(document)), format!("`{}`: {}", note.field(), note.what))
    };
    let mut told: Vec<(Place, String)> = kept.iter().map(told).collect();
    told.dedup_by(|(place, what), (before, said)| place.span == before.span && what == said);
    told
}

/// The fields about which notes say so, each once.
#[cfg(test)]
pub(in crate::systems) fn noted(notes: &[Note], kept: Kept) -> Vec<&str> {
    let mut fields: Vec<&str> =
        notes.iter().filter(|note| note.kept == kept).map(Note::field).collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Source;
    use crate::document::{Limits, parse};

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
