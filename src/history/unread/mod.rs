//! Keys and conditions of records that nothing reads: counted, with the place of the first of each.
//!
//! JSON Lines may have more keys than are read, so that a misspelt key is no error: its value is
//! absent, and the figures change without a word. The words are counted by piece, by whichever
//! thread reads the lines, and put together in the order of the stream. Of any number of different
//! words at most [`KEPT`] are kept. Those are the first in the order of their texts, not of the
//! stream: whoever meets only a part of the records keeps each of them that it meets, so that the
//! counts are the same however the records are shared out.

mod walk;

use super::shape::RECORD;
use crate::diag::{Place, Source, Span, did_you_mean, slip_of};
use crate::document::{Kind, Shape};
use crate::policy::Condition;
use std::cmp::Ordering;

/// How many different words are kept.
const KEPT: usize = 100;

/// How many bytes of a word, and of a line as an excerpt, are kept.
const LONGEST_WORD: usize = 200;
const LONGEST_EXCERPT: usize = 16 << 10;

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnreadKind {
    /// A key of a record, or of an object in it.
    Key,
    /// A condition of a run.
    Condition,
}

/// A word that nothing reads.
#[derive(Debug, Clone)]
pub struct UnreadWord<P = Place> {
    /// What it is.
    pub kind: UnreadKind,
    /// The shape of the object that it is in.
    shape: &'static Shape,
    /// The word.
    pub text: String,
    /// How many records have it.
    pub records: u64,
    /// Where it is for the first time.
    pub first: P,
}

/// Words and the number of records that have others.
#[derive(Debug, Clone)]
struct Words<P> {
    /// In no order, at most [`KEPT`].
    kept: Vec<UnreadWord<P>>,
    /// A record counts once for each of its words that is not kept.
    others: u64,
}

impl<P> Default for Words<P> {
    fn default() -> Self {
        Self { kept: Vec::new(), others: 0 }
    }
}

