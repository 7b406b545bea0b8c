//! Finding the first rule that matches, without trying them one by one.
//!
//! Every matcher but the message is a table from a small number (a category, an exit code, a set
//! of conditions) to the rules it admits, as bits. The bits of all tables, taken together, leave
//! the rules of which only the message is still open; their patterns are searched for in order.
//! Where many are open, a [`Gate`] first tells which of them can be in the messages at all.

use super::failure::{Failure, Symbols};
use super::gate::Gate;
use super::patterns::{SearchMemory, Searcher};
use super::scope::Scope;
use super::table::{ExitTable, Table, condition_table, symbol_table};
use crate::pattern::Pattern;
use crate::policy::Rule;
use std::sync::Arc;

/// The rules of one effective set of policies, in order.
#[derive(Debug)]
pub(super) struct RuleIndex {
    /// Tells the working memory of this evaluator from another's.
    owner: u64,
    categories: Table,
    subcategories: Table,
    scopes: Vec<ScopeIndex>,
    /// The rules with patterns, as bits.
    patterned: Vec<u64>,
    /// Those of them that no gate can rule out.
    ungated: Vec<u64>,
    messages: Vec<Option<Message>>,
}

#[derive(Debug)]
struct ScopeIndex {
    scope: Scope,
    exit_codes: ExitTable,
    conditions: Option<Table>,
    gate: Option<Gate>,
}

/// A rule's pattern.
#[derive(Debug)]
struct Message {
    scope: usize,
    searcher: Arc<Searcher>,
}

/// From how many open patterns on one look at the messages pays, and from how many in a scope a
/// gate is made. Measured by `benches/decision.rs`.
const GATED: usize = 1;

/// Working memory of the search for a rule; after the first decisions it does not grow. It may be
/// handed from one evaluator to another, which starts it afresh.
#[derive(Debug, Default)]
pub struct Scratch {
    owner: u64,
    /// The rules whose patterns may be in the messages, as bits.
    found: Vec<u64>,
    searches: Vec<SearchMemory>,
}

