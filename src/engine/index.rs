//! Finding the first rule that matches, without trying them one by one.
//!
//! Every matcher but the message is a table from a small number (a category, an exit code, a set
//! of conditions) to the rules it admits, as bits. The bits of all tables, taken together, leave
//! the rules of which only the message is still open; those are tried in order. Where many
//! messages are open, all patterns of a scope are searched for at once.

use super::failure::{ConditionSet, Failure, Symbols};
use super::patterns::{SearchMemory, Searcher};
use super::scope::Scope;
use crate::history::Container;
use crate::policy::{ExitCodes, Operator, Rule};
use std::collections::HashMap;
use std::sync::Arc;

/// The rules of one effective set of policies, in order.
#[derive(Debug)]
pub(super) struct RuleIndex {
    words: usize,
    categories: Table,
    subcategories: Table,
    scopes: Vec<ScopeIndex>,
    messages: Vec<Option<Message>>,
}

/// Rows of bits, one bit a rule.
#[derive(Debug, Default)]
struct Table {
    words: usize,
    bits: Vec<u64>,
}

#[derive(Debug)]
struct ScopeIndex {
    scope: Scope,
    /// Row 0: no exit code that can match; row 1: one that no rule lists; then the listed ones.
    exit_codes: Table,
    listed: HashMap<i64, usize>,
    conditions: Table,
    /// All patterns of the scope at once, where there are enough for that to pay.
    together: Option<Searcher>,
}

/// A rule's pattern.
#[derive(Debug)]
struct Message {
    scope: usize,
    /// Among the patterns of its scope.
    number: usize,
    /// Among all patterns.
    memory: usize,
    searcher: Arc<Searcher>,
}

/// From how many patterns of one scope they are searched for all at once, and after how many
/// single searches in one decision. Measured by `benches/decision.rs`.
const TOGETHER: usize = 6;
const SINGLE_SEARCHES: usize = 2;

/// Working memory of decisions; after the first few it does not grow.
#[derive(Debug, Default)]
pub struct Scratch {
    rows: Vec<(usize, usize)>,
    single: Vec<SearchMemory>,
    together: HashMap<(usize, usize), SearchMemory>,
    searched: Vec<bool>,
}

impl Table {
    fn new(rows: usize, words: usize) -> Self {
        Self { words, bits: vec![0; rows * words] }
    }

    fn set(&mut self, row: usize, rule: usize) {
        self.bits[row * self.words + rule / 64] |= 1 << (rule % 64);
    }

    fn word(&self, row: usize, word: usize) -> u64 {
        self.bits[row * self.words + word]
    }
}

