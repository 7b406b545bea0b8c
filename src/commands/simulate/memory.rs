//! Histories that are held in memory: documents, other programs' outputs, short streams, and those of
//! other systems' units that have several members.

use super::notes::{self, WithoutRuns};
use super::{Outcome, SimulateArgs, TimelinesName};
use crate::cli::Refusal;
use crate::diag::nearest;
use crate::history::{History, MemberHistory, OwnFields, PassedOver, UnreadWords};
use crate::simulate::{self, Described, Names, NoteReport, Options, Timelines};
use anyhow::Result;

/// What is known of a history beside its members.
#[derive(Debug, Clone, Default)]
pub(super) struct Read {
    has_document: bool,
    pub(super) skipped: usize,
    passed_over: Vec<PassedOver>,
    /// The notes of what else is to be noted.
    pub(super) notes: Vec<NoteReport>,
    unread: UnreadWords,
}

impl Read {
    /// What is known of Armada's.
    pub(super) fn of(history: &History) -> Self {
        let History { has_document, skipped, passed_over, unread, .. } = history;
        Self::new(*has_document, *skipped, passed_over, unread)
    }

    /// What is known of another system's.
    pub(super) fn of_members<F: OwnFields>(history: &MemberHistory<F>) -> Self {
        let MemberHistory { has_document, skipped, passed_over, unread, .. } = history;
        Self::new(*has_document, *skipped, passed_over, unread)
    }

    fn new(
        has_document: bool,
        skipped: usize,
        passed_over: &[PassedOver],
        unread: &UnreadWords,
    ) -> Self {
        let (passed_over, unread) = (passed_over.to_vec(), unread.clone());
        Self { has_document, skipped, passed_over, notes: Vec::new(), unread }
    }

    /// Why the history has no run, if it has none.
    pub(super) fn without_runs(&self) -> WithoutRuns {
        notes::without_runs(self.skipped, &self.passed_over)
    }

    /// The notes of what was read; with `--strict-records` an error if records have keys or
    /// conditions that nothing reads.
    pub(super) fn noted(&self, args: &SimulateArgs) -> Result<Vec<NoteReport>> {
        if args.strict_records && !self.unread.is_empty() {
            return Err(notes::refuse_unread(&self.unread).into());
        }
        let mut all = notes::of_history(self.skipped, &self.passed_over);
        all.extend(self.notes.iter().cloned());
        all.extend(notes::of_unread(&self.unread));
        Ok(all)
    }

    /// What is known of two parts of a history.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.has_document |= other.has_document;
        self.skipped += other.skipped;
        self.passed_over.extend(other.passed_over);
        self.notes.extend(other.notes);
        self.unread.merge(other.unread);
        self
    }
}

/// Replays members through every engine; timelines are the first one's.
pub(super) fn replay<E: Described>(
    args: &SimulateArgs,
    engines: &[E],
    names: &Names,
    members: &[E::Member],
    read: &Read,
) -> Result<Outcome> {
    let Some(first) = engines.first() else { return Err(Refusal::input("no policies").into()) };
    let ids = || members.iter().map(|member| first.id(member));
    let only = args.job.as_ref().map(|id| number_of(ids(), id)).transpose()?;
    let mut all = ids();
    let id = all.next();
    let one = id.is_some_and(|id| all.all(|other| other == id));
    let options = options(args, read, only, one);
    let notes = read.noted(args)?;
    let replayed = engines.iter().enumerate().map(|(number, engine)| {
        let timelines = if number == 0 { options.timelines } else { Timelines::None };
        simulate::replay(engine, names, members, Options { timelines, ..options })
    });
    Ok(Outcome { replayed: replayed.collect(), options, notes, without_runs: read.without_runs() })
}

/// `one` says whether the history is of one job.
fn options(args: &SimulateArgs, read: &Read, only: Option<usize>, one: bool) -> Options {
    let short = read.has_document || one || only.is_some();
    let timelines = match args.timelines {
        TimelinesName::All => Timelines::All,
        TimelinesName::Auto if short => Timelines::All,
        TimelinesName::None | TimelinesName::Auto => Timelines::None,
    };
    Options {
        timelines,
        assume: args.assume(),
        only,
        threads: args.threads(),
        skipped_records: read.skipped,
        seed: args.seed.unwrap_or_default(),
    }
}

/// The number of a job among these ids; an error with those whose names are near if there is none.
pub(super) fn number_of<'i>(ids: impl Iterator<Item = &'i str> + Clone, id: &str) -> Result<usize> {
    if let Some(number) = ids.clone().position(|other| other == id) {
        return Ok(number);
    }
    let near = nearest(id, ids, 3);
    let refusal = Refusal::input(format!("the history has no job `{id}`"));
    Err(match near.as_slice() {
        [] => refusal,
        near => {
            let near: Vec<String> = near.iter().map(|id| format!("`{id}`")).collect();
            refusal.help(format!("did you mean {}?", near.join(" or ")))
        }
    }
    .into())
}
