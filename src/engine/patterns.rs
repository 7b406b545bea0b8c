//! Patterns, compiled when first needed and shared by all rules that write them alike.

use crate::pattern::Pattern;
use regex_automata::Input;
use regex_automata::meta::{Cache, Regex};
use std::sync::OnceLock;

/// A pattern, with its automaton made on first use.
#[derive(Debug)]
pub(super) struct Searcher {
    /// Tells its memory among that of its evaluator's searchers.
    pub(super) number: usize,
    pattern: Pattern,
    compiled: OnceLock<Option<Regex>>,
}

/// Working memory for one [`Searcher`], kept by the caller so that a search asks for none.
#[derive(Debug, Default)]
pub(super) struct SearchMemory {
    cache: Option<Cache>,
}

impl Searcher {
    pub(super) fn new(number: usize, pattern: Pattern) -> Self {
        Self { number, pattern, compiled: OnceLock::new() }
    }

    /// Whether the pattern is found in the text; never, if its automaton would be too large.
    pub(super) fn is_match(&self, text: &str, memory: &mut SearchMemory) -> bool {
        let compiled = self.compiled.get_or_init(|| self.pattern.regex().ok());
        let Some(regex) = compiled else { return false };
        let cache = memory.cache.get_or_insert_with(|| regex.create_cache());
        regex.search_half_with(cache, &Input::new(text).earliest(true)).is_some()
    }
}
