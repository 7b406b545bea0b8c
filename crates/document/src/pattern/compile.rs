//! Compilation of a pattern's tree to an automaton.

use regex_automata::MatchKind;
use regex_automata::meta::{Config, Regex};

use super::Pattern;
use super::hir::{self, with_deep_stack};

/// The maximum memory of the automaton of a pattern, or of a set, in bytes.
// Without a limit, nested repeats of a few characters could fill the memory.
const SIZE_LIMIT: usize = 32 << 20;

/// A pattern, or a set of patterns, takes too much memory once compiled. Go accepts it and would need that
/// memory at each start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("compiled, the pattern takes over {} MiB", SIZE_LIMIT >> 20)]
pub struct PatternTooLarge;

impl Pattern {
    /// Compiles the pattern for an unanchored search in UTF-8 text.
    ///
    /// Whether a text matches is the same as in Go; the position of the match may differ.
    ///
    /// # Errors
    ///
    /// If the automaton would take over 32 MiB.
    pub fn regex(&self) -> Result<Regex, PatternTooLarge> {
        build(&[self], MatchKind::LeftmostFirst)
    }

    /// Compiles several patterns into one automaton, which finds in one pass the patterns that a text matches
    /// (`Regex::which_overlapping_matches`).
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
    let config = Config::new().match_kind(kind).nfa_size_limit(Some(SIZE_LIMIT));
    // The crates that compile recurse once for each level.
    let height = patterns.iter().map(|pattern| pattern.ast.height).max();
    let built = with_deep_stack(height.unwrap_or(0), || {
        let hirs: Vec<_> = patterns.iter().map(|pattern| hir::to_hir_tree(&pattern.ast)).collect();
        Regex::builder().configure(config).build_many_from_hir(&hirs).ok()
    });
    built.flatten().ok_or(PatternTooLarge)
}

#[cfg(test)]
mod tests {
    use regex_automata::{Input, PatternSet};

    use super::{Pattern, PatternTooLarge};

    fn parse(text: &str) -> Pattern {
        Pattern::parse(text).expect(text)
    }

    #[test]
    fn a_set_tells_all_that_match() {
        let patterns = ["a+", "\\B", "(?i)OOM", "x*", "^b"].map(parse);
        let regex = Pattern::regex_set(patterns.iter()).expect("small");
        let found = |text: &str| {
            let mut set = PatternSet::new(regex.pattern_len());
            regex.which_overlapping_matches(&Input::new(text), &mut set);
            set.iter().map(|id| id.as_usize()).collect::<Vec<_>>()
        };
        assert_eq!(found("aoomé"), [0, 1, 2, 3]);
        assert_eq!(found("béb"), [3, 4]);
        assert_eq!(Pattern::regex_set([].iter()).map(|regex| regex.is_match("a")), Ok(false));
    }

    #[test]
    fn what_takes_too_much_memory_is_refused_late() {
        let huge = parse(&"\\pL{1000}".repeat(8));
        assert!(matches!(huge.regex(), Err(PatternTooLarge)));
        assert_eq!(PatternTooLarge.to_string(), "compiled, the pattern takes over 32 MiB");
    }

    #[test]
    fn depth_needs_no_large_stack() {
        let shapes = [
            ("(", "a", ")", 997),
            ("(?:a", "b", ")*", 498),
            ("(?:ab|", "c", ")?", 330),
            ("(?:.", "b", ")", 5000),
        ];
        let work = move || {
            for (open, core, close, times) in shapes {
                let text = open.repeat(times) + core + &close.repeat(times);
                // Twice over, so that the halves are compared in depth.
                let pattern = Pattern::parse(&format!("{text}c|{text}d")).expect(open);
                drop(pattern.to_hir());
                assert!(pattern.regex().is_ok(), "{open}{close}");
            }
        };
        let small = std::thread::Builder::new().stack_size(256 << 10).spawn(work);
        assert!(small.expect("a thread").join().is_ok());
    }
}
