//! The notes and the results of assertions of a page: the lines of the terminal without a width, which a page wraps.

use crate::findings::Style;
use crate::report::ShortPaths;
use crate::report::layout::Layout;
use crate::report::{assertions, notes};
use replay::simulate::{AssertionReport, NoteReport, NoteSeverity};

const LAYOUT: Layout = Layout { wide: false, headers: true, width: None, style: Style::Plain };

/// The lines of the notes of a severity.
pub(super) fn note_lines(
    all: &[NoteReport],
    severity: NoteSeverity,
    names: &ShortPaths,
) -> Vec<String> {
    let some = all.iter().filter(|note| note.severity == severity);
    some.map(|note| names.text(&notes::line(note, &LAYOUT))).collect()
}

/// The lines of assertions, each with whether it holds.
pub(super) fn assertion_lines(all: &[AssertionReport]) -> Vec<(String, bool)> {
    all.iter().map(|it| (assertions::line(it, &LAYOUT), it.holds)).collect()
}
