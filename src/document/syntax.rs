//! What a parser's syntax errors mean to a person. Owns their words; the parser owns the rest.

/// A message and, where there is one, a way out.
pub(super) type Words = (String, Option<&'static str>);

/// That a document begins without a mark between it and the one before.
pub const TWO_IN_ONE: (&str, &str) = (
    "a second document begins here, without a line `---` before it",
    "write `---` on a line of its own between them",
);

/// What is wrong, given what the parser said and the text before and after the place.
pub(super) fn words(info: &str, before: &str, after: &str) -> Words {
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let first_on_its_line = before[line_start..].trim_start_matches(' ').is_empty();
    let told = |message: &str, help| (message.to_owned(), Some(help));
    if ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|mark| after.starts_with(mark)) {
        return told("a merge conflict stands here", "resolve it and drop its marks");
    }
    if after.starts_with('\t') || info.contains("tabs disallowed") {
        return told("a tab in the indentation", "indent with spaces: YAML allows no tabs there");
    }
    match info {
        "did not find expected <document start>" if begins_document(after) => {
            told(TWO_IN_ONE.0, TWO_IN_ONE.1)
        }
        "did not find expected <document start>" => told(
            "the document has ended, and something follows",
            "write `---` on a line of its own before another document",
        ),
        "while parsing a quoted scalar, found unknown escape character" => told(
            "an unknown escape in double quotes",
            "write it in single quotes, where a backslash is a backslash",
        ),
        "while parsing a block mapping, did not find expected key" if first_on_its_line => told(
            "the indentation fits no line above",
            "begin the line in the column of the fields it belongs to",
        ),
        "while parsing a block mapping, did not find expected key" => told(
            "the value has ended, and something follows on its line",
            "put the whole value in single quotes if it is one text",
        ),
        "simple key expected ':'" => told("a `:` is missing here", "a field is `key: value`"),
        "mapping values are not allowed in this context" => told(
            "a second `:` on one line, or a field that is indented too far",
            "put the value in quotes if the `:` belongs to it",
        ),
        "invalid indentation in multiline quoted scalar" => {
            told("a quote above is still open", "close the quote at the end of its text")
        }
        "unclosed bracket '['" => told("this `[` is not closed", "close it with `]`"),
        "unclosed bracket '{'" => told("this `{` is not closed", "close it with `}`"),
        _ => other(info),
    }
}

/// Whether a text begins as documents do; what follows `---` on its line is one too.
fn begins_document(text: &str) -> bool {
    let text = text.trim_start_matches('-');
    ["{", "[", "apiVersion:", "kind:"].iter().any(|start| text.starts_with(start))
}

fn other(info: &str) -> Words {
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
