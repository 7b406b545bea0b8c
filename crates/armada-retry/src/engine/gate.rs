//! A scan of a message that excludes most patterns before any automaton runs.
//!
//! Most patterns have literals of which every match contains one ([`Pattern::required_literals`]). The scan
//! takes the four bytes at every third position of the message and looks them up in a small hash table. A
//! literal of six bytes contains one of these pieces at any offset, so its three possible pieces are all in
//! the table. If none of a pattern's pieces is found, the pattern does not match.
//!
//! This holds for ASCII messages only, because under `(?i)` the letters `k` and `s` also match characters
//! outside ASCII (semantics.md, section 11). A message with another character excludes no pattern.

use super::table::Table;
use document::pattern::{Pattern, fold};
use regex_syntax::hir::literal::rank;
use std::collections::BTreeMap;

/// The bytes of a piece.
// Four are one `u32`, and rare enough in messages.
const PIECE: usize = 4;
/// The distance between two pieces of a message.
const STRIDE: usize = 3;
/// The shortest literal that contains a whole piece at any offset.
const SHORTEST: usize = PIECE + STRIDE - 1;

/// The high bits of eight bytes; no ASCII byte has one.
const NOT_ASCII: u64 = 0x8080_8080_8080_8080;
/// An upper bound of one pattern's keys: at most 16 literals with 3 pieces each.
const MOST_KEYS: usize = 64;
/// The number of slots: many times the keys of a usual policy, so that most pieces of a message find an empty
/// slot.
const SLOTS: usize = 1 << 12;

/// Finds the rules whose pattern a message may contain.
#[derive(Debug)]
pub(super) struct Gate {
    /// By a key's hash: 1 + its first place in `keys`, or 0. The 8 KiB stay in a core's first-level cache.
    slots: Box<[u16; SLOTS]>,
    /// The keys in the order of their slots, each with its row in `rules`.
    keys: Vec<(u32, usize)>,
    /// Row 0: the rules that can be excluded. Then for each key the rules with that key.
    rules: Table,
}

impl Gate {
    /// Builds the gate for the patterns of some of `rules` rules.
    pub(super) fn new<'r>(
        rules: usize,
        patterns: impl Iterator<Item = (usize, &'r Pattern)>,
    ) -> Self {
        let mut wanted: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (rule, pattern) in patterns {
            // Places of keys are `u16`: the patterns after some 65,000 keys are not excluded, only searched
            // for.
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

    /// Whether the gate can exclude the rule's pattern.
    pub(super) fn covers(&self, rule: usize) -> bool {
        self.rules.row(0)[rule / 64] & 1 << (rule % 64) != 0
    }

    /// Adds the rules whose pattern the text may contain. Two pieces share a load and a branch, which saves a
    /// tenth of a decision with 5 rules.
    pub(super) fn scan(&self, text: &str, found: &mut [u64]) {
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
        // Section 11: under `(?i)` two letters also match characters outside ASCII.
        if all & NOT_ASCII != 0 {
            add_all(found, self.rules.row(0));
        }
    }

    /// Adds the rules that have a key. A function of its own keeps the loop of `scan` small.
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

/// Multiplicative hashing; the constant is 2^32 divided by the golden ratio.
fn slot(key: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b9) >> (u32::BITS - SLOTS.trailing_zeros())) as usize
}

/// The keys of a literal: the pieces of its six rarest consecutive bytes.
fn keys_of(literal: &[u8]) -> impl Iterator<Item = u32> {
    let common = |bytes: &&[u8]| bytes.iter().map(|byte| u32::from(rank(*byte))).sum::<u32>();
    let rarest = literal.windows(SHORTEST).min_by_key(common).unwrap_or_default();
    rarest
        .windows(PIECE)
        .filter_map(|piece| Some(key(u32::from_le_bytes(piece.try_into().ok()?).into())))
}
