//! Bitsets of rules: the rules that each small number admits.

use super::failure::{ConditionSet, Symbols};
use crate::policy::{ExitCodes, Operator, Rule};
use std::collections::BTreeSet;

/// Rows of bits, one bit for each rule.
#[derive(Debug)]
pub(super) struct Table {
    words: usize,
    bits: Vec<u64>,
}

impl Table {
    pub(super) fn new(rows: usize, rules: usize) -> Self {
        let words = rules.div_ceil(64);
        Self { words, bits: vec![0; rows * words] }
    }

    pub(super) fn set(&mut self, row: usize, rule: usize) {
        self.bits[row * self.words + rule / 64] |= 1 << (rule % 64);
    }

    pub(super) fn word(&self, row: usize, word: usize) -> u64 {
        self.bits[row * self.words + word]
    }

    /// All words of a row.
    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..][..self.words]
    }
}

/// The rules that each category or subcategory admits.
pub(super) fn symbol_table(
    rules: &[&Rule],
    symbols: &Symbols,
    of: impl Fn(&Rule) -> &Vec<String>,
) -> Table {
    let rows = symbols.len() + 1;
    let mut table = Table::new(rows, rules.len());
    for (number, rule) in rules.iter().enumerate() {
        let wanted = of(rule);
        if wanted.is_empty() {
            (0..rows).for_each(|row| table.set(row, number));
        }
        for name in wanted {
            table.set(symbols.get(name) as usize, number);
        }
    }
    table
}

/// The rules that each set of conditions admits; `None` if no rule has conditions.
pub(super) fn condition_table<'r>(
    rules: usize,
    scoped: impl Iterator<Item = (usize, &'r Rule)> + Clone,
) -> Option<Table> {
    if scoped.clone().all(|(_, rule)| rule.conditions.is_empty()) {
        return None;
    }
    let mut table = Table::new(ConditionSet::COMBINATIONS, rules);
    for (number, rule) in scoped {
        let wanted: ConditionSet = rule.conditions.iter().copied().collect();
        for row in 0..ConditionSet::COMBINATIONS {
            if rule.conditions.is_empty() || ConditionSet::from_index(row).overlaps(wanted) {
                table.set(row, number);
            }
        }
    }
    Some(table)
}

/// The rules that each exit code admits.
#[derive(Debug)]
pub(super) struct ExitTable {
    /// Row 0 is for exit codes that never match, row 1 for those that no rule lists; a row for each listed
    /// one follows.
    table: Table,
    listed: Vec<i64>,
    /// The rows of the exit codes that a Linux process can end with, 0 to 255: they need no search.
    small: Box<[u32; 256]>,
}

impl ExitTable {
    pub(super) fn new<'r>(
        rules: usize,
        scoped: impl Iterator<Item = (usize, &'r Rule)> + Clone,
    ) -> Self {
        let lists = scoped.clone().filter_map(|(_, rule)| rule.exit_codes.as_ref());
        let listed: BTreeSet<i64> =
            lists.flat_map(|codes| &codes.values).copied().map(i64::from).collect();
        let listed: Vec<i64> = listed.into_iter().collect();
        let mut table = Table::new(listed.len() + 2, rules);
        for (number, rule) in scoped {
            for row in rows(rule.exit_codes.as_ref(), &listed) {
                table.set(row, number);
            }
        }
        let small = std::array::from_fn(|code| {
            let row = if code == 0 { 0 } else { row_of(i64::try_from(code).unwrap_or(0), &listed) };
            u32::try_from(row).unwrap_or(1)
        });
        Self { table, listed, small: Box::new(small) }
    }

    /// The row of an exit code. Code 0, a negative or an absent one never matches, for `NotIn` too
    /// (semantics.md, section 4).
    pub(super) fn row(&self, code: Option<i64>) -> usize {
        let Some(code) = code else { return 0 };
        match usize::try_from(code).ok() {
            Some(small) if small < self.small.len() => self.small[small] as usize,
            Some(_) => row_of(code, &self.listed),
            None => 0,
        }
    }

    pub(super) fn word(&self, row: usize, word: usize) -> u64 {
        self.table.word(row, word)
    }

    /// The number of words in all rows.
    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        self.table.bits.len()
    }
}

fn row_of(code: i64, listed: &[i64]) -> usize {
    listed.binary_search(&code).map_or(1, |place| place + 2)
}

/// The rows that a rule admits.
fn rows(codes: Option<&ExitCodes>, listed: &[i64]) -> Vec<usize> {
    let end = listed.len() + 2;
    let Some(codes) = codes else { return (0..end).collect() };
    let named: BTreeSet<usize> =
        codes.values.iter().map(|code| row_of(i64::from(*code), listed)).collect();
    match codes.operator {
        Operator::In => named.into_iter().collect(),
        Operator::NotIn => (1..end).filter(|row| !named.contains(row)).collect(),
    }
}
