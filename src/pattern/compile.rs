//! From a tree to an automaton.

use regex_automata::MatchKind;
use regex_automata::meta::{Config, Regex};

use super::stack::with_room;
use super::{Pattern, hir};

/// Memory that the automaton of a pattern, or of a set, may take, in bytes.
const SIZE_LIMIT: usize = 32 << 20;

/// A pattern, or a set of them, takes too much memory once compiled. Go accepts
/// it, and would spend that memory at each start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("compiled, the pattern takes over {} MiB", SIZE_LIMIT >> 20)]
pub struct PatternTooLarge;

impl Pattern {
    /// Compiles the pattern, for an unanchored search in UTF-8 text.
    ///
    /// # Errors
    ///
    /// If the automaton would take over 32 MiB.
    pub fn regex(&self) -> Result<Regex, PatternTooLarge> {
        build(&[self], MatchKind::LeftmostFirst)
    }

    /// Compiles several patterns into one automaton, to learn in one pass which
    /// of them a text contains (`Regex::which_overlapping_matches`).
    ///
    /// # Errors
    ///
    /// If the automaton would take over 32 MiB.
    pub fn regex_set<'a>(
        patterns: impl Iterator<Item = &'a Pattern>,
    ) -> Result<Regex, PatternTooLarge> {
        build(&patterns.collect::<Vec<_>>(), MatchKind::All)
    }
}

fn build(patterns: &[&Pattern], kind: MatchKind) -> Result<Regex, PatternTooLarge> {
    let config = Config::new()
        .match_kind(kind)
        .nfa_size_limit(Some(SIZE_LIMIT));
    let height = patterns.iter().map(|pattern| pattern.ast.height).max();
    let built = with_room(height.unwrap_or(0), || {
        let hirs: Vec<_> = patterns
            .iter()
            .map(|pattern| hir::of(&pattern.ast))
            .collect();
        Regex::builder()
            .configure(config)
            .build_many_from_hir(&hirs)
            .ok()
    });
    built.flatten().ok_or(PatternTooLarge)
}
