//! Texts in Go's messages, in the format of the verb `%q`.

use std::fmt::Write as _;

/// Quotes a text; characters that are not printable are escaped.
pub fn go_quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            // Go writes control characters of ASCII in two digits, and all others in four.
            c if c.is_ascii_control() => _ = write!(out, "\\x{:02x}", u32::from(c)),
            c if !is_printable(c) => _ = write!(out, "\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether Go prints a character without an escape. Control characters are escaped. Of spaces and marks
/// without width, only the common ones are tested here.
fn is_printable(c: char) -> bool {
    let is_blank = c.is_whitespace() && c != ' ';
    let is_mark = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}');
    !c.is_control() && !is_blank && !is_mark
}

#[cfg(test)]
mod tests {
    use super::go_quote;

    #[test]
    fn as_go_does() {
        assert_eq!(go_quote("a \"b\"\\\n\u{1b}\u{9b}é"), r#""a \"b\"\\\n\x1b\u009bé""#);
        assert_eq!(go_quote("\u{a0}\u{202e}中\u{feff}"), "\"\\u00a0\\u202e中\\ufeff\"");
    }
}
