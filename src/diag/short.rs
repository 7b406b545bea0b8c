//! One line per finding, in the format of compilers, which editors parse.

use super::{Diagnostic, printable};
use std::fmt::Write;

/// Renders `file:line:col: severity[id]: message (help)`, one line per finding.
pub fn render(items: &[Diagnostic]) -> String {
    let mut out = String::new();
    for item in items {
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
    }
    out
}
