//! Phase two: the units of a shard take their runs.

use super::Units;
use super::read::{Keyed, Parsed};
use super::shard::{NONE, Shard, Unit};
use crate::history::{
    Member, MemberNames, MemberOrder, MemberRun, OwnFields, Prior, Said, Times, Wrong, whole,
};
use crate::simulate::key::{Key, hash_of};
use crate::simulate::names::Names;
use crate::simulate::replay::{Lone, Replay};
use crate::simulate::summary::{Demand, Summary};
use smallvec::SmallVec;
use std::hash::Hash;
use std::hint::black_box;

/// Bytes that come from memory together.
const CACHE_LINE: usize = 64;

/// What a thread keeps from one piece to the next.
pub(super) struct Worker<'e, E: Units> {
    queues: MemberNames,
    order: MemberOrder,
    /// Runs since somebody asked.
    pub(super) events: u64,
    replays: Vec<Replay<'e, E>>,
    pub(super) summaries: Vec<Summary>,
    pub(super) troubles: Vec<Trouble>,
    /// Room for the numbers of units that are looked up together.
    known: Vec<Option<usize>>,
    /// Room for the first run of a unit.
    first: Vec<MemberRun<E::Own>>,
}

/// A line that somebody has to look at again.
#[derive(Debug)]
pub(super) struct Trouble {
    /// The number of its piece in the batch.
    pub(super) piece: usize,
    /// Where it begins in the piece.
    pub(super) at: usize,
    /// What is wrong with it; nothing if it is no record.
    pub(super) wrong: Option<Wrong>,
}

/// A piece of a batch on its way to a shard.
pub(super) struct Step<'s, E: Units> {
    pub(super) engines: &'s [E],
    pub(super) is_strange: &'s (dyn Fn(usize, &str) -> bool + Sync),
    /// How many members units have, if that is known.
    pub(super) members: Option<u32>,
    /// Tells ids apart.
    pub(super) key: (u64, u64),
    pub(super) parsed: &'s Parsed<E::Own>,
    pub(super) bytes: &'s [u8],
    /// The piece's place in the batch.
    pub(super) piece: usize,
    /// Bytes before this piece.
    pub(super) before: u64,
}

impl<'e, E: Units> Worker<'e, E> {
    pub(super) fn new(engines: &'e [E], names: &'e Names, seed: u64) -> Self {
        let replay = |engine| Replay::new(engine, names, false).seeded(seed);
        Self {
            queues: MemberNames::default(),
            order: MemberOrder::default(),
            events: 0,
            replays: engines.iter().map(replay).collect(),
            summaries: engines.iter().map(|engine| Summary::new(engine.rules().len())).collect(),
            troubles: Vec::new(),
            known: Vec::new(),
            first: Vec::new(),
        }
    }
}

