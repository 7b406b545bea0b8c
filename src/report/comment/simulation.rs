//! The section of `simulate`: its frame around the tables of a replay or of a simulated cluster.

use super::block::{Block, fit};
use super::provenance::Provenance;
use super::text::inline;
use crate::diag::Style;
use crate::report::layout::Layout;
use crate::report::{assertions, notes};
use crate::simulate::{AssertionReport, NoteReport, NoteSeverity};

/// A layout without a width and colours: a comment wraps its lines itself.
const LAYOUT: Layout = Layout { wide: false, headers: true, width: None, style: Style::Plain };

/// The parts of the section.
pub(in crate::report) struct SimulationSection<'s> {
    pub(in crate::report) headline: String,
    pub(in crate::report) notes: &'s [NoteReport],
    pub(in crate::report) assertions: &'s [AssertionReport],
    /// The tables.
    pub(in crate::report) blocks: Vec<Block>,
    /// Sentences that come with the notes.
    pub(in crate::report) remarks: Vec<String>,
    /// The sources of the figures, after the version of the program: `, seed 0.`
    pub(in crate::report) sources: String,
    pub(in crate::report) provenance: &'s Provenance,
}

impl SimulationSection<'_> {
    /// Writes the section: the headline, warnings and assertions, the tables, and folded the remarks and notes.
    pub(in crate::report) fn markdown(self) -> String {
        let mut blocks = vec![Block::paragraph(&format!("### {}", inline(&self.headline)))];
        blocks.extend(lines(self.notes_of(NoteSeverity::Warning)));
        blocks.extend(lines(self.assertions.iter().map(|it| assertions::line(it, &LAYOUT))));
        let notes = self.notes_of(NoteSeverity::Note);
        let notes = lines(self.remarks.iter().cloned().chain(notes));
        let notes = notes.map(|list| list.folded("Notes"));
        let foot = self.provenance.block(&self.sources);
        blocks.extend(self.blocks.into_iter().chain(notes));
        fit(&blocks, Some(&foot))
    }

    fn notes_of(&self, severity: NoteSeverity) -> impl Iterator<Item = String> {
        let notes = self.notes.iter().filter(move |note| note.severity == severity);
        notes.map(|note| self.provenance.names.text(&notes::line(note, &LAYOUT)))
    }
}

/// A list of texts; `None` without any.
pub(in crate::report) fn lines(texts: impl IntoIterator<Item = String>) -> Option<Block> {
    let items: Vec<String> = texts.into_iter().map(|text| inline(&text)).collect();
    (!items.is_empty()).then(|| Block::list(items))
}
