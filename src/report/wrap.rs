//! Prose wrapped to the width of a terminal.

use super::layout::Layout;
use unicode_width::UnicodeWidthStr;

/// Wraps a text to the width of the terminal, if it has one.
pub(super) fn prose(text: &str, layout: &Layout) -> String {
    layout.width.map_or_else(|| text.to_owned(), |width| wrap(text, width, 2))
}

/// Breaks a text into lines of at most `width` columns; those after the first are indented by `indent`. A
/// word that is wider gets a line of its own. A percent sign stays beside its number.
pub fn wrap(text: &str, width: usize, indent: usize) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut columns = 0;
    let mut words = text.split(' ').peekable();
    let mut at = 0;
    while let Some(word) = words.next() {
        let sign = words.next_if(|next| next.starts_with('%'));
        let word = sign.map_or(word.to_owned(), |sign| format!("{word} {sign}"));
        if columns > indent && columns + 1 + word.width() > width {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            columns = indent;
        } else if at > 0 {
            out.push(' ');
            columns += 1;
        }
        out.push_str(&word);
        columns += word.width();
        at += 1;
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
        assert_eq!(
            wrap("an interval of 38.2 %, no more", 19, 2),
            "an interval of\n  38.2 %, no more"
        );
    }
}
