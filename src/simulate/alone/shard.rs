//! Phase two: the units of a shard take their runs.

use super::Units;
use super::read::{Keyed, Parsed};
use crate::history::{
    Member, MemberLine, MemberNames, MemberRow, MemberRun, OwnFields, Prior, Says, Wrong,
};
use crate::simulate::blocks::Blocks;
use crate::simulate::key::{Key, short};
use crate::simulate::names::Names;
use crate::simulate::replay::{Lone, Replay};
use crate::simulate::summary::{Demand, Summary};
use hashbrown::{HashMap, HashTable};
use std::sync::Arc;

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

/// A share of the units.
pub(super) struct Shard<E: Units> {
    table: HashTable<u32>,
    units: Blocks<Unit<E::Own>>,
    /// Engine by engine, unit by unit; none that is over or kept whole.
    standings: Vec<Blocks<Option<Box<Lone<E>>>>>,
    /// Units that are kept whole, and where they stand in the stream.
    pub(super) kept: Vec<(u64, Member<E::Own>)>,
    /// Bad records by member: a run's position counts them too.
    bad: HashMap<(Key, <E::Own as OwnFields>::Key), u32>,
    pub(super) strange: u64,
    pub(super) stranger: Option<(u64, String)>,
    pub(super) several: Option<(u64, String)>,
}

/// A unit, whatever the engines.
struct Unit<F: OwnFields> {
    key: Key,
    /// Its member.
    member: F::Key,
    prior: Prior,
    /// Its good runs.
    runs: u32,
    /// The queue that its first record names.
    queue: Option<Arc<str>>,
    /// Its place among the units that are kept whole, if it is one.
    kept: Option<u32>,
}

/// A piece of a batch on its way to a shard.
pub(super) struct Step<'s, E: Units> {
    pub(super) engines: &'s [E],
    pub(super) is_strange: &'s (dyn Fn(&str) -> bool + Sync),
    pub(super) parsed: &'s Parsed<E::Own>,
    /// The piece's place in the batch.
    pub(super) piece: usize,
    /// Bytes before this piece.
    pub(super) before: u64,
}

impl<'e, E: Units> Worker<'e, E> {
    pub(super) fn new(engines: &'e [E], names: &'e Names) -> Self {
        Self {
            // No decision is written out, and no engine over units avoids nodes.
            names: MemberNames::without_places(),
            replays: engines.iter().map(|engine| Replay::new(engine, names, false)).collect(),
            summaries: engines.iter().map(|engine| Summary::new(engine.rules().len())).collect(),
            troubles: Vec::new(),
            known: Vec::new(),
            first: Vec::new(),
        }
    }
}

impl<E: Units> Shard<E> {
    pub(super) fn new(engines: usize) -> Self {
        Self {
            table: HashTable::new(),
            units: Blocks::default(),
            standings: (0..engines).map(|_| Blocks::default()).collect(),
            kept: Vec::new(),
            bad: HashMap::new(),
            strange: 0,
            stranger: None,
            several: None,
        }
    }

    /// How many units there are.
    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    fn find(&self, key: &Key) -> Option<usize> {
        let is_it = |number: &u32| self.units.get(*number as usize).key == *key;
        self.table.find(short(key), is_it).map(|number| *number as usize)
    }

    fn insert(&mut self, unit: Unit<E::Own>) -> usize {
        let (key, number) = (unit.key, self.units.len());
        self.units.push(unit);
        let Self { table, units, .. } = self;
        let small = u32::try_from(number).unwrap_or(u32::MAX);
        table.insert_unique(short(&key), small, |number| short(&units.get(*number as usize).key));
        number
    }

