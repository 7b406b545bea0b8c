//! No pattern makes the parser, the translation or a search panic.
//!
//! The first line of the input is the pattern, the rest is the text; without a
//! line end the pattern is searched in itself.
#![no_main]

use armadactl::pattern::Pattern;
use libfuzzer_sys::fuzz_target;
use regex_automata::meta::{Config, Regex};

/// Memory for an automaton, in bytes: little, so that inputs stay fast.
const SMALL: usize = 1 << 20;
/// A longer pattern may nest so deep that a plain compilation, on a stack widened
/// by a sanitizer, runs out of it.
const SHALLOW: usize = 256;

fuzz_target!(|input: &str| {
    let (pattern, text) = input.split_once('\n').unwrap_or((input, input));
    let parsed = match Pattern::parse(pattern) {
        Ok(parsed) => parsed,
        Err(error) => {
            assert!(pattern.get(error.span.clone()).is_some(), "{error:?}");
            assert!(!error.kind.help().is_empty(), "{error:?}");
            return;
        }
    };
    assert_eq!(parsed.as_str(), pattern);
    let hir = parsed.to_hir();
    if pattern.len() > SHALLOW {
        return;
    }
    let config = Config::new().nfa_size_limit(Some(SMALL));
    if let Ok(regex) = Regex::builder().configure(config).build_from_hir(&hir) {
        let text: String = text.chars().take(100).collect();
        let _ = regex.is_match(&text);
    }
});
