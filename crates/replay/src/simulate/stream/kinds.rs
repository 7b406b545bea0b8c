//! Kinds of units: the queue and the unit fields of their records. Most units of a queue have the same, so each
//! kind is stored once and a unit refers to it by number.

use crate::history::{Member, RecordFields};
use crate::simulate::text_map::TextMap;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// The queue and fields that some units have in common.
#[derive(Debug)]
pub(super) struct UnitKind<F: RecordFields> {
    pub(super) number: u32,
    /// The queue that their first records name.
    pub(super) queue: Option<Arc<str>>,
    pub(super) fields: Arc<F::Unit>,
    /// Whether a unit has this kind. A kind may have none: it may come from a later record that differs from
    /// the first one of its unit.
    has_units: AtomicBool,
}

impl<F: RecordFields> UnitKind<F> {
    /// Whether a unit is the first of its kind.
    pub(super) fn is_first_unit(&self) -> bool {
        // The load comes first: a swap for every unit would move the cache line between the threads.
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

    fn has(&self, queue: Option<&str>, fields: &F::Unit) -> bool {
        self.queue.as_deref() == queue && *self.fields == *fields
    }
}

/// All kinds. Their numbers depend on the order in which threads find them and are never shown.
#[derive(Debug)]
pub(super) struct UnitKinds<F: RecordFields> {
    hasher: DefaultHashBuilder,
    table: RwLock<KindTable<F>>,
}

#[derive(Debug)]
struct KindTable<F: RecordFields> {
    /// The hash of each kind, and its number.
    table: HashTable<(u64, u32)>,
    kinds: Vec<Arc<UnitKind<F>>>,
}

impl<F: RecordFields> Default for UnitKinds<F> {
    fn default() -> Self {
        let table = KindTable { table: HashTable::new(), kinds: Vec::new() };
        Self { hasher: DefaultHashBuilder::default(), table: RwLock::new(table) }
    }
}

impl<F: RecordFields> UnitKinds<F> {
    pub(super) fn list(&self) -> Vec<Arc<UnitKind<F>>> {
        self.table.read().unwrap_or_else(PoisonError::into_inner).kinds.clone()
    }

    fn find(&self, hash: u64, queue: Option<&str>, fields: &F::Unit) -> Option<Arc<UnitKind<F>>> {
        let all = self.table.read().unwrap_or_else(PoisonError::into_inner);
        let is_kind = |(_, number): &(u64, u32)| all.kinds[*number as usize].has(queue, fields);
        // Equal hashes are not enough: other kinds may share one.
        all.table.find(hash, is_kind).map(|(_, number)| Arc::clone(&all.kinds[*number as usize]))
    }

    fn find_or_add(&self, hash: u64, queue: Option<&str>, fields: &F::Unit) -> Arc<UnitKind<F>> {
        let mut all = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let KindTable { table, kinds } = &mut *all;
        // Searched once more under the lock for writing: another thread may have added it.
        let found = table.find(hash, |(_, number)| kinds[*number as usize].has(queue, fields));
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

/// The kinds that a thread has used, so that it takes the shared lock once a kind.
pub(super) struct KindCache<F: RecordFields> {
    /// The first kinds by number.
    by_number: Vec<Arc<UnitKind<F>>>,
    /// The kinds without unit fields, by queue: nearly all. They are found without hashing the fields.
    by_queue: TextMap,
    others: HashTable<(u64, Arc<UnitKind<F>>)>,
}

impl<F: RecordFields> Default for KindCache<F> {
    fn default() -> Self {
        Self { by_number: Vec::new(), by_queue: TextMap::default(), others: HashTable::new() }
    }
}

impl<F: RecordFields> KindCache<F> {
    /// The kind of a number.
    pub(super) fn get(&mut self, all: &UnitKinds<F>, number: u32) -> &Arc<UnitKind<F>> {
        let number = number as usize;
        if self.by_number.len() <= number {
            self.load(all);
        }
        &self.by_number[number]
    }

    /// Adds the kinds that are new since the last call.
    #[cold]
    fn load(&mut self, all: &UnitKinds<F>) {
        let all = all.table.read().unwrap_or_else(PoisonError::into_inner);
        self.by_number.extend_from_slice(&all.kinds[self.by_number.len()..]);
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
                // Without a hash of the fields, which most records do not have.
                return number;
            }
            let number = self.find_other(all, Some(queue), &F::Unit::default());
            self.by_queue.insert(queue, number);
            return number;
        }
        match fields {
            Some(fields) => self.find_other(all, queue, fields),
            None => self.find_other(all, queue, &F::Unit::default()),
        }
    }

    /// The number of the kind of a record's queue and fields, if a unit has it.
    // A kind for each record that differs from its unit could fill the memory.
    pub(super) fn find_known(
        &mut self,
        all: &UnitKinds<F>,
        queue: Option<&str>,
        fields: &F::Unit,
    ) -> Option<u32> {
        let hash = all.hasher.hash_one((queue, fields));
        let own = self.others.find(hash, |(_, kind)| kind.has(queue, fields));
        if let Some((_, kind)) = own {
            return Some(kind.number);
        }
        // From the table of all kinds, behind a lock, only once for each thread.
        let kind = all.find(hash, queue, fields)?;
        let number = kind.number;
        self.others.insert_unique(hash, (hash, kind), |(hash, _)| *hash);
        Some(number)
    }

    #[inline(never)]
    fn find_other(&mut self, all: &UnitKinds<F>, queue: Option<&str>, fields: &F::Unit) -> u32 {
        let hash = all.hasher.hash_one((queue, fields));
        let is_kind = |(_, kind): &(u64, Arc<UnitKind<F>>)| kind.has(queue, fields);
        let entry = self.others.entry(hash, is_kind, |(hash, _)| *hash);
        let entry = entry.or_insert_with(|| (hash, all.find_or_add(hash, queue, fields)));
        entry.get().1.number
    }
}
