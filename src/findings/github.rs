//! GitHub workflow commands.

use document::diag::{Diagnostic, Severity, printable};

/// Renders `::error file=..,line=..,col=..,endLine=..,endColumn=..,title=..::message`, one command per
/// finding. A finding of severity `info` is a `notice`.
pub fn render(items: &[Diagnostic]) -> String {
    render_named(items, str::to_owned)
}

/// Renders the same with other names of files, such as those relative to the root of the repository.
pub fn render_named(items: &[Diagnostic], name: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    for item in items {
        let severity = match item.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let mut properties = Vec::new();
        if let Some(place) = &item.place {
            let (start, end) = (place.start(), place.end());
            properties.push(("file", name(place.source.name())));
            properties.push(("line", start.line.to_string()));
            properties.push(("col", start.column.to_string()));
            properties.push(("endLine", end.line.to_string()));
            // GitHub refuses an end column if the end is on another line than the start.
            if end.line == start.line && end.column > start.column {
                properties.push(("endColumn", end.column.to_string()));
            }
        }
        properties.push(("title", item.code.id().to_owned()));
        let message = match &item.help {
            Some(help) => format!("{}\nhelp: {}", item.message.replace('\n', "\\n"), help),
            None => item.message.replace('\n', "\\n"),
        };
        out.push_str(&command(severity, &properties, &message));
    }
    out
}

/// Renders one command, with a line break at its end.
///
/// The format and its escapes are GitHub's: "Workflow commands for GitHub Actions".
pub fn command(name: &str, properties: &[(&str, String)], message: &str) -> String {
    let properties: Vec<String> = properties
        .iter()
        .map(|(name, value)| format!("{name}={}", escape_property(value)))
        .collect();
    format!("::{name} {}::{}\n", properties.join(","), escape_data(message))
}

fn escape_data(text: &str) -> String {
    let lines: Vec<String> =
        text.split('\n').map(|line| printable(line).replace('%', "%25")).collect();
    lines.join("%0A")
}

fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::diag::{Code, Place, Source, Span};

    #[test]
    fn properties_and_messages_are_escaped() {
        let source = Source::new("a,b:c.yaml", "x: 1\n");
        let place = Place::new(&source, Span::new(0, 1));
        let item = Diagnostic::error(Code::UnknownField, place, "100% wrong");
        assert_eq!(
            render(&[item]),
            "::error file=a%2Cb%3Ac.yaml,line=1,col=1,endLine=1,endColumn=2,title=RP005::100%25 wrong\n"
        );
        let properties = [("title", "a\n::b".to_owned())];
        let expected = "::error title=a%0A%3A%3Ab::c%0Ad\\u{d}\n";
        assert_eq!(command("error", &properties, "c\nd\r"), expected);
    }
}
