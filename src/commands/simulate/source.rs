//! The lines of all streams, piece by piece.

use super::inputs::unreadable;
use crate::commands::systems;
use crate::diag::Findings;
use crate::document::Shape;
use crate::history;
use crate::input::{Piece, Pieces};
use anyhow::Result;

/// The lines of all streams, of which some pieces were read already.
pub(super) struct Source {
    first: std::vec::IntoIter<Piece>,
    rest: Pieces,
    /// Why there are no more pieces, if not because all are read.
    error: Option<std::io::Error>,
    /// What the policies' records hold.
    own: &'static Shape,
    /// A warning for each stream whose lines are another system's.
    strange: Findings,
}

impl Source {
    /// Pieces that were read already, and those that follow.
    pub(super) fn new(own: &'static Shape, first: Vec<Piece>, rest: Pieces) -> Self {
        let first = first.into_iter();
        Self { first, rest, error: None, own, strange: Findings::new() }
    }

    /// Puts the next piece over one that is no longer needed; `false` if there is none.
    pub(super) fn next(&mut self, piece: &mut history::Piece) -> bool {
        let mut next = self.first.next();
        if next.is_none() {
            let mut read = Piece { bytes: std::mem::take(&mut piece.bytes), ..Piece::default() };
            match self.rest.read(&mut read) {
                Ok(true) => next = Some(read),
                Ok(false) => {}
                Err(error) => self.error = Some(error),
            }
        }
        let Some(Piece { name, begins, bytes }) = next else { return false };
        if begins {
            self.strange.extend(systems::line_of_another(self.own, &name, &bytes));
        }
        *piece = history::Piece { name, begins, bytes };
        true
    }

    /// Stops the command if a stream could not be read to its end; `lines` of it were.
    pub(super) fn refuse(&self, lines: usize) -> Result<()> {
        let Some(error) = &self.error else { return Ok(()) };
        let lines = if self.rest.at_beginning() { 0 } else { lines };
        Err(unreadable(self.rest.name(), lines + 1, error).into())
    }

    /// Warnings of streams whose lines are another system's.
    pub(super) fn strange(self) -> Findings {
        self.strange
    }
}
