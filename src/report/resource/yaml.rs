//! A resource as YAML: blocks, texts bare where no reader could take them for anything else.

use super::Resource;
use crate::diag::json_printable;

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
            // A list stands as far in as its key.
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

/// A text: bare if it is a plain word or several, else as JSON has it, which is YAML too.
fn text(text: &str) -> String {
    if is_bare(text) {
        return text.to_owned();
    }
    json_printable(&serde_json::Value::from(text).to_string()).into_owned()
}

/// Words that some reader of YAML takes for something else than a text.
const TAKEN: [&str; 8] = ["true", "false", "yes", "no", "on", "off", "null", "y"];

fn is_bare(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || "-_./ ".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(inner)
        && !text.ends_with(' ')
        && text != "n"
        && text != "N"
        && !TAKEN.iter().any(|word| word.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use super::*;
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
            "kind: Queue\nlabels:\n  a b: \"1Gi\"\n  \"on\": \"=x\"\nempty: []\nrules:\n- action: Retry\n  list:\n  - 1\n  - - 2\n    - {}\n- {}\n\"n\": null\n"
        );
        assert_eq!(yaml(&json!({})), "{}\n");
    }

    fn value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "\\PC{0,6}",
            "[ -~]{0,6}",
            "(true|Null|~|y|N|1e3|0x1f|- a|a: b|a #b|1:2|)",
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

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in value()) {
            let written = yaml(&value);
            let read: Value = serde_yaml::from_str(&written).unwrap();
            prop_assert_eq!(read, value, "{}", written);
        }
    }
}
