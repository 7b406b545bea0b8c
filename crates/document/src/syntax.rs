//! Messages and help texts for the YAML parser's syntax errors.

/// A message and an optional help text.
pub(super) type MessageAndHelp = (String, Option<&'static str>);

/// The message and help for a document without `---` before it.
pub const TWO_IN_ONE: (&str, &str) = (
    "a second document begins here, without a line `---` before it",
    "write `---` on a separate line between them",
);

/// The message and help for a tab in the indentation.
pub const TAB_INDENT: (&str, &str) =
    ("a tab in the indentation", "indent with spaces: YAML allows no tabs there");

/// Whether an error of the parser is about a tab.
fn is_about_tab(info: &str, after: &str) -> bool {
    after.starts_with('\t') || info.contains("tabs disallowed") || info.ends_with("found a tab")
}

/// Whether a text ends in the indentation of a line.
fn ends_in_indentation(before: &str) -> bool {
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    before[line_start..].trim_start_matches([' ', '\t']).is_empty()
}

/// The offset that an error of the parser at `at` is about. The parser reports a tab at what stands behind it, or
/// at the value that the tab ends.
pub(super) fn place_of_error(info: &str, text: &str, at: usize) -> usize {
    let (before, after) = text.split_at(at);
    if !is_about_tab(info, after) {
        return at;
    }
    let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
    let tab_before = before[at - blanks..].find('\t').map(|tab| at - blanks + tab);
    let next_tab = || after.find('\t').map(|tab| at + tab);
    tab_before.or_else(|| tab_in_indentation(text, at)).or_else(next_tab).unwrap_or(at)
}

/// The offset of the first tab in the indentation of a line after `at`.
fn tab_in_indentation(text: &str, at: usize) -> Option<usize> {
    let mut start = at + text[at..].find('\n')? + 1;
    for line in text[start..].split_inclusive('\n') {
        let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
        if let Some(tab) = line[..blanks].find('\t') {
            return Some(start + tab);
        }
        start += line.len();
    }
    None
}

/// The message and help for an error of the parser, from its text and the source before and after
/// the place.
pub(super) fn explain_error(info: &str, before: &str, after: &str) -> MessageAndHelp {
    let first_on_its_line = ends_in_indentation(before);
    let message_and_help = |message: &str, help| (message.to_owned(), Some(help));
    if ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|mark| after.starts_with(mark)) {
        return message_and_help(
            "unresolved merge conflict",
            "resolve it and remove the conflict markers",
        );
    }
    if is_about_tab(info, after) {
        if ends_in_indentation(before) {
            return message_and_help(TAB_INDENT.0, TAB_INDENT.1);
        }
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
