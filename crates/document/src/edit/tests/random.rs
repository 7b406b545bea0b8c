//! Random edits of random texts: the new text has the old tree with exactly that change, and all other comments.
//!
//! The texts are written here, in random styles. A comment contains the path of the value that it belongs to, and only
//! comments of removed values may disappear.

use super::{applied, read};
use crate::diag::Source;
use crate::{Document, Entry, Limits, Node, NodeKind, parse};
use proptest::prelude::*;

/// A value to write, and to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Scalar(String),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
}

fn values() -> impl Strategy<Value = Value> {
    let scalar =
        prop::sample::select(vec!["x", "12", "true", "it's", "a #b", "two\nlines\n", ": "])
            .prop_map(|text| Value::Scalar(text.to_owned()));
    scalar.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Value::List),
            prop::collection::btree_map("[a-f]", inner, 1..4)
                .prop_map(|map| Value::Map(map.into_iter().collect())),
        ]
    })
}

/// Documents with a mapping at the top.
pub(crate) fn documents() -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[a-f]", values(), 1..4)
        .prop_map(|map| Value::Map(map.into_iter().collect()))
}

/// Writes values in random styles.
struct Writer<'a> {
    text: String,
    choices: std::iter::Cycle<std::slice::Iter<'a, u8>>,
    comments: usize,
}

impl Writer<'_> {
    fn choose(&mut self, of: u8) -> u8 {
        self.choices.next().map_or(0, |choice| choice % of)
    }

    /// A comment line about the value at `path`, perhaps.
    fn above(&mut self, path: &str, indent: usize) {
        if self.choose(6) == 0 {
            self.text += "\n";
        }
        if self.choose(4) == 0 {
            self.text += &format!("{}# {} {path}/\n", " ".repeat(indent), self.comments);
            self.comments += 1;
        }
    }

    fn end_line(&mut self, path: &str) {
        if self.choose(5) == 0 {
            self.text += &format!(" # {} {path}/", self.comments);
            self.comments += 1;
        }
        self.text += "\n";
    }

    fn scalar(&mut self, text: &str, indent: usize, path: &str, in_brackets: bool) {
        if !in_brackets && text.contains('\n') && self.choose(2) == 0 {
            self.text += "|";
            self.end_line(path);
            for line in text.lines() {
                self.text += &format!("{}{line}\n", " ".repeat(indent));
            }
            return;
        }
        let is_plain = text.chars().all(char::is_alphanumeric) && self.choose(3) > 0;
        let quotes = self.choose(2);
        self.text += &match quotes {
            _ if is_plain => text.to_owned(),
            0 if !text.contains('\n') => format!("'{}'", text.replace('\'', "''")),
            _ => format!("{text:?}").replace("\\'", "'"),
        };
        if !in_brackets {
            self.end_line(path);
        }
    }

    fn brackets(&mut self, value: &Value, path: &str) {
        match value {
            Value::Scalar(text) => self.scalar(text, 0, path, true),
            Value::List(items) => {
                self.text += "[";
                for (index, item) in items.iter().enumerate() {
                    self.text += if index == 0 { "" } else { ", " };
                    self.brackets(item, path);
                }
                self.text += "]";
            }
            Value::Map(entries) => {
                self.text += "{";
                for (index, (key, item)) in entries.iter().enumerate() {
                    self.text += if index == 0 { "" } else { "," };
                    let blanks = if self.choose(4) == 0 { "\n      " } else { " " };
                    self.text += blanks;
                    self.text += &format!("{key}: ");
                    self.brackets(item, path);
                }
                self.text += " }";
            }
        }
    }

    /// The value of a key or dash, which is written up to its indicator.
    fn value(&mut self, value: &Value, indent: usize, path: &str, after_dash: bool) {
        match value {
            Value::Scalar(text) => {
                self.text += " ";
                self.scalar(text, indent + 2, path, false);
            }
            _ if self.choose(4) == 0 => {
                self.text += " ";
                self.brackets(value, path);
                self.end_line(path);
            }
            Value::Map(_) if after_dash && self.choose(3) > 0 => {
                self.text += " ";
                self.block(value, indent + 2, path, true);
            }
            Value::List(_) if !after_dash && self.choose(2) == 0 => {
                self.end_line(path);
                self.block(value, indent, path, false);
            }
            _ => {
                self.end_line(path);
                self.block(value, indent + 2, path, false);
            }
        }
    }

    /// A collection in block style. If `on_line`, its first line is begun.
    fn block(&mut self, value: &Value, indent: usize, path: &str, on_line: bool) {
        let children: Vec<(String, &Value)> = match value {
            Value::Scalar(_) => return,
            Value::List(items) => items.iter().map(|item| ("-".to_owned(), item)).collect(),
            Value::Map(entries) => {
                entries.iter().map(|(key, item)| (format!("{key}:"), item)).collect()
            }
        };
        for (index, (lead, child)) in children.into_iter().enumerate() {
            let step = if lead == "-" { index.to_string() } else { lead.replace(':', "") };
            let inner = format!("{path}/{step}");
            if index > 0 || !on_line {
                self.above(&inner, indent);
                self.text += &" ".repeat(indent);
            }
            self.text += &lead;
            self.value(child, indent, &inner, lead == "-");
        }
    }
}