    /// Units that were granted a run that never came, or whose records end.
    pub(super) fn finish(&mut self, summaries: &mut [Summary]) {
        for (standings, summary) in self.standings.iter_mut().zip(summaries) {
            for lone in std::mem::take(standings).into_iter().flatten() {
                lone.count(summary);
            }
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
        for (Keyed { key, line }, known) in lines.drain(..).zip(&known) {
            let is_new = known.is_none() && shard.units.len() > units;
            let known = if is_new { shard.find(&key) } else { *known };
            self.line(shard, worker, key, line, known);
        }
        worker.known = known;
    }

    fn line(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        key: Key,
        MemberLine { at, says, .. }: MemberLine<E::Own>,
        known: Option<usize>,
    ) {
        let trouble = |wrong| Trouble { piece: self.piece, at, wrong };
        let (id, row) = match says {
            Says::Run(id, row) => (self.parsed.told.ids.get(id).unwrap_or_default(), row),
            Says::Bad(of) => {
                if let Some((_, member)) = of {
                    *shard.bad.entry((key, member)).or_default() += 1;
                }
                worker.troubles.push(trouble(None));
                return;
            }
        };
        let bad = if shard.bad.is_empty() {
            0
        } else {
            shard.bad.get(&(key, row.run.own.key())).copied().unwrap_or(0)
        };
        let place = self.before + at as u64;
        let Some(number) = known else {
            return self.begin(shard, worker, (key, id, place), row, bad);
        };
        let unit = shard.units.get_mut(number);
        let MemberRow { queue, index, mut run } = row;
        if !run.own.is_of(&unit.member) {
            shard.several.get_or_insert_with(|| (place, id.to_owned()));
            return;
        }
        run.run_index = index.unwrap_or(unit.runs.saturating_add(bad));
        let time = run.time();
        let fault = unit.prior.fault(time, run.finished_at.is_some(), run.run_index);
        if let Some((field, message)) = fault {
            *shard.bad.entry((key, run.own.key())).or_default() += 1;
            worker.troubles.push(trouble(Some(Wrong::Fault(field, message))));
            return;
        }
        unit.prior = unit.prior.then(time, run.run_index);
        unit.runs = unit.runs.saturating_add(1);
        if queue.is_some() && queue != unit.queue {
            worker.troubles.push(trouble(Some(Wrong::Queue(id.to_owned()))));
        }
        if let Some(kept) = unit.kept {
            if let Some((_, member)) = shard.kept.get_mut(kept as usize) {
                member.runs.push(run);
            }
            return;
        }
        for (engine, replay) in worker.replays.iter_mut().enumerate() {
            let summary = &mut worker.summaries[engine];
            let slot = shard.standings[engine].get_mut(number);
            match slot {
                None => summary.passed_over(run.length(), Demand::default()),
                Some(lone) => {
                    lone.run(replay, None, &run, summary);
                    settle(slot, (place, id), summary);
                }
            }
        }
    }

    /// The first run of a unit.
    fn begin(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        (key, id, place): (Key, &str, u64),
        MemberRow { queue, index, mut run }: MemberRow<E::Own>,
        bad: u32,
    ) {
        run.run_index = index.unwrap_or(bad);
        if (self.is_strange)(id) {
            shard.strange += 1;
            shard.stranger.get_or_insert_with(|| (place, id.to_owned()));
        }
        let clear = self.engines.iter().all(|engine| engine.is_clear(id, &run));
        let prior = Prior::default().then(run.time(), run.run_index);
        let (member, of_queue) = (run.own.key(), queue.clone().unwrap_or_default());
        let mut runs = std::mem::take(&mut worker.first);
        runs.push(run);
        let mut unit = Member { unit: id.into(), queue: of_queue, key: member, alone: true, runs };
        for (engine, replay) in worker.replays.iter_mut().enumerate() {
            let summary = &mut worker.summaries[engine];
            let mut slot = None;
            if clear {
                let lone = slot.insert(Box::new(Lone::new(replay, &unit)));
                for run in &unit.runs {
                    lone.run(replay, None, run, summary);
                }
                settle(&mut slot, (place, id), summary);
            }
            shard.standings[engine].push(slot);
        }
        let kept = (!clear).then(|| u32::try_from(shard.kept.len()).unwrap_or(u32::MAX));
        let member = if clear {
            unit.runs.clear();
            worker.first = unit.runs;
            unit.key
        } else {
            let member = unit.key.clone();
            shard.kept.push((place, unit));
            member
        };
        shard.insert(Unit { key, member, prior, runs: 1, queue, kept });
    }
}

/// Counts what cannot have happened, and the unit itself once nothing more is reached of it.
fn settle<E: Units>(
    slot: &mut Option<Box<Lone<E>>>,
    (place, id): (u64, &str),
    summary: &mut Summary,
) {
    if let Some(lone) = slot {
        for contradiction in lone.contradictions() {
            summary.contradicted(place, id, &contradiction);
        }
    }
    if let Some(lone) = slot.take_if(|lone| lone.is_over()) {
        lone.count(summary);
    }
}
