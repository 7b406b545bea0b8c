//! Phase two: the units of a shard take their runs.

use super::Units;
use super::heard::{Heard, hear};
use super::read::{Keyed, Parsed};
use super::shard::{NONE, Shard, Unit};
use super::worker::{Trouble, Worker};
use crate::history::{Member, MemberRun, OwnFields, PieceUnread, Prior, Wrong};
use crate::simulate::key::{Key, hash_of};
use crate::simulate::replay::Lone;
use crate::simulate::summary::{Demand, Summary};
use smallvec::SmallVec;
use std::hash::Hash;

/// So many lines are read before the first of them is judged.
const TOGETHER: usize = 24;

/// A piece of a batch on its way to a shard.
pub(super) struct Step<'s, E: Units> {
    pub(super) engines: &'s [E],
    pub(super) is_strange: &'s (dyn Fn(usize, &str) -> bool + Sync),
    /// How many members units have, if that is known.
    pub(super) members: Option<u32>,
    /// Tells ids apart.
    pub(super) key: (u64, u64),
    pub(super) parsed: &'s Parsed<E::Own>,
    /// The piece, and the text that it is, if it is one.
    pub(super) bytes: &'s [u8],
    pub(super) text: Option<&'s str>,
    /// The piece's place in the batch.
    pub(super) piece: usize,
    /// Bytes before this piece.
    pub(super) before: u64,
}