impl RuleIndex {
    pub(super) fn new(
        owner: u64,
        rules: &[&Rule],
        categories: &Symbols,
        subcategories: &Symbols,
        searcher: &mut dyn FnMut(&Pattern) -> Arc<Searcher>,
    ) -> Self {
        let mut scopes: Vec<Scope> = Vec::new();
        for rule in rules {
            let scope = Scope::of(rule);
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        let scope_of =
            |rule: &Rule| scopes.iter().position(|known| *known == Scope::of(rule)).unwrap_or(0);
        let message = |rule: &&Rule| {
            let searcher = searcher(rule.message.as_ref()?);
            Some(Message { scope: scope_of(rule), searcher })
        };
        let messages = rules.iter().map(message).collect();
        let scopes: Vec<ScopeIndex> =
            scopes.iter().map(|scope| ScopeIndex::new(scope, rules)).collect();
        let is_gated = |number: usize, rule: &Rule| {
            let mut gates = scopes.iter().filter(|scope| scope.scope == Scope::of(rule));
            gates.any(|scope| scope.gate.as_ref().is_some_and(|gate| gate.knows(number)))
        };
        Self {
            owner,
            categories: symbol_table(rules, categories, |rule| &rule.categories),
            subcategories: symbol_table(rules, subcategories, |rule| &rule.subcategories),
            patterned: patterned(rules, |_, _| true),
            ungated: patterned(rules, |number, rule| !is_gated(number, rule)),
            scopes,
            messages,
        }
    }

    /// The first rule that matches.
    pub(super) fn first_match(
        &self,
        failure: &Failure<'_>,
        scratch: &mut Scratch,
    ) -> Option<usize> {
        let mut gated = false;
        for word in 0..self.patterned.len() {
            let admitted = self.admitted(failure, word);
            let patterned = if failure.says_something { self.patterned[word] } else { 0 };
            let plain = admitted & !self.patterned[word];
            // The bits below the lowest of `plain`; all, if there is none.
            let before = (plain & plain.wrapping_neg()).wrapping_sub(1);
            let mut open = admitted & patterned & before;
            if !gated && at_least(GATED, open) {
                self.look(failure, scratch);
                gated = true;
            }
            if gated {
                open &= scratch.found[word];
            }
            while open != 0 {
                let rule = word * 64 + open.trailing_zeros() as usize;
                open &= open - 1;
                if self.message_matches(rule, failure, scratch) {
                    return Some(rule);
                }
            }
            if plain != 0 {
                return Some(word * 64 + plain.trailing_zeros() as usize);
            }
        }
        None
    }

    /// The rules of one word whose matchers hold, messages aside.
    fn admitted(&self, failure: &Failure<'_>, word: usize) -> u64 {
        let classified = self.categories.word(failure.category as usize, word)
            & self.subcategories.word(failure.subcategory as usize, word);
        let scoped =
            self.scopes.iter().fold(0, |admitted, scope| admitted | scope.admitted(failure, word));
        classified & scoped
    }

    /// Notes which patterns may be in the messages.
    #[inline(never)]
    fn look(&self, failure: &Failure<'_>, scratch: &mut Scratch) {
        scratch.found.clear();
        scratch.found.extend_from_slice(&self.ungated);
        for scope in &self.scopes {
            if let Some(gate) = &scope.gate {
                let messages = scope.scope.messages(failure);
                messages.for_each(|text| gate.look(text, &mut scratch.found));
            }
        }
    }

    #[inline(never)]
    fn message_matches(&self, rule: usize, failure: &Failure<'_>, scratch: &mut Scratch) -> bool {
        let Some(Message { scope, searcher }) = &self.messages[rule] else { return false };
        let memory = scratch.search(self.owner, searcher.number);
        let mut messages = self.scopes[*scope].scope.messages(failure);
        messages.any(|text| searcher.is_match(text, memory))
    }
}

/// Whether at least so many bits are set.
fn at_least(count: usize, mut bits: u64) -> bool {
    for _ in 1..count {
        bits &= bits.wrapping_sub(1);
    }
    bits != 0
}

/// The rules with patterns of which something holds, as bits.
fn patterned(rules: &[&Rule], holds: impl Fn(usize, &Rule) -> bool) -> Vec<u64> {
    let mut table = Table::new(1, rules.len());
    for (number, rule) in rules.iter().enumerate() {
        if rule.message.is_some() && holds(number, rule) {
            table.set(0, number);
        }
    }
    table.row(0).to_vec()
}

impl ScopeIndex {
    fn new(scope: &Scope, rules: &[&Rule]) -> Self {
        let mine = rules.iter().enumerate().map(|(number, rule)| (number, *rule));
        let mine = mine.filter(|(_, rule)| Scope::of(rule) == *scope);
        let patterns =
            mine.clone().filter_map(|(number, rule)| Some((number, rule.message.as_ref()?)));
        let gate = (patterns.clone().count() >= GATED).then(|| Gate::new(rules.len(), patterns));
        Self {
            scope: scope.clone(),
            exit_codes: ExitTable::new(rules.len(), mine.clone()),
            conditions: condition_table(rules.len(), mine),
            gate: gate.flatten(),
        }
    }

    /// The scope's rules of one word that the exit code and the conditions admit.
    fn admitted(&self, failure: &Failure<'_>, word: usize) -> u64 {
        let chosen = self.scope.choose(failure);
        let exit_code = chosen.and_then(|container| container.exit_code);
        let admitted = self.exit_codes.word(self.exit_codes.row(exit_code), word);
        match &self.conditions {
            Some(table) => {
                admitted & table.word(self.scope.conditions(failure, chosen).index(), word)
            }
            None => admitted,
        }
    }
}

impl Scratch {
    /// The memory of an evaluator's searcher of this number.
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
