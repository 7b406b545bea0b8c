//! Phase two: the units of a shard take their runs.

use super::Units;
use super::read::{Keyed, Parsed};
use super::shard::{NONE, Shard, Unit};
use crate::history::{
    Member, MemberLine, MemberNames, MemberRow, MemberRun, OwnFields, Prior, Says, Wrong,
};
use crate::simulate::key::Key;
use crate::simulate::names::Names;
use crate::simulate::replay::{Lone, Replay};
use crate::simulate::summary::{Demand, Summary};
use smallvec::SmallVec;

/// What a thread keeps from one piece to the next.
pub(super) struct Worker<'e, E: Units> {
    pub(super) names: MemberNames,
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
    pub(super) parsed: &'s Parsed<E::Own>,
    /// The piece's place in the batch.
    pub(super) piece: usize,
    /// Bytes before this piece.
    pub(super) before: u64,
}

impl<'e, E: Units> Worker<'e, E> {
    pub(super) fn new(engines: &'e [E], names: &'e Names, seed: u64) -> Self {
        let replay = |engine| Replay::new(engine, names, false).seeded(seed);
        Self {
            // No decision is written out, and no engine over units avoids nodes.
            names: MemberNames::without_places(),
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
    pub(super) fn shard(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        lines: &mut Vec<Keyed<E::Own>>,
    ) {
        // Units lie all over memory. Looked up one after another, with nothing between, several are
        // on their way at once.
        let mut known = std::mem::take(&mut worker.known);
        known.clear();
        known.extend(lines.iter().map(|line| shard.find(&line.key)));
        let units = shard.units.len();
        for (line, known) in lines.drain(..).zip(&known) {
            let is_new = known.is_none() && shard.units.len() > units;
            let known = if is_new { shard.find(&line.key) } else { *known };
            self.line(shard, worker, line, known);
        }
        worker.known = known;
    }

    fn line(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        Keyed { key, member, line: MemberLine { at, says, .. } }: Keyed<E::Own>,
        known: Option<usize>,
    ) {
        let trouble = |wrong| Trouble { piece: self.piece, at, wrong };
        let (id, row) = match says {
            Says::Run(id, row) => (self.parsed.told.ids.get(id).unwrap_or_default(), row),
            Says::Bad(of) => {
                if of.is_some() {
                    *shard.bad.entry((key, member)).or_default() += 1;
                }
                worker.troubles.push(trouble(None));
                return;
            }
        };
        let bad = if shard.bad.is_empty() {
            0
        } else {
            shard.bad.get(&(key, member)).copied().unwrap_or(0)
        };
        let of = Stood { key, member, id, place: self.before + at as u64 };
        let Some(number) = known else { return self.begin(shard, worker, &of, row, bad) };
        let unit = shard.units.get_mut(number);
        let MemberRow { queue, index, mut run } = row;
        if member != unit.member {
            shard.several.get_or_insert_with(|| (of.place, id.to_owned()));
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
        if queue.is_some() && queue != unit.queue {
            worker.troubles.push(trouble(Some(Wrong::Queue(id.to_owned()))));
        }
        if let Some((_, member)) = shard.kept.get_mut(unit.kept as usize) {
            member.runs.push(run);
            return;
        }
        let engines = worker.replays.iter_mut().zip(&mut worker.summaries);
        for ((replay, summary), (open, all)) in
            engines.zip(unit.open.iter_mut().zip(&mut shard.open))
        {
            let place = *open as usize;
            let Some(lone) = all.get_mut(place) else {
                // What its members ask for is not on record of any such unit.
                summary.passed_over(run.length(), Demand::default());
                continue;
            };
            lone.run(replay, None, &run, summary);
            if after_run(lone, &of, summary) {
                *open = NONE;
                all.remove(place).count(summary);
            }
        }
    }

    /// The first run of a unit.
    fn begin(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        of: &Stood<'_>,
        MemberRow { queue, index, mut run }: MemberRow<E::Own>,
        bad: u32,
    ) {
        run.run_index = index.unwrap_or(bad);
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
            queue,
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
                    u32::try_from(open.insert(lone)).unwrap_or(NONE)
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
