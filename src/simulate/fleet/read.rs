//! Phase one: the lines of a piece become events.

use super::Streamed;
use super::event::{Event, Parsed, What};
use super::kinds::{Kinds, KnownKinds};
use super::trouble::Trouble;
use crate::history::{
    Clock, GraceBounds, Outcome, Piece, RECORD, Record, fill_from_line, id_of_line, lines,
};
use crate::simulate::key::key_of;
use crate::simulate::names::{Names, Nameset};
use crate::simulate::summary::{Ending, Summary};

/// What all threads share.
pub(super) struct Context<'c, E: Streamed> {
    pub(super) engines: &'c [E],
    pub(super) kinds: &'c Kinds<E::Course>,
    pub(super) bounds: GraceBounds,
    pub(super) only: Option<&'c str>,
    pub(super) key: (u64, u64),
}

/// What a thread keeps from one piece to the next.
pub(super) struct Worker<'n, E: Streamed> {
    kinds: KnownKinds<E::Course>,
    pub(super) names: Nameset<'n>,
    pub(super) memory: Vec<E::Memory>,
    pub(super) summaries: Vec<Summary>,
    pub(super) troubles: Vec<Trouble>,
    /// Kinds of which it met the first job.
    pub(super) met: Vec<u32>,
    /// Room for the numbers of jobs that are looked up together.
    pub(super) known: Vec<Option<usize>>,
}

impl<'n, E: Streamed> Worker<'n, E> {
    /// A worker for engines of so many rules each.
    pub(super) fn new(names: &'n Names, rules: &[usize]) -> Self {
        Self {
            kinds: KnownKinds::default(),
            names: Nameset::new(names),
            memory: rules.iter().map(|_| E::Memory::default()).collect(),
            summaries: rules.iter().map(|rules| Summary::new(*rules)).collect(),
            troubles: Vec::new(),
            met: Vec::new(),
            known: Vec::new(),
        }
    }

    /// Reads a piece, whose times are written as `clock` has it or as its first one is.
    pub(super) fn read(
        &mut self,
        context: &Context<'_, E>,
        piece: &Piece,
        clock: Clock,
        parsed: &mut Parsed<E>,
    ) {
        parsed.begin(clock);
        // One look at a whole piece is cheaper than one a line.
        let text = std::str::from_utf8(&piece.bytes).ok();
        let mut record = Record::default();
        for (at, line) in lines(&piece.bytes, piece.begins) {
            parsed.lines += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let place = u32::try_from(at).unwrap_or(u32::MAX);
            let whole = text.and_then(|text| text.get(at..at + line.len()));
            let line = whole.map_or_else(|| std::str::from_utf8(line), Ok).ok();
            match line {
                Some(line) => {
                    self.line(context, line.trim_ascii_end(), place, &mut record, parsed);
                }
                None => Self::bad(context, None, place, parsed),
            }
        }
    }

    fn line<'t>(
        &mut self,
        context: &Context<'_, E>,
        line: &'t str,
        at: u32,
        record: &mut Record<'t>,
        parsed: &mut Parsed<E>,
    ) {
        let is_run = fill_from_line(line, &mut parsed.clock, record);
        if parsed.timed.is_none() && parsed.clock.has_read() {
            parsed.timed = Some(at);
        }
        if !is_run || record.may_have_unread() {
            parsed.unread.line(line, &RECORD, at as usize);
        }
        if is_run {
            self.event(context, record, at, parsed);
        } else {
            Self::bad(context, id_of_line(line).as_deref(), at, parsed);
        }
    }

    fn event(
        &mut self,
        context: &Context<'_, E>,
        record: &Record<'_>,
        at: u32,
        parsed: &mut Parsed<E>,
    ) {
        let run = &record.fields.run;
        let (kind, known) =
            self.kinds.number(context.kinds, context.engines, self.names.names(), &record.job);
        let suspect =
            !context.bounds.take(run.termination_grace) || run.outcome == Outcome::Stopped;
        let key = key_of(context.key, &record.id);
        let share = parsed.share(key);
        let mut uncaught = false;
        for (number, engine) in context.engines.iter().enumerate() {
            let found = engine.find(&known.courses[number], run, &mut self.memory[number]);
            uncaught |= E::uncaught(found);
            share.found.push(found);
        }
        let ending = E::run_ending(run);
        uncaught &= ending != Ending::Succeeded;
        share.events.push(Event {
            key,
            at,
            kind,
            category: self.names.category(run.category.as_deref()),
            group: uncaught.then(|| self.names.group(&E::run_labels(run))),
            index: record.fields.index,
            time: run.time(),
            started: run.started_at,
            length: run.length(),
            ending,
            what: match context.only {
                Some(only) if only == record.id => What::Keep,
                _ if suspect => What::Suspect,
                _ => What::Judge,
            },
            glance: context.engines[0].glance(run),
        });
        parsed.runs += 1;
    }

    /// A line that is no run. Its job counts it all the same: a run's position does.
    fn bad(context: &Context<'_, E>, id: Option<&str>, at: u32, parsed: &mut Parsed<E>) {
        let key = key_of(context.key, id.unwrap_or_default());
        let share = parsed.share(key);
        share.found.extend(context.engines.iter().map(|_| E::Found::default()));
        share.events.push(Event {
            key,
            at,
            kind: 0,
            category: 0,
            group: None,
            index: None,
            time: None,
            started: None,
            length: None,
            ending: Ending::Other,
            what: What::Bad,
            glance: E::Glance::default(),
        });
    }
}
