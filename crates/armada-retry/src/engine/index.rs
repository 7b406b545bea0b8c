//! The index that finds the first matching rule without a test of each rule (semantics.md, section 4).
//!
//! Every matcher but the message is a table. Its rows are small numbers (a category, an exit code, a set of
//! conditions); a row is a bitset of the rules that it admits. The intersection of the rows leaves the rules
//! for which only the message is open. The [`Gate`] excludes the rules whose pattern no message can contain.
//! The patterns of the remaining rules are searched for in order.

use super::failure::{Failure, Listed};
use super::gate::Gate;
use super::scope::Scope;
use super::table::{ExitTable, Table, condition_table, symbol_table};
use crate::policy::Rule;
use document::pattern::{Pattern, SearchMemory, Searcher};
use std::collections::HashMap;
use std::sync::Arc;

/// The rules of one effective set of policies, in order.
#[derive(Debug)]
pub(super) struct RuleIndex {
    /// The number of the evaluator: a [`Scratch`] from another evaluator has another number.
    owner: u64,
    categories: Table,
    /// `None` if no rule has a subcategory.
    subcategories: Option<Table>,
    scopes: Vec<ScopeIndex>,
    /// The scopes that have rules in each word, and the word of the scope's own tables. At most 64 scopes
    /// have rules in one word, so the work of a decision grows with the rules only, even if every rule has a
    /// scope of its own.
    by_word: Vec<Vec<Part>>,
    /// The rules that have a pattern, as a bitset.
    patterned: Vec<u64>,
    /// The rules whose pattern the gate cannot exclude, as a bitset.
    ungated: Vec<u64>,
    gate: Gate,
    messages: Vec<Option<Message>>,
}

/// The rules of one scope in one word.
#[derive(Debug, Clone, Copy)]
struct Part {
    scope: u32,
    /// The word in the scope's own tables.
    word: u32,
}

/// The rules of one scope. Its tables contain only the words in which the scope has rules, one after another.
#[derive(Debug)]
struct ScopeIndex {
    scope: Scope,
    exit_codes: ExitTable,
    conditions: Option<Table>,
}

/// A rule's pattern.
#[derive(Debug)]
struct Message {
    scope: usize,
    searcher: Arc<Searcher>,
}

/// Working memory of the search for a rule. After the first decisions it does not grow. A caller may use it
/// with several evaluators; a change of the evaluator clears it.
#[derive(Debug, Default)]
pub struct Scratch {
    owner: u64,
    /// Whether the gate has scanned the messages of this failure.
    is_scanned: bool,
    /// The rules whose patterns the messages may contain, as a bitset.
    found: Vec<u64>,
    searches: Vec<SearchMemory>,
}

impl RuleIndex {
    pub(super) fn new(
        owner: u64,
        rules: &[&Rule],
        listed: &Listed,
        searcher: &mut dyn FnMut(&Pattern) -> Arc<Searcher>,
    ) -> Self {
        let (scopes, scope_of) = by_scope(rules);
        let message = |(rule, scope): (&&Rule, &usize)| {
            let searcher = searcher(rule.message.as_ref()?);
            Some(Message { scope: *scope, searcher })
        };
        let messages = rules.iter().zip(&scope_of).map(message).collect();
        let mut by_word = vec![Vec::new(); rules.len().div_ceil(64)];
        let scopes = scopes.into_iter().enumerate();
        let scopes = scopes
            .map(|(number, (scope, mine))| {
                ScopeIndex::new(number, scope, &mine, rules, &mut by_word)
            })
            .collect();
        let patterns = rules.iter().enumerate();
        let gate = Gate::new(
            rules.len(),
            patterns.filter_map(|(number, rule)| Some((number, rule.message.as_ref()?))),
        );
        Self {
            owner,
            categories: symbol_table(rules, &listed.categories, |rule| &rule.categories),
            subcategories: (listed.subcategories.len() > 0)
                .then(|| symbol_table(rules, &listed.subcategories, |rule| &rule.subcategories)),
            patterned: patterned(rules, |_| true),
            ungated: patterned(rules, |number| !gate.covers(number)),
            gate,
            scopes,
            by_word,
            messages,
        }
    }

    /// The first rule that matches.
    pub(super) fn first_match(
        &self,
        failure: &Failure<'_>,
        scratch: &mut Scratch,
    ) -> Option<usize> {
        scratch.is_scanned = false;
        (0..self.patterned.len()).find_map(|word| self.first_in_word(word, failure, scratch))
    }

    /// The first rule of one word that matches.
    // A function of its own, and so is the search in messages: for half of the failures no pattern is left to
    // search for, and the small function saves 10 % of a decision.
    #[inline(never)]
    fn first_in_word(
        &self,
        word: usize,
        failure: &Failure<'_>,
        scratch: &mut Scratch,
    ) -> Option<usize> {
        let admitted = self.admitted(failure, word);
        let plain = admitted & !self.patterned[word];
        // The bits below the lowest bit of `plain`; all bits if `plain` is 0.
        // A rule with a pattern can be the first match only if it comes before the first rule without one.
        let before = (plain & plain.wrapping_neg()).wrapping_sub(1);
        let open = admitted & self.patterned[word] & before;
        if open != 0
            && failure.has_message
            && let Some(rule) = self.first_by_message(word, open, failure, scratch)
        {
            return Some(rule);
        }
        (plain != 0).then(|| word * 64 + plain.trailing_zeros() as usize)
    }

