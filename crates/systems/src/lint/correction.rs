//! Corrections that lose no comment.

use document::diag::{Edit, Fix};
use document::{Document, Layout, Limits};

/// A correction; `None` without edits, or if a comment would be lost.
pub fn correction(
    layout: &Layout,
    title: impl Into<String>,
    edits: Option<Vec<Edit>>,
) -> Option<Fix> {
    let edits = edits?;
    let keeps_comments = |edit: &Edit| {
        let mut comments = layout.comments_in(edit.place.span).iter();
        comments.all(|comment| edit.text.contains(layout.text(*comment)))
    };
    edits.iter().all(keeps_comments).then(|| Fix { title: title.into(), edits })
}

/// A correction of a document; `None` if its layout does not allow the edits, or a comment would be lost.
pub(crate) fn correct(
    document: &Document,
    title: impl Into<String>,
    edits: impl FnOnce(&Layout) -> Option<Vec<Edit>>,
) -> Option<Fix> {
    let layout = Layout::of(&document.source, Limits::POLICY)?;
    correction(&layout, title, edits(&layout))
}