pub(crate) fn write(value: &Value, choices: &[u8]) -> String {
    let mut writer = Writer { text: String::new(), choices: choices.iter().cycle(), comments: 0 };
    if writer.choose(3) == 0 {
        writer.text += "before: 1 # 1000 //\n---\n";
    }
    writer.block(value, 0, "", false);
    match writer.choose(3) {
        0 => writer.text += "---\nafter: [1] # 1001 //\n",
        1 => _ = writer.text.pop(),
        _ => {}
    }
    if writer.choose(4) == 0 {
        writer.text = writer.text.replace('\n', "\r\n");
    }
    if writer.choose(4) == 0 {
        writer.text.insert(0, '\u{feff}');
    }
    writer.text
}

fn value_of(node: &Node) -> Value {
    match &node.kind {
        NodeKind::Scalar(scalar) => Value::Scalar(scalar.text.clone()),
        NodeKind::List(items) => Value::List(items.iter().map(value_of).collect()),
        NodeKind::Map(entries) => Value::Map(
            entries.iter().map(|entry| (entry.key.clone(), value_of(&entry.value))).collect(),
        ),
    }
}

fn all_documents(text: &str) -> Vec<Document> {
    let (documents, findings) = parse(&Source::new("x", text), Limits::POLICY);
    assert!(findings.is_empty(), "{:?}\n{text}", findings.iter().collect::<Vec<_>>());
    documents
}

/// Every entry of a tree with the path of its keys and indices.
fn entries<'n>(node: &'n Node, path: &[String], all: &mut Vec<(Vec<String>, &'n Entry)>) {
    let mut inside = |step: String, child: &'n Node, entry: Option<&'n Entry>| {
        let path: Vec<String> = path.iter().cloned().chain([step]).collect();
        all.extend(entry.map(|entry| (path.clone(), entry)));
        entries(child, &path, all);
    };
    match &node.kind {
        NodeKind::Scalar(_) => {}
        NodeKind::List(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| inside(index.to_string(), item, None));
        }
        NodeKind::Map(of_map) => {
            for entry in of_map {
                inside(entry.key.clone(), &entry.value, Some(entry));
            }
        }
    }
}

/// Changes the value at a path: `change` gets the collection that contains it, and its place there.
fn change(value: &mut Value, path: &[String], change: &dyn Fn(&mut Value, usize)) {
    let (step, rest) = path.split_first().expect("a path");
    let index = match &*value {
        Value::Map(entries) => entries.iter().position(|(key, _)| key == step).expect("a key"),
        _ => step.parse().expect("an index"),
    };
    if rest.is_empty() {
        return change(value, index);
    }
    let child = match value {
        Value::Map(entries) => &mut entries[index].1,
        Value::List(items) => &mut items[index],
        Value::Scalar(_) => panic!("a path into a scalar"),
    };
    self::change(child, rest, change);
}

/// The number of entries of the mapping that contains the entry at a path.
fn siblings(value: &Value, path: &[String]) -> usize {
    match (value, path) {
        (Value::Map(entries), [_]) => entries.len(),
        (Value::Map(entries), [step, rest @ ..]) => entries
            .iter()
            .find(|(key, _)| key == step)
            .map_or(0, |(_, child)| siblings(child, rest)),
        (Value::List(items), [step, rest @ ..]) => step
            .parse()
            .ok()
            .and_then(|index: usize| items.get(index))
            .map_or(0, |item| siblings(item, rest)),
        _ => 0,
    }
}

