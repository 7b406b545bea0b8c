//! Cleaning of a server's messages for display.

use document::diag::printable;

/// The maximum length of a displayed text of a server, in characters: some lines of a terminal.
const LONGEST: usize = 600;

/// Converts a server's text to one line: control characters are removed, marks that reverse the direction of
/// text are escaped, and a long text is cut.
pub(super) fn clean(text: &str) -> String {
    let visible = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c });
    // Cut before the work on the text too; the factor leaves space for what is removed and for runs of white space.
    let visible: String = visible.filter(|c| !c.is_control()).take(LONGEST * 8).collect();
    let visible = printable(&visible);
    let words: Vec<&str> = visible.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= LONGEST {
        return line;
    }
    line.chars().take(LONGEST).chain("..".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_a_terminal_or_fills_it() {
        assert_eq!(clean("a\x1b[31mb\r\n\tc\u{9b}2J \x07"), "a[31mb c2J");
        let marks = "\u{202a}\u{202e}\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}";
        let shown = clean(marks);
        assert!(shown.is_ascii() && shown.matches("\\u{").count() == 7, "{shown}");
        let long = clean(&"x".repeat(1_000_000));
        assert_eq!(long.len(), LONGEST + 2);
    }
}