impl<E: Units> Step<'_, E> {
    /// Lets the units of a shard take their lines.
    pub(super) fn shard(&self, shard: &mut Shard<E>, worker: &mut Worker<'_, E>, lines: &[Keyed]) {
        // Lines and units lie all over memory. Looked at one after another, with nothing between,
        // several are on their way at once: 3 % of the time of a replay of sets.
        let bytes = |line: &Keyed| self.bytes.get(line.stands.clone()).unwrap_or_default();
        let touched = lines.iter().flat_map(|line| bytes(line).iter().step_by(CACHE_LINE));
        black_box(touched.fold(0, |all, byte| all ^ byte));
        let text = |line: &Keyed| str::from_utf8(bytes(line)).ok();
        let texts: Vec<&str> = lines.iter().map(|line| text(line).unwrap_or_default()).collect();
        let mut known = std::mem::take(&mut worker.known);
        known.clear();
        known.extend(lines.iter().map(|line| shard.find(&line.key)));
        let units = shard.units.len();
        for ((line, text), known) in lines.iter().zip(texts).zip(&known) {
            let is_new = known.is_none() && shard.units.len() > units;
            let known = if is_new { shard.find(&line.key) } else { *known };
            self.line(shard, worker, (line.key, line.stands.start), text, known);
        }
        worker.known = known;
    }

    fn line(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        (key, at): (Key, usize),
        text: &str,
        known: Option<usize>,
    ) {
        let trouble = |wrong| Trouble { piece: self.piece, at, wrong };
        let (mut said, mut clock) = (Said::<E::Own>::default(), self.parsed.clock_at(at));
        let Times { started, finished } =
            match whole(text, &mut clock, &mut worker.order, &mut said) {
                Ok(times) => times,
                Err(of) => {
                    if let Some((_, own)) = of {
                        let member = hash_of(self.key, |to| own.hash(to));
                        *shard.bad.entry((key, member)).or_default() += 1;
                    }
                    worker.troubles.push(trouble(None));
                    return;
                }
            };
        let Said { id, queue, index, own, .. } = said;
        worker.events += 1;
        let member = hash_of(self.key, |to| own.tell_key(to));
        if let Some((field, message)) = self.members.and_then(|members| own.stray(members)) {
            *shard.bad.entry((key, member)).or_default() += 1;
            worker.troubles.push(trouble(Some(Wrong::Fault(field, message))));
            return;
        }
        let bad = if shard.bad.is_empty() {
            0
        } else {
            shard.bad.get(&(key, member)).copied().unwrap_or(0)
        };
        let of = Stood { key, member, id: &id, place: self.before + at as u64 };
        // No decision is written out, and no engine over units avoids nodes.
        let mut run = MemberRun {
            run_index: index.unwrap_or(bad),
            started_at: started,
            finished_at: finished,
            node: None,
            cluster: None,
            own,
        };
        let Some(number) = known else {
            return self.begin(shard, worker, &of, run, queue.as_deref());
        };
        let unit = shard.units.get_mut(number);
        if member != unit.member {
            shard.several.get_or_insert_with(|| (of.place, of.id.to_owned()));
            return;
        }
        run.run_index = index.unwrap_or(unit.runs.saturating_add(bad));
        let time = run.time();
        let fault = unit.prior.fault(time, run.finished_at.is_some(), run.run_index);
        if let Some((field, message)) = fault {
            *shard.bad.entry((key, member)).or_default() += 1;
            worker.troubles.push(trouble(Some(Wrong::Fault(field, message))));
            return;
        }
        unit.prior = unit.prior.then(time, run.run_index);
        unit.runs = unit.runs.saturating_add(1);
        if queue.is_some() && queue.as_deref() != unit.queue.as_deref() {
            worker.troubles.push(trouble(Some(Wrong::Queue(of.id.to_owned()))));
        }
        if let Some((_, member)) = shard.kept.get_mut(unit.kept as usize) {
            member.runs.push(run);
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
            lone.run(replay, None, &run, summary);
            if after_run(lone, &of, summary)
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
        run: MemberRun<E::Own>,
        queue: Option<&str>,
    ) {
        for (engine, strangers) in shard.strangers.iter_mut().enumerate() {
            if (self.is_strange)(engine, of.id) {
                strangers.add(of.place, of.id);
            }
        }
        let clear = self.engines.iter().all(|engine| engine.is_clear(of.id, &run));
        let mut unit = Unit {
            key: of.key,
            member: of.member,
            prior: Prior::default().then(run.time(), run.run_index),
            runs: 1,
            queue: queue.map(|queue| worker.queues.kept(queue)),
            open: SmallVec::new(),
            kept: NONE,
        };
        let mut runs = std::mem::take(&mut worker.first);
        let (key, queue) = (run.own.key(), unit.queue.clone().unwrap_or_default());
        runs.push(run);
        let mut member = Member { unit: of.id.into(), queue, key, alone: true, runs };
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
            member.runs.clear();
            worker.first = member.runs;
        } else {
            unit.kept = u32::try_from(shard.kept.len()).unwrap_or(NONE);
            shard.kept.push((of.place, member));
        }
        shard.insert(unit);
    }
}

/// A line's unit, its member, and where it stands in the stream.
struct Stood<'l> {
    key: Key,
    member: u64,
    id: &'l str,
    place: u64,
}

/// Counts what of a unit's last run cannot have happened; says whether it is over.
fn after_run<E: Units>(lone: &mut Lone<E>, of: &Stood<'_>, summary: &mut Summary) -> bool {
    for contradiction in lone.contradictions() {
        summary.contradicted(of.place, of.id, &contradiction);
    }
    lone.is_over()
}
