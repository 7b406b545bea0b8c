//! Edits of texts that a person wrote out here; `random` has those of random ones.

pub(crate) mod random;

use super::apply_fixes;
use crate::diag::{Edit, Fix, Source};
use crate::{Document, Layout, Limits, Node, parse};

/// The first document and the layout of a text.
pub(super) fn read(text: &str) -> (Document, Layout) {
    let source = Source::new("x", text);
    let (documents, findings) = parse(&source, Limits::POLICY);
    assert!(findings.is_empty(), "{text}");
    let layout = Layout::of(&source, Limits::POLICY).expect("a text without errors");
    (documents.into_iter().next().expect("a document"), layout)
}

pub(super) fn applied(text: &str, edits: Vec<Edit>) -> String {
    let fix = Fix { title: String::new(), edits };
    let applied = apply_fixes(text, [&fix]);
    assert_eq!((applied.count, applied.skipped), (1, 0));
    applied.text
}

fn without_item(text: &str, key: &str, index: usize) -> Option<String> {
    let (document, layout) = read(text);
    let edits = layout.remove_item(document.root.entry(key)?, index)?;
    Some(applied(text, edits))
}

fn without_entry(text: &str, path: &[&str], key: &str) -> Option<String> {
    let (document, layout) = read(text);
    let edits = layout.remove_entry(document.root.at(path)?.entry(key)?)?;
    Some(applied(text, edits))
}

#[test]
fn an_item_is_removed_with_its_comments() {
    let text = "rules: # all\n# gpu\n- a: 1\n  b: 2 # b\n  # more\n\n# oom\n# twice\n- c: |\n    x\n\n- d\nz: 1\n";
    let removed = |index| without_item(text, "rules", index).unwrap();
    assert_eq!(removed(0), "rules: # all\n\n# oom\n# twice\n- c: |\n    x\n\n- d\nz: 1\n");
    assert_eq!(removed(1), "rules: # all\n# gpu\n- a: 1\n  b: 2 # b\n  # more\n\n- d\nz: 1\n");
    let rest = "rules: # all\n# gpu\n- a: 1\n  b: 2 # b\n  # more\n\n# oom\n# twice\n- c: |\n    x\n\nz: 1\n";
    assert_eq!(removed(2), rest);
}

#[test]
fn the_last_item_leaves_an_empty_list() {
    for (text, wanted) in [
        ("a: 1\nrules:\n  - x: 1\n    y: 2\nb: 2", "a: 1\nrules: []\nb: 2"),
        ("rules: # c\r\n- x\r\n", "rules: [] # c\r\n"),
        ("rules: [ x ]\n", "rules: []\n"),
        ("{\"rules\": [\n  {\"a\": 1}\n]}", "{\"rules\": []}"),
        ("\u{feff}rules:\n- x", "\u{feff}rules: []\n"),
    ] {
        assert_eq!(without_item(text, "rules", 0).as_deref(), Some(wanted), "{text}");
    }
}

#[test]
fn items_in_brackets_take_their_comma_with_them() {
    let json = "{\n  \"rules\": [\n    1,\n    2,\n    3\n  ]\n}\n";
    let removed = |index| without_item(json, "rules", index).unwrap();
    assert_eq!(removed(0), "{\n  \"rules\": [\n    2,\n    3\n  ]\n}\n");
    assert_eq!(removed(1), "{\n  \"rules\": [\n    1,\n    3\n  ]\n}\n");
    assert_eq!(removed(2), "{\n  \"rules\": [\n    1,\n    2\n  ]\n}\n");
    assert_eq!(without_item("rules: [a, b: c, d,]", "rules", 1).unwrap(), "rules: [a, d,]");
    assert_eq!(without_item("rules: [a, # c\n b]", "rules", 1), None);
}

