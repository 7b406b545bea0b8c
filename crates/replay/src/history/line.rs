//! Reads a record from a line.
//!
//! Owns the common fields and the order in which keys are looked for; a system's own fields are read by
//! the setters of its table. It reports nothing: a line that is not read here goes to the exact path.

use super::checks::ends_before_it_starts;
use super::field::{Common, Target};
use super::record::{RecordFields, Run};
use super::scan::{Cursor, Entries, ValueReader};
use super::table::{MAX_FIELDS, NO_FIELD, Table};
use super::time_notation::TimeNotation;
use std::borrow::Cow;

/// The fields of a record that are stored with its unit, or only in part: texts borrowed from the line
/// where they have no escapes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Header<'t> {
    /// The unit's id; empty in a document, where the job has it.
    pub(crate) id: Cow<'t, str>,
    pub(crate) queue: Option<Cow<'t, str>>,
    /// The run's index, if the record has one.
    pub(crate) index: Option<u32>,
    pub(crate) node: Option<Cow<'t, str>>,
    pub(crate) cluster: Option<Cow<'t, str>>,
}

impl<'t> Header<'t> {
    /// Reads the value of a common field.
    #[inline]
    fn set<F>(
        &mut self,
        run: &mut Run<F>,
        field: Common,
        value: &mut ValueReader<'_, 't>,
    ) -> Option<()> {
        match field {
            Common::Id => {
                let mut id = None;
                value.borrow_into(&mut id)?;
                self.id = id?;
            }
            Common::Queue => value.borrow_into(&mut self.queue)?,
            Common::RunIndex => value.unless_null(|value| {
                self.index = Some(value.u32()?);
                Some(())
            })?,
            Common::StartedAt => value.time(&mut run.started_at)?,
            Common::FinishedAt => value.time(&mut run.finished_at)?,
            Common::Node => value.borrow_into(&mut self.node)?,
            Common::Cluster => value.borrow_into(&mut self.cluster)?,
        }
        Some(())
    }

    /// The same with texts of its own.
    pub(super) fn into_owned(self) -> Header<'static> {
        let owned = |text: Option<Cow<'_, str>>| text.map(|text| Cow::Owned(text.into_owned()));
        Header {
            id: Cow::Owned(self.id.into_owned()),
            queue: owned(self.queue),
            index: self.index,
            node: owned(self.node),
            cluster: owned(self.cluster),
        }
    }
}

/// The words of a line that nothing reads, as far as they are known once it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UnreadOfLine<'t> {
    /// These keys of the record, and conditions that the run may hold.
    Known(Vec<&'t str>),
    /// Any: the line has to be walked through.
    Unknown,
}

impl UnreadOfLine<'_> {
    /// Whether the record has no unread key. Its run may still have unread conditions.
    pub(crate) fn has_no_keys(&self) -> bool {
        matches!(self, Self::Known(keys) if keys.is_empty())
    }
}

/// The key order of earlier lines, in which the keys of the next mostly come: the two fields that last
/// followed each field, and that came first.
#[derive(Debug)]
pub(crate) struct KeyOrder {
    next: [[u8; 2]; MAX_FIELDS],
}

impl Default for KeyOrder {
    fn default() -> Self {
        Self { next: [[NO_FIELD; 2]; MAX_FIELDS] }
    }
}

/// Reads a line into a header, which is empty, and into a run, over what it held before; returns its words that nothing
/// reads. `None`: the exact path has to read the line. The notation changes only with a record.
pub(super) fn read<'t, F: RecordFields>(
    text: &'t str,
    notation: &mut TimeNotation,
    order: &mut KeyOrder,
    header: &mut Header<'t>,
    run: &mut Run<F>,
) -> Option<UnreadOfLine<'t>> {
    let mut cursor = Cursor::new(text, *notation);
    let present = read_fields(&mut cursor, order, header, run)?;
    // Any fault sends the line to the exact path: the checks here only have to find that there is one.
    let is_valid = cursor.peek().is_none()
        && present & Table::<F>::REQUIRED == Table::<F>::REQUIRED
        && !header.id.is_empty()
        && ends_before_it_starts(run.started_at, run.finished_at).is_none()
        && run.own.fault().is_none();
    is_valid.then(|| {
        // Only now: a line that is no record must not determine the notation of the others.
        *notation = cursor.notation;
        match cursor.unread_keys {
            Some(keys) => UnreadOfLine::Known(keys),
            None => UnreadOfLine::Unknown,
        }
    })
}

