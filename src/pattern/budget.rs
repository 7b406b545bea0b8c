//! The memory that patterns which are compiled together may take.
//!
//! Owns the sum over them, and which of them are compiled to learn it.

use super::{Pattern, PatternTooLarge};
use std::collections::HashSet;

/// Memory that the automata of all patterns of a run may take together, in bytes.
const TOTAL: usize = 64 << 20;
/// What a byte of an ordinary pattern comes to at most: `.` takes this much.
const BYTE: usize = 1 << 10;
/// A pattern of more bytes than these is compiled to learn what it takes.
const SHORT: usize = 300;

/// How much of the memory for patterns is left.
#[derive(Debug, Default)]
pub struct PatternBudget {
    /// Bytes that the patterns which were compiled take.
    measured: usize,
    /// Patterns that were not, and what they take at most.
    estimated: Vec<Pattern>,
    estimate: usize,
    /// Patterns that are the same are compiled once.
    seen: HashSet<Pattern>,
    is_exceeded: bool,
}

/// Why a pattern is refused that Go accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OverBudget {
    /// It is too large by itself.
    #[error("the pattern is too large to be searched with")]
    Alone,
    /// It is too large beside those before it.
    #[error("with the patterns before it, this one takes over {} MiB once compiled", TOTAL >> 20)]
    Together,
}

impl PatternBudget {
    /// Takes what a pattern needs from what is left. Most patterns are small, and are compiled only
    /// once so many of them are there that the sum matters.
    ///
    /// # Errors
    ///
    /// If the pattern takes too much, alone or, which is reported once, together with the others.
    pub fn take(&mut self, pattern: &Pattern) -> Result<(), OverBudget> {
        if self.is_exceeded || !self.seen.insert(pattern.clone()) {
            return Ok(());
        }
        let ceiling = if is_suspect(pattern) {
            self.measured += size(pattern).map_err(|PatternTooLarge| OverBudget::Alone)?;
            0
        } else {
            self.estimated.push(pattern.clone());
            pattern.as_str().len().saturating_mul(BYTE)
        };
        self.estimate += ceiling;
        if self.measured + self.estimate > TOTAL {
            for pattern in std::mem::take(&mut self.estimated) {
                self.measured += size(&pattern).unwrap_or(TOTAL);
            }
            self.estimate = 0;
        }
        self.is_exceeded = self.measured > TOTAL;
        if self.is_exceeded { Err(OverBudget::Together) } else { Ok(()) }
    }
}

fn size(pattern: &Pattern) -> Result<usize, PatternTooLarge> {
    pattern.regex().map(|regex| regex.memory_usage())
}

/// Whether a byte of the pattern may come to more than [`BYTE`]: by a class of Unicode, which has
/// hundreds of ranges, or by a repeat of a number.
fn is_suspect(pattern: &Pattern) -> bool {
    let text = pattern.as_str();
    text.len() > SHORT || ["{", "\\p", "\\P"].iter().any(|mark| text.contains(mark))
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
            let pattern = pattern(&part.repeat(SHORT / part.len()));
            assert!(!is_suspect(&pattern));
            let size = size(&pattern).expect(part);
            assert!(size <= pattern.as_str().len() * BYTE, "{part}: {size}");
        }
    }
}
