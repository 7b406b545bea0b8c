//! Canonical layouts of texts that a person wrote out here, and of random ones.

use super::{Formatted, format};
use crate::diag::Source;
use crate::edit::tests::random::{documents, write};
use crate::{
    Choice, Choices, Extra, KeyCase, Kind, Layout, Limits, Node, NodeKind, Shape, optional, parse,
};
use proptest::prelude::*;

static ACTIONS: Choices = Choices {
    name: "action",
    values: &[
        Choice { value: "Retry", doc: "", also: &["2"] },
        Choice { value: "Fail", doc: "", also: &[] },
    ],
    any_case: true,
    elsewhere: &[],
};

static RULE: Shape = Shape {
    name: "rule",
    doc: "",
    fields: &[
        optional("action", Kind::OneOf(&ACTIONS), ""),
        optional("limit", Kind::Whole { min: 0, max: 99, code: crate::diag::Code::OutOfRange }, ""),
        optional("text", Kind::Text, ""),
        optional("codes", Kind::List { item: &Kind::Anything, min: 0 }, ""),
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

static SHAPE: Shape = Shape {
    name: "policy",
    doc: "",
    fields: &[
        optional("name", Kind::Text, ""),
        optional("labels", Kind::Map(&Kind::Text), ""),
        optional("rules", Kind::List { item: &Kind::Object(&RULE), min: 0 }, ""),
        optional("rule", Kind::Object(&RULE), ""),
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

const KIND: Formatted = Formatted { shape: &SHAPE, keys: KeyCase::Folded };

/// The canonical text; fails if the text cannot be changed.
fn formatted(text: &str) -> String {
    let (new, skipped) = format(&Source::new("x", text), |document| {
        document.root.entry("other").is_none().then_some(KIND)
    });
    assert!(skipped.is_empty(), "not changed:\n{text}");
    let (again, _) = format(&Source::new("x", new.as_str()), |_| Some(KIND));
    assert!(new.contains("other:") || again == new, "changed again:\n{new}\n->\n{again}");
    new
}

#[test]
fn indentation_order_and_spelling_are_canonical() {
    let text = "# head\n\n# of rules\nrules:\n\n    # first\n    -   limit:   8 # limit\n        action: retry   # action\n\n\n        codes: [ 1,2 , { a: b } ]\n    # second\n\n    - {text: x, action: 2}\n    -\n      text: 'y'\n# of name\nname:    \"n\"\n\n\nunknown: 1\nlabels: {b: 1, a: 2}";
    let wanted = "# head\n\n# of rules\n# of name\nname: \"n\"\nlabels: {b: 1, a: 2}\nrules:\n# first\n- action: Retry # action\n  limit: 8 # limit\n\n  codes: [1, 2, {a: b}]\n# second\n\n- {action: Retry, text: x}\n- text: 'y'\n\nunknown: 1\n";
    assert_eq!(formatted(text), wanted);
}

#[test]
fn comments_stay_with_what_they_are_about() {
    let text = "rules: # all\n  - action: Fail # one\n      # more of one\n    # end of item\n  # end of list\nname: x # n\n  # more of n\n# end\n";
    let wanted = "name: x # n\n  # more of n\nrules: # all\n- action: Fail # one\n    # more of one\n  # end of item\n# end of list\n# end\n";
    assert_eq!(formatted(text), wanted);
}

#[test]
fn collections_on_several_lines_are_joined_or_become_blocks() {
    let text = "rule: {\n  action: Fail,\n  codes: [1,\n   2],\n}\nrules: [ # all\n  {action: Fail}, # one\n  # two\n  {text: x, # why\n   action: Retry,\n  }, # end of two\n]\n";
    let wanted = "rules: # all\n- {action: Fail} # one\n# two\n- # end of two\n  action: Retry\n  text: x # why\nrule: {action: Fail, codes: [1, 2]}\n";
    assert_eq!(formatted(text), wanted);
    let long = format!("labels: {{\n  a: {0},\n  b: {0}}}\n", "x".repeat(60));
    assert_eq!(formatted(&long), format!("labels:\n  a: {0}\n  b: {0}\n", "x".repeat(60)));
    let long = format!("labels: {{a: {0}, b: {0}}}\n", "x".repeat(60));
    assert_eq!(formatted(&long), long);
}

#[test]
fn texts_on_several_lines_keep_their_lines() {
    let text = "rule:\n      text: |\n          a\n\n            b\n      more: \"x\n         y\n\n       z\"\n      other2: >- # folded\n       c\n\n\n";
    let wanted = "rule:\n  text: |\n    a\n\n      b\n  more: \"x\n    y\n\n    z\"\n  other2: >- # folded\n    c\n";
    assert_eq!(formatted(text), wanted);
}

#[test]
fn other_documents_stay_byte_for_byte() {
    let text =
        "\u{feff}# a\r\n---  # b\r\nname:   x\r\n\r\n---\r\nother:   1 \r\n\r\n--- \r\nname:  y";
    let wanted =
        "\u{feff}# a\r\n--- # b\r\nname: x\r\n---\r\nother:   1 \r\n\r\n---\r\nname: y\r\n";
    assert_eq!(formatted(text), wanted);
}

#[test]
fn json_is_indented() {
    let text = "{\"rules\":[{\"Limit\":1,\"action\":2}],\"rule\":{\"Limit\":1e1},\"name\":\"x\",\"labels\":{}}";
    let wanted = "{\n  \"name\": \"x\",\n  \"labels\": {},\n  \"rules\": [\n    {\n      \"action\": \"Retry\",\n      \"limit\": 1\n    }\n  ],\n  \"rule\": {\n    \"limit\": 10\n  }\n}\n";
    assert_eq!(formatted(text), wanted);
}

#[test]
fn anchors_keep_the_order() {
    let text = "rules:\n  - &r !!map\n    text: &t   x\n    action: Fail\n  - *r\nname:   *t\nlabels: {<<: *r, a: !!str 1}\n";
    let wanted = "rules:\n- &r !!map\n  text: &t x\n  action: Fail\n- *r\nname: *t\nlabels: {<<: *r, a: !!str 1}\n";
    assert_eq!(formatted(text), wanted);
}

#[test]
fn what_cannot_be_changed_safely_is_reported() {
    for text in [
        "? name\n: x\n",
        "%YAML 1.2\n---\nname: x\n",
        "rule:\n  text: |2\n     x\n",
        "name: x\n...\n",
    ] {
        let (new, skipped) = format(&Source::new("x", text), |_| Some(KIND));
        assert_eq!((new.as_str(), skipped.len()), (text, 1));
    }
    let broken = "name:   x\n---\na: [\n";
    assert_eq!(format(&Source::new("x", broken), |_| Some(KIND)).0, broken);
}

/// The values of a tree; the entries of mappings by key.
fn values(node: &Node) -> String {
    match &node.kind {
        NodeKind::Scalar(scalar) => format!("{:?}{:?}", scalar.text, scalar.style),
        NodeKind::List(items) => format!("{:?}", items.iter().map(values).collect::<Vec<_>>()),
        NodeKind::Map(entries) => {
            let mut all: Vec<_> = entries.iter().map(|it| (&it.key, values(&it.value))).collect();
            all.sort();
            format!("{all:?}")
        }
    }
}

fn read(text: &str) -> (Vec<String>, Vec<String>) {
    let source = Source::new("x", text);
    let (documents, findings) = parse(&source, Limits::POLICY);
    assert!(!findings.has_errors(), "{text}");
    let layout = Layout::of(&source, Limits::POLICY).expect("a text without errors");
    let comments = layout.comments.iter().map(|span| layout.text(*span).trim_end().to_owned());
    let mut comments: Vec<String> = comments.collect();
    comments.sort();
    (documents.iter().map(|document| values(&document.root)).collect(), comments)
}

/// Shapes without choices and numbers, so that the values of random texts stay as they are.
const PLAIN: Formatted = Formatted { shape: &LETTERS, keys: KeyCase::Exact };

static LETTERS: Shape = Shape {
    name: "letters",
    doc: "",
    fields: &[
        optional("c", Kind::List { item: &Kind::Object(&LETTERS), min: 0 }, ""),
        optional("a", Kind::Object(&LETTERS), ""),
        optional("b", Kind::Map(&Kind::Object(&LETTERS)), ""),
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

/// Checks the canonical text of a text.
fn check(text: &str) -> Result<bool, TestCaseError> {
    let source = Source::new("x", text);
    if parse(&source, Limits::POLICY).1.has_errors() {
        return Ok(false);
    }
    let is_map = |document: &crate::Document| matches!(document.root.kind, NodeKind::Map(_));
    let (new, skipped) = format(&source, |document| is_map(document).then_some(PLAIN));
    prop_assert_eq!(read(text), read(&new), "\n{}\n->\n{}", text, new);
    let (again, _) =
        format(&Source::new("x", new.as_str()), |document| is_map(document).then_some(PLAIN));
    prop_assert_eq!(&new, &again, "of\n{}\n", text);
    Ok(skipped.is_empty())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_value_and_no_comment_is_lost(
        parts in prop::collection::vec(prop::sample::select(vec![
            "a: ", "b:   ", "c:", "d: ", "- ", "-   ", "\n", "\n  ", "\n    ", "\n\n", " # c\n", "# d\n", "  # e\n",
            "    # f\n", "[", "]", "{", "}", ", ", "&a ", "*a ", "!t ", "\n---\n", "'x'", "\"q\n  r\"", "|\n  x", ">-\n",
            "|+\n", "1", "x y", "\r\n", "é", "    ",
        ]), 0..30),
    ) {
        check(&parts.concat())?;
    }

    #[test]
    fn documents_in_all_styles_have_a_canonical_layout(
        value in documents(),
        choices in prop::collection::vec(any::<u8>(), 1..60),
    ) {
        let text = write(&value, &choices);
        let is_supported = check(&text)?;
        prop_assert!(is_supported, "{}", text);
    }
}