impl<P> Words<P> {
    fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.others == 0
    }

    fn find(
        &mut self,
        (kind, shape, text): (UnreadKind, &'static Shape, &str),
    ) -> Option<&mut UnreadWord<P>> {
        let same = |word: &&mut UnreadWord<P>| {
            word.text == text && word.kind == kind && word.shape.name == shape.name
        };
        self.kept.iter_mut().find(same)
    }

    /// Counts so many records that have a word, which is met at `first` if it is not kept yet.
    fn count(
        &mut self,
        (kind, shape, text): (UnreadKind, &'static Shape, &str),
        records: u64,
        first: impl FnOnce() -> P,
    ) {
        if let Some(known) = self.find((kind, shape, text)) {
            known.records += records;
            return;
        }
        self.insert(UnreadWord { kind, shape, text: text.to_owned(), records, first: first() });
    }

    /// Adds a word that is not kept yet.
    fn insert(&mut self, word: UnreadWord<P>) {
        if self.kept.len() < KEPT {
            return self.kept.push(word);
        }
        let last = self.kept.iter_mut().max_by(|one, other| one.order(other));
        let dropped = match last {
            Some(last) if word.order(last) == Ordering::Less => std::mem::replace(last, word),
            _ => word,
        };
        self.others += dropped.records;
    }
}

impl<P> UnreadWord<P> {
    fn order<Q>(&self, other: &UnreadWord<Q>) -> Ordering {
        let key = |kind, shape: &Shape| (kind, shape.name);
        let by_text = self.text.cmp(&other.text);
        by_text.then_with(|| key(self.kind, self.shape).cmp(&key(other.kind, other.shape)))
    }

    /// What to write in its place, if it was probably meant to be a word that is read. A key that
    /// belongs into another object is given with its path.
    pub fn hint(&self) -> Option<String> {
        let elsewhere = self.shape.elsewhere.iter().find(|(key, _)| *key == self.text);
        let near = match (self.kind, elsewhere) {
            (UnreadKind::Key, Some((_, instead))) => return Some((*instead).to_owned()),
            (UnreadKind::Key, None) => {
                let names = self.shape.fields.iter().map(|field| field.name);
                let near = did_you_mean(&self.text, names).map(str::to_owned);
                near.or_else(|| within(&self.text, self.shape))
            }
            (UnreadKind::Condition, _) => {
                let known = Condition::ALL.map(Condition::as_str);
                did_you_mean(&self.text, known).map(str::to_owned)
            }
        };
        near.map(|near| format!("did you mean `{near}`?"))
    }
}

/// The path to a key of an object within a shape: `containers[].exitCode`.
fn within(word: &str, shape: &'static Shape) -> Option<String> {
    shape.fields.iter().find_map(|field| {
        let (inner, suffix) = match &field.kind {
            Kind::Object(inner) => (inner, ""),
            Kind::List { item: Kind::Object(inner), .. } => (inner, "[]"),
            _ => return None,
        };
        let name = slip_of(word, inner.fields.iter().map(|field| field.name))?;
        Some(format!("{}{suffix}.{name}", field.name))
    })
}

/// Gives each word of a record of this shape, once.
fn each_word(
    text: &str,
    shape: &'static Shape,
    mut take: impl FnMut((UnreadKind, &'static Shape, &str)),
) {
    let mut seen: Vec<(UnreadKind, &'static str, String)> = Vec::new();
    walk::walk(text, shape, &mut |kind, shape, text| {
        let text = shortened(text);
        let same = |(of, name, word): &(UnreadKind, &str, String)| {
            *of == kind && *name == shape.name && word == text
        };
        if seen.iter().any(same) {
            return;
        }
        seen.push((kind, shape.name, text.to_owned()));
        take((kind, shape, text));
    });
}

/// The words of a piece of a stream, each with the byte at which the line begins.
#[derive(Debug, Clone, Default)]
pub(crate) struct PieceUnread(Words<usize>);

impl PieceUnread {
    /// Counts the words of a line that begins at this byte: a record of this shape.
    pub(crate) fn line(&mut self, text: &str, shape: &'static Shape, at: usize) {
        each_word(text, shape, |word| self.0.count(word, 1, || at));
    }

    /// Adds the words of other lines of the same piece.
    pub(crate) fn merge(&mut self, other: Self) {
        self.0.others += other.0.others;
        for word in other.0.kept {
            match self.0.find((word.kind, word.shape, &word.text)) {
                Some(known) => {
                    known.records += word.records;
                    known.first = known.first.min(word.first);
                }
                None => self.0.insert(word),
            }
        }
    }

    /// Takes the words out.
    pub(crate) fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The words of all histories.
#[derive(Debug, Clone, Default)]
pub struct UnreadWords(Words<Place>);

impl UnreadWords {
    /// Adds those of the next piece of a stream, before which the stream has so many lines.
    pub(crate) fn piece(&mut self, piece: PieceUnread, name: &str, bytes: &[u8], lines: usize) {
        self.0.others += piece.0.others;
        for word in piece.0.kept {
            let UnreadWord { kind, shape, text, records, first: at } = word;
            let first = || place(name, (bytes, lines, at), (kind, &text));
            self.0.count((kind, shape, &text), records, first);
        }
    }

    /// Adds the words of a record of this shape that is a text of its own, over one line or several.
    pub(crate) fn record(&mut self, source: &Source, shape: &'static Shape) {
        let text = source.text();
        each_word(text, shape, |word| {
            let (kind, _, name) = word;
            let first = || place_in(source.name(), source.first_line(), text, (kind, name));
            self.0.count(word, 1, first);
        });
    }

    /// Adds the conditions of a run of a document that nothing reads.
    pub(crate) fn conditions<'c>(
        &mut self,
        conditions: impl IntoIterator<Item = &'c str>,
        place: impl Fn() -> Place,
    ) {
        let mut seen: Vec<&str> = Vec::new();
        for text in conditions.into_iter().filter(|name| Condition::from_name(name).is_none()) {
            if seen.contains(&text) {
                continue;
            }
            seen.push(text);
            self.0.count((UnreadKind::Condition, &RECORD, shortened(text)), 1, &place);
        }
    }

    /// Adds those of a later part of the histories.
    pub fn merge(&mut self, later: Self) {
        self.0.others += later.0.others;
        for UnreadWord { kind, shape, text, records, first } in later.0.kept {
            self.0.count((kind, shape, &text), records, || first);
        }
    }

    /// Those that are kept, those of the most records first.
    pub fn words(&self) -> Vec<&UnreadWord> {
        let mut words: Vec<&UnreadWord> = self.0.kept.iter().collect();
        words.sort_by(|one, other| other.records.cmp(&one.records).then(one.order(other)));
        words
    }

    /// How many records have words that are not kept; one counts for each of them.
    pub fn others(&self) -> u64 {
        self.0.others
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Whether a run has a condition that nothing reads.
pub(crate) fn has_unread_condition<S: AsRef<str>>(conditions: &[S]) -> bool {
    conditions.iter().any(|name| Condition::from_name(name.as_ref()).is_none())
}

/// The beginning of a word.
fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_WORD)]
}

/// Where a word is in the line that begins at a byte of a piece, before which the stream has so
/// many lines.
fn place(
    name: &str,
    (bytes, lines, at): (&[u8], usize, usize),
    (kind, word): (UnreadKind, &str),
) -> Place {
    let before = bytes.get(..at).unwrap_or_default();
    let number = lines + memchr::memchr_iter(b'\n', before).count() + 1;
    let line = super::line_at(bytes, at).trim_ascii_end();
    place_in(name, number, &String::from_utf8_lossy(line), (kind, word))
}

/// Where a word is in a record whose text begins on this line.
fn place_in(name: &str, number: usize, text: &str, (kind, word): (UnreadKind, &str)) -> Place {
    let excerpt = &text[..text.floor_char_boundary(LONGEST_EXCERPT)];
    let found = excerpt.match_indices(word).find(|(start, _)| {
        let (before, after) = (&excerpt[..*start], &excerpt[start + word.len()..]);
        let Some(rest) = after.strip_prefix('"').filter(|_| before.ends_with('"')) else {
            return false;
        };
        rest.trim_start().starts_with(':') == (kind == UnreadKind::Key)
    });
    // A word with escapes is not found as it is.
    let span = found.map_or(Span::new(0, 1), |(start, _)| Span::new(start, start + word.len()));
    Place::new(&Source::excerpt(name, excerpt, number), span)
}

#[cfg(test)]
mod tests;
