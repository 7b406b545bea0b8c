//! A resource as YAML in block style. Texts have no quotes if every YAML reader reads them as texts.

use super::Resource;
use document::diag::{is_unprintable, json_printable};
use std::fmt::Write;

impl Resource {
    /// Formats as a YAML document, with a final line break.
    pub fn yaml(&self) -> String {
        let mut out = String::new();
        match self {
            Self::Scalar(_) => inline(self, &mut out),
            Self::List(items) if items.is_empty() => inline(self, &mut out),
            Self::Object(fields) if fields.is_empty() => inline(self, &mut out),
            _ => block(self, 0, Start::NewLine, &mut out),
        }
        out
    }
}

/// The position of the first line of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// The block starts on a line of its own.
    NewLine,
    /// The block starts after the `- ` of a list.
    Behind,
}

/// Writes a list or an object that is not empty.
fn block(resource: &Resource, indent: usize, start: Start, out: &mut String) {
    let begin = |index: usize, out: &mut String| {
        if index > 0 || start == Start::NewLine {
            out.push_str(&" ".repeat(indent));
        }
    };
    for (index, (key, value)) in resource.fields().iter().enumerate() {
        begin(index, out);
        out.push_str(&text(key));
        out.push(':');
        match value {
            // A list has the indentation of its key.
            Resource::List(items) if !items.is_empty() => {
                out.push('\n');
                block(value, indent, Start::NewLine, out);
            }
            Resource::Object(fields) if !fields.is_empty() => {
                out.push('\n');
                block(value, indent + 2, Start::NewLine, out);
            }
            _ => {
                out.push(' ');
                inline(value, out);
            }
        }
    }
    for (index, item) in resource.items().iter().enumerate() {
        begin(index, out);
        out.push_str("- ");
        if item.fields().is_empty() && item.items().is_empty() {
            inline(item, out);
        } else {
            block(item, indent + 2, Start::Behind, out);
        }
    }
}

/// Writes a value that fits on the line of its key, and a line break.
fn inline(resource: &Resource, out: &mut String) {
    match resource {
        Resource::Scalar(json) => match serde_json::from_str::<String>(json) {
            Ok(value) => out.push_str(&text(&value)),
            Err(_) => out.push_str(&json_printable(json)),
        },
        Resource::List(_) => out.push_str("[]"),
        Resource::Object(_) => out.push_str("{}"),
    }
    out.push('\n');
}

