//! One finding, and a collection of them.

use super::{Code, Place, Span};
use crate::names;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

names! {
    /// The severity of a finding, the worst first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Severity {
        /// The document cannot be used.
        Error = "error",
        /// The document can be used, but is probably not what its author intended.
        Warning = "warning",
        /// The document can be used, and its author may want to know.
        Info = "info",
    }
}

/// A second place of a finding, with a short description.
#[derive(Debug, Clone)]
pub struct Label {
    /// The place.
    pub place: Place,
    /// The description, in a few words.
    pub text: String,
}

/// A replacement of a piece of text.
#[derive(Debug, Clone)]
pub struct Edit {
    /// The replaced text; an empty span inserts.
    pub place: Place,
    /// The new text.
    pub text: String,
}

/// A mechanical correction of a finding. It keeps what the document decides, unless the title states the
/// difference.
#[derive(Debug, Clone)]
pub struct Fix {
    /// The change, in a few words: `remove rule 2`.
    pub title: String,
    /// The replacements, which do not overlap.
    pub edits: Vec<Edit>,
}

/// One finding about a document.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    /// The stable id, with a page that `explain` prints.
    pub code: Code,
    /// The severity.
    pub severity: Severity,
    /// The problem, in one line, without a final period.
    pub message: String,
    /// The place; `None` only if there is no text, such as for a file that cannot be read.
    pub place: Option<Place>,
    /// A few words under the caret.
    pub label: Option<String>,
    /// Other places that the finding mentions.
    pub others: Vec<Label>,
    /// The correction.
    pub help: Option<String>,
    /// The correction as replacements of text, if it is mechanical.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            place: Some(place),
            label: None,
            others: Vec::new(),
            help: None,
            fix: None,
        }
    }

    /// A warning at a place.
    pub fn warning(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, place, message) }
    }

    /// A finding of severity `info` at a place.
    pub fn info(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self { severity: Severity::Info, ..Self::error(code, place, message) }
    }

    /// An error about a whole input without a text to point into.
    pub fn without_place(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            place: None,
            label: None,
            others: Vec::new(),
            help: None,
            fix: None,
        }
    }

    /// Adds a few words under the caret.
    #[must_use]
    pub fn labelled(mut self, text: impl Into<String>) -> Self {
        self.label = Some(text.into());
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn also(mut self, place: Place, text: impl Into<String>) -> Self {
        self.others.push(Label { place, text: text.into() });
        self
    }

    /// Sets the help.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Sets the mechanical correction.
    #[must_use]
    pub fn fixed_by(mut self, fix: Option<Fix>) -> Self {
        self.fix = fix;
        self
    }

    /// Sets the help, if there is one.
    #[must_use]
    pub fn maybe_help(mut self, text: Option<String>) -> Self {
        self.help = text.or(self.help);
        self
    }
}

/// A collection of findings: readers collect all of them instead of stopping at the first.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    items: Vec<Diagnostic>,
    /// Names of files, in the order of the command line.
    files: Vec<String>,
}

impl Findings {
    /// An empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// A collection of one finding.
    pub fn of(diagnostic: Diagnostic) -> Self {
        let mut findings = Self::new();
        findings.push(diagnostic);
        findings
    }

    /// Sets the order of files that [`sorted`](Self::sorted) follows.
    pub fn order_files<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) {
        self.files.extend(names.into_iter().map(str::to_owned));
    }

    /// The order of files that [`order_files`](Self::order_files) set.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.items.push(diagnostic);
    }

    /// Adds the findings of another collection.
    pub fn extend(&mut self, others: impl IntoIterator<Item = Diagnostic>) {
        self.items.extend(others);
    }

    /// Keeps only the findings at exactly this span.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.items.retain(|item| item.place.as_ref().is_some_and(|place| place.span == span));
        self
    }

    /// Removes the findings with one of these codes.
    #[must_use]
    pub fn without(mut self, codes: &[Code]) -> Self {
        self.items.retain(|item| !codes.contains(&item.code));
        self
    }

    /// The number of findings.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no findings.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether a finding is an error.
    pub fn has_errors(&self) -> bool {
        self.items.iter().any(|item| item.severity == Severity::Error)
    }

    /// The number of findings of this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.items.iter().filter(|item| item.severity == severity).count()
    }

    /// The findings in the order of their creation.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.items.iter()
    }

    /// Sorts the findings by file, then position, then id. Those without a place come first. Files without a
    /// set order come in the order of their first findings. Equal findings at one place, such as for a value
    /// that an alias repeats, are joined.
    #[must_use]
    pub fn sorted(mut self) -> Vec<Diagnostic> {
        let mut seen = HashSet::new();
        self.items.retain(|item| {
            // By the address of the source: two files may have one name.
            let at = item.place.as_ref().map(|place| (Arc::as_ptr(&place.source), place.span));
            seen.insert((at, item.code, item.message.clone()))
        });
        let mut files: HashMap<String, usize> = HashMap::new();
        let mut place_of = |name: &str| {
            let next = files.len();
            *files.entry(name.to_owned()).or_insert(next)
        };
        // Findings without a place come first.
        place_of("");
        for name in &self.files {
            place_of(name);
        }
        self.items.sort_by_cached_key(|item| {
            let file = item.place.as_ref().map_or(0, |place| place_of(place.source.name()));
            let start = item.place.as_ref().map(|at| (at.source.first_line(), at.span.start));
            (file, start, item.code.id())
        });
        self.items
    }
}

impl<'f> IntoIterator for &'f Findings {
    type Item = &'f Diagnostic;
    type IntoIter = std::slice::Iter<'f, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Findings {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}
