//! Parsing of whole texts: their documents and findings.

use super::{Document, Limits, Node, parse};
use crate::diag::{Code, Diagnostic, Source};

fn read(text: &str) -> (Vec<Document>, Vec<Diagnostic>) {
    let (documents, findings) = parse(&Source::new("x", text), Limits::POLICY);
    (documents, findings.sorted())
}

#[test]
fn a_syntax_error_ends_its_document_only() {
    let (documents, findings) = read("a: [1, 2\n---\nb: 2\n---\nc: d: e\n---\nf: 1\n");
    assert_eq!(documents.len(), 2);
    assert!(documents[0].root.get("b").is_some() && documents[1].root.get("f").is_some());
    let lines: Vec<usize> =
        findings.iter().map(|f| f.place.as_ref().unwrap().start().line).collect();
    assert_eq!(lines, [1, 5]);
}

#[test]
fn aliases_and_merge_keys_are_resolved() {
    let (documents, findings) =
        read("base: &b {x: 1, y: 2}\nover:\n  <<: *b\n  y: 3\nlist: [*b, *b]\n");
    assert!(findings.is_empty());
    let root = &documents[0].root;
    assert_eq!(root.at(&["over", "x"]).and_then(Node::integer), Some(1));
    assert_eq!(root.at(&["over", "y"]).and_then(Node::integer), Some(3));
    assert_eq!(root.get("list").unwrap().items()[1].get("y").and_then(Node::integer), Some(2));
}

#[test]
fn a_json_document_reads_as_one() {
    let (documents, findings) = read(r#"{"a": "\ud83d\ude00\/", "b": [1e2, null, true]}"#);
    assert!(findings.is_empty());
    assert_eq!(documents[0].root.get("a").and_then(Node::text), Some("😀/"));
}

#[test]
fn bombs_are_refused_at_once() {
    let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..30 {
        let alias = format!("*a{}", level - 1);
        bomb += &format!("a{level}: &a{level} [{}]\n", [alias.as_str(); 10].join(","));
    }
    let started = std::time::Instant::now();
    assert_eq!(read(&bomb).1[0].code, Code::TooMuch);
    assert_eq!(read(&"[".repeat(100_000)).1.len(), 1);
    assert_eq!(read(&"- ".repeat(100_000)).1.len(), 1);
    assert_eq!(read(&"{a: ".repeat(100_000)).1.len(), 1);
    assert!(started.elapsed().as_secs() < 20, "a hang, not a slow machine");
}

#[test]
fn an_alias_to_nothing_or_to_itself_is_found() {
    assert_eq!(read("a: *b\n").1[0].code, Code::UnknownAlias);
    assert_eq!(read("a: &a [*a]\n").1[0].code, Code::UnknownAlias);
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[-:{}\\[\\]&*!|>'\"#%@, \na-c0-9<]{0,60}") {
        read(&text);
    }
}
