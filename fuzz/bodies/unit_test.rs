//! What must hold of any text that is read as tests of policies: nothing panics, every finding has a place in its text,
//! and a second run gives the same.

use armadactl::internals::commands::test::run_texts;
use armadactl::internals::findings::{Style, human};
use document::diag::{Findings, Source};

/// The line between the tests and their policies.
const SEPARATOR: &str = "\n%%%\n";

/// The most digits of a number of failures: tests of ten thousand take seconds.
const MAX_DIGITS: usize = 3;

/// Runs the tests of the first text with the policies of the second. Returns the number of tests that ran.
pub fn unit_test(input: &str) -> usize {
    let Some((tests, policies)) = input.split_once(SEPARATOR) else { return 0 };
    // Tests of a history name files of the machine.
    if tests.contains("history") || has_long_sequence(tests) {
        return 0;
    }
    let tests = Source::new("tests.yaml", tests);
    let policies = Source::new("policies.yaml", policies);
    let (findings, count) = run_texts(&tests, &policies);
    let (again, _) = run_texts(&tests, &policies);
    assert_eq!(rendered(findings), rendered(again));
    count
}

fn has_long_sequence(text: &str) -> bool {
    let numbers = text.match_indices("repeat").map(|(at, word)| {
        let after = text[at + word.len()..].bytes();
        let digits = after.skip_while(|byte| !byte.is_ascii_digit());
        digits.take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
    });
    numbers.max().is_some_and(|digits| digits > MAX_DIGITS)
}

/// The findings as text. Each has a place in its text, and no control character is printed.
fn rendered(findings: Findings) -> String {
    let items = findings.sorted();
    for item in &items {
        let place = item.place.as_ref().expect("a finding in a text has a place");
        assert!(place.source.text().get(place.span.range()).is_some(), "{item:?}");
        assert!(!item.message.is_empty(), "{item:?}");
    }
    let rendered = human(&items, Style::Plain, Some(100));
    let is_control = |c: char| c.is_control() && c != '\n' && c != '\t';
    assert!(!rendered.contains(is_control), "{rendered:?}");
    rendered
}
