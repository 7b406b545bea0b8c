//! Runs in a list of JSON, or over several lines each, as `jq` prints them: the records of JSON Lines in
//! another layout.

use super::lines::not_utf8;
use super::reader::{Reader, Sink};
use super::record::RecordFields;
use super::sources::{Elements, NO_LIST, Next};
use super::table::Table;
use super::time_notation::TimeNotation;
use document::diag::Findings;
use std::io::{self, BufRead};

impl<F: RecordFields> Reader<F> {
    /// Reads the runs of a stream of JSON values. `name` is its name in messages.
    pub(crate) fn json_values(
        &mut self,
        name: &str,
        bytes: &mut dyn BufRead,
        sink: &mut dyn Sink<F>,
    ) -> io::Result<()> {
        let mut notation = TimeNotation::for_lines();
        let mut elements = Elements::new(name, NO_LIST, bytes);
        while !self.is_full() {
            match elements.next()? {
                Next::End => break,
                Next::Broken(fault) => self.bad_record(Findings::of(*fault)),
                Next::Piece(piece) => {
                    let (source, begin) = piece.source();
                    match std::str::from_utf8(piece.text) {
                        Ok(_) => {
                            self.value(&source, &mut notation, sink);
                            self.unread.record(&source, Table::<F>::RECORD);
                        }
                        Err(error) => {
                            let at = begin + error.valid_up_to();
                            self.bad_record(Findings::of(not_utf8(&source, at)));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
