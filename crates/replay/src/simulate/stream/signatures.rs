//! Signatures: what is known of a run once its failure was compared with the rules of every engine.
//!
//! A history has millions of runs, and few hundred that decisions and counts can tell apart but for their times and
//! units: messages differ in numbers, the rules that match them do not. So the first phase compares each failure with the
//! rules and looks its signature up; the second needs nothing else of the line.

use crate::history::{RecordFields, Run};
use crate::simulate::figures::Ending;
use crate::simulate::moment::Matched;
use crate::simulate::summary::EndFacts;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use std::sync::{Arc, PoisonError, RwLock};

/// Signatures of a history.
// Each thread has a copy of them, a kilobyte each; a history in which every run has one of its own, such as by the name
// of its container, must not fill the memory or the caches.
const MAX_SIGNATURES: usize = 1 << 12;

/// Runs that decisions and counts cannot tell apart but for their times and units.
#[derive(Debug, Clone)]
pub(super) struct Signature<F: RecordFields> {
    /// The first run of them that was read. Engines judge it in the place of the others, with their times.
    pub(super) run: Run<F>,
    pub(super) end: EndFacts,
    /// Engine by engine, the rule that matches them.
    pub(super) matched: Box<[Matched]>,
    /// Their description, by [`RecordFields::describe`].
    numbers: Box<[u64]>,
}

/// The description of a run by [`RecordFields::describe`], and the rule that matches it, engine by engine.
pub(super) type Described<'d> = (&'d [u64], &'d [Matched]);

impl<F: RecordFields> Signature<F> {
    pub(super) fn has_succeeded(&self) -> bool {
        self.end.ending == Ending::Succeeded
    }

    fn is_of(&self, (numbers, matched): Described<'_>, end: &EndFacts) -> bool {
        self.end == *end && *self.numbers == *numbers && *self.matched == *matched
    }
}

/// All signatures. Their numbers depend on the order in which threads find them and are never shown.
#[derive(Debug)]
pub(super) struct Signatures<F: RecordFields> {
    hasher: DefaultHashBuilder,
    table: RwLock<SignatureTable<F>>,
}

/// The number of each signature by its hash.
type Numbers = HashTable<(u64, u32)>;

#[derive(Debug)]
struct SignatureTable<F: RecordFields> {
    numbers: Numbers,
    signatures: Vec<Arc<Signature<F>>>,
}

impl<F: RecordFields> Default for Signatures<F> {
    fn default() -> Self {
        let table = SignatureTable { numbers: HashTable::new(), signatures: Vec::new() };
        Self { hasher: DefaultHashBuilder::default(), table: RwLock::new(table) }
    }
}

impl<F: RecordFields> Signatures<F> {
    /// The number of the signature of a run; none if it is new and [`MAX_SIGNATURES`] are known.
    #[cold]
    fn find_or_add(
        &self,
        hash: u64,
        described: Described<'_>,
        end: EndFacts,
        run: &Run<F>,
    ) -> Option<u32> {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let SignatureTable { numbers, signatures } = &mut *table;
        let is_it = |(_, it): &(u64, u32)| signatures[*it as usize].is_of(described, &end);
        // Another thread may have added it since the cache of this thread missed it.
        if let Some((_, number)) = numbers.find(hash, is_it) {
            return Some(*number);
        }
        let number = u32::try_from(signatures.len()).ok()?;
        // New ones are read as other runs are, which is slower but correct.
        if signatures.len() == MAX_SIGNATURES {
            return None;
        }
        // Without the times of the first run: each judged run sets its own.
        let run = Run { started_at: None, finished_at: None, ..run.clone() };
        let (own, matched) = (described.0.into(), described.1.into());
        signatures.push(Arc::new(Signature { run, end, matched, numbers: own }));
        numbers.insert_unique(hash, (hash, number), |(hash, _)| *hash);
        Some(number)
    }
}

/// The signatures that a thread has used.
#[derive(Debug)]
pub(super) struct SignatureCache<F: RecordFields> {
    /// The first signatures by number, each with a run of its own, whose times are set before it is judged.
    by_number: Vec<Signature<F>>,
    numbers: Numbers,
}

impl<F: RecordFields> Default for SignatureCache<F> {
    fn default() -> Self {
        Self { by_number: Vec::new(), numbers: HashTable::new() }
    }
}

impl<F: RecordFields> SignatureCache<F> {
    /// The signature of a number.
    #[inline]
    pub(super) fn get(&mut self, all: &Signatures<F>, number: u32) -> &mut Signature<F> {
        let number = number as usize;
        if self.by_number.len() <= number {
            self.load(all);
        }
        &mut self.by_number[number]
    }

    /// Adds the signatures that are new since the last call.
    #[cold]
    fn load(&mut self, all: &Signatures<F>) {
        let all = all.table.read().unwrap_or_else(PoisonError::into_inner);
        let new = &all.signatures[self.by_number.len()..];
        self.by_number.extend(new.iter().map(|signature| Signature::clone(signature)));
    }

    /// The number of the signature of a run; none if it is new and [`MAX_SIGNATURES`] are known.
    pub(super) fn find(
        &mut self,
        all: &Signatures<F>,
        described: Described<'_>,
        end: EndFacts,
        run: &Run<F>,
    ) -> Option<u32> {
        let hash = all.hasher.hash_one((described.0, end.kind, end.group, described.1));
        let by_number = &self.by_number;
        let is_it = |(_, it): &(u64, u32)| by_number[*it as usize].is_of(described, &end);
        if let Some((_, number)) = self.numbers.find(hash, is_it) {
            return Some(*number);
        }
        let number = all.find_or_add(hash, described, end, run)?;
        self.get(all, number);
        self.numbers.insert_unique(hash, (hash, number), |(hash, _)| *hash);
        Some(number)
    }
}