#[test]
fn an_entry_is_removed() {
    let text = "# head\na: 1\n# of b\nb:\n  c: 1\n  # of d\n  d: [1,\n    2]\n";
    let removed = |path: &[&str], key: &str| without_entry(text, path, key).unwrap();
    assert_eq!(removed(&[], "a"), "# head\n# of b\nb:\n  c: 1\n  # of d\n  d: [1,\n    2]\n");
    assert_eq!(removed(&[], "b"), "# head\na: 1\n");
    assert_eq!(removed(&["b"], "d"), "# head\na: 1\n# of b\nb:\n  c: 1\n");
    assert_eq!(without_entry("b: {c: 1, d: 2}", &["b"], "c").unwrap(), "b: {d: 2}");
    assert_eq!(without_entry("b:\n  c: 1 # x\n", &["b"], "c").unwrap(), "b: {}\n");
    let (document, layout) = read("- a: 1 # x\n\n  # of b\n  b: 2\n");
    let edits = layout.remove_entry(document.root.items()[0].entry("a").unwrap()).unwrap();
    assert_eq!(applied(layout.source.text(), edits), "- # of b\n  b: 2\n");
}

#[test]
fn what_is_shared_or_ambiguous_is_not_edited() {
    for text in [
        "rules: &r\n- a\n- b\nc: *r\n",
        "rules:\n- &r a\n- b\nc: *r\n",
        "r: &r {rules: [a, b]}\nx: *r\nrules: 1\n",
        "rules:\n-\ta\n- b\n",
        "x: |+\n  y\n\nrules:\n- a\n- b\n",
        "a: {rules: [1]}\n<<: {x: 1}\nrules: [a, b]\n",
    ] {
        assert_eq!(without_item(text, "rules", 0), None, "{text}");
    }
}

#[test]
fn two_removals_never_leave_a_key_without_a_value() {
    for text in ["rules:\n- a\n- b\n- c\n", "rules: [a, b, c]\n"] {
        let (document, layout) = read(text);
        let list = document.root.entry("rules").unwrap();
        let fix =
            |index| Fix { title: String::new(), edits: layout.remove_item(list, index).unwrap() };
        let all: Vec<Fix> = [1, 2, 0].map(fix).into();
        let result = apply_fixes(text, &all);
        assert_eq!((result.count, result.skipped), (2, 1), "{text}");
        assert_eq!(read(&result.text).0.root.get("rules").map_or(0, |it| it.items().len()), 1);
        let all: Vec<Fix> = [0, 1, 2].map(fix).into();
        let result = apply_fixes(text, &all);
        assert_eq!(read(&result.text).0.root.get("rules").map_or(0, |it| it.items().len()), 1);
    }
}

#[test]
fn lists_of_scalars_are_replaced_in_their_style() {
    let replace = |text: &str, texts: &[&str]| {
        let (document, layout) = read(text);
        Some(applied(text, layout.replace_list(document.root.entry("a")?, texts)?))
    };
    let two = ["x", "no"];
    assert_eq!(replace("a: [3, 4, 5] # c", &two).unwrap(), "a: [x, 'no'] # c");
    assert_eq!(replace("{\"a\": [3]}", &two).unwrap(), "{\"a\": [\"x\", \"no\"]}");
    assert_eq!(replace("a:\r\n  - 3\r\n  - 4\r\n", &two).unwrap(), "a:\r\n  - x\r\n  - 'no'\r\n");
    assert_eq!(replace("a:\n- 3 # c\n- 4\n", &two), None);
    assert_eq!(replace("a:\n- [3]\n", &two), None);
    assert_eq!(replace("a:\n- 3\n", &[]), None);
    assert_eq!(replace("a: [3]\n", &[]).unwrap(), "a: []\n");
}

#[test]
fn a_node_of_a_list_of_documents_is_found() {
    let text = "kind: List\nitems:\n- rules:\n  - a\n  - b\n- rules:\n  - a\n  - b\n";
    let (document, layout) = read(text);
    let second = &document.root.get("items").unwrap().items()[1];
    let edits = layout.remove_item(second.entry("rules").unwrap(), 0).unwrap();
    let wanted = "kind: List\nitems:\n- rules:\n  - a\n  - b\n- rules:\n  - b\n";
    assert_eq!(applied(text, edits), wanted);
}

#[test]
fn entries_of_merged_mappings_are_found_where_they_are_written() {
    let (document, layout) = read("b: &b {x: 1}\nc: {<<: *b, y: 2}\n");
    let merged = document.root.get("c").and_then(|it: &Node| it.entry("x")).unwrap();
    assert!(layout.remove_entry(merged).is_none());
}
