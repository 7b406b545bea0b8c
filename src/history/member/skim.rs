//! The lines of a piece as far as it takes to share them out: whose each is, and how the first time
//! is written. And a line read whole, by whoever it was given to.
//!
//! A line's unit mostly stands in its first field, so that sharing out asks little, and what a line
//! says is made where it is judged: nothing is kept of it, and no thread frees what another asked
//! for.

use super::OwnFields;
use super::rows::of_line;
use super::said::{Order, Said, Times, of_text};
use crate::diag::Source;
use crate::history::clock::Clock;
use crate::history::piece::texts;
use crate::history::scan::Line;
use std::ops::Range;

/// What the lines of a piece have in common.
#[derive(Debug)]
pub(crate) struct Skim {
    /// How many lines there are, blank ones too.
    pub(crate) lines: usize,
    /// The clock after the last line.
    pub(crate) clock: Clock,
    /// The byte that the line begins at that set the clock.
    pub(crate) timed: Option<usize>,
    order: Order,
}

impl Default for Skim {
    fn default() -> Self {
        Self { lines: 0, clock: Clock::of_lines(), timed: None, order: Order::default() }
    }
}

impl Skim {
    /// Goes through the lines of a piece, given with the text that it is, if it is one; its times are
    /// written as `clock` has it or as the first one is. `take` is told of each that is not blank
    /// where it stands and which unit it is of; an empty one where that cannot be read.
    pub(crate) fn read<F: OwnFields>(
        &mut self,
        (bytes, text): (&[u8], Option<&str>),
        begins: bool,
        clock: Clock,
        mut take: impl FnMut(Range<usize>, &str),
    ) {
        (self.lines, self.clock, self.timed) = (0, clock, None);
        for (at, text) in texts(bytes, text, begins) {
            self.lines += 1;
            if text == Some("") {
                continue;
            }
            // What is no text says nothing, and is not read as one either.
            let text = text.unwrap_or_default();
            let stands = at..at + text.len();
            let settled = self.clock.has_read() || !may_tell_time(text);
            match Line::new(text).first_text("jobId").filter(|_| settled) {
                Some(id) => take(stands, &id),
                None => take(stands, &self.unit::<F>(text, at)),
            }
        }
    }

    /// The unit of a line that is read whole for it.
    fn unit<F: OwnFields>(&mut self, text: &str, at: usize) -> String {
        let had_read = self.clock.has_read();
        let (mut said, mut own) = (Said::default(), F::default());
        let id = match whole(text, &mut self.clock, &mut self.order, (&mut said, &mut own)) {
            Ok(_) => said.id.into_owned(),
            Err(of) => of.map(|(id, _)| id).unwrap_or_default(),
        };
        if !had_read && self.clock.has_read() {
            self.timed = Some(at);
        }
        id
    }
}

/// Whether a line may hold a time: else none of its keys is one of a time, however it is written.
fn may_tell_time(text: &str) -> bool {
    let text = text.as_bytes();
    memchr::memmem::find(text, b"edAt").is_some() || memchr::memchr(b'\\', text).is_some()
}

/// The unit and the member that a bad line speaks of, if so much can be read.
pub(crate) type Of<F> = Option<(String, <F as OwnFields>::Key)>;

/// Reads a line whole, its system's own fields over those that `own` had before, the others into
/// `said`, which says nothing yet. The clock moves on only with a record.
pub(crate) fn whole<'t, F: OwnFields>(
    text: &'t str,
    clock: &mut Clock,
    order: &mut Order,
    (said, own): (&mut Said<'t>, &mut F),
) -> Result<Times, Of<F>> {
    if let Some(times) = of_text(text, clock, order, (said, own)) {
        return Ok(times);
    }
    order.may_have_unread = true;
    uncommon(text, clock, (said, own))
}

#[cold]
fn uncommon<F: OwnFields>(
    text: &str,
    clock: &mut Clock,
    (said, own): (&mut Said<'_>, &mut F),
) -> Result<Times, Of<F>> {
    let source = Source::excerpt("", text, 0);
    let kept = |(said, read, times): (Said<'_>, F, Times)| (said.into_owned(), read, times);
    let (all, read, times) = of_line(&source, clock, kept).map_err(|bad| bad.of)?;
    (*said, *own) = (all, read);
    Ok(times)
}
