//! Phase one: the lines of a piece, shared out to the shards.

use crate::history::{Clock, OwnFields, Piece, Skim};
use crate::simulate::key::{Key, key_of, shard_of};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Mutex;

/// A line: the hash of its unit's id, and where it stands in its piece.
#[derive(Debug, Clone)]
pub(super) struct Keyed {
    pub(super) key: Key,
    pub(super) stands: Range<usize>,
}

/// A piece, shared out.
pub(super) struct Parsed<F> {
    /// The lines of each shard, in their order.
    pub(super) shares: Vec<Mutex<Vec<Keyed>>>,
    /// How the times before the piece are written.
    pub(super) before: Clock,
    pub(super) skim: Skim,
    /// The piece's bytes, while they are known to be a text.
    text: Option<String>,
    of: PhantomData<fn() -> F>,
}

impl<F: OwnFields> Parsed<F> {
    /// Nothing read yet, for so many shards.
    pub(super) fn new(count: usize) -> Self {
        let shares = (0..count).map(|_| Mutex::default()).collect();
        let (before, skim) = (Clock::of_lines(), Skim::default());
        Self { shares, before, skim, text: None, of: PhantomData }
    }

    /// Takes a piece's bytes for its text, if they are one: asked once, and not of each line.
    pub(super) fn take_text(&mut self, piece: &mut Piece) {
        match String::from_utf8(std::mem::take(&mut piece.bytes)) {
            Ok(text) => self.text = Some(text),
            Err(bad) => piece.bytes = bad.into_bytes(),
        }
    }

    /// Gives a piece its bytes back.
    pub(super) fn give_back(&mut self, piece: &mut Piece) {
        if let Some(text) = self.text.take() {
            piece.bytes = text.into_bytes();
        }
    }

    /// The piece's text, if it is one.
    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Goes through a piece, whose times are written as `clock` has it or as its first one is. What
    /// was read before is forgotten.
    pub(super) fn read(&mut self, piece: &Piece, clock: Clock, secret: (u64, u64)) {
        let Self { shares, before, skim, text, .. } = self;
        let text = text.as_deref();
        let bytes = text.map_or(&*piece.bytes, str::as_bytes);
        *before = clock;
        for share in shares.iter_mut() {
            of(share).clear();
        }
        skim.read::<F>((bytes, text), piece.begins, clock, |stands, id| {
            let key = key_of(secret, id);
            let shard = shard_of(key, shares.len());
            of(&mut shares[shard]).push(Keyed { key, stands });
        });
    }

    /// How times are written, as far as the lines before a place tell.
    pub(super) fn clock_at(&self, at: usize) -> Clock {
        let told = self.skim.timed.is_some_and(|first| first < at);
        if told { self.before.after(&self.skim.clock) } else { self.before }
    }
}

fn of<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner)
}
