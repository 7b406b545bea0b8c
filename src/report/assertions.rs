//! The assertions of `--assert`, a line each.

use super::table::Layout;
use super::wrap::prose;
use crate::diag::printable;
use crate::simulate::AssertionReport;
use std::fmt::Write;

/// Writes whether each assertion holds, and the figure.
pub(super) fn lines(out: &mut String, all: &[AssertionReport], layout: &Layout) {
    if !all.is_empty() {
        out.push('\n');
    }
    for assertion in all {
        let (word, holds) = if assertion.holds { ("holds", true) } else { ("fails", false) };
        let value = assertion.value.map(|value| format!("it is {}", value.0));
        let value = value.unwrap_or_else(|| "it has no value".to_owned());
        let bound = assertion.bound.filter(|_| assertion.assertion.contains("BASE"));
        let bound = bound.map(|bound| format!(", and the bound {}", bound.0)).unwrap_or_default();
        let text = printable(&assertion.assertion).into_owned();
        let line = format!("{}: {text} ({value}{bound})", layout.paint(word, Some(holds)));
        let _ = writeln!(out, "{}", prose(&line, layout));
    }
}
