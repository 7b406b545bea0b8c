//! Histories that are held in memory: documents, other programs' outputs, short streams, and those of
//! other systems' units that have several members.

use super::{Outcome, SimulateArgs, TimelinesName, notes};
use crate::cli::Refusal;
use crate::diag::nearest;
use crate::history::{History, MemberHistory, OwnFields, PassedOver, UnreadWords};
use crate::simulate::{self, Described, Names, NoteKind, NoteReport, Options, Timelines};
use anyhow::Result;

/// What is known of a history beside its members.
#[derive(Debug, Clone, Default)]
pub(super) struct Read {
    has_document: bool,
    pub(super) skipped: usize,
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
        let notes = notes::of_history(skipped, passed_over);
        Self { has_document, skipped, notes, unread: unread.clone() }
    }

    /// The notes of what was read; with `--strict-records` an error if records have keys or
    /// conditions that nothing reads.
    pub(super) fn noted(&self, args: &SimulateArgs) -> Result<Vec<NoteReport>> {
        if args.strict_records && !self.unread.is_empty() {
            return Err(notes::refuse_unread(&self.unread).into());
        }
        Ok(self.notes.iter().cloned().chain(notes::of_unread(&self.unread)).collect())
    }

    /// What is known of two parts of a history.
    pub(super) fn and(self, other: Self) -> Self {
        let skipped = self.skipped + other.skipped;
        let passed_over = |note: &NoteReport| note.kind == NoteKind::PassedOver;
        let others = self.notes.into_iter().chain(other.notes).filter(passed_over);
        // Both parts' bad records are one number.
        let notes = notes::of_history(skipped, &[]).into_iter().chain(others).collect();
        let mut unread = self.unread;
        unread.merge(other.unread);
        Self { has_document: self.has_document || other.has_document, skipped, notes, unread }
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
    Ok(Outcome { replayed: replayed.collect(), options, notes })
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
        seed: args.seed,
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
