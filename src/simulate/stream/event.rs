//! The lines of a piece on their way from the first phase to the second.

use super::key::Key;
use crate::history::{BadMember, RecordFields, Run};
use crate::units::Time;
use std::borrow::Cow;
use std::ops::Range;

/// The lines of a piece whose units are in one shard, in their order.
#[derive(Debug)]
pub(super) struct Share<F: RecordFields> {
    pub(super) events: Vec<Event>,
    /// The records of events that hold more than numbers.
    records: Vec<LineRecord<F>>,
    /// The runs of these records. Those behind them are left from earlier pieces: their buffers are used again.
    runs: Vec<Run<F>>,
}

/// A line that is read.
#[derive(Debug)]
pub(super) struct Event {
    /// The hash of its unit's id.
    pub(super) key: Key,
    pub(super) started_at: Option<Time>,
    pub(super) finished_at: Option<Time>,
    /// The byte of the piece at which it begins.
    pub(super) at: usize,
    /// The bytes of its unit's id, counted from there, unless its record has it.
    pub(super) id: Range<u32>,
    pub(super) body: EventBody,
}

/// The rest of a line.
#[derive(Debug, Clone, Copy)]
pub(super) enum EventBody {
    /// A run that is like others.
    Alike(AlikeRun),
    /// The number of its record in the share.
    Record(u32),
}

/// A run that is like the one of a signature.
#[derive(Debug, Clone, Copy)]
pub(super) struct AlikeRun {
    /// The number of the signature.
    pub(super) signature: u32,
    /// The number of the kind of units that the line describes.
    pub(super) kind: u32,
    /// The run's index, if the line has one.
    pub(super) index: Option<u32>,
    /// The number of its node, if a count may need it.
    pub(super) node: Option<u32>,
}

/// A line that holds more than numbers, without its run.
#[derive(Debug)]
pub(super) struct LineRecord<F: RecordFields> {
    /// The hash of its member; of a line that is not a valid record the member that it names.
    pub(super) member: Result<[u32; 2], BadMember<F>>,
    pub(super) unit: Option<Box<F::Unit>>,
    pub(super) index: Option<u32>,
    pub(super) id: LineText,
    pub(super) queue: LineText,
    pub(super) node: LineText,
    pub(super) cluster: LineText,
}

/// A line, and its record with the run if it has one.
pub(super) struct ShareLine<'s, F: RecordFields> {
    pub(super) event: &'s Event,
    pub(super) record: Option<(&'s mut LineRecord<F>, &'s mut Run<F>)>,
}

/// A text of a line, if the line has it.
#[derive(Debug, Default)]
pub(super) enum LineText {
    #[default]
    Absent,
    /// The bytes of the line that it is.
    At(Range<u32>),
    /// The text, if the line has it with escapes.
    Own(Box<str>),
}

impl LineText {
    /// A text of a line.
    pub(super) fn of(line: &str, text: Option<&Cow<'_, str>>) -> Self {
        match text {
            None => Self::Absent,
            Some(Cow::Borrowed(part)) => {
                range_in(line, part).map_or_else(|| Self::Own((*part).into()), Self::At)
            }
            Some(Cow::Owned(text)) => Self::Own(text.as_str().into()),
        }
    }

    /// The text, of the line with these bytes.
    pub(super) fn get<'l>(&'l self, line: &'l [u8]) -> Option<&'l str> {
        match self {
            Self::Absent => None,
            Self::At(range) => {
                str::from_utf8(line.get(range.start as usize..range.end as usize)?).ok()
            }
            Self::Own(text) => Some(text),
        }
    }
}

/// The bytes of a part of a text.
pub(super) fn range_in(text: &str, part: &str) -> Option<Range<u32>> {
    let from = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let end = u32::try_from(from + part.len()).ok()?;
    Some(u32::try_from(from).ok()?..end)
}

impl<F: RecordFields> Default for Share<F> {
    fn default() -> Self {
        Self { events: Vec::new(), records: Vec::new(), runs: Vec::new() }
    }
}

impl<F: RecordFields> Share<F> {
    /// Removes all lines.
    pub(super) fn clear(&mut self) {
        self.events.clear();
        self.records.clear();
    }

    /// Adds a record with a run, in exchange for a run to read the next line over. Returns its number.
    pub(super) fn add(&mut self, record: LineRecord<F>, run: &mut Run<F>) -> u32 {
        let number = self.records.len();
        if self.runs.len() == number {
            self.runs.push(Run::default());
        }
        std::mem::swap(&mut self.runs[number], run);
        self.records.push(record);
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// The line of a number.
    pub(super) fn line(&mut self, number: usize) -> Option<ShareLine<'_, F>> {
        let event = self.events.get(number)?;
        let record = match event.body {
            EventBody::Record(record) => {
                let record = record as usize;
                self.records.get_mut(record).zip(self.runs.get_mut(record))
            }
            EventBody::Alike(_) => None,
        };
        Some(ShareLine { event, record })
    }
}
