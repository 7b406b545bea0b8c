//! The lines of a piece as rows: what one thread can do with them on its own.
//!
//! What a row means beside the rows before it (its number, its member's time order) is the
//! reader's.

use super::names::Names;
use super::said::{Said, Times, of_text};
use super::tree::{key_of_node, of_node};
use super::{MemberRun, OwnFields};
use crate::diag::Code;
use crate::diag::{Findings, Source};
use crate::document::Node;
use crate::history::clock::Clock;
use crate::history::lines::{document_of_line, no_record};
use crate::history::reader::checked;
use std::ops::Range;
use std::sync::Arc;

/// A run, and what its record says of its unit.
#[derive(Debug)]
pub(super) struct Row<F: OwnFields> {
    pub(super) queue: Option<Arc<str>>,
    pub(super) index: Option<u32>,
    /// Its number is not known yet.
    pub(super) run: MemberRun<F>,
}

impl<F: OwnFields> Row<F> {
    /// The row of a record.
    pub(super) fn of(said: Said<'_, F>, times: Times, names: &mut Names) -> Self {
        Self {
            queue: said.queue.map(|name| names.kept(&name)),
            index: said.index,
            run: MemberRun {
                run_index: 0,
                started_at: times.started,
                finished_at: times.finished,
                node: said.node.map(|name| names.kept(&name)),
                cluster: said.cluster.map(|name| names.kept(&name)),
                own: said.own,
            },
        }
    }
}

/// A line that is not blank.
#[derive(Debug)]
pub(super) struct Line<F: OwnFields> {
    /// The byte of the piece that it begins at.
    pub(super) at: usize,
    /// Its number in the piece, from 1.
    pub(super) number: usize,
    /// Where the unit's id stands in `ids`, and the row; none if the line is no record.
    pub(super) row: Option<(Range<usize>, Row<F>)>,
}

/// What the lines of a piece say.
#[derive(Debug)]
pub(super) struct Rows<F: OwnFields> {
    pub(super) lines: Vec<Line<F>>,
    /// The units' ids, one after another.
    pub(super) ids: String,
    /// How many lines there are, blank ones too.
    pub(super) count: usize,
    /// The clock after the last line.
    pub(super) clock: Clock,
    /// The number, from 0 and without the blank ones, of the line that set the clock.
    pub(super) timed: Option<usize>,
}

impl<F: OwnFields> Rows<F> {
    /// Reads a piece whose times are written as `clock` has it, or as its first one is.
    pub(super) fn read(bytes: &[u8], begins: bool, clock: Clock, names: &mut Names) -> Self {
        // Lines are rarely shorter: room for all of them is made at once.
        let lines = Vec::with_capacity(bytes.len() / LINE);
        let mut rows = Self { lines, ids: String::new(), count: 0, clock, timed: None };
        // One look at a whole piece is cheaper than one a line.
        let whole = std::str::from_utf8(bytes).ok();
        let mut next = if begins && bytes.starts_with(MARK) { MARK.len() } else { 0 };
        while let Some(rest) = bytes.get(next..).filter(|rest| !rest.is_empty()) {
            rows.count += 1;
            let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let (at, range) = (next, next..next + length);
            next += length;
            let text = match whole {
                Some(whole) => whole.get(range.clone()),
                None => bytes.get(range).and_then(|line| std::str::from_utf8(line).ok()),
            };
            if rest.get(..length).is_some_and(|line| line.trim_ascii().is_empty()) {
                continue;
            }
            let row = text.and_then(|text| rows.row(text.trim_ascii_end(), names));
            rows.lines.push(Line { at, number: rows.count, row });
        }
        rows
    }

    fn row(&mut self, text: &str, names: &mut Names) -> Option<(Range<usize>, Row<F>)> {
        let had_read = self.clock.has_read();
        let row = match of_text(text, &mut self.clock) {
            Some((said, times)) => self.kept(said, times, names),
            None => self.uncommon(text, names)?,
        };
        if !had_read && self.clock.has_read() {
            self.timed = Some(self.lines.len());
        }
        Some(row)
    }

    #[cold]
    fn uncommon(&mut self, text: &str, names: &mut Names) -> Option<(Range<usize>, Row<F>)> {
        let source = Source::excerpt("", text, 0);
        let mut clock = self.clock;
        let read = of_line(&source, &mut clock, |said, times| self.kept(said, times, names));
        self.clock = clock;
        read.ok()
    }

    fn kept(
        &mut self,
        said: Said<'_, F>,
        times: Times,
        names: &mut Names,
    ) -> (Range<usize>, Row<F>) {
        let start = self.ids.len();
        self.ids.push_str(&said.id);
        (start..self.ids.len(), Row::of(said, times, names))
    }
}

/// Bytes of a common line.
const LINE: usize = 192;

/// What some write before UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A line that is no record.
pub(super) struct BadLine<F: OwnFields> {
    /// Why.
    pub(super) findings: Findings,
    /// The unit and the member that it speaks of, if so much can be read.
    pub(super) of: Option<(String, F::Key)>,
}

/// What an uncommon line says, or all that is wrong with it.
pub(super) fn of_line<F: OwnFields, T>(
    source: &Arc<Source>,
    clock: &mut Clock,
    read: impl FnOnce(Said<'_, F>, Times) -> T,
) -> Result<T, BadLine<F>> {
    let bad = |findings| BadLine { findings, of: None };
    let (document, mut findings) = document_of_line(source).map_err(bad)?;
    let Some(document) = &document else {
        findings.push(no_record(source));
        return Err(bad(findings));
    };
    let root = &document.root;
    // Lines may say more than is read of them, at every depth.
    findings
        .extend(checked(document, root, F::RECORD).without(&[Code::UnknownField, Code::OtherForm]));
    match of_node::<F>(document, root, clock, findings) {
        Ok((said, times)) => Ok(read(said, times)),
        Err(findings) => {
            let id = root.get("jobId").and_then(Node::some_text);
            let of = id.map(|id| (id.to_owned(), key_of_node::<F>(root)));
            Err(BadLine { findings, of })
        }
    }
}
