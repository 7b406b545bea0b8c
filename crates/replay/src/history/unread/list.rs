//! Unread words without their places, as a partial summary has them.

use super::UnreadWords;
use super::word::UnreadKind;
use borsh::{BorshDeserialize, BorshSerialize};
use document::diag::{Place, Source, Span};
use document::{Kind, Shape};

/// The words of a part of a history.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct UnreadList {
    /// In their order.
    words: Vec<ListedWord>,
    other_keys: u64,
    other_conditions: u64,
    other_reasons: u64,
}

/// A word: what it is, the name of the shape of the object that it is in, and how many records have it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
struct ListedWord {
    kind: UnreadKind,
    shape: String,
    text: String,
    records: u64,
}

impl UnreadWords {
    /// The words without their places.
    pub fn list(&self) -> UnreadList {
        let mut words: Vec<ListedWord> = (self.0.kept.iter())
            .map(|word| ListedWord {
                kind: word.kind,
                shape: word.shape.name.to_owned(),
                text: word.text.clone(),
                records: word.records,
            })
            .collect();
        words.sort_unstable();
        UnreadList {
            words,
            other_keys: self.0.other_keys,
            other_conditions: self.0.other_conditions,
            other_reasons: self.0.other_reasons,
        }
    }

    /// Adds the words of another part of the history, of records of a shape. Returns `false` if a word is in no object of
    /// such records. Their places are that of the file with this name.
    pub fn add_list(&mut self, list: &UnreadList, record: &'static Shape, name: &str) -> bool {
        let place = || Place::new(&Source::new(name, ""), Span::new(0, 0));
        for ListedWord { kind, shape, text, records } in &list.words {
            let Some(shape) = shape_within(record, shape) else { return false };
            self.0.count((*kind, shape, text), *records, place);
        }
        self.0.other_keys += list.other_keys;
        self.0.other_conditions += list.other_conditions;
        self.0.other_reasons += list.other_reasons;
        true
    }
}

/// The shape of a name among a shape and those of the objects in it.
fn shape_within(shape: &'static Shape, name: &str) -> Option<&'static Shape> {
    if shape.name == name {
        return Some(shape);
    }
    shape.fields.iter().find_map(|field| within(&field.kind, name))
}

fn within(kind: &'static Kind, name: &str) -> Option<&'static Shape> {
    match kind {
        Kind::Object(shape) => shape_within(shape, name),
        Kind::List { item, .. } => within(item, name),
        _ => None,
    }
}
