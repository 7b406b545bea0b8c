//! GitHub workflow commands.

use super::{Diagnostic, Severity, printable};
use std::fmt::Write;

/// Renders `::error file=..,line=..,col=..,endLine=..,endColumn=..,title=..::message`, one command per
/// finding. A finding of severity `info` is a `notice`.
///
/// The format and its escapes are GitHub's: "Workflow commands for GitHub Actions".
pub fn render(items: &[Diagnostic]) -> String {
    let mut out = String::new();
    for item in items {
        let command = match item.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let _ = write!(out, "::{command} ");
        if let Some(place) = &item.place {
            let (start, end) = (place.start(), place.end());
            let _ =
                write!(out, "file={},line={},", escape_property(place.source.name()), start.line);
            let _ = write!(out, "col={},endLine={},", start.column, end.line);
            // GitHub refuses an end column if the end is on another line than the start.
            if end.line == start.line && end.column > start.column {
                let _ = write!(out, "endColumn={},", end.column);
            }
        }
        let _ = write!(out, "title={}::{}", item.code.id(), escape_data(&item.message));
        if let Some(help) = &item.help {
            let _ = write!(out, "%0Ahelp: {}", escape_data(help));
        }
        out.push('\n');
    }
    out
}

fn escape_data(text: &str) -> String {
    printable(text).replace('%', "%25")
}

fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Code, Place, Source, Span};

    #[test]
    fn properties_and_messages_are_escaped() {
        let source = Source::new("a,b:c.yaml", "x: 1\n");
        let place = Place::new(&source, Span::new(0, 1));
        let item = Diagnostic::error(Code::UnknownField, place, "100% wrong");
        assert_eq!(
            render(&[item]),
            "::error file=a%2Cb%3Ac.yaml,line=1,col=1,endLine=1,endColumn=2,title=RP005::100%25 wrong\n"
        );
    }
}
