//! The assertions of `--assert`, a line each.

use super::figures::separated;
use super::layout::{Layout, prose};
use document::diag::printable;
use replay::simulate::{AssertionReport, Figure};
use std::fmt::Write;

/// Writes whether each assertion holds, and the figure.
pub(super) fn lines(out: &mut String, all: &[AssertionReport], layout: &Layout) {
    if !all.is_empty() {
        out.push('\n');
    }
    for assertion in all {
        let _ = writeln!(out, "{}", prose(&line(assertion, layout), layout));
    }
}

/// Whether an assertion holds, and the figure.
pub(super) fn line(assertion: &AssertionReport, layout: &Layout) -> String {
    let (word, holds) = if assertion.holds { ("holds", true) } else { ("fails", false) };
    let value = assertion.value.map(|value| format!("it is {}", number(value)));
    let value = value.unwrap_or_else(|| "it has no value".to_owned());
    let bound = assertion.bound.filter(|_| assertion.assertion.contains("BASE"));
    let bound = bound.map(|bound| format!(", and the bound {}", number(bound)));
    let note = assertion.note.as_ref().map(|note| format!(": {}", printable(note)));
    let text = printable(&assertion.assertion).into_owned();
    format!(
        "{}: {text} ({value}{}{})",
        layout.paint(word, Some(holds)),
        note.unwrap_or_default(),
        bound.unwrap_or_default(),
    )
}

/// Formats a figure with at most four decimals.
fn number(figure: Figure) -> String {
    let text = format!("{:.4}", figure.0);
    separated(text.trim_end_matches('0').trim_end_matches('.'))
}
