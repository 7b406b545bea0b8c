//! The memory limit of all patterns of a run.
//!
//! Owns the sum over the patterns, and the choice of those that are compiled to measure it.

use super::{Pattern, PatternTooLarge};
use std::collections::HashSet;

/// The maximum memory of the automata of all patterns of a run, in bytes: twice that of a single pattern.
const MAX_MEMORY: usize = 64 << 20;
/// The memory of an ordinary pattern is at most so much, for the table of its literals and what each automaton has,
const BASE: usize = 50_000;
/// so much more for each of its bytes,
const PER_BYTE: usize = 100;
/// and so much more for each part of it that matches nearly all characters.
const PER_WIDE_PART: usize = 1200;
/// Patterns of more bytes or alternatives are compiled to measure their memory.
const MAX_ESTIMATED_LENGTH: usize = 300;
const MAX_ESTIMATED_ALTERNATIVES: usize = 12;

/// The memory of the patterns of a run so far.
#[derive(Debug, Default)]
pub struct PatternBudget {
    /// Bytes of the patterns that were compiled.
    measured: usize,
    /// The patterns that were not compiled.
    estimated: Vec<Pattern>,
    estimate: usize,
    /// Equal patterns are compiled and counted once.
    seen: HashSet<Pattern>,
    is_exceeded: bool,
}

/// The reason to refuse a pattern that Go accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OverBudget {
    /// The pattern is too large by itself.
    #[error("the pattern is too large to be searched with")]
    Alone,
    /// The pattern is too large together with the earlier ones.
    #[error("with the patterns before it, this one takes over {} MiB once compiled", MAX_MEMORY >> 20)]
    Together,
}

impl PatternBudget {
    /// Adds a pattern to the sum. Compilation is slow, so a small pattern is only estimated; it is compiled
    /// when the sum exceeds the limit.
    ///
    /// # Errors
    ///
    /// If the pattern takes too much memory, alone or together with the others. The latter is reported once.
    pub fn take(&mut self, pattern: &Pattern) -> Result<(), OverBudget> {
        // A pattern that several rules have is compiled once.
        if self.is_exceeded || !self.seen.insert(pattern.clone()) {
            return Ok(());
        }
        if may_exceed_estimate(pattern) {
            self.measured += size(pattern).map_err(|PatternTooLarge| OverBudget::Alone)?;
        } else {
            self.estimate += estimate(pattern);
            self.estimated.push(pattern.clone());
        }
        // Only as many are measured as it takes: most need less than their estimate.
        while self.measured + self.estimate > MAX_MEMORY {
            let Some(pattern) = self.estimated.pop() else { break };
            self.estimate -= estimate(&pattern);
            // A pattern that fails alone exceeds the sum too.
            self.measured += size(&pattern).unwrap_or(MAX_MEMORY);
        }
        // Reported once, since each further pattern would exceed it.
        self.is_exceeded = self.measured > MAX_MEMORY;
        if self.is_exceeded { Err(OverBudget::Together) } else { Ok(()) }
    }
}

fn size(pattern: &Pattern) -> Result<usize, PatternTooLarge> {
    pattern.regex().map(|regex| regex.memory_usage())
}

/// The most memory that an ordinary pattern takes.
fn estimate(pattern: &Pattern) -> usize {
    let text = pattern.as_str();
    let wide = [".", "[^", "\\D", "\\W", "\\S"].iter().map(|part| text.matches(part).count());
    BASE + text.len() * PER_BYTE + wide.sum::<usize>() * PER_WIDE_PART
}

/// Whether the pattern may take more than its estimate. A Unicode class has hundreds of ranges, a counted repeat
/// multiplies its content, and many alternatives make a large table of literals, as do few that match any case: each
/// literal has dozens of spellings then.
fn may_exceed_estimate(pattern: &Pattern) -> bool {
    let text = pattern.as_str();
    let has_spellings = text.contains("(?i") && text.contains('|');
    has_spellings
        || text.len() > MAX_ESTIMATED_LENGTH
        || text.matches('|').count() >= MAX_ESTIMATED_ALTERNATIVES
        || ["{", "\\p", "\\P"].iter().any(|mark| text.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::parse(text).expect(text)
    }

    #[test]
    fn large_patterns_are_added_up() {
        let mut budget = PatternBudget::default();
        let taken: Vec<_> =
            (0..6).map(|n| budget.take(&pattern(&format!("{n}\\pL{{500}}")))).collect();
        assert_eq!(taken, [Ok(()), Ok(()), Err(OverBudget::Together), Ok(()), Ok(()), Ok(())]);
    }

    #[test]
    fn the_same_pattern_is_one() {
        let mut budget = PatternBudget::default();
        let taken: Vec<_> = (0..6).map(|_| budget.take(&pattern("\\pL{500}"))).collect();
        assert_eq!(taken, [Ok(()); 6]);
        assert_eq!(budget.take(&pattern("\\pL{1000}")), Err(OverBudget::Alone));
        assert_eq!(budget.take(&pattern("a{2}")), Ok(()));
    }

    #[test]
    fn thousands_of_small_patterns_are_taken() {
        let mut budget = PatternBudget::default();
        for n in 0..3000 {
            let text = format!("connection {n} to (host|peer) was (reset|refused|closed)");
            assert_eq!(budget.take(&pattern(&text)), Ok(()), "{n}");
        }
        assert!(budget.measured > 0 && budget.measured <= MAX_MEMORY, "{}", budget.measured);
    }

    fn is_within_estimate(text: &str) -> bool {
        let Ok(pattern) = Pattern::parse(text) else { return true };
        may_exceed_estimate(&pattern) || size(&pattern).is_ok_and(|size| size <= estimate(&pattern))
    }

    #[test]
    fn no_ordinary_pattern_takes_more_than_is_estimated() {
        for part in [".", "\\W", "[^a]", "(?i:k)", "[a-\u{10ffff}]", "\u{e9}", "a|", "\\b", "\\D"] {
            for times in [1, 2, 10, MAX_ESTIMATED_LENGTH / part.len()] {
                assert!(is_within_estimate(&part.repeat(times)), "{part}, {times} times");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn no_pattern_of_parts_takes_more_than_is_estimated(
            parts in prop::collection::vec(prop::sample::select(vec![
                "(?i)", "nccl", "cuda error", "(set|fused)", "|", "time", "out", ".", ".*", "[0-9]+", "\\d+", "[^a]", "\\s",
                "\\S+", "k", "s", "(no|a) space", "\u{e9}", "[a-z]", "x?", "^", "$", "\\b", "(?i:oom|kill)", "\\w+", "[a-\u{10ffff}]",
            ]), 1..40),
        ) {
            let text = parts.concat();
            prop_assert!(is_within_estimate(&text), "{}", text);
        }
    }
}
