//! The value of a scalar by YAML 1.2's core schema, and the source position of each byte of its text.

use super::{Scalar, ScalarStyle, ScalarTag};
use crate::diag::Span;

/// The value of a scalar by YAML 1.2's core schema. There, `yes`, `010` and `1_000` are texts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Resolved<'a> {
    /// `null`, `~` or an absent value.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number; one beyond 128 bits becomes the nearest that fits.
    Integer(i128),
    /// Any other number.
    Float(f64),
    /// Any other scalar.
    Text(&'a str),
}

impl Resolved<'_> {
    /// A short description for messages, such as `nothing`.
    pub fn describe(&self) -> String {
        match self {
            Self::Null => "nothing".to_owned(),
            Self::Boolean(value) => format!("the boolean `{value}`"),
            Self::Integer(value) => format!("the number `{value}`"),
            Self::Float(value) => format!("the number `{value}`"),
            Self::Text(text) if text.chars().count() > 60 => {
                format!("the string `{}..`", text.chars().take(57).collect::<String>())
            }
            Self::Text(text) => format!("the string `{text}`"),
        }
    }
}

impl Scalar {
    /// The value that the text means.
    pub fn resolve(&self) -> Resolved<'_> {
        let text = self.text.as_str();
        // A text in quotes is never another type (YAML 1.2, section 10.3.2).
        if self.style != ScalarStyle::Plain || self.tag == ScalarTag::Text {
            return Resolved::Text(text);
        }
        match text {
            "" | "~" | "null" | "Null" | "NULL" => Resolved::Null,
            "true" | "True" | "TRUE" => Resolved::Boolean(true),
            "false" | "False" | "FALSE" => Resolved::Boolean(false),
            _ => number(text).unwrap_or(Resolved::Text(text)),
        }
    }

    /// The source span of bytes `range` of the text, where `span` is the scalar's; the whole
    /// scalar if folding or escapes over several lines make it ambiguous.
    pub fn locate(&self, source: &str, span: Span, range: std::ops::Range<usize>) -> Span {
        let Some(raw) = source.get(span.range()) else { return span };
        let piece = self.text.get(range.clone()).unwrap_or_default();
        let found = match self.style {
            ScalarStyle::Plain => (raw == self.text).then_some((range.start, range.end)),
            ScalarStyle::Single => locate_characters(raw, &self.text, &range, read_single_quoted),
            ScalarStyle::Double => locate_characters(raw, &self.text, &range, read_double_quoted),
            ScalarStyle::Literal => literal(raw, &self.text, &range),
            ScalarStyle::Folded => None,
        };
        found
            .or_else(|| unique_position(raw, &self.text, piece))
            .map_or(span, |(start, end)| Span::new(span.start + start, span.start + end))
    }
}

/// The position in the source of a piece that source and text both contain exactly once.
fn unique_position(raw: &str, text: &str, piece: &str) -> Option<(usize, usize)> {
    // A piece that occurs twice might be the other one.
    let once = |whole: &str| !piece.is_empty() && whole.matches(piece).nth(1).is_none();
    let start = raw.find(piece)?;
    (once(raw) && once(text)).then(|| (start, start + piece.len()))
}

fn number(text: &str) -> Option<Resolved<'static>> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let first = unsigned.bytes().next()?;
    if !(first.is_ascii_digit() || first == b'.') {
        return None;
    }
    let based = [("0x", 16), ("0o", 8)];
    for (prefix, radix) in based {
        if let Some(digits) = text.strip_prefix(prefix) {
            return i128::from_str_radix(digits, radix).ok().map(Resolved::Integer);
        }
    }
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        // YAML 1.1 reads a leading zero as octal, YAML 1.2 as decimal. As a text, the number is reported
        // instead of guessed.
        if unsigned.len() > 1 && first == b'0' {
            return None;
        }
        // Saturated: bounds of the field report it as too large.
        let limit = if text.starts_with('-') { i128::MIN } else { i128::MAX };
        return Some(Resolved::Integer(text.parse().unwrap_or(limit)));
    }
    match unsigned {
        ".inf" | ".Inf" | ".INF" => {
            let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
            return Some(Resolved::Float(f64::INFINITY * sign));
        }
        ".nan" | ".NaN" | ".NAN" if text == unsigned => return Some(Resolved::Float(f64::NAN)),
        _ => {}
    }
    let floaty = unsigned
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    (floaty && unsigned.bytes().any(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok().map(Resolved::Float))
        .flatten()
}

/// Reads one character of a quoted text: returns its length in the source and in the text, in bytes.
type Step = fn(&str) -> Option<(usize, usize)>;

