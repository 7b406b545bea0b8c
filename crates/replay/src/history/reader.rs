//! Reads histories of one system: documents, records and other programs' output into runs, and what is wrong
//! into findings.
//!
//! Owns everything about a history but its members: bad records and their limit, findings, entries that were
//! passed over, words that no field reads, queues and reloads. Each run is passed to a [`Sink`], which has the
//! members and checks the rules between runs.

use super::checks::FieldFault;
use super::line::Header;
use super::names::Names;
use super::on_bad_record::{BadRecords, OnBadRecord};
use super::record::{History, RecordFields, Run};
use super::skipped_entries::SkippedEntries;
use super::unit_outcome::{UnitOutcome, UnitOutcomes};
use super::unread::{PieceUnread, UnreadWords};
use crate::disruption::Disruptions;
use armada_retry::engine::Reload;
use armada_retry::policy::Queue;
use document::diag::{Code, Diagnostic, Findings, Place, Source, Span};
use document::{Document, KeyCase, Node, OmittedFindings, Shape, check};
use std::marker::PhantomData;
use std::sync::Arc;

/// A run, with what its record holds of its unit.
#[derive(Debug)]
pub(crate) struct Row<F: RecordFields> {
    pub(crate) queue: Option<Arc<str>>,
    pub(crate) unit: Option<Box<F::Unit>>,
    /// The run's index, if the record has one; otherwise it is the run's position.
    pub(crate) index: Option<u32>,
    pub(crate) run: Run<F>,
}

impl<F: RecordFields> Row<F> {
    /// The row of a record.
    pub(super) fn new(header: Header<'_>, mut run: Run<F>, names: &mut Names) -> Self {
        run.node = header.node.map(|name| names.intern(&name));
        run.cluster = header.cluster.map(|name| names.intern(&name));
        Self {
            queue: header.queue.map(|name| names.intern(&name)),
            unit: run.own.take_unit(),
            index: header.index,
            run,
        }
    }
}

/// A rule between the records of a unit that a record breaks.
#[derive(Debug)]
pub(crate) enum RecordFault {
    /// It breaks a rule, and does not count.
    Rule(FieldFault),
    /// Fields of the unit differ from the unit's first record, which counts for them.
    Differs(Vec<&'static str>),
}

/// Takes the runs that are read one by one.
pub(crate) trait Sink<F: RecordFields> {
    /// Adds a run to its member.
    ///
    /// # Errors
    ///
    /// The rule that it breaks. A run that breaks a rule is then a bad record of its member.
    fn add(&mut self, id: &str, row: Row<F>) -> Result<(), Box<RecordFault>>;

    /// Counts a bad record of a member: the positions of later runs include it.
    fn add_bad(&mut self, id: &str, key: F::Key);
}

/// Reads any number of histories.
#[derive(Debug)]
pub struct Reader<F: RecordFields> {
    bad: BadRecords,
    pub(super) names: Names,
    pub(super) findings: Findings,
    pub(super) omitted: OmittedFindings,
    pub(super) skipped_entries: Vec<SkippedEntries>,
    /// The outcomes of units without a record since.
    pub(super) outcomes: UnitOutcomes,
    pub(super) unread: UnreadWords,
    pub(super) has_document: bool,
    pub(super) queues: Vec<Queue>,
    pub(super) reloads: Vec<Reload>,
    /// The table by which sources recognise disruptions.
    pub(super) disruptions: Disruptions,
    fields: PhantomData<F>,
}

impl<F: RecordFields> Reader<F> {
    /// A reader that has read nothing.
    pub fn new(on_bad: OnBadRecord) -> Self {
        Self {
            bad: BadRecords::new(on_bad),
            names: Names::default(),
            findings: Findings::new(),
            omitted: OmittedFindings::default(),
            skipped_entries: Vec::new(),
            outcomes: UnitOutcomes::new(),
            unread: UnreadWords::default(),
            has_document: false,
            queues: Vec::new(),
            reloads: Vec::new(),
            disruptions: Disruptions::default(),
            fields: PhantomData,
        }
    }

