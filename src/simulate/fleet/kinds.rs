//! What records say of their jobs. Most jobs of a queue say the same, so it is kept once.

use super::Streamed;
use crate::history::{Job, JobFields};
use crate::simulate::names::Names;
use crate::simulate::summary::Demand;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use std::borrow::Cow;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// What jobs alike say.
#[derive(Debug)]
pub(super) struct Kind<C> {
    pub(super) fields: JobFields,
    /// The number of the queue.
    pub(super) queue: u32,
    pub(super) demand: Demand,
    /// The course that each engine takes with such a job.
    pub(super) courses: Vec<C>,
    /// Whether such a job is kept whole: it is in a gang, whether an engine asks for gangs or not.
    pub(super) kept: bool,
    /// Whether there is such a job. What a job's later records say makes none.
    met: AtomicBool,
}

/// All kinds met. Their numbers hang on the order of meeting and are never shown.
#[derive(Debug)]
pub(super) struct Kinds<C> {
    hasher: DefaultHashBuilder,
    met: RwLock<Met<C>>,
}

#[derive(Debug)]
struct Met<C> {
    /// The hash of each kind's fields, and its number.
    table: HashTable<(u64, u32)>,
    kinds: Vec<Arc<Kind<C>>>,
}

/// The kinds there are, by number.
pub(super) struct All<'k, C>(RwLockReadGuard<'k, Met<C>>);

impl<C> Default for Kinds<C> {
    fn default() -> Self {
        let met = Met { table: HashTable::new(), kinds: Vec::new() };
        Self { hasher: DefaultHashBuilder::default(), met: RwLock::new(met) }
    }
}

impl<C> std::ops::Index<u32> for All<'_, C> {
    type Output = Kind<C>;

    fn index(&self, number: u32) -> &Kind<C> {
        &self.0.kinds[number as usize]
    }
}

impl<C> Kinds<C> {
    /// All kinds by number. No new one can be met while they are looked at.
    pub(super) fn all(&self) -> All<'_, C> {
        All(self.met.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Kinds by number, as jobs; in an order that hangs on what they say only.
    pub(super) fn jobs(&self, numbers: impl Iterator<Item = u32>) -> Vec<Job> {
        let all = self.all();
        let mut jobs: Vec<Job> = numbers.map(|number| all[number].fields.job("")).collect();
        jobs.sort_by(|one, other| {
            (&one.queue, &one.annotations).cmp(&(&other.queue, &other.annotations))
        });
        jobs
    }

    /// The number of a kind, which is made if it is new.
    fn number<E: Streamed<Course = C>>(
        &self,
        engines: &[E],
        names: &Names,
        hash: u64,
        fields: &JobFields<Cow<'_, str>>,
    ) -> (u32, Arc<Kind<C>>) {
        let mut met = self.met.write().unwrap_or_else(PoisonError::into_inner);
        let Met { table, kinds } = &mut *met;
        let known = table.find(hash, |(_, number)| same(&kinds[*number as usize].fields, fields));
        let number = known
            .map_or_else(|| u32::try_from(kinds.len()).unwrap_or(u32::MAX), |(_, number)| *number);
        if number as usize == kinds.len() {
            kinds.push(Arc::new(Kind::new(engines, names, fields.to_owned())));
            table.insert_unique(hash, (hash, number), |(hash, _)| *hash);
        }
        (number, Arc::clone(&kinds[number as usize]))
    }
}

impl<C> Kind<C> {
    fn new<E: Streamed<Course = C>>(engines: &[E], names: &Names, fields: JobFields) -> Self {
        let job = fields.job("");
        Self {
            queue: names.queue(&job.queue),
            demand: Demand { cpu: job.resources.cpu, gpu: job.resources.gpu },
            courses: engines.iter().map(|engine| engine.course(&job)).collect(),
            kept: job.gang().is_some() || engines.iter().any(|e| e.unit_key(&job).is_some()),
            met: AtomicBool::new(false),
            fields,
        }
    }

    /// Whether the job that is met now is the first such job.
    pub(super) fn is_first(&self) -> bool {
        !self.met.load(Ordering::Relaxed) && !self.met.swap(true, Ordering::Relaxed)
    }
}

/// A thread's memory of kinds, so that it asks for each but once.
pub(super) struct KnownKinds<C> {
    table: HashTable<(u64, u32, Arc<Kind<C>>)>,
    /// Those that say nothing but a queue: most of them.
    queues: HashMap<Box<str>, (u32, Arc<Kind<C>>)>,
}

impl<C> Default for KnownKinds<C> {
    fn default() -> Self {
        Self { table: HashTable::new(), queues: HashMap::new() }
    }
}

impl<C> KnownKinds<C> {
    /// The number of what a record says, and the kind.
    pub(super) fn number<E: Streamed<Course = C>>(
        &mut self,
        kinds: &Kinds<C>,
        engines: &[E],
        names: &Names,
        fields: &JobFields<Cow<'_, str>>,
    ) -> (u32, &Kind<C>) {
        if let Some(queue) = only_queue(fields) {
            if !self.queues.contains_key(queue) {
                let hash = kinds.hasher.hash_one(fields);
                let known = kinds.number(engines, names, hash, fields);
                self.queues.insert(queue.into(), known);
            }
            let (number, kind) = &self.queues[queue];
            return (*number, kind);
        }
        let hash = kinds.hasher.hash_one(fields);
        let entry =
            self.table.entry(hash, |(_, _, kind)| same(&kind.fields, fields), |(hash, ..)| *hash);
        let entry = entry.or_insert_with(|| {
            let (number, kind) = kinds.number(engines, names, hash, fields);
            (hash, number, kind)
        });
        let (_, number, kind) = entry.into_mut();
        (*number, kind)
    }
}

/// The queue of a record that says nothing else of its job.
fn only_queue<'f>(fields: &'f JobFields<Cow<'_, str>>) -> Option<&'f str> {
    let JobFields { queue, job_set, annotations, resources, gang } = fields;
    let rest = job_set.is_none() && annotations.is_none() && resources.is_none() && gang.is_none();
    queue.as_deref().filter(|_| rest)
}

fn same(own: &JobFields, said: &JobFields<Cow<'_, str>>) -> bool {
    let text =
        |own: &Option<String>, said: &Option<Cow<'_, str>>| own.as_deref() == said.as_deref();
    let gangs = match (&own.gang, &said.gang) {
        (None, None) => true,
        (Some(own), Some(said)) => own.id == said.id && own.cardinality == said.cardinality,
        _ => false,
    };
    let annotations = match (&own.annotations, &said.annotations) {
        (None, None) => true,
        (Some(own), Some(said)) => {
            own.len() == said.len()
                && own.iter().zip(said).all(|(own, said)| own.0 == said.0 && own.1 == said.1)
        }
        _ => false,
    };
    gangs
        && annotations
        && text(&own.queue, &said.queue)
        && text(&own.job_set, &said.job_set)
        && own.resources == said.resources
}
