//! What each fuzz target does with an input. The tests replay the corpora through the same code.

use armadactl::diag::{Source, Style, github, human, short};
use armadactl::pattern::Pattern;
use armadactl::policy::{read, to_yaml};
use regex_automata::meta::{Config, Regex};

/// Memory for an automaton, in bytes: little, so that inputs stay fast.
const SMALL: usize = 1 << 20;
/// A longer pattern may nest so deep that a plain compilation, on a stack widened
/// by a sanitizer, runs out of it.
const SHALLOW: usize = 256;

/// No pattern makes the parser, the translation or a search panic.
///
/// The first line of the input is the pattern, the rest is the text; without a
/// line end the pattern is searched in itself.
pub fn pattern(input: &str) {
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
}

/// No text makes the reader or a renderer panic, every finding stands in its text, and a policy
/// that is printed and read again is the same.
pub fn policy(text: &str) {
    let (documents, findings) = read(&[Source::new("fuzz.yaml", text)]);
    let errors = findings.has_errors();
    let items = findings.sorted();
    for item in &items {
        let place = item.place.as_ref().expect("a finding in a text has a place");
        assert!(text.get(place.span.range()).is_some(), "{item:?}");
        assert!(!item.message.is_empty(), "{item:?}");
    }
    for rendered in [human(&items, Style::Plain, Some(100)), short(&items), github(&items)] {
        let steering = |c: char| c.is_control() && c != '\n' && c != '\t';
        assert!(!rendered.contains(steering), "{rendered:?}");
    }
    if errors {
        return;
    }
    for document in &documents.policies {
        let policy = &document.policy;
        let yaml = to_yaml(policy).expect("a policy can be printed");
        let (again, findings) = read(&[Source::new("printed.yaml", yaml.as_str())]);
        assert!(findings.is_empty(), "{:?}\n{yaml}", findings.sorted());
        assert_eq!(again.policies[0].policy, *policy, "{yaml}");
    }
}
