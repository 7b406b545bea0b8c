//! One look at a message that rules out most patterns.
//!
//! Of each pattern some literal is known that a text must have
//! ([`Pattern::required_literals`]). Four bytes of a message are looked up in a small hash table at every third byte. A literal of six bytes
//! holds one of these pieces wherever it begins; the three it may hold are all in the table. What
//! is not found there need not be searched for, if the message is ASCII.

use super::table::Table;
use crate::pattern::{Pattern, fold};
use regex_syntax::hir::literal::rank;
use std::collections::BTreeMap;

/// Bytes of a piece.
const PIECE: usize = 4;
/// From one piece of a message to the next.
const STRIDE: usize = 3;
/// The shortest literal that holds a whole piece wherever it begins.
const SHORTEST: usize = PIECE + STRIDE - 1;

/// Bits that no ASCII byte has.
const NOT_ASCII: u64 = 0x8080_8080_8080_8080;
/// More keys than one pattern can have.
const MOST_KEYS: usize = 64;
const SLOTS: usize = 1 << 12;

/// Tells of a message which rules' patterns may be found in it.
#[derive(Debug)]
pub(super) struct Gate {
    /// From a key's hash to 1 + its first place in `keys`, or 0. Eight KiB, so that it stays in a
    /// core's first cache.
    slots: Box<[u16; SLOTS]>,
    /// Keys by slot, each with its row in `rules`.
    keys: Vec<(u32, usize)>,
    /// Row 0: the rules that can be ruled out; then for each key those that may have it.
    rules: Table,
}

impl Gate {
    /// A gate for the patterns of some of so many rules.
    pub(super) fn new<'r>(
        rules: usize,
        patterns: impl Iterator<Item = (usize, &'r Pattern)>,
    ) -> Self {
        let mut wanted: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (rule, pattern) in patterns {
            // Rules beyond the first ten thousand or so are not ruled out.
            let full = wanted.len() + MOST_KEYS > usize::from(u16::MAX);
            let literals = if full { None } else { pattern.required_literals(SHORTEST) };
            let literals = literals.unwrap_or_default();
            let keys = literals.iter().flat_map(|literal| keys_of(literal));
            keys.for_each(|key| wanted.entry(key).or_default().push(rule));
        }
        let mut table = Table::new(wanted.len() + 1, rules);
        wanted.values().flatten().for_each(|rule| table.set(0, *rule));
        let mut keys: Vec<(u32, usize)> = Vec::with_capacity(wanted.len());
        for (row, (key, rules)) in wanted.into_iter().enumerate() {
            for rule in rules {
                table.set(row + 1, rule);
            }
            keys.push((key, row + 1));
        }
        keys.sort_by_key(|(key, _)| slot(*key));
        let mut slots = Box::new([0; SLOTS]);
        for (place, (key, _)) in keys.iter().enumerate().rev() {
            slots[slot(*key)] = u16::try_from(place + 1).unwrap_or(0);
        }
        Self { slots, keys, rules: table }
    }

    /// Whether the rule's pattern can be ruled out.
    pub(super) fn knows(&self, rule: usize) -> bool {
        self.rules.row(0)[rule / 64] & 1 << (rule % 64) != 0
    }

    /// Adds the rules whose pattern may be found in the text. Two pieces share a load and a branch,
    /// which saves a tenth of a decision at 5 rules.
    pub(super) fn look(&self, text: &str, found: &mut [u64]) {
        let mut rest = text.as_bytes();
        let mut all = 0;
        while let Some(bytes) = rest.first_chunk::<8>() {
            let bytes = u64::from_le_bytes(*bytes);
            all |= bytes;
            let (one, two) = (key(bytes), key(bytes >> (8 * STRIDE)));
            if self.slots[slot(one)] | self.slots[slot(two)] != 0 {
                self.add(one, found);
                self.add(two, found);
            }
            rest = &rest[2 * STRIDE..];
        }
        while let Some(piece) = rest.first_chunk::<PIECE>() {
            let bytes = u32::from_le_bytes(*piece).into();
            all |= bytes;
            self.add(key(bytes), found);
            rest = &rest[STRIDE..];
        }
        let all = rest.iter().fold(all, |all, byte| all | u64::from(*byte));
        if all & NOT_ASCII != 0 {
            add_all(found, self.rules.row(0));
        }
    }

    /// Adds the rules that have a key, if any has. Kept apart, so that the loop above stays small.
    #[inline(never)]
    fn add(&self, key: u32, found: &mut [u64]) {
        let home = slot(key);
        let Some(first) = usize::from(self.slots[home]).checked_sub(1) else { return };
        let same = self.keys[first..].iter().take_while(|(other, _)| slot(*other) == home);
        for (_, row) in same.filter(|(other, _)| *other == key) {
            add_all(found, self.rules.row(*row));
        }
    }
}

fn add_all(found: &mut [u64], bits: &[u64]) {
    found.iter_mut().zip(bits).for_each(|(found, bits)| *found |= bits);
}

/// The first four bytes, each passed through [`fold`].
#[expect(clippy::cast_possible_truncation, reason = "the first four bytes are what is wanted")]
const fn key(bytes: u64) -> u32 {
    bytes as u32 | u32::from_le_bytes([fold(0); PIECE])
}

/// Multiplicative hashing; the constant is 2^32 over the golden ratio.
fn slot(key: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b9) >> (u32::BITS - SLOTS.trailing_zeros())) as usize
}

/// The keys of a literal: those of its rarest bytes.
fn keys_of(literal: &[u8]) -> impl Iterator<Item = u32> {
    let common = |bytes: &&[u8]| bytes.iter().map(|byte| u32::from(rank(*byte))).sum::<u32>();
    let rarest = literal.windows(SHORTEST).min_by_key(common).unwrap_or_default();
    rarest
        .windows(PIECE)
        .filter_map(|piece| Some(key(u32::from_le_bytes(piece.try_into().ok()?).into())))
}
