//! A share of the jobs.

use super::Streamed;
use super::kinds::All;
use super::read::{Context, Worker};
use super::standing::{Standing, State};
use crate::simulate::blocks::Blocks;
use crate::simulate::key::{Key, halves, short};
use crate::simulate::replay::Outcome;
use crate::simulate::summary::Minute;
use crate::units::{GoDuration, Time};
use hashbrown::HashTable;
use std::collections::HashMap;

/// A job, whatever the policies.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Seen<P> {
    pub(super) key: Key,
    /// The latest time known, packed.
    latest: [u32; 2],
    pub(super) kind: u32,
    /// The number of its last run.
    pub(super) index: u32,
    /// Its good runs.
    pub(super) runs: u32,
    pub(super) passed: P,
}

/// Jobs, with where they stand under each engine.
pub(super) struct Shard<E: Streamed> {
    table: HashTable<u32>,
    pub(super) jobs: Blocks<Seen<E::Passed>>,
    /// Engine by engine, job by job.
    pub(super) standings: Vec<Blocks<Standing<E::Slot>>>,
    pub(super) spills: Vec<E::Spill>,
    /// Bad lines of a job: a run's position counts them too.
    pub(super) bad: HashMap<Key, u32>,
    /// Latest times that do not fit.
    far: HashMap<usize, Time>,
    /// Waits that do not fit: by engine and job, when they end.
    pub(super) waits: HashMap<(usize, usize), Option<Time>>,
}

/// A time as a shard remembers it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Latest {
    Unknown,
    /// Nanoseconds since 1970.
    Nanos(i64),
    /// One that nanoseconds cannot tell.
    At(Time),
}

impl Latest {
    pub(super) fn time(self) -> Option<Time> {
        match self {
            Self::Unknown => None,
            Self::Nanos(nanos) => Some(Time::from_epoch_nanos(nanos)),
            Self::At(time) => Some(time),
        }
    }

    /// Whether it is later than a time.
    pub(super) fn is_after(self, time: Time) -> bool {
        match self {
            Self::Unknown => false,
            Self::Nanos(nanos) => match time.epoch_nanos() {
                Some(time) => nanos > time,
                None => Time::from_epoch_nanos(nanos) > time,
            },
            Self::At(latest) => latest > time,
        }
    }

    /// So much later, where it stays what it is.
    pub(super) fn plus(self, wait: GoDuration) -> Self {
        match self {
            Self::Unknown => Self::Unknown,
            Self::Nanos(nanos) => match nanos.checked_add(wait.as_nanos()) {
                Some(nanos) => Self::Nanos(nanos),
                None => Self::At(Time::from_epoch_nanos(nanos).plus(wait)),
            },
            Self::At(time) => Self::At(time.plus(wait)),
        }
    }

    pub(super) fn minute(self) -> Option<Minute> {
        match self {
            Self::Unknown => None,
            Self::Nanos(nanos) => Some(Minute(nanos.div_euclid(MINUTE))),
            Self::At(time) => Some(Minute::of(time)),
        }
    }
}

/// Nanoseconds.
const MINUTE: i64 = 60_000_000_000;
const NONE: i64 = i64::MIN;
const FAR: i64 = i64::MIN + 1;

impl<E: Streamed> Shard<E> {
    pub(super) fn new(engines: usize) -> Self {
        Self {
            table: HashTable::new(),
            jobs: Blocks::default(),
            standings: (0..engines).map(|_| Blocks::default()).collect(),
            spills: (0..engines).map(|_| E::Spill::default()).collect(),
            bad: HashMap::new(),
            far: HashMap::new(),
            waits: HashMap::new(),
        }
    }

    /// The number of a job that has been met.
    pub(super) fn find(&self, key: &Key) -> Option<usize> {
        let found =
            self.table.find(short(key), |number| self.jobs.get(*number as usize).key == *key);
        found.map(|number| *number as usize)
    }

    /// Takes in a job that has not been met.
    pub(super) fn insert(
        &mut self,
        engines: &[E],
        key: Key,
        kind: u32,
        courses: &[E::Course],
    ) -> usize {
        let number = self.jobs.len();
        let latest = split(NONE);
        let (index, runs) = (0, 0);
        self.jobs.push(Seen { key, latest, kind, index, runs, passed: E::Passed::default() });
        for (place, engine) in engines.iter().enumerate() {
            let slot = engine.slot(&courses[place], &mut self.spills[place]);
            self.standings[place].push(Standing::new(slot));
        }
        let Self { table, jobs, .. } = self;
        let small = u32::try_from(number).unwrap_or(u32::MAX);
        table.insert_unique(short(&key), small, |number| short(&jobs.get(*number as usize).key));
        number
    }

    /// The latest time known of a job.
    pub(super) fn latest(&self, job: usize) -> Latest {
        match join(self.jobs.get(job).latest) {
            NONE => Latest::Unknown,
            FAR => self.far.get(&job).map_or(Latest::Unknown, |time| Latest::At(*time)),
            nanos => Latest::Nanos(nanos),
        }
    }

    pub(super) fn set_latest(&mut self, job: usize, time: Time) {
        let nanos = time.epoch_nanos().filter(|nanos| *nanos > FAR);
        if nanos.is_none() {
            self.far.insert(job, time);
        }
        self.jobs.get_mut(job).latest = split(nanos.unwrap_or(FAR));
    }

    /// Jobs that were granted a run that never came.
    pub(super) fn finish(
        &self,
        context: &Context<'_, E>,
        kinds: &All<'_, E::Course>,
        worker: &mut Worker<'_, E>,
    ) {
        for place in 0..context.engines.len() {
            let summary = &mut worker.summaries[place];
            for (job, standing) in self.jobs.iter().zip(self.standings[place].iter()) {
                if let State::Granted(rule) = standing.state() {
                    summary.unresolved(rule);
                    summary.ended(kinds[job.kind].queue, Outcome::Unresolved, true, None);
                }
            }
        }
    }
}

fn split(nanos: i64) -> [u32; 2] {
    halves(nanos.cast_unsigned())
}

fn join([low, high]: [u32; 2]) -> i64 {
    (u64::from(low) | u64::from(high) << 32).cast_signed()
}
