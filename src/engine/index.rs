//! Finding the first rule that matches, without trying them one by one.
//!
//! Every matcher but the message is a table from a small number (a category, an exit code, a set
//! of conditions) to the rules it admits, as bits. The bits of all tables, taken together, leave
//! the rules of which only the message is still open. A [`Gate`] tells which of their patterns can be
//! in the messages at all, and these are searched for in order.

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
    /// `None` if no rule asks for any.
    subcategories: Option<Table>,
    scopes: Vec<ScopeIndex>,
    /// The rules with patterns, as bits.
    patterned: Vec<u64>,
    /// Those of them that the gate cannot rule out.
    ungated: Vec<u64>,
    gate: Gate,
    messages: Vec<Option<Message>>,
}

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

/// Working memory of the search for a rule; after the first decisions it does not grow. It may be
/// handed from one evaluator to another, which starts it afresh.
#[derive(Debug, Default)]
pub struct Scratch {
    owner: u64,
    /// Whether the messages of this failure have been looked at.
    looked: bool,
    /// The rules whose patterns may be in them, as bits.
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
        let patterns = rules.iter().enumerate();
        let gate = Gate::new(
            rules.len(),
            patterns.filter_map(|(number, rule)| Some((number, rule.message.as_ref()?))),
        );
        Self {
            owner,
            categories: symbol_table(rules, categories, |rule| &rule.categories),
            subcategories: (subcategories.len() > 0)
                .then(|| symbol_table(rules, subcategories, |rule| &rule.subcategories)),
            patterned: patterned(rules, |_| true),
            ungated: patterned(rules, |number| !gate.knows(number)),
            gate,
            scopes: scopes.iter().map(|scope| ScopeIndex::new(scope, rules)).collect(),
            messages,
        }
    }

    /// The first rule that matches.
    pub(super) fn first_match<S: AsRef<str>>(
        &self,
        failure: &Failure<'_, S>,
        scratch: &mut Scratch,
    ) -> Option<usize> {
        scratch.looked = false;
        (0..self.patterned.len()).find_map(|word| self.first_in_word(word, failure, scratch))
    }

    /// The first rule of one word that matches. Kept apart, and the search in messages from it:
    /// half the failures leave none, and then this is all there is to do (10 % of a decision).
    #[inline(never)]
    fn first_in_word<S: AsRef<str>>(
        &self,
        word: usize,
        failure: &Failure<'_, S>,
        scratch: &mut Scratch,
    ) -> Option<usize> {
        let admitted = self.admitted(failure, word);
        let plain = admitted & !self.patterned[word];
        // The bits below the lowest of `plain`; all, if there is none.
        let before = (plain & plain.wrapping_neg()).wrapping_sub(1);
        let open = admitted & self.patterned[word] & before;
        if open != 0
            && failure.says_something
            && let Some(rule) = self.first_said(word, open, failure, scratch)
        {
            return Some(rule);
        }
        (plain != 0).then(|| word * 64 + plain.trailing_zeros() as usize)
    }

    /// The first of some rules of one word whose pattern is in the messages.
    #[inline(never)]
    fn first_said<S: AsRef<str>>(
        &self,
        word: usize,
        mut open: u64,
        failure: &Failure<'_, S>,
        scratch: &mut Scratch,
    ) -> Option<usize> {
        if !scratch.looked {
            self.look(failure, scratch);
            scratch.looked = true;
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

    /// The rules of one word whose matchers hold, messages aside.
    fn admitted<S: AsRef<str>>(&self, failure: &Failure<'_, S>, word: usize) -> u64 {
        let mut classified = self.categories.word(failure.category as usize, word);
        if let Some(table) = &self.subcategories {
            classified &= table.word(failure.subcategory as usize, word);
        }
        let scoped =
            self.scopes.iter().fold(0, |admitted, scope| admitted | scope.admitted(failure, word));
        classified & scoped
    }

    /// Notes which patterns may be in the messages, whichever containers they look at.
    fn look<S: AsRef<str>>(&self, failure: &Failure<'_, S>, scratch: &mut Scratch) {
        scratch.found.clear();
        scratch.found.extend_from_slice(&self.ungated);
        for text in failure.containers.iter().filter_map(|container| container.message.as_ref()) {
            self.gate.look(text.as_ref(), &mut scratch.found);
        }
    }

    fn message_matches<S: AsRef<str>>(
        &self,
        rule: usize,
        failure: &Failure<'_, S>,
        scratch: &mut Scratch,
    ) -> bool {
        let Some(Message { scope, searcher }) = &self.messages[rule] else { return false };
        let memory = scratch.search(self.owner, searcher.number);
        let mut messages = self.scopes[*scope].scope.messages(failure);
        messages.any(|text| searcher.is_match(text, memory))
    }
}

/// The rules with patterns of which something holds, as bits.
fn patterned(rules: &[&Rule], holds: impl Fn(usize) -> bool) -> Vec<u64> {
    let mut table = Table::new(1, rules.len());
    for (number, rule) in rules.iter().enumerate() {
        if rule.message.is_some() && holds(number) {
            table.set(0, number);
        }
    }
    table.row(0).to_vec()
}

impl ScopeIndex {
    fn new(scope: &Scope, rules: &[&Rule]) -> Self {
        let mine = rules.iter().enumerate().map(|(number, rule)| (number, *rule));
        let mine = mine.filter(|(_, rule)| Scope::of(rule) == *scope);
        Self {
            scope: scope.clone(),
            exit_codes: ExitTable::new(rules.len(), mine.clone()),
            conditions: condition_table(rules.len(), mine),
        }
    }

    /// The scope's rules of one word that the exit code and the conditions admit.
    fn admitted<S: AsRef<str>>(&self, failure: &Failure<'_, S>, word: usize) -> u64 {
        let (exit_code, conditions) = self.scope.state(failure);
        let admitted = self.exit_codes.word(self.exit_codes.row(exit_code), word);
        self.conditions
            .as_ref()
            .map_or(admitted, |table| admitted & table.word(conditions.index(), word))
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
