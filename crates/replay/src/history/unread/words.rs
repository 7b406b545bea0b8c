//! Different words, of which so many are kept.

use super::word::{UnreadKind, UnreadWord, Word, hint_of};
use std::collections::HashSet;

/// How many different words are kept.
pub(super) const KEPT: usize = 100;

/// How many words that are not kept are remembered, so that each gets its hint computed once.
const DROPPED: usize = 1000;

/// Words and the number of records that have others.
#[derive(Debug, Clone)]
pub(super) struct Words<P> {
    /// In no order, at most [`KEPT`].
    pub(super) kept: Vec<UnreadWord<P>>,
    /// Keys that are not kept. A record counts once for each of them.
    pub(super) other_keys: u64,
    /// Conditions that are not kept, in the same way.
    pub(super) other_conditions: u64,
    /// Reasons of containers that are not kept, in the same way.
    pub(super) other_reasons: u64,
    /// Some of the words that are not kept. What is kept gets only less in rank, so that none of
    /// them ever is.
    dropped: Vec<(UnreadKind, &'static str, HashSet<String>)>,
}

impl<P> Default for Words<P> {
    fn default() -> Self {
        Self {
            kept: Vec::new(),
            other_keys: 0,
            other_conditions: 0,
            other_reasons: 0,
            dropped: Vec::new(),
        }
    }
}

impl<P> Words<P> {
    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.others() == 0
    }

    pub(super) fn others(&self) -> u64 {
        self.other_keys + self.other_conditions + self.other_reasons
    }

    /// Adds the words that are not kept elsewhere.
    pub(super) fn add_others<Q>(&mut self, others: &Words<Q>) {
        self.other_keys += others.other_keys;
        self.other_conditions += others.other_conditions;
        self.other_reasons += others.other_reasons;
    }

    pub(super) fn find(&mut self, (kind, shape, text): Word<'_>) -> Option<&mut UnreadWord<P>> {
        let same = |word: &&mut UnreadWord<P>| {
            word.text == text && word.kind == kind && word.shape.name == shape.name
        };
        self.kept.iter_mut().find(same)
    }

    /// Counts so many records that have a word, which is met at `first` if it is not kept yet.
    pub(super) fn count(&mut self, word: Word<'_>, records: u64, first: impl FnOnce() -> P) {
        match self.find(word) {
            Some(known) => known.records += records,
            None => self.insert(word, records, first),
        }
    }

    /// Adds a word that is not kept yet, if it ranks before one that is.
    pub(super) fn insert(&mut self, word: Word<'_>, records: u64, first: impl FnOnce() -> P) {
        let (kind, shape, text) = word;
        let new = |first, has_hint| UnreadWord {
            kind,
            shape,
            text: text.to_owned(),
            records,
            first,
            has_hint,
        };
        if self.kept.len() < KEPT {
            return self.kept.push(new(first(), None));
        }
        if self.is_dropped(word) {
            return self.drop_word(word, records);
        }
        let has_hint = hint_of(word).is_some();
        self.kept.iter_mut().for_each(UnreadWord::compute_hint);
        let last = self.kept.iter_mut().max_by(|one, other| one.rank().cmp(&other.rank()));
        match last {
            Some(last) if (!has_hint, text, kind, shape.name) < last.rank() => {
                let last = std::mem::replace(last, new(first(), Some(has_hint)));
                self.drop_word((last.kind, last.shape, &last.text), last.records);
            }
            _ => self.drop_word(word, records),
        }
    }

    fn is_dropped(&self, (kind, shape, text): Word<'_>) -> bool {
        let same = |(of, name, texts): &(UnreadKind, &str, HashSet<String>)| {
            *of == kind && *name == shape.name && texts.contains(text)
        };
        self.dropped.iter().any(same)
    }

    /// Counts a word that is not kept, and remembers it.
    fn drop_word(&mut self, word: Word<'_>, records: u64) {
        let (kind, shape, text) = word;
        match kind {
            UnreadKind::Key => self.other_keys += records,
            UnreadKind::Reason => self.other_reasons += records,
            UnreadKind::Condition | UnreadKind::PodCondition => self.other_conditions += records,
        }
        if self.is_dropped(word) {
            return;
        }
        if self.dropped.iter().map(|(.., texts)| texts.len()).sum::<usize>() == DROPPED {
            self.dropped.clear();
        }
        let of = self.dropped.iter_mut().find(|of| (of.0, of.1) == (kind, shape.name));
        match of {
            Some((.., texts)) => _ = texts.insert(text.to_owned()),
            None => self.dropped.push((kind, shape.name, HashSet::from([text.to_owned()]))),
        }
    }
}
