//! Kinds of units: what records hold of a unit as a whole. Most units of a queue are alike, so each kind is
//! stored once and a unit has its number.

use crate::history::{Member, RecordFields};
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// What some units have in common.
#[derive(Debug)]
pub(super) struct UnitKind<F: RecordFields> {
    pub(super) number: u32,
    /// The queue that their first records name.
    pub(super) queue: Option<Arc<str>>,
    pub(super) fields: Arc<F::Unit>,
    /// Whether there is such a unit: a later record of a unit may hold something else.
    has_units: AtomicBool,
}

impl<F: RecordFields> UnitKind<F> {
    /// Whether a unit is the first of its kind.
    pub(super) fn is_first_unit(&self) -> bool {
        !self.has_units.load(Ordering::Relaxed) && !self.has_units.swap(true, Ordering::Relaxed)
    }

    /// A unit of the kind, without a name and without runs.
    pub(super) fn unit(&self) -> Member<F> {
        Member {
            unit: "".into(),
            queue: self.queue.clone().unwrap_or_default(),
            unit_fields: Arc::clone(&self.fields),
            key: F::default().key(),
            is_single: true,
            runs: Vec::new(),
        }
    }

    fn is(&self, queue: Option<&str>, fields: &F::Unit) -> bool {
        self.queue.as_deref() == queue && *self.fields == *fields
    }
}

/// All kinds. Their numbers depend on the order in which threads find them and are never shown.
#[derive(Debug)]
pub(super) struct UnitKinds<F: RecordFields> {
    hasher: DefaultHashBuilder,
    all: RwLock<All<F>>,
}

#[derive(Debug)]
struct All<F: RecordFields> {
    /// The hash of each kind, and its number.
    table: HashTable<(u64, u32)>,
    kinds: Vec<Arc<UnitKind<F>>>,
}

impl<F: RecordFields> Default for UnitKinds<F> {
    fn default() -> Self {
        let all = All { table: HashTable::new(), kinds: Vec::new() };
        Self { hasher: DefaultHashBuilder::default(), all: RwLock::new(all) }
    }
}

impl<F: RecordFields> UnitKinds<F> {
    /// The kinds by number.
    pub(super) fn list(&self) -> Vec<Arc<UnitKind<F>>> {
        self.all.read().unwrap_or_else(PoisonError::into_inner).kinds.clone()
    }

    /// How many there are.
    pub(super) fn len(&self) -> u32 {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        u32::try_from(all.kinds.len()).unwrap_or(u32::MAX)
    }

    fn find_or_add(&self, hash: u64, queue: Option<&str>, fields: &F::Unit) -> Arc<UnitKind<F>> {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        let All { table, kinds } = &mut *all;
        let found = table.find(hash, |(_, number)| kinds[*number as usize].is(queue, fields));
        if let Some((_, number)) = found {
            return Arc::clone(&kinds[*number as usize]);
        }
        let number = u32::try_from(kinds.len()).unwrap_or(u32::MAX);
        let kind = Arc::new(UnitKind {
            number,
            queue: queue.map(Into::into),
            fields: Arc::new(fields.clone()),
            has_units: AtomicBool::new(false),
        });
        kinds.push(Arc::clone(&kind));
        table.insert_unique(hash, (hash, number), |(hash, _)| *hash);
        kind
    }
}

/// The kinds that a thread has used: each is looked up among all of them only once.
pub(super) struct KnownKinds<F: RecordFields> {
    by_number: Vec<Option<Arc<UnitKind<F>>>>,
    /// By queue, those that hold nothing else: nearly all.
    by_queue: HashMap<Box<str>, u32>,
    others: HashTable<(u64, Arc<UnitKind<F>>)>,
}

impl<F: RecordFields> Default for KnownKinds<F> {
    fn default() -> Self {
        Self { by_number: Vec::new(), by_queue: HashMap::new(), others: HashTable::new() }
    }
}

impl<F: RecordFields> KnownKinds<F> {
    /// The kind of a number.
    pub(super) fn get(&mut self, all: &UnitKinds<F>, number: u32) -> &Arc<UnitKind<F>> {
        let number = number as usize;
        if self.by_number.len() <= number {
            self.by_number.resize(number + 1, None);
        }
        self.by_number[number].get_or_insert_with(|| {
            Arc::clone(&all.all.read().unwrap_or_else(PoisonError::into_inner).kinds[number])
        })
    }

    /// The number of the kind of a record's queue and fields.
    pub(super) fn find(
        &mut self,
        all: &UnitKinds<F>,
        queue: Option<&str>,
        fields: Option<&F::Unit>,
    ) -> u32 {
        let is_plain = fields.is_none_or(|fields| *fields == F::Unit::default());
        if let Some(queue) = queue.filter(|_| is_plain) {
            if let Some(number) = self.by_queue.get(queue) {
                return *number;
            }
            let number = self.find_other(all, Some(queue), &F::Unit::default());
            self.by_queue.insert(queue.into(), number);
            return number;
        }
        match fields {
            Some(fields) => self.find_other(all, queue, fields),
            None => self.find_other(all, queue, &F::Unit::default()),
        }
    }

    fn find_other(&mut self, all: &UnitKinds<F>, queue: Option<&str>, fields: &F::Unit) -> u32 {
        let hash = all.hasher.hash_one((queue, fields));
        let is_it = |(_, kind): &(u64, Arc<UnitKind<F>>)| kind.is(queue, fields);
        let entry = self.others.entry(hash, is_it, |(hash, _)| *hash);
        let entry = entry.or_insert_with(|| (hash, all.find_or_add(hash, queue, fields)));
        entry.get().1.number
    }
}