/// Formats a text. It has no quotes if it consists of plain words. It has single quotes if escapes would make
/// it hard to read, as in patterns. Otherwise it is a JSON text, which is valid YAML.
fn text(text: &str) -> String {
    if is_bare(text) {
        return text.to_owned();
    }
    if text.contains(['\\', '"']) && !text.contains(is_unwritable) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let json = serde_json::Value::from(text).to_string();
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            c if is_unwritable(c) => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Whether a character must be escaped: those that control a terminal, and those that YAML does not allow
/// (the byte order mark and two noncharacters).
fn is_unwritable(c: char) -> bool {
    is_unprintable(c) || matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Words that some YAML readers do not read as texts.
const TAKEN: [&str; 8] = ["true", "false", "yes", "no", "on", "off", "null", "y"];

/// Whether a text needs no quotes. These are words, paths, patterns and addresses that begin with a letter,
/// and amounts with a unit such as `10s` and `1Gi`.
fn is_bare(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_graphic() || c == ' ';
    let begins_with_letter = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(inner)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && text != "n"
        && text != "N"
        && !TAKEN.iter().any(|word| word.eq_ignore_ascii_case(text));
    begins_with_letter || is_amount(text)
}

/// Whether a text is digits and a unit, which no YAML reader reads as a number. It ends with a letter;
/// hexadecimal, octal and binary numbers are excluded by their prefixes `0x`, `0o` and `0b`.
fn is_amount(text: &str) -> bool {
    let is_prefixed =
        text.starts_with('0') && text[1..].starts_with(['x', 'o', 'b', 'X', 'O', 'B']);
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
        && text.ends_with(|c: char| c.is_ascii_alphabetic())
        && !is_prefixed
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::diag::Source;
    use document::{Limits, parse};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn yaml(value: &Value) -> String {
        Resource::of(value).unwrap().yaml()
    }

    #[test]
    fn blocks_are_as_people_write_them() {
        let value = json!({"kind": "Queue", "labels": {"a b": "1Gi", "on": "=x"}, "empty": [],
            "rules": [{"action": "Retry", "list": [1, [2, {}]]}, {}], "n": null});
        assert_eq!(
            yaml(&value),
            "kind: Queue\nlabels:\n  a b: 1Gi\n  \"on\": \"=x\"\nempty: []\nrules:\n- action: Retry\n  list:\n  - 1\n  - - 2\n    - {}\n- {}\n\"n\": null\n"
        );
        assert_eq!(yaml(&json!({})), "{}\n");
    }

    fn value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "\\PC{0,6}",
            "[ -~]{0,6}",
            "(true|Null|~|y|N|1e3|0x1f|0b1|0xe|1.5e|1_0s|- a|a: b|a #b|a#b|a:b|a:|1:2|1Gi|)",
            "\n a\t"
        ];
        let leaf = prop_oneof![
            text.prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::vec(("[ -~é]{0,5}", inner), 0..4)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    /// Any text, with more characters that control terminals or have a meaning in YAML than random ones have.
    fn any_text() -> impl Strategy<Value = String> {
        let steering = prop_oneof![
            any::<char>(),
            prop::char::range('\u{0}', '\u{1f}'),
            prop::char::range('\u{7f}', '\u{a0}'),
            prop::char::range('\u{2028}', '\u{202e}'),
            prop::char::range('\u{2066}', '\u{2069}'),
            prop::sample::select(vec!['\u{61c}', '\u{200e}', '\u{200f}', '\u{feff}', '\u{fffe}']),
            prop::sample::select(" \t'\"\\:#-?[]{},&*!|>%@`~=\n\r".chars().collect::<Vec<_>>()),
            prop::char::range(' ', '~'),
        ];
        let made = proptest::collection::vec(steering, 0..12);
        prop_oneof![any::<String>(), made.prop_map(String::from_iter)]
    }

    /// The texts of `{key: text, list: [text]}`, read by this crate's own parser.
    fn own_reading(yaml: &str) -> Vec<String> {
        let source = Source::new("-", yaml);
        let (documents, findings) = parse(&source, Limits::POLICY);
        assert!(findings.is_empty(), "{yaml}");
        let [first, second] = documents[0].root.entries() else { panic!("{yaml}") };
        let texts = [first.value.text(), second.value.items()[0].text()];
        let texts = texts.into_iter().map(|text| text.unwrap().to_owned());
        std::iter::once(first.key.clone()).chain(texts).collect()
    }

    proptest! {
        #[test]
        fn any_text_reads_back_and_steers_no_terminal(key in any_text(), text in any_text()) {
            prop_assume!(key != "list");
            let value = json!({key.as_str(): text, "list": [text]});
            let written = yaml(&value);
            let steers = |c: char| c != '\n' && is_unprintable(c);
            prop_assert!(!written.contains(steers), "{written:?}");
            let read: Value = serde_yaml::from_str(&written).unwrap();
            prop_assert_eq!(&read, &value, "{}", &written);
            // A key `<<` is a merge key in any notation.
            if key != "<<" {
                prop_assert_eq!(own_reading(&written), vec![key, text.clone(), text], "{}", &written);
            }
        }

        #[test]
        fn what_is_written_reads_back(value in value()) {
            let written = yaml(&value);
            let read: Value = serde_yaml::from_str(&written).unwrap();
            prop_assert_eq!(read, value, "{}", written);
        }
    }
}