/// Reads the fields of an object into a header, which is empty, and into a run, over what it held before;
/// returns which fields it has, a bit a field.
#[inline]
pub(super) fn read_fields<'t, F: RecordFields>(
    cursor: &mut Cursor<'t>,
    order: &mut KeyOrder,
    header: &mut Header<'t>,
    run: &mut Run<F>,
) -> Option<u32> {
    // Cleared in place instead of made anew: the run keeps its buffers from line to line.
    (run.started_at, run.finished_at) = (None, None);
    run.own.clear();
    let mut entries = Entries::new(cursor)?;
    let present = order.read::<F>(&mut entries, |at, mut value| match Table::<F>::TARGETS[at] {
        Target::Common(field) => header.set(run, field, &mut value),
        Target::Own(set) => set(&mut run.own, &mut value),
    })?;
    // Last: fields that are derived from Lookout's texts must not replace those that come later in the line.
    run.own.complete();
    Some(present)
}

impl KeyOrder {
    /// Reads the entries of a record; returns which fields it has, a bit a field. `field` reads the value
    /// of the field of a number.
    fn read<'t, F: RecordFields>(
        &mut self,
        entries: &mut Entries<'_, 't>,
        mut field: impl FnMut(usize, ValueReader<'_, 't>) -> Option<()>,
    ) -> Option<u32> {
        // Index 0 of the order means the beginning, `at + 1` for the field `at`.
        let (mut present, mut place) = (0_u32, 0);
        loop {
            // Without an expectation this is `NO_FIELD`, whose matcher matches nothing.
            let expected = usize::from(self.next[place][0]);
            let at = if entries.is_next(&Table::<F>::MATCHERS[expected]) {
                expected
            } else if entries.is_end() {
                return Some(present);
            } else {
                match self.other::<F>(entries, place)? {
                    Next::Field(at) => at,
                    Next::Unknown => continue,
                    Next::End => return Some(present),
                }
            };
            // The exact path reports the repeated key.
            if present >> at & 1 == 1 {
                return None;
            }
            present |= 1 << at;
            place = at + 1;
            field(at, entries.value())?;
        }
    }

    /// Reads a key that is not the one that last came at this place, and the value of an unknown one.
    #[inline(never)]
    fn other<F: RecordFields>(
        &mut self,
        entries: &mut Entries<'_, '_>,
        place: usize,
    ) -> Option<Next> {
        let [last, before] = self.next[place];
        if entries.is_next(&Table::<F>::MATCHERS[usize::from(before)]) {
            // Two fields alternate where one is optional, so that both are remembered.
            self.next[place] = [before, last];
            return Some(Next::Field(usize::from(before)));
        }
        let Some(key) = entries.next_key()? else {
            return Some(Next::End);
        };
        let Some(at) = Table::<F>::number(&key) else {
            let plain = match key {
                Cow::Borrowed(key) => Some(key),
                // A key with escapes is no part of the line that can be borrowed.
                Cow::Owned(_) => None,
            };
            entries.skip_value(plain)?;
            return Some(Next::Unknown);
        };
        // The number fits: a record has at most 30 fields.
        self.next[place] = [u8::try_from(at).unwrap_or(NO_FIELD), last];
        Some(Next::Field(at))
    }
}

/// The next part of a record.
enum Next {
    /// The key of the field of this number.
    Field(usize),
    /// An entry of no field, which was skipped.
    Unknown,
    /// The end of the record.
    End,
}
