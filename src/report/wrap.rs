//! Prose wrapped to the width of a terminal.

use super::table::Layout;
use unicode_width::UnicodeWidthStr;

/// Wraps a text to the width of the terminal, if it has one.
pub(super) fn prose(text: &str, layout: &Layout) -> String {
    layout.width.map_or_else(|| text.to_owned(), |width| wrap(text, width, 2))
}

/// Breaks a text into lines of at most `width` columns; those after the first are indented by `indent`. A
/// word that is wider gets a line of its own.
pub fn wrap(text: &str, width: usize, indent: usize) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut columns = 0;
    for (at, word) in text.split(' ').enumerate() {
        if columns > indent && columns + 1 + word.width() > width {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            columns = indent;
        } else if at > 0 {
            out.push(' ');
            columns += 1;
        }
        out.push_str(word);
        columns += word.width();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_words_stay() {
        let text = "  1  a bb ccc dddddddddddd e";
        assert_eq!(wrap(text, 100, 5), text);
        assert_eq!(wrap(text, 12, 5), "  1  a bb\n     ccc\n     dddddddddddd\n     e");
    }
}