impl<E: Units> Step<'_, E> {
    /// Lets the units of a shard take their lines.
    pub(super) fn shard(&self, shard: &mut Shard<E>, worker: &mut Worker<'_, E>, lines: &[Keyed]) {
        let mut unread = PieceUnread::default();
        for lines in lines.chunks(TOGETHER) {
            self.together(shard, worker, lines, &mut unread);
        }
        if !unread.is_empty() {
            worker.unread.push((self.piece, unread));
        }
    }

    /// Reads some lines, then lets their units take them.
    fn together(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        lines: &[Keyed],
        unread: &mut PieceUnread,
    ) {
        let (mut known, mut runs) =
            (std::mem::take(&mut worker.known), std::mem::take(&mut worker.runs));
        known.clear();
        known.extend(lines.iter().map(|line| shard.find(&line.key)));
        let units = shard.units.len();
        let heard = hear(self, lines, &mut runs, &mut worker.order, unread);
        for (((line, heard), run), known) in lines.iter().zip(&heard).zip(&mut runs).zip(&known) {
            let is_new = known.is_none() && shard.units.len() > units;
            let known = if is_new { shard.find(&line.key) } else { *known };
            self.line(shard, worker, (line, heard), known, run);
        }
        (worker.known, worker.runs) = (known, runs);
    }

    /// Hands what a line says, and its run, on to its unit.
    fn line(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        (line, heard): (&Keyed, &Heard<'_, E::Own>),
        known: Option<usize>,
        run: &mut MemberRun<E::Own>,
    ) {
        let (key, at) = (line.key, line.stands.start);
        let said = &heard.said;
        let (member, times) = match &heard.of {
            Ok((member, times)) => (*member, times),
            Err(of) => {
                if let Some((_, own)) = of {
                    let member = hash_of(self.key, |to| own.hash(to));
                    *shard.bad.entry((key, member)).or_default() += 1;
                }
                worker.troubles.push(Trouble { piece: self.piece, at, wrong: None });
                return;
            }
        };
        worker.events += 1;
        let stray = self.members.and_then(|members| run.own.stray(members));
        if let Some((field, message)) = stray {
            *shard.bad.entry((key, member)).or_default() += 1;
            let wrong = Some(Wrong::Fault(field, message));
            worker.troubles.push(Trouble { piece: self.piece, at, wrong });
            return;
        }
        let bad = if shard.bad.is_empty() { None } else { shard.bad.get(&(key, member)).copied() };
        let place = self.before + at as u64;
        let queue = said.queue.as_deref();
        let of = Stood { key, member, id: &said.id, queue, at, place, bad: bad.unwrap_or(0) };
        (run.started_at, run.finished_at) = (times.started, times.finished);
        match known {
            None => {
                run.run_index = said.index.unwrap_or(of.bad);
                self.begin(shard, worker, &of, run);
            }
            Some(number) => self.follow(shard, worker, &of, (number, said.index), run),
        }
    }

    /// A run of a unit that has begun. Its number is the one given, else its place among the
    /// unit's.
    fn follow(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        of: &Stood<'_>,
        (number, index): (usize, Option<u32>),
        run: &mut MemberRun<E::Own>,
    ) {
        let trouble = |wrong| Trouble { piece: self.piece, at: of.at, wrong: Some(wrong) };
        let unit = shard.units.get_mut(number);
        if of.member != unit.member {
            shard.several.get_or_insert_with(|| (of.place, of.id.to_owned()));
            return;
        }
        run.run_index = index.unwrap_or(unit.runs.saturating_add(of.bad));
        let time = run.time();
        let fault = unit.prior.fault(time, run.finished_at.is_some(), run.run_index);
        if let Some((field, message)) = fault {
            *shard.bad.entry((of.key, of.member)).or_default() += 1;
            worker.troubles.push(trouble(Wrong::Fault(field, message)));
            return;
        }
        unit.prior = unit.prior.then(time, run.run_index);
        unit.runs = unit.runs.saturating_add(1);
        if of.queue.is_some() && of.queue != unit.queue.as_deref() {
            worker.troubles.push(trouble(Wrong::Queue(of.id.to_owned())));
        }
        if let Some((_, member)) = shard.kept.get_mut(unit.kept as usize) {
            member.runs.push(std::mem::take(run));
            return;
        }
        let engines = worker.replays.iter_mut().zip(&mut worker.summaries);
        for ((replay, summary), (open, all)) in
            engines.zip(unit.open.iter_mut().zip(&mut shard.open))
        {
            let Some(lone) = all.get_mut(*open) else {
                // What its members ask for is not on record of any such unit.
                summary.passed_over(run.length(), Demand::default());
                continue;
            };
            lone.run(replay, None, run, summary);
            if after_run(lone, of, summary)
                && let Some(lone) = all.remove(std::mem::replace(open, NONE))
            {
                lone.count(summary);
            }
        }
    }

    /// The first run of a unit.
    fn begin(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        of: &Stood<'_>,
        run: &mut MemberRun<E::Own>,
    ) {
        for (engine, strangers) in shard.strangers.iter_mut().enumerate() {
            if (self.is_strange)(engine, of.id) {
                strangers.add(of.place, of.id);
            }
        }
        let clear = self.engines.iter().all(|engine| engine.is_clear(of.id, run));
        let mut unit = Unit {
            key: of.key,
            member: of.member,
            prior: Prior::default().then(run.time(), run.run_index),
            runs: 1,
            queue: of.queue.map(|queue| worker.queues.kept(queue)),
            open: SmallVec::new(),
            kept: NONE,
        };
        let (key, queue) = (run.own.key(), unit.queue.clone().unwrap_or_default());
        let mut runs = std::mem::take(&mut worker.first);
        runs.resize_with(1, MemberRun::default);
        std::mem::swap(&mut runs[0], run);
        let member = Member { unit: of.id.into(), queue, key, alone: true, runs };
        if clear {
            let engines = worker.replays.iter_mut().zip(&mut worker.summaries);
            for ((replay, summary), open) in engines.zip(&mut shard.open) {
                let mut lone = Lone::new(replay, &member);
                for run in &member.runs {
                    lone.run(replay, None, run, summary);
                }
                unit.open.push(if after_run(&mut lone, of, summary) {
                    lone.count(summary);
                    NONE
                } else {
                    open.insert(lone)
                });
            }
            worker.first = member.runs;
        } else {
            unit.kept = u32::try_from(shard.kept.len()).unwrap_or(NONE);
            shard.kept.push((of.place, member));
        }
        shard.insert(unit);
    }
}

/// A line's unit and its member, and where it stands.
struct Stood<'l> {
    key: Key,
    member: u64,
    id: &'l str,
    /// The queue that it names.
    queue: Option<&'l str>,
    /// Where it begins in its piece, and in the stream.
    at: usize,
    place: u64,
    /// Bad records of the member before it.
    bad: u32,
}

/// Counts what of a unit's last run cannot have happened; says whether it is over.
fn after_run<E: Units>(lone: &mut Lone<E>, of: &Stood<'_>, summary: &mut Summary) -> bool {
    for contradiction in lone.contradictions() {
        summary.contradicted(of.place, of.id, &contradiction);
    }
    lone.is_over()
}
