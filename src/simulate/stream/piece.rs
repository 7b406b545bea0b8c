//! Phase one: the lines of a piece, distributed to the shards.

use super::key::{Key, key_of, shard_of};
use crate::history::{Piece, PieceLines, RecordFields, TimeNotation};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// A line: the hash of its unit's id, and its bytes in the piece.
#[derive(Debug, Clone)]
pub(super) struct LineRef {
    pub(super) key: Key,
    pub(super) range: Range<usize>,
}

/// The lines of a piece, distributed to the shards.
pub(super) struct DistributedPiece<F> {
    /// The lines of each shard, in their order.
    pub(super) shares: Vec<Mutex<Vec<LineRef>>>,
    /// The notation of times before the piece.
    pub(super) before: TimeNotation,
    pub(super) lines: PieceLines,
    /// The piece's bytes between the phases, if they are UTF-8.
    text: Option<String>,
    fields: PhantomData<fn() -> F>,
}

impl<F: RecordFields> DistributedPiece<F> {
    /// An empty piece, for this number of shards.
    pub(super) fn new(shards: usize) -> Self {
        Self {
            shares: (0..shards).map(|_| Mutex::default()).collect(),
            before: TimeNotation::of_lines(),
            lines: PieceLines::default(),
            text: None,
            fields: PhantomData,
        }
    }

    /// Takes a piece's bytes as a text if they are UTF-8. Checking a piece at once is faster than line by line.
    pub(super) fn take_text(&mut self, piece: &mut Piece) {
        match String::from_utf8(std::mem::take(&mut piece.bytes)) {
            Ok(text) => self.text = Some(text),
            Err(error) => piece.bytes = error.into_bytes(),
        }
    }

    /// Moves the bytes back into the piece.
    pub(super) fn return_text(&mut self, piece: &mut Piece) {
        if let Some(text) = self.text.take() {
            piece.bytes = text.into_bytes();
        }
    }

    /// The piece's text, if it is UTF-8.
    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Distributes the lines of a piece, whose times are in `notation` or in that of the first one.
    pub(super) fn distribute(
        &mut self,
        piece: &Piece,
        notation: TimeNotation,
        hash_key: (u64, u64),
    ) {
        let Self { shares, before, lines, text, .. } = self;
        let text = text.as_deref();
        let bytes = text.map_or(&*piece.bytes, str::as_bytes);
        *before = notation;
        for share in shares.iter_mut() {
            get_mut(share).clear();
        }
        lines.read::<F>((bytes, text), piece.begins, notation, |range, id| {
            let key = key_of(hash_key, id);
            let shard = shard_of(key, shares.len());
            get_mut(&mut shares[shard]).push(LineRef { key, range });
        });
    }

    /// The notation of times as far as the lines before a byte determine it.
    pub(super) fn notation_at(&self, at: usize) -> TimeNotation {
        let is_after = self.lines.first_timed.is_some_and(|first| first < at);
        if is_after { self.before.after(&self.lines.notation) } else { self.before }
    }
}

fn get_mut<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}
