//! Lines that somebody has to look at again, in the order of the stream.

use crate::history::{Clock, Piece, Prior, Reader, id_of_line, line_at};

/// A line to be looked at again.
#[derive(Debug)]
pub(super) struct Trouble {
    /// The number of its piece in the batch.
    pub(super) piece: usize,
    /// Where it begins in the piece.
    pub(super) at: u32,
    pub(super) why: Why,
}

/// Why a line is looked at again.
#[derive(Debug)]
pub(super) enum Why {
    /// It is no run.
    Bad,
    /// Its job is kept whole.
    Kept,
    /// It breaks a rule.
    Fault {
        /// What the rules between runs go by.
        prior: Prior,
        /// The run's number.
        index: u32,
    },
    /// It says something else of its job than the first record does.
    Differs(&'static str),
}

impl Trouble {
    /// Tells the reader, which says what is wrong, or keeps the run. The line is number `number` of
    /// the stream.
    pub(super) fn tell(&self, reader: &mut Reader, piece: &Piece, number: usize, clock: Clock) {
        let line = line_at(&piece.bytes, self.at as usize).trim_ascii_end();
        if reader.leaves_out() && !matches!(self.why, Why::Kept | Why::Differs(_)) {
            let text = std::str::from_utf8(line).ok().filter(|_| matches!(self.why, Why::Bad));
            return reader.leave_out(text.and_then(id_of_line).as_deref());
        }
        let text = match std::str::from_utf8(line) {
            Ok(text) => text,
            Err(error) => {
                let text = String::from_utf8_lossy(line);
                return reader.not_utf8(&piece.name, number, &text, error.valid_up_to());
            }
        };
        match &self.why {
            Why::Bad | Why::Kept => reader.timed_line(&piece.name, number, text, clock),
            Why::Fault { prior, index } => {
                reader.faulty_line(&piece.name, number, text, *prior, *index);
            }
            Why::Differs(key) => reader.differing_line(&piece.name, number, text, key),
        }
    }
}