fn comments(text: &str) -> Vec<&str> {
    let lines = text.lines().filter_map(|line| line.split_once("# "));
    lines.map(|(_, comment)| comment).filter(|comment| comment.ends_with('/')).collect()
}

/// Checks that a text has these documents, and the comments of the old one except those about `removed`.
fn check(old: &str, new: &str, at: usize, wanted: &Value, removed: Option<&[String]>) {
    let before = all_documents(old);
    let after = all_documents(new);
    assert_eq!(before.len(), after.len(), "\n{old}\n->\n{new}");
    for (index, (before, after)) in before.iter().zip(&after).enumerate() {
        let (before, after) = (value_of(&before.root), value_of(&after.root));
        assert_eq!(&after, if index == at { wanted } else { &before }, "\n{old}\n->\n{new}");
    }
    let removed = removed.map(|path| format!("/{}/", path.join("/")));
    let is_kept = |comment: &&str| {
        let path = comment.split_once(' ').map_or("", |pair| pair.1);
        !removed.as_ref().is_some_and(|removed| path.starts_with(removed.as_str()))
    };
    let kept: Vec<&str> = comments(old).into_iter().filter(is_kept).collect();
    let rest: Vec<&str> = comments(new).into_iter().filter(is_kept).collect();
    assert_eq!(kept, rest, "\n{old}\n->\n{new}");
    let is_windows = |text: &str| text.matches('\n').count() == text.matches("\r\n").count();
    assert!(!is_windows(old) || !old.contains('\n') || is_windows(new), "\n{old:?}\n{new:?}");
    assert_eq!(old.starts_with('\u{feff}'), new.starts_with('\u{feff}'));
}

fn random_document(text: &str) -> (usize, Document, super::Layout) {
    let documents = all_documents(text);
    let at = documents.iter().position(|one| one.root.entry("before").is_none()).unwrap();
    let (_, layout) = read(text);
    (at, documents.into_iter().nth(at).unwrap(), layout)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn an_edit_changes_one_value(
        value in documents(),
        choices in prop::collection::vec(any::<u8>(), 1..60),
        pick in any::<prop::sample::Index>(),
        operation in 0..3,
    ) {
        let text = write(&value, &choices);
        let (at, document, layout) = random_document(&text);
        prop_assert_eq!(&value_of(&document.root), &value, "{}", text);
        // An edit is made of the tree's nodes, which are found in the layout of the same text.
        let document = Document {
            source: layout.source.clone(),
            root: document.root,
        };
        let mut all = Vec::new();
        entries(&document.root, &[], &mut all);
        let (path, entry) = &all[pick.index(all.len())];
        let mut wanted = value.clone();
        let (edits, removed) = match operation {
            0 => {
                change(&mut wanted, path, &|map, index| {
                    let Value::Map(entries) = map else { panic!() };
                    entries.remove(index);
                });
                (layout.remove_entry(entry), Some(path.clone()))
            }
            1 => {
                let items = entry.value.items().len();
                if items == 0 {
                    return Ok(());
                }
                let index = pick.index(items);
                let path: Vec<String> = path.iter().cloned().chain([index.to_string()]).collect();
                change(&mut wanted, &path, &|list, index| {
                    let Value::List(items) = list else { panic!() };
                    items.remove(index);
                });
                (layout.remove_item(entry, index), Some(path))
            }
            _ => {
                if entry.value.items().is_empty() {
                    return Ok(());
                }
                let new = ["x", "x: y"];
                change(&mut wanted, path, &|map, index| {
                    let Value::Map(entries) = map else { panic!() };
                    let new = new.iter().map(|text| Value::Scalar((*text).to_owned()));
                    entries[index].1 = Value::List(new.collect());
                });
                (layout.replace_list(entry, &new), None)
            }
        };
        let Some(edits) = edits else {
            // The last entry of a document or item, block scalars, and lists of other lists are not edited.
            let is_only = operation == 0 && siblings(&value, path) == 1;
            prop_assert!(is_only || operation >= 2, "{path:?} {operation}\n{text}");
            return Ok(());
        };
        let new = applied(&text, edits);
        check(&text, &new, at, &wanted, removed.as_deref());
    }
}