    /// The reader, which recognises disruptions by this table.
    #[must_use]
    pub fn with_disruptions(self, disruptions: &Disruptions) -> Self {
        Self { disruptions: disruptions.clone(), ..self }
    }

    /// Whether the limit of bad records is reached.
    pub fn is_full(&self) -> bool {
        self.bad.is_full()
    }

    /// Whether bad records are skipped, so that their findings are not needed.
    pub(crate) fn skips_bad_records(&self) -> bool {
        self.bad.are_skipped()
    }

    /// Passes a run on. `place` is the place of a field, `describe` adds the run's name to a message.
    pub(super) fn add(
        &mut self,
        sink: &mut dyn Sink<F>,
        id: &str,
        row: Row<F>,
        differences: &[&'static str],
        place: &dyn Fn(&FieldFault) -> Place,
        describe: &dyn Fn(String) -> String,
    ) {
        // A condition of the unit's object holds whatever its runs are, also if it was read before them.
        if self.outcomes.get(id) == Some(&UnitOutcome::Open) {
            self.outcomes.remove(id);
        }
        let mut all = differences.to_vec();
        match sink.add(id, row).map_err(|fault| *fault) {
            Ok(()) => {}
            Err(RecordFault::Differs(more)) => all.extend(more),
            Err(RecordFault::Rule(fault)) => {
                let at = place(&fault);
                let finding = Diagnostic::error(Code::BadRecord, at, describe(fault.message));
                return self.bad_record(Findings::of(finding));
            }
        }
        // A field that differs from the job's and from the first record's is reported once.
        all.dedup();
        for key in all {
            let at = place(&FieldFault::new(key, ""));
            self.findings.push(difference(id, key, at));
        }
    }

    /// Handles a bad record as the options require.
    pub(crate) fn bad_record(&mut self, findings: Findings) {
        self.bad.take(findings, &mut self.findings);
    }

    /// The outcomes of units that sources report apart from their runs, so far.
    pub(crate) fn outcomes(&self) -> &UnitOutcomes {
        &self.outcomes
    }

    /// Adds the unread words of a piece.
    pub(crate) fn add_unread(
        &mut self,
        words: PieceUnread,
        name: &str,
        bytes: &[u8],
        lines: usize,
    ) {
        self.unread.piece(words, name, bytes, lines);
    }

    pub(crate) fn push(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
    }

    /// Takes the findings so far.
    pub(crate) fn take_findings(&mut self) -> Findings {
        self.findings.extend(self.omitted.take());
        std::mem::take(&mut self.findings)
    }

    /// The history so far, without its members.
    pub fn history(&self) -> History<F> {
        History {
            members: Vec::new(),
            queues: self.queues.clone(),
            reloads: self.reloads.clone(),
            skipped: self.bad.skipped,
            skipped_entries: self.skipped_entries.clone(),
            outcomes: self.outcomes.clone(),
            has_document: self.has_document,
            unread: self.unread.clone(),
        }
    }
}

/// The warning that a record has another value for a field of its unit than the unit's first record.
pub(super) fn difference(id: &str, key: &str, place: Place) -> Diagnostic {
    let message =
        format!("`{key}` of job `{id}` differs from that of its first record, which is used");
    Diagnostic::warning(Code::DifferentRecord, place, message)
}

/// The findings of a shape about a node.
pub(super) fn checked(document: &Document, node: &Node, shape: &'static Shape) -> Findings {
    let mut findings = Findings::new();
    check(&document.source, node, shape, KeyCase::Exact, &mut findings);
    findings
}

/// The finding about a text that is not a record, for which there is no other finding.
pub(super) fn no_record(source: &Arc<Source>) -> Diagnostic {
    let place = Place::new(source, Span::new(0, source.text().len()));
    Diagnostic::error(Code::BadRecord, place, "this is not a run record")
}
