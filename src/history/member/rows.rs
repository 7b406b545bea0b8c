//! The lines of a piece as rows: what one thread can do with them on its own.
//!
//! What a row means beside the rows before it (its number, its member's time order) is the
//! reader's.

use super::names::Names;
use super::said::{Order, Record, Said, of_text};
use super::tree::{key_of_node, of_node};
use super::{MemberRun, OwnFields};
use crate::diag::Code;
use crate::diag::{Findings, Source};
use crate::document::Node;
use crate::history::clock::Clock;
use crate::history::lines::{document_of_line, no_record};
use crate::history::piece::texts;
use crate::history::reader::checked;
use crate::history::unread::PieceUnread;
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
    pub(super) fn of((said, own, times): Record<'_, F>, names: &mut Names) -> Self {
        Self {
            queue: said.queue.map(|name| names.kept(&name)),
            index: said.index,
            run: MemberRun {
                run_index: 0,
                started_at: times.started,
                finished_at: times.finished,
                node: said.node.map(|name| names.kept(&name)),
                cluster: said.cluster.map(|name| names.kept(&name)),
                own,
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
    /// What it says.
    pub(super) says: Says<F>,
}

/// What a line says by itself.
#[derive(Debug)]
pub(super) enum Says<F: OwnFields> {
    /// A run. The unit's id stands here among all ids.
    Run(Range<usize>, Row<F>),
    /// It is no record. The unit and the member that it speaks of, if so much can be read.
    Bad(Option<(String, F::Key)>),
}

/// What the lines of a piece have in common.
#[derive(Debug)]
pub(super) struct Told {
    /// The units' ids, one after another.
    pub(super) ids: String,
    /// How many lines there are, blank ones too.
    pub(super) lines: usize,
    /// The clock after the last line.
    pub(super) clock: Clock,
    /// The byte that the line begins at that set the clock.
    pub(super) timed: Option<usize>,
    /// Words of the lines that nothing reads.
    pub(super) unread: PieceUnread,
    order: Order,
}

impl Told {
    /// Of no lines yet. Their times are written as `clock` has it, or as the first one will be.
    fn new(clock: Clock) -> Self {
        let (unread, order) = (PieceUnread::default(), Order::default());
        Self { ids: String::new(), lines: 0, clock, timed: None, unread, order }
    }

    /// Reads the lines of a piece one by one.
    fn read<F: OwnFields>(
        &mut self,
        bytes: &[u8],
        begins: bool,
        names: &mut Names,
        mut take: impl FnMut(Line<F>),
    ) {
        for (at, text) in texts(bytes, str::from_utf8(bytes).ok(), begins) {
            self.lines += 1;
            if text == Some("") {
                continue;
            }
            let had_read = self.clock.has_read();
            let says = text.map_or(Says::Bad(None), |text| self.line(text, names));
            if let Some(text) = text.filter(|_| self.order.may_have_unread) {
                self.unread.line(text, F::RECORD, at);
            }
            if !had_read && self.clock.has_read() {
                self.timed = Some(at);
            }
            take(Line { at, number: self.lines, says });
        }
    }

    fn line<F: OwnFields>(&mut self, text: &str, names: &mut Names) -> Says<F> {
        let (mut said, mut own) = (Said::default(), F::default());
        match of_text(text, &mut self.clock, &mut self.order, (&mut said, &mut own)) {
            Some(times) => self.kept((said, own, times), names),
            None => self.uncommon(text, names),
        }
    }

    #[cold]
    fn uncommon<F: OwnFields>(&mut self, text: &str, names: &mut Names) -> Says<F> {
        self.order.may_have_unread = true;
        let source = Source::excerpt("", text, 0);
        let mut clock = self.clock;
        let read = of_line(&source, &mut clock, |record| self.kept(record, names));
        self.clock = clock;
        read.unwrap_or_else(|bad| Says::Bad(bad.of))
    }

    fn kept<F: OwnFields>(&mut self, record: Record<'_, F>, names: &mut Names) -> Says<F> {
        let start = self.ids.len();
        self.ids.push_str(&record.0.id);
        Says::Run(start..self.ids.len(), Row::of(record, names))
    }
}

/// What the lines of a piece say.
#[derive(Debug)]
pub(super) struct Rows<F: OwnFields> {
    pub(super) lines: Vec<Line<F>>,
    pub(super) told: Told,
}

impl<F: OwnFields> Rows<F> {
    /// Reads a piece whose times are written as `clock` has it, or as its first one is.
    pub(super) fn read(bytes: &[u8], begins: bool, clock: Clock, names: &mut Names) -> Self {
        // Lines are rarely shorter: room for all of them is made at once.
        let mut lines = Vec::with_capacity(bytes.len() / LINE);
        let mut told = Told::new(clock);
        told.read(bytes, begins, names, |line| lines.push(line));
        Self { lines, told }
    }
}

/// Bytes of a common line.
const LINE: usize = 192;

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
    read: impl FnOnce(Record<'_, F>) -> T,
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
        Ok(record) => Ok(read(record)),
        Err(findings) => {
            let id = root.get("jobId").and_then(Node::some_text);
            let of = id.map(|id| (id.to_owned(), key_of_node::<F>(root)));
            Err(BadLine { findings, of })
        }
    }
}
