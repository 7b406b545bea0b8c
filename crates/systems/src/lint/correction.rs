//! Corrections of findings that keep comments.

use document::diag::{Edit, Fix};
use document::{Document, Layout, Limits};

/// Returns a correction of a text with this layout; `None` if the layout does not allow the edits, or a comment would be
/// lost.
pub fn correction_in(
    layout: &Layout,
    title: impl Into<String>,
    edits: impl FnOnce(&Layout) -> Option<Vec<Edit>>,
) -> Option<Fix> {
    let edits = edits(layout)?;
    let keeps_comments = |edit: &Edit| {
        let mut comments = layout.comments_in(edit.place.span).iter();
        comments.all(|comment| edit.text.contains(layout.text(*comment)))
    };
    edits.iter().all(keeps_comments).then(|| Fix { title: title.into(), edits })
}

/// The largest text that is corrected, in bytes.
// The layout of the whole text is made for each finding, so that a larger one with many findings would take long.
const MAX_CORRECTED: usize = 64 << 10;

/// Returns a correction of a manifest.
pub(crate) fn correction(
    document: &Document,
    title: impl Into<String>,
    edits: impl FnOnce(&Layout) -> Option<Vec<Edit>>,
) -> Option<Fix> {
    if document.source.text().len() > MAX_CORRECTED {
        return None;
    }
    correction_in(&Layout::of(&document.source, Limits::POLICY)?, title, edits)
}
