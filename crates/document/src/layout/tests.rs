//! The layout of texts that a person wrote out here, and of random ones: it has the values of the tree.

use super::{Brackets, Layout, Part, PartKind};
use crate::diag::{Code, Source, Span};
use crate::{Limits, Node, NodeKind, ScalarStyle, parse};
use proptest::prelude::*;

fn layout(text: &str) -> Option<Layout> {
    Layout::of(&Source::new("x", text), Limits::POLICY)
}

const TEXT: &str = "# top\na: &x !!str 1 # one\nb:\n- c: |2  # hi\n    lit\n\n  # in no text\n# after\n- - x\n  - ? q # 1\n    : w\n-\n- \"q # no\n   q2\"\ne: [a, b: c, {d: e}, ] # e\nf: # null\ng: *x\n---\n- 'it''s # no' # yes\n";

#[test]
fn comments_are_those_of_yaml() {
    let layout = layout(TEXT).unwrap();
    let comments: Vec<&str> = layout.comments.iter().map(|span| layout.text(*span)).collect();
    let wanted =
        ["# top", "# one", "# hi", "# in no text", "# after", "# 1", "# e", "# null", "# yes"];
    assert_eq!(comments, wanted);
}

#[test]
fn parts_have_their_whole_extent() {
    let layout = layout(TEXT).unwrap();
    let PartKind::Map(Brackets::None, entries) = &layout.documents[0].root.kind else { panic!() };
    let texts: Vec<&str> = entries.iter().map(|entry| layout.text(entry.value.span)).collect();
    assert_eq!(texts[0], "&x !!str 1");
    assert!(texts[1].starts_with("- c: |2") && texts[1].ends_with("q2\""), "{}", texts[1]);
    assert_eq!(texts[2..], ["[a, b: c, {d: e}, ]", "", "*x"]);
    let PartKind::List(Brackets::None, items) = &entries[1].value.kind else { panic!() };
    let texts: Vec<&str> = items.iter().map(|item| layout.text(item.span())).collect();
    assert_eq!(
        texts,
        ["- c: |2  # hi\n    lit", "- - x\n  - ? q # 1\n    : w", "-", "- \"q # no\n   q2\""]
    );
    assert_eq!(layout.documents.len(), 2);
    assert!(layout.text(layout.documents[1].span).starts_with("---\n- 'it"));
    assert!(layout.text(layout.documents[0].span).ends_with("*x\n"));
}

#[test]
fn a_text_with_a_syntax_error_has_none() {
    assert!(layout("a: [\n---\nb: 1\n").is_none());
    assert!(layout("a: 1\n---\nb: {\n").is_none());
}

/// Whether a part has the values and spans of a node. Aliases and merges are skipped: the tree has copies there.
fn agrees(layout: &Layout, part: &Part, node: &Node) -> bool {
    match (&part.kind, &node.kind) {
        (PartKind::Alias, _) => true,
        (PartKind::Scalar(style), NodeKind::Scalar(scalar)) => {
            let is_absent = part.content.start == part.content.end;
            *style == scalar.style && (is_absent || part.content == node.span)
        }
        (PartKind::List(_, parts), NodeKind::List(nodes)) => {
            parts.len() == nodes.len()
                && parts.iter().zip(nodes).all(|(part, node)| agrees(layout, &part.value, node))
        }
        (PartKind::Map(_, parts), NodeKind::Map(_)) if layout.has_merge(parts) => true,
        (PartKind::Map(_, parts), NodeKind::Map(entries)) => {
            parts.len() == entries.len()
                && parts.iter().zip(entries).all(|(part, entry)| {
                    let is_absent = part.key.content.start == part.key.content.end;
                    (is_absent || part.key.content == entry.key_span)
                        && agrees(layout, &part.value, &entry.value)
                })
        }
        _ => false,
    }
}

/// The text without comments.
fn blanked(text: &str, comments: &[Span]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for comment in comments {
        bytes[comment.range()].fill(b' ');
    }
    String::from_utf8(bytes).expect("whole comments are replaced")
}

fn content(node: &Node) -> String {
    match &node.kind {
        NodeKind::Scalar(scalar) => format!("{:?}", scalar.text),
        NodeKind::List(items) => format!("{:?}", items.iter().map(content).collect::<Vec<_>>()),
        NodeKind::Map(entries) => {
            let pairs = entries.iter().map(|entry| (&entry.key, content(&entry.value)));
            format!("{:?}", pairs.collect::<Vec<_>>())
        }
    }
}

#[test]
fn a_comment_may_follow_a_byte_order_mark_of_any_document() {
    let source = Source::new("x", "\n\u{feff}\u{feff}#z\n- \n---\na: ");
    let layout = Layout::of(&source, Limits::POLICY).expect("no syntax error");
    assert_eq!(layout.comments, [Span::new(7, 9)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn the_layout_has_the_values_of_the_tree(
        parts in prop::collection::vec(prop::sample::select(vec![
            "a: ", "b: ", "- ", "? ", ": ", "\n", "\n  ", "\n    ", "\n- ", " # c", "\n# d", "\r\n", "[", "]", "{",
            "}", ", ", "&a ", "*a ", "!t ", "<<: ", "\n---\n", "\n...\n", "'x # y'", "\"q\"", "|\n  ", ">-\n   ",
            "|+ # h\n ", "1", "x y", "#z", "é", "\u{feff}",
        ]), 0..24),
    ) {
        let text = parts.concat();
        let source = Source::new("x", text.as_str());
        let (documents, findings) = parse(&source, Limits::POLICY);
        let layout = Layout::of(&source, Limits::POLICY);
        let has_syntax_error = findings.iter().any(|finding| finding.code == Code::Syntax);
        prop_assert!(!has_syntax_error || layout.is_none());
        prop_assert!(findings.has_errors() || layout.is_some());
        let Some(layout) = layout else { return Ok(()) };
        if findings.has_errors() {
            return Ok(());
        }
        let is_null = |part: &Part| {
            matches!(part.kind, PartKind::Scalar(ScalarStyle::Plain))
                && ["", "~", "null"].contains(&layout.text(part.content))
        };
        let roots = layout.documents.iter().map(|one| &one.root).filter(|root| !is_null(root));
        for (part, document) in roots.zip(&documents) {
            prop_assert!(agrees(&layout, part, &document.root), "{:?}\n{:#?}", document.root, part);
        }
        // A text without its comments has the same values, and no other comments.
        let blank = Source::new("x", blanked(&text, &layout.comments));
        let (others, _) = parse(&blank, Limits::POLICY);
        let contents = |documents: &[super::super::Document]| {
            documents.iter().map(|document| content(&document.root)).collect::<Vec<_>>()
        };
        if !layout.has_delicate_blanks && !blank.text().contains("\n ") {
            prop_assert_eq!(contents(&documents), contents(&others));
        }
        let layout = Layout::of(&blank, Limits::POLICY);
        prop_assert!(layout.is_none_or(|layout| layout.comments.is_empty()));
    }
}
