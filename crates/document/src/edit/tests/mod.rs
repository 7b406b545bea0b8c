//! Edits of texts that a person wrote out here; `random` has those of random ones.

pub(crate) mod random;

use super::{NewValue, apply_fixes};
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
fn an_entry_is_inserted() {
    let insert = |text: &str, path: &[&str], key: &str, value| {
        let (document, layout) = read(text);
        let entry = document.root.at(path)?.entry(key)?;
        Some(applied(text, layout.insert_after(entry, "new", value)?))
    };
    let three = NewValue::Yaml("3");
    assert_eq!(insert("a: 1 # x\nb: 2", &[], "a", three).unwrap(), "a: 1 # x\nnew: 3\nb: 2");
    assert_eq!(insert("a: 1\r\nb: 2", &[], "b", three).unwrap(), "a: 1\r\nb: 2\r\nnew: 3");
    assert_eq!(insert("a: |\n  x\n\nb: 2", &[], "a", three).unwrap(), "a: |\n  x\nnew: 3\n\nb: 2");
    assert_eq!(insert("s: {a: 1}", &["s"], "a", three).unwrap(), "s: {a: 1, new: 3}");
    let yes = NewValue::Text("yes");
    assert_eq!(
        insert("{\n  \"a\": 1\n}", &[], "a", yes).unwrap(),
        "{\n  \"a\": 1,\n  \"new\": \"yes\"\n}"
    );
    let list = NewValue::Yaml("[x, 1]");
    assert_eq!(insert("{\"a\": 1}", &[], "a", list).unwrap(), "{\"a\": 1, \"new\": [\"x\",1]}");
    assert_eq!(insert("s:\n  a: 1", &["s"], "a", yes).unwrap(), "s:\n  a: 1\n  new: 'yes'");
    for bad in ["3 # c", "a: b", "a, b", "[", "1\n2", ""] {
        assert_eq!(insert("a: 1\n", &[], "a", NewValue::Yaml(bad)), None, "{bad}");
    }
    let (document, layout) = read("- a: 1\n  b: 2\n- {}\n");
    let items = document.root.items();
    let edits = layout.append(&items[0], "new", three).unwrap();
    assert_eq!(applied(layout.source.text(), edits), "- a: 1\n  b: 2\n  new: 3\n- {}\n");
    let edits = layout.append(&items[1], "new", three).unwrap();
    assert_eq!(applied(layout.source.text(), edits), "- a: 1\n  b: 2\n- {new: 3}\n");
}

#[test]
fn scalars_keep_their_quotes() {
    let replace = |text: &str, value| {
        let (document, layout) = read(text);
        Some(applied(text, layout.replace_scalar(document.root.get("a")?, value)?))
    };
    let text = NewValue::Text("it's");
    for (old, new) in [
        ("a: x # c", "a: 'it''s' # c"),
        ("a: 'x'", "a: 'it''s'"),
        ("a: \"x\"", "a: \"it's\""),
        ("{a: 2}", "{a: 'it''s'}"),
        ("{\"a\": 2}", "{\"a\": \"it's\"}"),
    ] {
        assert_eq!(replace(old, text).as_deref(), Some(new));
    }
    assert_eq!(replace("a: retry", NewValue::Text("Retry")).unwrap(), "a: Retry");
    assert_eq!(replace("a: 'x'", NewValue::Text("\u{7}")).unwrap(), "a: \"\\u0007\"");
    assert_eq!(replace("a: 10", NewValue::Yaml("3")).unwrap(), "a: 3");
    for old in ["a: !!str 3", "a: &x 3", "a: |\n  x\n", "a: [x]"] {
        assert_eq!(replace(old, text), None, "{old}");
    }
    let (document, layout) = read("RetryLimit: 3\n\"b\": 1\n");
    let edits = |index: usize, key| layout.rename_key(&document.root.entries()[index], key);
    let all = [edits(0, "retryLimit").unwrap(), edits(1, "B").unwrap()].concat();
    assert_eq!(applied(layout.source.text(), all), "retryLimit: 3\n\"B\": 1\n");
}

#[test]
fn lists_of_scalars_are_replaced_in_their_style() {
    let replace = |text: &str, values: &[NewValue<'_>]| {
        let (document, layout) = read(text);
        Some(applied(text, layout.replace_list(document.root.entry("a")?, values)?))
    };
    let two = [NewValue::Yaml("1"), NewValue::Text("no")];
    assert_eq!(replace("a: [3, 4, 5] # c", &two).unwrap(), "a: [1, 'no'] # c");
    assert_eq!(replace("{\"a\": [3]}", &two).unwrap(), "{\"a\": [1, \"no\"]}");
    assert_eq!(replace("a:\r\n  - 3\r\n  - 4\r\n", &two).unwrap(), "a:\r\n  - 1\r\n  - 'no'\r\n");
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
