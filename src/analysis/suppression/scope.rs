//! The part of a text that a suppression comment applies to.

use document::diag::Span;
use document::{DocumentLayout, Layout, Part, PartKind};

/// Findings whose place begins in the span are suppressed.
#[derive(Debug)]
pub(super) struct Scope {
    span: Span,
    kind: ScopeKind,
}

#[derive(Debug)]
enum ScopeKind {
    Line,
    Block,
    Document,
    File,
    /// There is no content after the comment.
    Nothing,
}

impl Scope {
    /// The scope of a comment:
    ///
    /// - the file, if the comment is for it
    /// - its line, if the line has content before the comment
    /// - otherwise the next line with content: the document, if it is the document's first or its `---`; the
    ///   outermost item or entry that begins the line; or the line
    pub(super) fn of(layout: &Layout, comment: Span, is_for_file: bool) -> Self {
        if is_for_file {
            let span = Span::new(0, layout.source.text().len());
            return Self { span, kind: ScopeKind::File };
        }
        if layout.comment_line(comment.start).is_none() {
            return Self { span: line_of(layout, comment.start), kind: ScopeKind::Line };
        }
        let Some(target) = next_content(layout, comment.start) else {
            return Self { span: Span::new(0, 0), kind: ScopeKind::Nothing };
        };
        let is_begun = |document: &&DocumentLayout| {
            document.span.range().contains(&target) && target <= document.root.span.start
        };
        if let Some(document) = layout.documents.iter().find(is_begun) {
            return Self { span: document.span, kind: ScopeKind::Document };
        }
        let roots = layout.documents.iter().map(|document| &document.root);
        match roots.into_iter().find_map(|root| begun_at(root, target)) {
            Some(block) => Self { span: block, kind: ScopeKind::Block },
            None => Self { span: line_of(layout, target), kind: ScopeKind::Line },
        }
    }

    pub(super) fn contains(&self, at: usize) -> bool {
        let is_before_end = match self.kind {
            ScopeKind::Nothing => false,
            // The next document begins at the end.
            ScopeKind::Document => at < self.span.end,
            // A finding about an absent value may be at the end of its line.
            ScopeKind::Line | ScopeKind::Block | ScopeKind::File => at <= self.span.end,
        };
        self.span.start <= at && is_before_end
    }

    /// The place, for a message: `on this line`.
    pub(super) fn describe(&self) -> &'static str {
        match self.kind {
            ScopeKind::Line => "on its line",
            ScopeKind::Block => "in the block below it",
            ScopeKind::Document => "in its document",
            ScopeKind::File => "in the file",
            ScopeKind::Nothing => "since nothing is below the comment",
        }
    }
}

/// The line of a byte, without its line break.
fn line_of(layout: &Layout, at: usize) -> Span {
    layout.line(at)
}

/// The first byte of content on the lines below a comment.
fn next_content(layout: &Layout, comment: usize) -> Option<usize> {
    let text = layout.source.text();
    let mut line = layout.next_line(comment);
    while line < text.len() {
        let content = layout.text(layout.line(line));
        let blanks = content.len() - content.trim_start_matches([' ', '\t']).len();
        if blanks < content.len() && layout.comment_line(line).is_none() {
            return Some(line + blanks);
        }
        line = layout.next_line(line);
    }
    None
}

/// The outermost item or entry that begins at a byte.
fn begun_at(part: &Part, at: usize) -> Option<Span> {
    let spans: Vec<(Span, &Part)> = match &part.kind {
        PartKind::Alias | PartKind::Scalar(_) => return None,
        PartKind::List(_, items) => items.iter().map(|item| (item.span(), &item.value)).collect(),
        PartKind::Map(_, entries) => {
            entries.iter().map(|entry| (entry.span(), &entry.value)).collect()
        }
    };
    let (span, value) = spans.into_iter().find(|(span, _)| span.start <= at && at < span.end)?;
    if span.start == at { Some(span) } else { begun_at(value, at) }
}
