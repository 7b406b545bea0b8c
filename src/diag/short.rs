//! One line per finding, in the format of compilers, which editors parse.

use super::alike::{first_alike, more_line};
use super::{Diagnostic, printable};
use std::fmt::Write;

/// Renders `file:line:col: severity[id]: message (help)`, one line per finding. Of many alike the first are rendered,
/// and then their number.
pub fn render(items: &[Diagnostic]) -> String {
    let mut out = String::new();
    for (item, more) in first_alike(items) {
        if let Some(place) = &item.place {
            let start = place.start();
            let _ =
                write!(out, "{}:{}:{}: ", printable(place.source.name()), start.line, start.column);
        }
        let _ = write!(
            out,
            "{}[{}]: {}",
            item.severity.as_str(),
            item.code.id(),
            printable(&item.message)
        );
        if let Some(help) = &item.help {
            let _ = write!(out, " ({})", printable(help));
        }
        out.push('\n');
        if more > 0 {
            out.push_str(&more_line(item, more));
            out.push('\n');
        }
    }
    out
}
