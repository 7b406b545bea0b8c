//! Texts of patterns, kept from one search to the next: the pairs of two lists need the same ones again and again.

use crate::policy::reachability::{MAX_PATTERNS, Prepared};
use document::pattern::{Automata, Difference, Pattern};
use std::collections::HashMap;

/// The texts of the patterns of two lists of rules.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    numbers: HashMap<Pattern, usize>,
    automata: Automata,
    /// By the numbers of the patterns that are found in the texts.
    known: HashMap<Vec<usize>, Known>,
}

/// The results of searches for the same patterns.
#[derive(Debug, Default)]
struct Known {
    /// The shortest first.
    texts: Vec<Found>,
    /// Sets of patterns of which one is found in every text.
    covering: Vec<Vec<usize>>,
    /// Sets of patterns for which the search was stopped.
    stopped: Vec<Vec<usize>>,
}

/// A text, and whether patterns are found in it.
#[derive(Debug)]
struct Found {
    text: String,
    is_match: Vec<Option<bool>>,
}

impl Found {
    fn has(&mut self, rule: &Prepared<'_>) -> bool {
        if self.is_match.len() <= rule.pattern {
            self.is_match.resize(rule.pattern + 1, None);
        }
        let text = &self.text;
        *self.is_match[rule.pattern].get_or_insert_with(|| rule.matches(text))
    }
}

impl Texts {
    /// Gives the pattern of each rule the number that equal patterns have.
    pub(crate) fn number(&mut self, rules: &mut [Prepared<'_>]) {
        for rule in rules {
            let Some(pattern) = &rule.rule.message else { continue };
            let next = self.numbers.len();
            rule.pattern = *self.numbers.entry(pattern.clone()).or_insert(next);
        }
    }

    /// A text in which the patterns of all wanted rules are found, and none of the others.
    pub(super) fn find(
        &mut self,
        wanted: &[&Prepared<'_>],
        others: &[&Prepared<'_>],
    ) -> Difference {
        let (key, without) = (numbers(wanted), numbers(others));
        if without.iter().any(|other| key.contains(other)) {
            return Difference::Empty;
        }
        let known = self.known.entry(key).or_default();
        let mut found = known.texts.iter_mut();
        if let Some(place) = found.position(|it| !others.iter().any(|rule| it.has(rule))) {
            return Difference::Text(known.texts[place].text.clone());
        }
        let is_within = |set: &Vec<usize>| set.iter().all(|one| without.contains(one));
        if known.covering.iter().any(is_within) {
            return Difference::Empty;
        }
        if known.stopped.contains(&without) {
            return Difference::Unknown;
        }
        let mut matching: Vec<&Prepared<'_>> = Vec::new();
        // The next text is searched with the patterns that are found in the texts before.
        loop {
            let text = match search(&mut self.automata, wanted, &matching) {
                Difference::Text(text) => text,
                Difference::Empty => {
                    known.covering.push(numbers(&matching));
                    return Difference::Empty;
                }
                Difference::Unknown => break,
            };
            let mut found = Found { text, is_match: Vec::new() };
            let before = matching.len();
            matching.extend(others.iter().copied().filter(|rule| found.has(rule)));
            // By length: the first text that serves is the answer, and a short one is the better example.
            let place = known.texts.partition_point(|it| it.text.len() <= found.text.len());
            let text = found.text.clone();
            known.texts.insert(place, found);
            if matching.len() == before {
                return Difference::Text(text);
            }
            if matching.len() > MAX_PATTERNS {
                break;
            }
        }
        known.stopped.push(without);
        Difference::Unknown
    }
}

/// The numbers of the patterns, in order.
fn numbers(rules: &[&Prepared<'_>]) -> Vec<usize> {
    let mut numbers: Vec<usize> = rules.iter().map(|rule| rule.pattern).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

fn search(
    automata: &mut Automata,
    wanted: &[&Prepared<'_>],
    others: &[&Prepared<'_>],
) -> Difference {
    if let ([one], []) = (wanted, others)
        && let Some(text) = one.rule.message.as_ref().and_then(Pattern::example)
    {
        return Difference::Text(text);
    }
    automata.separating_text(&patterns(wanted), &patterns(others))
}

fn patterns<'p>(rules: &[&'p Prepared<'_>]) -> Vec<&'p Pattern> {
    rules.iter().filter_map(|rule| rule.rule.message.as_ref()).collect()
}
