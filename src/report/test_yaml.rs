//! A generated test file as YAML, in the form in which authors write it: short mappings on one line.

use crate::analysis::unit_test::CoverageEntry;
use crate::analysis::unit_test::{ScaffoldedTest, Scaffolding};
use crate::report::CoverageItem;
use document::diag::printable;
use serde_json::{Map, Value};
use std::fmt::Write;

/// What a generated document begins with.
#[derive(Debug, Default)]
pub struct TestFileHead {
    /// What its policies have in common, and what is left out: lines of comment.
    pub comments: Vec<String>,
    /// The policies, relative to the file.
    pub policies: Vec<String>,
    /// The other fields of `spec`.
    pub settings: Map<String, Value>,
}

/// The text of a test file.
pub fn test_file<'s>(suites: impl IntoIterator<Item = &'s (TestFileHead, Scaffolding)>) -> String {
    let texts = suites.into_iter().map(|(head, scaffolding)| document(head, scaffolding));
    texts.collect::<Vec<_>>().join("---\n")
}

fn document(head: &TestFileHead, scaffolding: &Scaffolding) -> String {
    let comments = head.comments.iter().map(|line| format!("# {}\n", printable(line)));
    let mut out = comments.collect::<String>()
        + "apiVersion: armadaproject.io/v1\nkind: RetryPolicyTest\nspec:\n";
    let policies: Vec<Value> = head.policies.iter().cloned().map(Value::from).collect();
    let _ = writeln!(out, "  policies: {}", flow(&Value::Array(policies)));
    for (key, value) in &head.settings {
        let _ = writeln!(out, "  {key}: {}", flow(value));
    }
    for target in scaffolding.uncovered.iter().chain(&scaffolding.dead) {
        let entry = CoverageEntry { target: target.clone(), is_covered: false, unchecked: None };
        let item = CoverageItem::from(&entry);
        let subject = format!("{} ({}:{})", item.label(), item.file, item.line);
        let _ = match &target.unreachable {
            None => writeln!(out, "  # No failure was found that reaches {}.", printable(&subject)),
            Some(why) => {
                writeln!(out, "  # No failure reaches {}: {}.", printable(&subject), printable(why))
            }
        };
    }
    if scaffolding.tests.is_empty() {
        out.push_str("  tests: []\n");
        return out;
    }
    out.push_str("  tests:\n");
    for test in &scaffolding.tests {
        write_test(&mut out, test);
    }
    out
}

fn write_test(out: &mut String, test: &ScaffoldedTest) {
    for line in &test.comments {
        let _ = writeln!(out, "  # {}", printable(line));
    }
    let _ = writeln!(out, "  - name: {}", block_text(&test.name));
    out.push_str("    failures:\n");
    for failure in &test.failures {
        let _ = writeln!(out, "    - {}", flow(failure));
    }
    out.push_str("    expect:\n");
    for expectation in &test.expectations {
        let _ = writeln!(out, "    - {}", flow(expectation));
    }
    if !test.job.is_null() {
        let _ = writeln!(out, "    expectJob: {}", flow(&test.job));
    }
}

/// A value on one line.
fn flow(value: &Value) -> String {
    match value {
        Value::String(string) => text(string),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let fields =
                fields.iter().map(|(key, value)| format!("{}: {}", text(key), flow(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A text, in quotes unless it is certain that YAML reads it as a text without them.
fn text(string: &str) -> String {
    let is_path = string.starts_with("../") || string.starts_with("./");
    let is_plain = (is_path || string.starts_with(|c: char| c.is_ascii_alphabetic()))
        && string.chars().all(|c| c.is_ascii_alphanumeric() || "_-./* ".contains(c))
        && !string.ends_with(' ')
        && !is_word_of_yaml(string);
    // JSON's quotes and escapes are YAML's too.
    if is_plain { string.to_owned() } else { Value::from(string).to_string() }
}

/// A text outside of brackets, which may have some of their own.
fn block_text(string: &str) -> String {
    let inner = string.replace(['[', ']', '(', ')', ','], "");
    if text(&inner) == inner && inner != string { string.to_owned() } else { text(string) }
}

/// Whether a plain scalar would be read as something else than a text by some reader of YAML.
fn is_word_of_yaml(string: &str) -> bool {
    const WORDS: [&str; 10] = ["true", "false", "yes", "no", "on", "off", "null", "y", "n", "inf"];
    WORDS.iter().any(|word| string.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::diag::Source;
    use document::{Limits, json_of_any, parse};
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn short_values_need_no_quotes() {
        let value =
            json!({"a": "Retry", "b": ["x y", "no", "1.5", "a: b", ""], "c": null, "d": 1.5});
        assert_eq!(
            flow(&value),
            r#"{a: Retry, b: [x y, "no", "1.5", "a: b", ""], c: null, d: 1.5}"#
        );
    }

    proptest! {
        #[test]
        fn a_text_is_read_as_it_was(string: String) {
            let source = Source::new("x", format!("a: {}", flow(&json!([string]))));
            let (documents, findings) = parse(&source, Limits::POLICY);
            prop_assert!(!findings.has_errors(), "{:?}", findings);
            let read: Value = serde_json::from_str(&json_of_any(&documents[0].root)).unwrap();
            prop_assert_eq!(read, json!({"a": [string]}));
        }
    }
}