impl RuleIndex {
    pub(super) fn new(
        rules: &[&Rule],
        categories: &Symbols,
        subcategories: &Symbols,
        searcher: &mut dyn FnMut(&crate::pattern::Pattern) -> (usize, Arc<Searcher>),
    ) -> Self {
        let words = rules.len().div_ceil(64);
        let mut scopes: Vec<Scope> = Vec::new();
        for rule in rules {
            let scope = Scope::of(rule);
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        let scope_of =
            |rule: &Rule| scopes.iter().position(|known| *known == Scope::of(rule)).unwrap_or(0);
        let mut counts = vec![0; scopes.len()];
        let messages = rules
            .iter()
            .map(|rule| {
                let (memory, searcher) = searcher(rule.message.as_ref()?);
                let scope = scope_of(rule);
                counts[scope] += 1;
                Some(Message { scope, number: counts[scope] - 1, memory, searcher })
            })
            .collect();
        Self {
            words,
            categories: symbol_table(rules, categories, |rule| &rule.categories),
            subcategories: symbol_table(rules, subcategories, |rule| &rule.subcategories),
            scopes: scopes.iter().map(|scope| ScopeIndex::new(scope, rules)).collect(),
            messages,
        }
    }

    /// The first rule that matches.
    pub(super) fn first_match(
        &self,
        failure: &Failure<'_>,
        key: usize,
        scratch: &mut Scratch,
    ) -> Option<usize> {
        scratch.rows.clear();
        for scope in &self.scopes {
            let chosen = scope.scope.choose(failure);
            let conditions = scope.scope.conditions(failure, chosen).index();
            scratch.rows.push((scope.exit_row(chosen), conditions));
        }
        scratch.searched.clear();
        scratch.searched.resize(self.scopes.len(), false);
        let mut searches = 0;
        for word in 0..self.words {
            let mut open = self.candidates(failure, word, &scratch.rows);
            while open != 0 {
                let rule = word * 64 + open.trailing_zeros() as usize;
                open &= open - 1;
                let Some(message) = &self.messages[rule] else { return Some(rule) };
                if self.message_matches(message, failure, key, &mut searches, scratch) {
                    return Some(rule);
                }
            }
        }
        None
    }

    /// The rules of one word whose matchers hold, messages aside.
    fn candidates(&self, failure: &Failure<'_>, word: usize, rows: &[(usize, usize)]) -> u64 {
        let classified = self.categories.word(failure.category as usize, word)
            & self.subcategories.word(failure.subcategory as usize, word);
        if classified == 0 {
            return 0;
        }
        let scoped =
            self.scopes.iter().zip(rows).fold(0, |admitted, (scope, (exit, conditions))| {
                admitted
                    | scope.exit_codes.word(*exit, word) & scope.conditions.word(*conditions, word)
            });
        classified & scoped
    }

    fn message_matches(
        &self,
        message: &Message,
        failure: &Failure<'_>,
        key: usize,
        searches: &mut usize,
        scratch: &mut Scratch,
    ) -> bool {
        let scope = &self.scopes[message.scope];
        *searches += 1;
        if let Some(together) = scope.together.as_ref().filter(|_| *searches > SINGLE_SEARCHES) {
            let memory = scratch.together.entry((key, message.scope)).or_default();
            if !scratch.searched[message.scope] {
                Searcher::forget(memory);
                let told =
                    scope.scope.messages(failure).all(|text| together.find_all(text, memory));
                scratch.searched[message.scope] = told;
            }
            if scratch.searched[message.scope] {
                return Searcher::was_found(message.number, memory);
            }
        }
        if scratch.single.len() <= message.memory {
            scratch.single.resize_with(message.memory + 1, SearchMemory::default);
        }
        let memory = &mut scratch.single[message.memory];
        scope.scope.messages(failure).any(|text| message.searcher.is_match(text, memory))
    }
}

fn symbol_table(rules: &[&Rule], symbols: &Symbols, of: impl Fn(&Rule) -> &Vec<String>) -> Table {
    let rows = symbols.len() + 1;
    let mut table = Table::new(rows, rules.len().div_ceil(64));
    for (number, rule) in rules.iter().enumerate() {
        let wanted = of(rule);
        if wanted.is_empty() {
            (0..rows).for_each(|row| table.set(row, number));
        }
        for name in wanted {
            table.set(symbols.get(Some(name)) as usize, number);
        }
    }
    table
}

impl ScopeIndex {
    fn new(scope: &Scope, rules: &[&Rule]) -> Self {
        let words = rules.len().div_ceil(64);
        let mine = || rules.iter().enumerate().filter(|(_, rule)| Scope::of(rule) == *scope);
        let mut listed = HashMap::new();
        for code in
            mine().filter_map(|(_, rule)| rule.exit_codes.as_ref()).flat_map(|codes| &codes.values)
        {
            let next = listed.len() + 2;
            listed.entry(i64::from(*code)).or_insert(next);
        }
        let mut exit_codes = Table::new(listed.len() + 2, words);
        let mut conditions = Table::new(ConditionSet::COMBINATIONS, words);
        for (number, rule) in mine() {
            for row in exit_rows(rule.exit_codes.as_ref(), &listed) {
                exit_codes.set(row, number);
            }
            let wanted: ConditionSet = rule.conditions.iter().copied().collect();
            for row in 0..ConditionSet::COMBINATIONS {
                if rule.conditions.is_empty() || ConditionSet::of_index(row).overlaps(wanted) {
                    conditions.set(row, number);
                }
            }
        }
        let patterns: Vec<_> = mine().filter_map(|(_, rule)| rule.message.clone()).collect();
        let together = (patterns.len() >= TOGETHER).then(|| Searcher::new(patterns));
        Self { scope: scope.clone(), exit_codes, listed, conditions, together }
    }

    /// Exit code 0, a negative or absent one never match, for `NotIn` too.
    fn exit_row(&self, chosen: Option<&Container>) -> usize {
        match chosen.and_then(|container| container.exit_code) {
            Some(code) if code > 0 => self.listed.get(&code).copied().unwrap_or(1),
            _ => 0,
        }
    }
}

/// The rows of exit codes that a rule admits.
fn exit_rows(codes: Option<&ExitCodes>, listed: &HashMap<i64, usize>) -> Vec<usize> {
    let Some(codes) = codes else { return (0..listed.len() + 2).collect() };
    let named =
        |row: &usize| codes.values.iter().any(|code| listed.get(&i64::from(*code)) == Some(row));
    match codes.operator {
        Operator::In => (2..listed.len() + 2).filter(named).collect(),
        Operator::NotIn => (1..listed.len() + 2).filter(|row| !named(row)).collect(),
    }
}
