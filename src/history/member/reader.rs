//! Puts the members of units together, row by row, in the order of the histories.

use super::names::Names;
use super::rows::Row;
use super::{Member, MemberHistory, OwnFields};
use crate::diag::{Code, Diagnostic, Findings, Place};
use crate::history::OnBadRecord;
use crate::history::bad::BadRecords;
use crate::history::clock::Clock;
use crate::history::faults::Prior;
use crate::history::reader::differing;
use crate::history::sources::PassedOver;
use crate::history::unread::UnreadWords;
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Reads any number of histories of a system's units into one.
#[derive(Debug)]
pub struct MemberReader<F: OwnFields> {
    bad: BadRecords,
    /// How many members a unit has, where that is known: records of others are bad.
    of_unit: Option<u32>,
    /// The clock of the present stream of lines, and how many there were.
    pub(super) lines_clock: Clock,
    pub(super) lines_read: usize,
    pub(super) names: Names,
    /// Units by their ids.
    known: HashMap<Arc<str>, usize>,
    units: Vec<Unit>,
    members: Vec<Member<F>>,
    /// Of each member its unit, and what the next run is held against.
    standing: Vec<Standing>,
    /// The members of units that have several.
    of_key: HashMap<(usize, F::Key), usize>,
    /// Bad records by member: a run's position counts them too.
    bad_of: HashMap<String, BTreeMap<F::Key, usize>>,
    pub(super) findings: Findings,
    pub(super) passed_over: Vec<PassedOver>,
    pub(in crate::history) unread: UnreadWords,
    pub(super) has_document: bool,
}

/// A unit.
#[derive(Debug)]
struct Unit {
    id: Arc<str>,
    /// The queue that its first record names.
    queue: Option<Arc<str>>,
    /// The member that was met last: mostly it is the next one's too.
    last: usize,
    alone: bool,
}

#[derive(Debug)]
struct Standing {
    unit: usize,
    prior: Prior,
}

impl<F: OwnFields> MemberReader<F> {
    /// Nothing read yet.
    pub fn new(on_bad: OnBadRecord) -> Self {
        Self {
            bad: BadRecords::new(on_bad),
            of_unit: None,
            lines_clock: Clock::of_lines(),
            lines_read: 0,
            names: Names::default(),
            known: HashMap::new(),
            units: Vec::new(),
            members: Vec::new(),
            standing: Vec::new(),
            of_key: HashMap::new(),
            bad_of: HashMap::new(),
            findings: Findings::new(),
            passed_over: Vec::new(),
            unread: UnreadWords::default(),
            has_document: false,
        }
    }

    /// The same where units have so many members, if that is known.
    #[must_use]
    pub fn of_members(self, members: Option<u32>) -> Self {
        Self { of_unit: members, ..self }
    }

    /// Whether some member has been read.
    pub fn has_members(&self) -> bool {
        !self.members.is_empty()
    }

    /// Whether so many bad records were found that reading on helps nobody.
    pub fn is_full(&self) -> bool {
        self.bad.is_full()
    }

    /// Whether bad records are left out, so that nobody asks what is wrong with them.
    pub(super) fn leaves_out(&self) -> bool {
        self.bad.are_left_out()
    }

    /// Adds a run to its member, unless there is none such, or it breaks a rule between the two. A
    /// first run breaks none, so that no member is without runs. Whether it was added.
    pub(super) fn run(&mut self, id: &str, row: Row<F>, place: impl Fn(&str) -> Place) -> bool {
        self.run_of(id, row, place, |message| message)
    }

