//! Messages and help texts for the YAML parser's syntax errors.

/// A message and an optional help text.
pub(super) type MessageAndHelp = (String, Option<&'static str>);

/// The message and help for a document without `---` before it.
pub const TWO_IN_ONE: (&str, &str) = (
    "a second document begins here, without a line `---` before it",
    "write `---` on a separate line between them",
);

/// The message and help for an error of the parser, from its text and the source before and after
/// the place.
pub(super) fn explain_error(info: &str, before: &str, after: &str) -> MessageAndHelp {
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let first_on_its_line = before[line_start..].trim_start_matches(' ').is_empty();
    let message_and_help = |message: &str, help| (message.to_owned(), Some(help));
    if ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|mark| after.starts_with(mark)) {
        return message_and_help(
            "unresolved merge conflict",
            "resolve it and remove the conflict markers",
        );
    }
    if after.starts_with('\t') || info.contains("tabs disallowed") {
        return message_and_help(
            "a tab in the indentation",
            "indent with spaces: YAML allows no tabs there",
        );
    }
    if info.ends_with("found a tab") {
        return message_and_help(
            "a tab where YAML allows only spaces",
            "write spaces, or put the value in double quotes with `\\t` if the tab belongs to it",
        );
    }
    match info {
        "did not find expected <document start>" if begins_document(after) => {
            message_and_help(TWO_IN_ONE.0, TWO_IN_ONE.1)
        }
        "did not find expected <document start>" => message_and_help(
            "unexpected content after the end of the document",
            "write `---` on a separate line before another document",
        ),
        "while parsing a quoted scalar, found unknown escape character" => message_and_help(
            "an unknown escape in double quotes",
            "write it in single quotes, where a backslash is a backslash",
        ),
        "while parsing a block mapping, did not find expected key" if first_on_its_line => {
            message_and_help(
                "the indentation matches no line above",
                "begin the line in the column of the fields it belongs to",
            )
        }
        "while parsing a block mapping, did not find expected key" => message_and_help(
            "unexpected text after the value on its line",
            "put the whole value in single quotes if it is one text",
        ),
        "simple key expected ':'" => {
            message_and_help("a `:` is missing here", "a field is `key: value`")
        }
        "mapping values are not allowed in this context" => message_and_help(
            "a second `:` on one line, or a field that is indented too far",
            "put the value in quotes if the `:` belongs to it",
        ),
        "invalid indentation in multiline quoted scalar" => message_and_help(
            "a quote above is not closed",
            "close the quote at the end of its text",
        ),
        "unclosed bracket '['" => message_and_help("this `[` is not closed", "close it with `]`"),
        "unclosed bracket '{'" => message_and_help("this `{` is not closed", "close it with `}`"),
        _ => explain_other(info),
    }
}

/// Whether a text begins like a document, also after `---` on the same line.
fn begins_document(text: &str) -> bool {
    let text = text.trim_start_matches('-');
    ["{", "[", "apiVersion:", "kind:"].iter().any(|start| text.starts_with(start))
}

fn explain_other(info: &str) -> MessageAndHelp {
    if let Some(expected) = info.split_once("did not find expected ',' or ").map(|pair| pair.1) {
        let closing = expected.trim_matches('\'');
        return (format!("a `,` or `{closing}` is missing before this"), None);
    }
    if let Some(found) = info.strip_prefix("unexpected character: ") {
        let found = found.trim_matches(['`', '\'']);
        let help = Some("put the text in quotes");
        return (format!("`{found}` cannot begin a text without quotes"), help);
    }
    (info.to_owned(), None)
}