    /// The first of the rules in `open`, all of one word, whose pattern a message contains.
    #[inline(never)]
    fn first_by_message(
        &self,
        word: usize,
        mut open: u64,
        failure: &Failure<'_>,
        scratch: &mut Scratch,
    ) -> Option<usize> {
        if !scratch.is_scanned {
            self.scan_messages(failure, scratch);
            scratch.is_scanned = true;
        }
        open &= scratch.found[word];
        while open != 0 {
            let rule = word * 64 + open.trailing_zeros() as usize;
            open &= open - 1;
            if self.message_matches(rule, failure, scratch) {
                return Some(rule);
            }
        }
        None
    }

    /// The number of words and parts that grow with the scopes.
    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        let bits = self.scopes.iter().map(|scope| scope.exit_codes.size());
        bits.chain(self.by_word.iter().map(Vec::len)).sum()
    }

    /// The rules of one word of which all matchers but the message hold.
    fn admitted(&self, failure: &Failure<'_>, word: usize) -> u64 {
        let mut classified = self.categories.word(failure.category as usize, word);
        if let Some(table) = &self.subcategories {
            classified &= table.word(failure.subcategory as usize, word);
        }
        if classified == 0 {
            return 0;
        }
        let scoped = self.by_word[word].iter().fold(0, |admitted, part| {
            admitted | self.scopes[part.scope as usize].admitted(failure, part.word as usize)
        });
        classified & scoped
    }

    /// Collects the rules whose pattern a message may contain. It scans the messages of all containers,
    /// whatever the scopes.
    fn scan_messages(&self, failure: &Failure<'_>, scratch: &mut Scratch) {
        scratch.found.clear();
        scratch.found.extend_from_slice(&self.ungated);
        let messages = failure.containers.iter().map(|container| &container.message);
        for text in messages.filter(|text| !text.is_empty()) {
            self.gate.scan(text, &mut scratch.found);
        }
    }

    fn message_matches(&self, rule: usize, failure: &Failure<'_>, scratch: &mut Scratch) -> bool {
        let Some(Message { scope, searcher }) = &self.messages[rule] else { return false };
        let memory = scratch.search(self.owner, searcher.number);
        let mut messages = self.scopes[*scope].scope.messages(failure);
        messages.any(|text| searcher.is_match(text, memory))
    }
}

/// The rules with a pattern for which `holds` is true, as a bitset.
fn patterned(rules: &[&Rule], holds: impl Fn(usize) -> bool) -> Vec<u64> {
    let mut table = Table::new(1, rules.len());
    for (number, rule) in rules.iter().enumerate() {
        if rule.message.is_some() && holds(number) {
            table.set(0, number);
        }
    }
    table.row(0).to_vec()
}

/// The scopes in the order of their first rules, each with the numbers of its rules, and the scope of each
/// rule.
fn by_scope(rules: &[&Rule]) -> (Vec<(Scope, Vec<usize>)>, Vec<usize>) {
    let mut numbers: HashMap<Scope, usize> = HashMap::new();
    let mut scopes: Vec<(Scope, Vec<usize>)> = Vec::new();
    let mut scope_of = Vec::with_capacity(rules.len());
    for (number, rule) in rules.iter().enumerate() {
        let scope = Scope::of(rule);
        let place = *numbers.entry(scope.clone()).or_insert(scopes.len());
        if place == scopes.len() {
            scopes.push((scope, Vec::new()));
        }
        scopes[place].1.push(number);
        scope_of.push(place);
    }
    (scopes, scope_of)
}

impl ScopeIndex {
    /// The index of the scope with this number. `mine` are the numbers of its rules in ascending order.
    fn new(
        number: usize,
        scope: Scope,
        mine: &[usize],
        rules: &[&Rule],
        by_word: &mut [Vec<Part>],
    ) -> Self {
        let mut words: Vec<usize> = mine.iter().map(|rule| rule / 64).collect();
        words.dedup();
        for (own, word) in words.iter().enumerate() {
            let part = |number| u32::try_from(number).unwrap_or(u32::MAX);
            by_word[*word].push(Part { scope: part(number), word: part(own) });
        }
        let mut own = 0;
        let placed: Vec<(usize, &Rule)> = mine
            .iter()
            .map(|rule| {
                while words[own] < rule / 64 {
                    own += 1;
                }
                (own * 64 + rule % 64, rules[*rule])
            })
            .collect();
        Self {
            scope,
            exit_codes: ExitTable::new(words.len() * 64, placed.iter().copied()),
            conditions: condition_table(words.len() * 64, placed.iter().copied()),
        }
    }

    /// The rules of the scope in one word of its tables that the exit code and the conditions admit.
    fn admitted(&self, failure: &Failure<'_>, word: usize) -> u64 {
        let (exit_code, conditions) = self.scope.state(failure);
        let admitted = self.exit_codes.word(self.exit_codes.row(exit_code), word);
        self.conditions
            .as_ref()
            .map_or(admitted, |table| admitted & table.word(conditions.index(), word))
    }
}

impl Scratch {
    /// The working memory of the searcher with this number, of the evaluator with number `owner`.
    fn search(&mut self, owner: u64, number: usize) -> &mut SearchMemory {
        if self.owner != owner {
            self.owner = owner;
            self.searches.clear();
        }
        if self.searches.len() <= number {
            self.searches.resize_with(number + 1, SearchMemory::default);
        }
        &mut self.searches[number]
    }
}
