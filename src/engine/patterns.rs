//! Patterns, compiled when first needed and shared by all rules that write them alike.

use crate::pattern::Pattern;
use regex_automata::meta::{Cache, Regex};
use regex_automata::{Input, PatternID, PatternSet};
use std::sync::OnceLock;

/// A pattern, or several searched for at once, with its automaton made on first use.
#[derive(Debug)]
pub(super) struct Searcher {
    patterns: Vec<Pattern>,
    compiled: OnceLock<Option<Regex>>,
}

/// Working memory for one [`Searcher`], kept by the caller so that a search asks for none.
#[derive(Debug, Default)]
pub(super) struct SearchMemory {
    cache: Option<Cache>,
    found: Option<PatternSet>,
}

impl Searcher {
    pub(super) fn new(patterns: Vec<Pattern>) -> Self {
        Self { patterns, compiled: OnceLock::new() }
    }

    /// `None` if the automaton would be too large; the caller then searches one by one.
    fn regex(&self) -> Option<&Regex> {
        let compile = || match self.patterns.as_slice() {
            [one] => one.regex().ok(),
            several => Pattern::regex_set(several.iter()).ok(),
        };
        self.compiled.get_or_init(compile).as_ref()
    }

    /// Whether any of the patterns is found in the text.
    pub(super) fn is_match(&self, text: &str, memory: &mut SearchMemory) -> bool {
        let Some(regex) = self.regex() else { return false };
        let cache = memory.cache.get_or_insert_with(|| regex.create_cache());
        regex.search_half_with(cache, &Input::new(text).earliest(true)).is_some()
    }

    /// Adds the patterns found in the text to those found before; `false` if it cannot tell.
    pub(super) fn find_all(&self, text: &str, memory: &mut SearchMemory) -> bool {
        let Some(regex) = self.regex() else { return false };
        let cache = memory.cache.get_or_insert_with(|| regex.create_cache());
        let found = memory.found.get_or_insert_with(|| PatternSet::new(regex.pattern_len()));
        regex.which_overlapping_matches_with(cache, &Input::new(text), found);
        true
    }

    /// Forgets what [`Searcher::find_all`] found.
    pub(super) fn forget(memory: &mut SearchMemory) {
        if let Some(found) = &mut memory.found {
            found.clear();
        }
    }

    /// Whether a pattern is among those found.
    pub(super) fn was_found(pattern: usize, memory: &SearchMemory) -> bool {
        let id = PatternID::new(pattern).ok();
        memory.found.as_ref().zip(id).is_some_and(|(found, id)| found.contains(id))
    }
}