    /// The same for a source that has a name for a run: `name` puts it into messages.
    pub(super) fn run_of(
        &mut self,
        id: &str,
        row: Row<F>,
        place: impl Fn(&str) -> Place,
        name: impl Fn(String) -> String,
    ) -> bool {
        if let Some((key, message)) = self.of_unit.and_then(|most| row.run.own.stray(most)) {
            let mut findings = Findings::new();
            findings.push(Diagnostic::error(Code::BadRecord, place(key), name(message)));
            self.bad_record(Some((id, row.run.own.key())), findings);
            return false;
        }
        let bad = self.bad_before(id, &row.run.own);
        let unit = self.unit(id, row.queue.as_ref());
        let number = self.member(unit, &row.run.own);
        let (Some(member), Some(standing)) =
            (self.members.get_mut(number), self.standing.get_mut(number))
        else {
            return false;
        };
        let mut run = row.run;
        let position = u32::try_from(member.runs.len() + bad).unwrap_or(u32::MAX);
        run.run_index = row.index.unwrap_or(position);
        let time = run.time();
        let fault = standing.prior.fault(time, run.finished_at.is_some(), run.run_index);
        if let Some((key, message)) = fault {
            let key_of_member = member.key.clone();
            let mut findings = Findings::new();
            findings.push(Diagnostic::error(Code::BadRecord, place(key), name(message)));
            self.bad_record(Some((id, key_of_member)), findings);
            return false;
        }
        standing.prior = standing.prior.then(time, run.run_index);
        if member.runs.len() == member.runs.capacity() {
            // Most members have a run or two: the usual room for four would be most of it all.
            member.runs.reserve_exact(member.runs.len().max(1));
        }
        member.runs.push(run);
        let own = self.units.get(unit).and_then(|unit| unit.queue.as_ref());
        if row.queue.is_some() && own != row.queue.as_ref() {
            self.findings.push(differing(id, "queue", place("queue")));
        }
        true
    }

    /// The number of a unit; one that is new has the queue that its first record names.
    fn unit(&mut self, id: &str, queue: Option<&Arc<str>>) -> usize {
        if let Some(number) = self.known.get(id) {
            return *number;
        }
        let (id, number): (Arc<str>, _) = (id.into(), self.units.len());
        self.known.insert(Arc::clone(&id), number);
        self.units.push(Unit { id, queue: queue.cloned(), last: usize::MAX, alone: true });
        number
    }

    /// The number of a member of a unit.
    fn member(&mut self, number: usize, run: &F) -> usize {
        let new = self.members.len();
        let Some(unit) = self.units.get_mut(number) else { return new };
        let known = match self.members.get(unit.last) {
            None => new,
            Some(last) if run.is_of(&last.key) => unit.last,
            Some(last) => {
                if unit.alone {
                    unit.alone = false;
                    self.of_key.insert((number, last.key.clone()), unit.last);
                }
                *self.of_key.entry((number, run.key())).or_insert(new)
            }
        };
        unit.last = known;
        if known == new {
            self.standing.push(Standing { unit: number, prior: Prior::default() });
            let queue = unit.queue.clone().unwrap_or_default();
            let unit = Arc::clone(&unit.id);
            let key = run.key();
            self.members.push(Member { unit, queue, key, alone: true, runs: Vec::new() });
        }
        known
    }

    /// Bad records of a member so far.
    fn bad_before(&self, id: &str, run: &F) -> usize {
        if self.bad_of.is_empty() {
            return 0;
        }
        self.bad_of.get(id).and_then(|of_unit| of_unit.get(&run.key())).copied().unwrap_or(0)
    }

    /// Takes a bad record, and counts it for its member if that is known.
    pub(super) fn bad_record(&mut self, of: Option<(&str, F::Key)>, findings: Findings) {
        if let Some((id, key)) = of {
            *self.bad_of.entry_ref(id).or_default().entry(key).or_default() += 1;
        }
        self.bad.take(findings, &mut self.findings);
    }

    /// The history, and what was found in it.
    pub fn finish(mut self) -> (MemberHistory<F>, Findings) {
        drop((self.known, self.of_key, self.bad_of));
        for (member, standing) in self.members.iter_mut().zip(&self.standing) {
            member.alone = self.units.get(standing.unit).is_none_or(|unit| unit.alone);
        }
        let mut members = self.members;
        if !self.standing.is_sorted_by_key(|standing| standing.unit) {
            let mut by_unit: Vec<_> =
                self.standing.iter().map(|standing| standing.unit).zip(members).collect();
            by_unit.sort_by_key(|(unit, _)| *unit);
            members = by_unit.into_iter().map(|(_, member)| member).collect();
        }
        let history = MemberHistory {
            members,
            skipped: self.bad.skipped,
            passed_over: self.passed_over,
            unread: self.unread,
            has_document: self.has_document,
        };
        (history, self.findings)
    }
}
