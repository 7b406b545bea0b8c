//! A resource as YAML: blocks, texts bare where no reader could take them for anything else.

use super::Resource;
use crate::diag::{is_unprintable, json_printable};
use std::fmt::Write;

/// A YAML document, with a final line break.
pub(super) fn document(resource: &Resource) -> String {
    let mut out = String::new();
    match resource {
        Resource::Scalar(_) => inline(resource, &mut out),
        Resource::List(items) if items.is_empty() => inline(resource, &mut out),
        Resource::Object(fields) if fields.is_empty() => inline(resource, &mut out),
        _ => block(resource, 0, Start::NewLine, &mut out),
    }
    out
}

/// Where the first line of a block begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// On a line of its own.
    NewLine,
    /// Behind the `- ` of a list.
    Behind,
}

/// A list or an object that is not empty.
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
            // A list is indented as far as its key.
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

/// What fits behind a key, with its line break.
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

/// A text: bare if it is a plain word or several; between single quotes if escapes would make it hard to
/// read, as they do with patterns; else as JSON has it, which is YAML too.
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

/// Whether a character has to be escaped: those that control a terminal, and those that YAML does not
/// allow (the byte order mark, and two that are no characters).
fn is_unwritable(c: char) -> bool {
    is_unprintable(c) || matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Words that some reader of YAML takes for something else than a text.
const TAKEN: [&str; 8] = ["true", "false", "yes", "no", "on", "off", "null", "y"];

/// Whether a text needs no quotes: words, paths, patterns and addresses that begin with a letter, and
/// amounts with a unit such as `10s` and `1Gi`.
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

/// Whether a text is digits and a unit, which no reader takes for a number: it ends with a letter, and
/// hexadecimal and binary numbers begin with `0x`, `0o` or `0b`.
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
    use crate::diag::Source;
    use crate::document::{Limits, parse};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn yaml(value: &Value) -> String {
        document(&Resource::of(value).unwrap())
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

    /// Any text, with more of what steers terminals and of what YAML gives a meaning than chance has.
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

    /// The texts of `{key: text, list: [text]}` as this crate's own parser reads them.
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
            // A key `<<` merges, whichever way it is written.
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
