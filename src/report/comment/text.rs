//! Texts of files and of users in Markdown: they are never markup, mentions or links.

use document::diag::printable;
use std::fmt::Write;

/// The most characters of one text, so that a hostile name cannot fill a comment.
const LONGEST: usize = 400;

/// The most characters of a sentence and of a command line, which is there to be run again: a few names must not cut it.
const LONGEST_SENTENCE: usize = 1_500;

/// A text in a line or in a cell of a table. Parts between backticks are code, as in all messages of this program; if
/// the backticks are not in pairs, all are text.
pub(in crate::report) fn inline(text: &str) -> String {
    whole(&shorten(text, LONGEST))
}

/// The same for a sentence, or for a text with a command line.
pub(super) fn long(text: &str) -> String {
    whole(&shorten(text, LONGEST_SENTENCE))
}

fn whole(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escape(text);
    }
    let part = |(at, part): (usize, &&str)| match at % 2 {
        0 => escape(part),
        _ => element(part),
    };
    parts.iter().enumerate().map(part).collect()
}

/// A text of several lines in a cell of a table.
pub(in crate::report) fn lines(text: &str) -> String {
    let lines = text.trim_end().lines().take(LINES);
    lines.map(inline).collect::<Vec<_>>().join("<br>")
}

/// The most lines of a text in a cell.
const LINES: usize = 8;

/// A text in a line of a fenced block, where nothing is markup.
pub(super) fn plain(text: &str) -> String {
    printable(&shorten(text, LONGEST)).into_owned()
}

/// A name as code. An element, not backticks: a name may have backticks, and a table ends a cell at each `|`.
pub(in crate::report) fn code(text: &str) -> String {
    element(&shorten(text, LONGEST))
}

/// A command line as code.
pub(super) fn command(text: &str) -> String {
    element(&shorten(text, LONGEST_SENTENCE))
}

fn element(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}

fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

/// Whether a sign before it makes a reference on GitLab: `!12`, `~bug`.
fn is_reference(next: char) -> bool {
    next.is_alphanumeric() || next == '"'
}

/// Replaces what Markdown or HTML interprets by character references, which are only text; and separates with empty
/// comments what GitHub would take for a mention, an issue or an address after it has rendered the text.
fn escape(text: &str) -> String {
    let text = printable(text);
    let mut out = String::with_capacity(text.len() + 16);
    let mut before = "";
    for (at, character) in text.char_indices() {
        let next = text[at + character.len_utf8()..].chars().next();
        match character {
            '@' => out.push_str("&#64;<!-- -->"),
            '#' if next.is_some_and(char::is_alphanumeric) => out.push_str("&#35;<!-- -->"),
            ':' if next == Some('/') => out.push_str(":<!-- -->"),
            '.' if before.to_ascii_lowercase().ends_with("www") => out.push_str("<!-- -->."),
            '!' | '~' | '%' | '&' | '$' if next.is_some_and(is_reference) => {
                let _ = write!(out, "&#{};<!-- -->", u32::from(character));
            }
            '&' | '<' | '>' | '|' | '`' | '*' | '_' | '~' | '[' | ']' | '\\' | '$' | '#' | '!' => {
                let _ = write!(out, "&#{};", u32::from(character));
            }
            character => out.push(character),
        }
        before = &text[..at + character.len_utf8()];
    }
    out
}
