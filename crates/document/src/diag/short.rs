//! One line per finding, in the format of compilers, which editors parse.

use super::alike::{Printed, first_alike, more_line};
use super::{Diagnostic, printable};
use std::fmt::Write;

/// Renders `file:line:col: severity[id]: message (help)`, one line per finding. Of many alike the first are rendered,
/// and then their number.
pub fn render(items: &[Diagnostic]) -> String {
    let mut out = String::new();
    for Printed { item, more, .. } in first_alike(items) {
        out.push_str(&line(item));
        if more > 0 {
            out.push_str(&more_line(item, more));
            out.push('\n');
        }
    }
    out
}

/// The line of a finding.
pub fn line(item: &Diagnostic) -> String {
    let mut out = String::new();
    if let Some(place) = &item.place {
        let start = place.start();
        let _ = write!(out, "{}:{}:{}: ", printable(place.source.name()), start.line, start.column);
    }
    let (severity, id) = (item.severity.as_str(), item.code.id());
    let _ = write!(out, "{severity}[{id}]: {}", printable(&item.message));
    if let Some(help) = &item.help {
        let _ = write!(out, " ({})", printable(help));
    }
    out.push('\n');
    out
}
