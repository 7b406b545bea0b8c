//! The work of an audit grows with the number of categories, not with its square.

use super::*;
use crate::armada::classifier::config;

/// Matchers of rules whose values differ from rule to rule.
const MATCHERS: [&str; 9] = [
    "onExitCodes: {operator: In, values: [@]}",
    "onExitCodes: {operator: NotIn, values: [@]}",
    "onExitCodes: {operator: In, values: [@]}, containerName: c@",
    "onExitCodes: {operator: In, values: [7]}",
    "onTerminationMessage: {pattern: 'fault @.'}",
    "onTerminationMessage: {pattern: 'fault @ of [a-z]+'}, containerName: c@",
    "onPodError: {pattern: 'fault @.'}",
    "onPodEvents: {regexp: 'fault @.', reason: R@, type: Warning}",
    "onConditions: [OOMKilled, Evicted], containerName: c@",
];

fn config(categories: usize, matcher: &str) -> ExecutorConfig {
    let mut text = "application: {errorCategories: {enabled: true, categories: [".to_owned();
    for number in 1..=categories {
        // Numbers of equal length, without a leading zero: the loader would read an octal number.
        let matcher = matcher.replace('@', &(number + 10_000).to_string());
        text += &format!("{{name: k{number}, action: Delete, rules: [{{{matcher}}}]}},");
    }
    text += "]}}\n";
    let read = config::read(&[Source::new("executor.yaml", text)]);
    assert!(!read.findings.has_errors(), "{matcher}: {:?}", read.findings.sorted());
    read.config.expect("a configuration")
}

/// The steps of the search for what rules reach, and for the earlier rule that covers each.
fn steps(categories: usize, matcher: &str) -> u64 {
    let reach = Reach::new(&config(categories, matcher));
    for number in 0..categories {
        reach.covered_by(number);
    }
    reach.steps.count()
}

#[test]
fn twice_the_categories_take_at_most_about_twice_the_steps() {
    for matcher in MATCHERS {
        let (small, large) = (steps(300, matcher), steps(600, matcher));
        // A step more for each doubling is a factor of a logarithm.
        assert!(large <= small * 23 / 10 + 100, "{matcher}: {small} steps, then {large}");
        // Most steps are those through the texts of pods that do not start, of about 100 bytes each.
        assert!(large < 600 * 4_000, "{matcher}: {large} steps");
    }
}
