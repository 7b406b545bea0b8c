//! Text that comes from a file or a server, made safe for a terminal.

use std::borrow::Cow;

/// The text without what could steer a terminal: control characters become `\u{..}` escapes
/// (a tab becomes a space), and so do the marks that turn the direction of text around.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(unsafe_on_a_terminal) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\t' => out.push(' '),
            '\n' => out.push_str("\\n"),
            c if unsafe_on_a_terminal(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A JSON text in which what could steer a terminal is written as JSON escapes. It means the same.
pub fn json_printable(json: &str) -> Cow<'_, str> {
    let unsafe_there = |c: char| c != '\n' && unsafe_on_a_terminal(c);
    if !json.contains(unsafe_there) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        match c {
            // Between values a tab is as good as a blank, and in a text JSON knows none.
            '\t' | '\r' => out.push(' '),
            c if unsafe_there(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Control characters of both sets, the bidirectional overrides and isolates, and the marks of a
/// direction.
pub(super) fn unsafe_on_a_terminal(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_means_the_same_and_steers_nothing() {
        let json = "{\n \"\u{9b}é\u{202e}\":\t\"\\u001b\u{7f}\"}";
        let shown = json_printable(json);
        assert_eq!(shown, "{\n \"\\u009bé\\u202e\": \"\\u001b\\u007f\"}");
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&shown), value(json));
    }

    #[test]
    fn nothing_that_steers_a_terminal_survives() {
        assert_eq!(printable("gpu-17 é"), "gpu-17 é");
        assert_eq!(printable("a\x1b[31mb\tc\nd"), "a\\u{1b}[31mb c\\nd");
        assert_eq!(printable("\u{9b}2J\u{202e}x"), "\\u{9b}2J\\u{202e}x");
    }
}
