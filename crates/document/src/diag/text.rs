//! Texts of findings: counts with their nouns, and texts from files or servers made safe for a terminal.

use std::borrow::Cow;
use std::fmt::Display;

/// Formats a count with its noun: `1 queue`, `2 queues`.
pub fn plural<N: Copy + Display + PartialEq + From<u8>>(count: N, one: &str, many: &str) -> String {
    format!("{count} {}", if count == N::from(1) { one } else { many })
}

/// A number with commas between thousands.
pub fn with_thousands_separators(count: u64) -> String {
    let digits = count.to_string();
    // From the end, since the first group may have fewer digits.
    let groups = digits.as_bytes().rchunks(3).rev();
    groups.map(String::from_utf8_lossy).collect::<Vec<_>>().join(",")
}

/// Escapes characters that control a terminal: control characters become `\u{..}` escapes
/// (a tab becomes a space), and so do direction marks and separators of lines and paragraphs.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\t' => out.push(' '),
            '\n' => out.push_str("\\n"),
            c if is_unprintable(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Writes characters of a JSON text that control a terminal as JSON escapes, and so `##[`, with which commands to
/// GitHub's runner begin. The value stays the same.
pub fn json_printable(json: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| c != '\n' && is_unprintable(c);
    if !json.contains(is_escaped) && !json.contains("##[") {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        match c {
            // A tab is white space between values; JSON allows none inside a text.
            '\t' | '\r' => out.push(' '),
            '[' if out.ends_with("##") => out.push_str("\\u005b"),
            c if is_escaped(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Whether a character can control a terminal or an editor: control characters of both sets, marks that
/// reverse the direction of text, and separators that some programs break lines at.
///
/// All output formats use this test, so that they escape the same characters.
pub fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
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
        assert_eq!(json_printable("[\"##[error]x\"]"), "[\"##\\u005berror]x\"]");
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&shown), value(json));
    }

    #[test]
    fn nothing_that_steers_a_terminal_survives() {
        assert_eq!(printable("gpu-17 é"), "gpu-17 é");
        assert_eq!(printable("a\x1b[31mb\tc\nd"), "a\\u{1b}[31mb c\\nd");
        assert_eq!(printable("\u{9b}2J\u{202e}x"), "\\u{9b}2J\\u{202e}x");
        for c in ('\u{0}'..='\u{1f}')
            .chain('\u{7f}'..='\u{9f}')
            .chain(['\u{61c}', '\u{200e}'])
            .chain(['\u{200f}', '\u{2028}', '\u{2029}'])
            .chain('\u{202a}'..='\u{202e}')
            .chain('\u{2066}'..='\u{2069}')
        {
            assert!(!printable(&c.to_string()).contains(c), "{c:?}");
            assert!(c == '\n' || !json_printable(&format!("\"{c}\"")).contains(c), "{c:?}");
        }
    }
}
