//! The edits of several corrections in one text.

use crate::diag::{Edit, Fix, Span};

/// A text with corrections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The new text.
    pub text: String,
    /// The number of corrections in it.
    pub count: usize,
    /// The number of corrections that overlap with an applied one. They may be possible in the new text.
    pub skipped: usize,
}

/// Applies corrections of one text. A correction that overlaps with an earlier one of the list is skipped as a whole.
/// An insertion overlaps with everything that ends or begins at its place, since the order would not be defined.
pub fn apply_fixes<'f>(text: &str, fixes: impl IntoIterator<Item = &'f Fix>) -> Applied {
    let mut accepted: Vec<&Edit> = Vec::new();
    let (mut applied, mut skipped) = (0, 0);
    for fix in fixes {
        let is_free = |edit: &Edit| {
            let span = edit.place.span;
            let at = accepted.partition_point(|other| other.place.span.start < span.start);
            // Accepted edits do not overlap with each other, so that only the neighbours can overlap with this one.
            let near = accepted[at.saturating_sub(1)..].iter().take(2);
            // Two insertions at one place have the same start, so the next is near too.
            text.get(span.range()).is_some()
                && !near.into_iter().any(|other| overlaps(other.place.span, span))
        };
        // A part of a correction could leave a broken document.
        if fix.edits.is_empty() || !fix.edits.iter().all(is_free) {
            skipped += 1;
            continue;
        }
        applied += 1;
        for edit in &fix.edits {
            let at = accepted.partition_point(|other| order(other) < order(edit));
            accepted.insert(at, edit);
        }
    }
    let (mut result, mut from) = (String::with_capacity(text.len()), 0);
    for edit in accepted {
        result += text.get(from..edit.place.span.start).unwrap_or_default();
        result += &edit.text;
        from = edit.place.span.end;
    }
    result += text.get(from..).unwrap_or_default();
    Applied { text: result, count: applied, skipped }
}

fn order(edit: &Edit) -> (usize, usize) {
    (edit.place.span.start, edit.place.span.end)
}

fn overlaps(one: Span, other: Span) -> bool {
    let is_insertion = one.start == one.end || other.start == other.end;
    if is_insertion {
        one.start <= other.end && other.start <= one.end
    } else {
        one.start < other.end && other.start < one.end
    }
}
