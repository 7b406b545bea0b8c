//! The memory limit of all patterns of a run.
//!
//! Owns the sum over the patterns, and the choice of those that are compiled to measure it.

use super::{Pattern, PatternTooLarge};
use std::collections::HashSet;

/// The maximum memory of the automata of all patterns of a run, in bytes: twice that of a single pattern.
const MAX_MEMORY: usize = 64 << 20;
/// The maximum memory per byte of an ordinary pattern: `.` is the most expensive.
const MAX_MEMORY_PER_BYTE: usize = 1 << 10;
/// Longer patterns, in bytes, are compiled to measure their memory.
const MAX_ESTIMATED_LENGTH: usize = 300;

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
    /// when the sum of the estimates exceeds the limit.
    ///
    /// # Errors
    ///
    /// If the pattern takes too much memory, alone or together with the others. The latter is reported once.
    pub fn take(&mut self, pattern: &Pattern) -> Result<(), OverBudget> {
        if self.is_exceeded || !self.seen.insert(pattern.clone()) {
            return Ok(());
        }
        let estimate_of_pattern = if may_exceed_estimate(pattern) {
            self.measured += size(pattern).map_err(|PatternTooLarge| OverBudget::Alone)?;
            0
        } else {
            self.estimated.push(pattern.clone());
            pattern.as_str().len().saturating_mul(MAX_MEMORY_PER_BYTE)
        };
        self.estimate += estimate_of_pattern;
        if self.measured + self.estimate > MAX_MEMORY {
            for pattern in std::mem::take(&mut self.estimated) {
                self.measured += size(&pattern).unwrap_or(MAX_MEMORY);
            }
            self.estimate = 0;
        }
        self.is_exceeded = self.measured > MAX_MEMORY;
        if self.is_exceeded { Err(OverBudget::Together) } else { Ok(()) }
    }
}

fn size(pattern: &Pattern) -> Result<usize, PatternTooLarge> {
    pattern.regex().map(|regex| regex.memory_usage())
}

/// Whether the pattern may take more than [`MAX_MEMORY_PER_BYTE`]. A Unicode class has hundreds of ranges,
/// and a counted repeat multiplies its content.
fn may_exceed_estimate(pattern: &Pattern) -> bool {
    let text = pattern.as_str();
    text.len() > MAX_ESTIMATED_LENGTH || ["{", "\\p", "\\P"].iter().any(|mark| text.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(budget.measured > 0 && budget.measured < 16 << 20, "{}", budget.measured);
    }

    #[test]
    fn no_ordinary_pattern_takes_more_than_is_estimated() {
        for part in [".", "\\W", "[^a]", "(?i:k)", "[a-\u{10ffff}]", "\u{e9}", "a|", "\\b", "\\D"] {
            let pattern = pattern(&part.repeat(MAX_ESTIMATED_LENGTH / part.len()));
            assert!(!may_exceed_estimate(&pattern));
            let size = size(&pattern).expect(part);
            assert!(size <= pattern.as_str().len() * MAX_MEMORY_PER_BYTE, "{part}: {size}");
        }
    }
}