fn locate_characters(
    raw: &str,
    text: &str,
    range: &std::ops::Range<usize>,
    step: Step,
) -> Option<(usize, usize)> {
    // Past the quote that begins it.
    let (mut raw_at, mut text_at) = (1, 0);
    let (mut start, mut end) = (None, None);
    loop {
        if text_at >= range.start && start.is_none() {
            start = Some(raw_at);
        }
        if text_at >= range.end {
            end = end.or(Some(raw_at));
            break;
        }
        if text_at >= text.len() {
            break;
        }
        let (raw_length, text_length) = step(raw.get(raw_at..)?)?;
        raw_at += raw_length;
        text_at += text_length;
    }
    Some((start?, end.unwrap_or(raw_at)))
}

fn read_single_quoted(rest: &str) -> Option<(usize, usize)> {
    let c = rest.chars().next()?;
    match c {
        // A folded line break has no character of its own in the text.
        '\n' | '\r' => None,
        '\'' => rest.starts_with("''").then_some((2, 1)),
        c => Some((c.len_utf8(), c.len_utf8())),
    }
}

fn read_double_quoted(rest: &str) -> Option<(usize, usize)> {
    let c = rest.chars().next()?;
    if matches!(c, '\n' | '\r') {
        return None;
    }
    if c != '\\' {
        return Some((c.len_utf8(), c.len_utf8()));
    }
    let escape = rest[1..].chars().next()?;
    let digits = match escape {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        // `\N` and `\_` are U+0085 and U+00A0, of two bytes in UTF-8.
        'N' | '_' => return Some((2, 2)),
        // U+2028 and U+2029, of three bytes.
        'L' | 'P' => return Some((2, 3)),
        '\n' | '\r' => return None,
        _ => return Some((1 + escape.len_utf8(), 1)),
    };
    let value = u32::from_str_radix(rest.get(2..2 + digits)?, 16).ok()?;
    // The two halves of a surrogate pair give one character of four bytes: two bytes each.
    let gives = char::from_u32(value).map_or(2, char::len_utf8);
    Some((2 + digits, gives))
}

/// Locates a range in a literal block: each line of the text is a line of the source after an indentation.
fn literal(raw: &str, text: &str, range: &std::ops::Range<usize>) -> Option<(usize, usize)> {
    let line = text.get(..range.start)?.matches('\n').count();
    let line_start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let content = text[line_start..].split('\n').next()?;
    let mut at = 0;
    for (number, raw_line) in raw.split('\n').enumerate() {
        let shown = raw_line.strip_suffix('\r').unwrap_or(raw_line);
        if number == line {
            let indent = shown.strip_suffix(content)?.len();
            let start = at + indent + (range.start - line_start);
            let end = at + indent + (range.end - line_start).min(content.len());
            return Some((start, end.max(start)));
        }
        at += raw_line.len() + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Source;
    use crate::{Limits, parse};

    fn plain(text: &str) -> Scalar {
        Scalar { text: text.to_owned(), style: ScalarStyle::Plain, tag: ScalarTag::None }
    }

    #[test]
    fn resolves_by_the_core_schema() {
        for (text, meaning) in [
            ("~", Resolved::Null),
            ("true", Resolved::Boolean(true)),
            ("yes", Resolved::Text("yes")),
            ("137", Resolved::Integer(137)),
            ("-1", Resolved::Integer(-1)),
            ("0x1F", Resolved::Integer(31)),
            ("010", Resolved::Text("010")),
            ("1_000", Resolved::Text("1_000")),
            ("1.5", Resolved::Float(1.5)),
            ("1e3", Resolved::Float(1000.0)),
            ("1.2.3", Resolved::Text("1.2.3")),
            ("-", Resolved::Text("-")),
            (".", Resolved::Text(".")),
            ("-.inf", Resolved::Float(f64::NEG_INFINITY)),
        ] {
            assert_eq!(plain(text).resolve(), meaning, "{text}");
        }
    }

    #[test]
    fn a_byte_of_the_text_is_found_in_the_source() {
        for (yaml, at) in [
            ("p: ab(c", 5),
            ("p: 'ab(c'", 6),
            ("p: '''b(c'", 7),
            ("p: \"ab(c\"", 6),
            ("p: \"\\x61b(c\"", 9),
            ("p: \"\\u0061b(c\"", 11),
            ("p: |\n  ab(c\n", 9),
        ] {
            let source = Source::new("x", yaml);
            let (documents, findings) = parse(&source, Limits::POLICY);
            assert!(findings.is_empty(), "{yaml}");
            let node = documents[0].root.get("p").unwrap();
            let span = node.scalar().unwrap().locate(yaml, node.span, 2..3);
            assert_eq!((span.start, &yaml[span.range()]), (at, "("), "{yaml}");
        }
    }
}
