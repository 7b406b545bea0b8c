//! Automata of patterns, compiled at their first use and shared by all rules with the same pattern.

use super::Pattern;
use regex_automata::Input;
use regex_automata::meta::{Cache, Regex};
use std::sync::OnceLock;

/// A pattern and its automaton.
#[derive(Debug)]
pub struct Searcher {
    /// The position of its [`SearchMemory`] among those of the evaluator.
    pub number: usize,
    pattern: Pattern,
    compiled: OnceLock<Option<Regex>>,
}

/// Working memory of one [`Searcher`]. The caller keeps it, so that a search allocates nothing.
#[derive(Debug, Default)]
pub struct SearchMemory {
    cache: Option<Cache>,
}

impl Searcher {
    /// A searcher for a pattern, under a number that no other one of its owner has.
    pub fn new(number: usize, pattern: Pattern) -> Self {
        Self { number, pattern, compiled: OnceLock::new() }
    }

    /// Whether the text contains a match; `false` if the automaton would be too large.
    pub fn is_match(&self, text: &str, memory: &mut SearchMemory) -> bool {
        // At the first search, since a pattern may never be searched for.
        let compiled = self.compiled.get_or_init(|| self.pattern.regex().ok());
        let Some(regex) = compiled else { return false };
        let cache = memory.cache.get_or_insert_with(|| regex.create_cache());
        // Only whether there is a match counts, so that the search stops at the first end of one.
        regex.search_half_with(cache, &Input::new(text).earliest(true)).is_some()
    }
}
