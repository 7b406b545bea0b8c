//! Keys and conditions of records that no field reads: counted, with the place of the first of each.
//!
//! JSON Lines may have more keys than are read, so that a misspelt key is not an error: its value is
//! absent, and the figures change without a message. The words are counted by piece, by the
//! thread that reads the lines, and merged in the order of the stream. Of any number of different
//! words at most [`words::KEPT`] are kept: first those with a hint at the word that was meant, in the order
//! of their texts, then the others in that order. It is not the order of the stream: a thread that reads
//! only a part of the records keeps each of them that it finds, so that the counts are the same
//! however the records are distributed.

mod list;
mod walk;
mod word;
mod words;

use armada_retry::policy::Condition;
use document::Shape;
use document::diag::{Place, Source, Span};
pub use list::UnreadList;
use std::cmp::Reverse;
use std::collections::HashSet;
use word::Word;
pub use word::{UnreadKind, UnreadWord, is_misplaced_reason, is_misspelt_pod_condition};
use words::Words;

/// How many bytes of a word, and of a line as an excerpt, are kept.
const LONGEST_WORD: usize = 200;
const LONGEST_EXCERPT: usize = 16 << 10;

/// Gives each word of a record of this shape, once. A reason that the record names as a condition too is read.
fn each_word(text: &str, shape: &'static Shape, take: impl FnMut(Word<'_>)) {
    let (mut words, mut conditions) = (Vec::new(), HashSet::new());
    walk::walk(text, shape, &mut |kind, shape, word| match kind {
        UnreadKind::Condition if Condition::from_name(word).is_some() => {
            conditions.insert(word.to_owned());
        }
        _ => words.push((kind, shape, word.to_owned())),
    });
    let mut take = each_once(take);
    for (kind, shape, word) in words {
        if kind != UnreadKind::Reason || !conditions.contains(&word) {
            take(kind, shape, &word);
        }
    }
}

/// Conditions of a run that no rule can match.
pub(crate) trait UnreadConditions {
    fn has_unread(&self) -> bool;

    /// Gives each of them.
    fn each_unread(&self, take: &mut dyn FnMut(UnreadKind, &'static Shape, &str));
}

/// Gives each condition of a run that no rule can match, once.
fn each_condition(run: &impl UnreadConditions, take: impl FnMut(Word<'_>)) {
    run.each_unread(&mut each_once(take));
}

/// Passes a word on the first time that it is given.
fn each_once(mut take: impl FnMut(Word<'_>)) -> impl FnMut(UnreadKind, &'static Shape, &str) {
    // A set: a line may have more than a million keys.
    let mut seen: HashSet<(UnreadKind, &'static str, String)> = HashSet::new();
    move |kind, shape, text| {
        let text = shortened(text);
        if seen.insert((kind, shape.name, text.to_owned())) {
            take((kind, shape, text));
        }
    }
}

/// The words of a piece of a stream, each with the byte at which the line begins.
#[derive(Debug, Clone, Default)]
pub(crate) struct PieceUnread(Words<usize>);

impl PieceUnread {
    /// Counts the words of a line that begins at this byte: a record of this shape.
    pub(crate) fn line(&mut self, text: &str, shape: &'static Shape, at: usize) {
        each_word(text, shape, |word| self.0.count(word, 1, || at));
    }

    /// Counts these keys of a record of this shape that begins at this byte, and the conditions of its run.
    pub(crate) fn words(
        &mut self,
        (keys, shape): (&[&str], &'static Shape),
        run: &impl UnreadConditions,
        at: usize,
    ) {
        let mut keys: Vec<&str> = keys.iter().map(|key| shortened(key)).collect();
        keys.sort_unstable();
        // A word counts once for each record, however often the key is repeated in it.
        keys.dedup();
        for key in keys {
            self.0.count((UnreadKind::Key, shape, key), 1, || at);
        }
        if run.has_unread() {
            each_condition(run, |word| self.0.count(word, 1, || at));
        }
    }

    /// Adds the words of other lines of the same piece.
    pub(crate) fn merge(&mut self, other: Self) {
        self.0.add_others(&other.0);
        for UnreadWord { kind, shape, text, records, first, .. } in other.0.kept {
            match self.0.find((kind, shape, &text)) {
                Some(known) => {
                    known.records += records;
                    known.first = known.first.min(first);
                }
                None => self.0.insert((kind, shape, &text), records, || first),
            }
        }
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
        self.0.add_others(&piece.0);
        for UnreadWord { kind, shape, text, records, first: at, .. } in piece.0.kept {
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

    /// Adds the conditions of a run of a document that no rule can match. `place` is the place of a field of the run.
    pub(crate) fn conditions(
        &mut self,
        run: &impl UnreadConditions,
        place: &dyn Fn(&str) -> Place,
    ) {
        each_condition(run, |word| self.0.count(word, 1, || place(word.0.field())));
    }

    /// Those that are kept, those of the most records first.
    pub fn words(&self) -> Vec<&UnreadWord> {
        let mut words: Vec<&UnreadWord> = self.0.kept.iter().collect();
        let by = |word: &UnreadWord| (Reverse(word.records), word.text.clone(), word.kind);
        words.sort_by_cached_key(|word| (by(word), word.shape.name));
        words
    }

    /// How often records have words that are not kept: a record counts once for each of them.
    pub fn others(&self) -> u64 {
        self.0.others()
    }

    /// Whether there are keys that are not kept.
    pub fn has_other_keys(&self) -> bool {
        self.0.other_keys > 0
    }

    /// Whether there are conditions that are not kept.
    pub fn has_other_conditions(&self) -> bool {
        self.0.other_conditions > 0
    }

    /// Whether there are reasons of containers that are not kept.
    pub fn has_other_reasons(&self) -> bool {
        self.0.other_reasons > 0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
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
