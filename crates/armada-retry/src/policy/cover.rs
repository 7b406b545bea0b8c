//! Whether earlier rules match everything that a later one matches, as a search over products of choices.
//!
//! A rule of any system is a product: one choice of each dimension (an exit code, a condition, a category) has to hold.
//! An earlier rule accepts some choices of each dimension. It covers a combination if it accepts all of its choices.

use std::collections::{HashMap, HashSet};

/// Limit of tests of one rule in one search. 2,000 rules with lists of categories and codes need about a tenth; beyond
/// it a policy was made to be slow.
const MAX_TESTS: usize = 20_000_000;

/// Limit of rules among which a smallest set is searched. Finding it takes one search for each.
const MAX_REDUCED: usize = 64;

/// Whether earlier rules leave a later one anything to match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coverage {
    /// A combination of choices is accepted by no earlier rule.
    Reached,
    /// The earlier rules with these numbers together accept every combination, and no smaller set of them does, if
    /// there are at most 64. Empty if the later rule has no combination.
    Covered(Vec<usize>),
    /// The search was stopped: there are too many combinations.
    Unknown,
}

impl Coverage {
    /// Whether the rule certainly decides nothing.
    pub fn is_covered(&self) -> bool {
        matches!(self, Self::Covered(_))
    }
}

/// The choices that earlier rules accept.
///
/// A rule may need more than that it accepts all choices of a combination, such as a message that only a search tells
/// from others: it is partial. What partial rules leave of a combination is asked of [`Acceptance::leaves_some`].
pub trait Acceptance {
    /// Whether the rule with this number accepts a choice of a dimension.
    fn accepts(&self, rule: usize, dimension: usize, choice: usize) -> bool;

    /// Whether a rule that accepts all choices of a combination may leave some of its failures.
    fn is_partial(&self, _rule: usize) -> bool {
        false
    }

    /// Whether partial rules that accept a combination leave some of its failures together.
    fn leaves_some(&self, _partial: &[usize]) -> bool {
        false
    }
}

impl<F: Fn(usize, usize, usize) -> bool> Acceptance for F {
    fn accepts(&self, rule: usize, dimension: usize, choice: usize) -> bool {
        self(rule, dimension, choice)
    }
}

/// Searches a combination that no earlier rule accepts. `sizes` are the numbers of choices of each dimension,
/// `earlier` the numbers of the earlier rules, and `accepts(rule, dimension, choice)` is whether an earlier rule accepts
/// a choice.
pub fn coverage(
    sizes: &[usize],
    earlier: Vec<usize>,
    accepts: impl Fn(usize, usize, usize) -> bool,
) -> Coverage {
    uncovered(sizes, earlier, accepts).err().unwrap_or(Coverage::Reached)
}

/// The choices of a combination that no earlier rule accepts, or of which partial rules leave something.
///
/// # Errors
///
/// That there is none, or that too many tests were needed.
pub fn uncovered(
    sizes: &[usize],
    earlier: Vec<usize>,
    acceptance: impl Acceptance,
) -> Result<Vec<usize>, Coverage> {
    if sizes.contains(&0) {
        return Err(Coverage::Covered(Vec::new()));
    }
    let mut search = Search::new(sizes, acceptance, &earlier);
    match search.finds_uncovered(0, &earlier) {
        Some(true) => Ok(search.choices),
        Some(false) => Err(Coverage::Covered(search.reduce(earlier))),
        None => Err(Coverage::Unknown),
    }
}

struct Search<'s, A> {
    sizes: &'s [usize],
    acceptance: A,
    /// Of each rule that is not partial, the dimension from which on it accepts every choice.
    free_from: HashMap<usize, usize>,
    /// The choices of the combination that was found.
    choices: Vec<usize>,
    /// The tests that are left.
    tests: usize,
}

impl<'s, A: Acceptance> Search<'s, A> {
    fn new(sizes: &'s [usize], acceptance: A, rules: &[usize]) -> Self {
        let free_from = |rule: usize| {
            let restricts = |dimension: &usize| {
                !(0..sizes[*dimension]).all(|choice| acceptance.accepts(rule, *dimension, choice))
            };
            (0..sizes.len()).rev().find(restricts).map_or(0, |last| last + 1)
        };
        let complete = rules.iter().filter(|rule| !acceptance.is_partial(**rule));
        let free_from = complete.map(|&rule| (rule, free_from(rule))).collect();
        Self { sizes, acceptance, free_from, choices: vec![0; sizes.len()], tests: MAX_TESTS }
    }

    /// Whether a combination of choices, from this dimension on, is accepted by none of the rules. `None` if too many
    /// tests would be needed.
    fn finds_uncovered(&mut self, dimension: usize, rules: &[usize]) -> Option<bool> {
        if rules.is_empty() {
            // Any choice of the dimensions that are left.
            self.choices[dimension..].fill(0);
            return Some(true);
        }
        let Some(&size) = self.sizes.get(dimension) else {
            let are_partial = rules.iter().all(|&rule| self.acceptance.is_partial(rule));
            return Some(are_partial && self.acceptance.leaves_some(rules));
        };
        // A rule without restrictions in later dimensions covers a choice that it accepts. In a policy of 500 rules, of
        // which many match on exit codes alone, nearly all choices are covered so.
        let is_free =
            |rule: &usize| self.free_from.get(rule).is_some_and(|it| *it <= dimension + 1);
        let free: Vec<usize> = rules.iter().copied().filter(is_free).collect();
        // Choices that the same rules accept lead to the same search.
        let mut seen = HashSet::new();
        for choice in 0..size {
            self.tests = self.tests.checked_sub(rules.len())?;
            if free.iter().any(|&rule| self.acceptance.accepts(rule, dimension, choice)) {
                continue;
            }
            let accepting = rules.iter().copied();
            let accepting: Vec<usize> = accepting
                .filter(|&rule| self.acceptance.accepts(rule, dimension, choice))
                .collect();
            if seen.contains(&accepting) {
                continue;
            }
            self.choices[dimension] = choice;
            if self.finds_uncovered(dimension + 1, &accepting)? {
                return Some(true);
            }
            seen.insert(accepting);
        }
        Some(false)
    }

    /// Removes rules without which the others still cover everything. Later rules are removed first.
    fn reduce(&mut self, mut rules: Vec<usize>) -> Vec<usize> {
        rules.retain(|&rule| self.overlaps(rule));
        if rules.len() > MAX_REDUCED {
            return rules;
        }
        for at in (0..rules.len()).rev() {
            let rule = rules.remove(at);
            if self.finds_uncovered(0, &rules) != Some(false) {
                rules.insert(at, rule);
            }
        }
        rules
    }

    fn overlaps(&self, rule: usize) -> bool {
        let mut sizes = self.sizes.iter().enumerate();
        sizes.all(|(dimension, &size)| {
            (0..size).any(|it| self.acceptance.accepts(rule, dimension, it))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZES: [usize; 3] = [3, 2, 3];

    fn combinations() -> impl Iterator<Item = [usize; 3]> {
        (0..SIZES[0])
            .flat_map(|a| (0..SIZES[1]).flat_map(move |b| (0..SIZES[2]).map(move |c| [a, b, c])))
    }

    /// Whether a rule, a set of accepted choices of each dimension, accepts a combination.
    fn accepts(rule: &[Vec<bool>], combination: [usize; 3]) -> bool {
        combination.iter().zip(rule).all(|(&choice, accepted)| accepted[choice])
    }

    fn rule() -> impl Strategy<Value = Vec<Vec<bool>>> {
        SIZES.map(|size| prop::collection::vec(prop::bool::weighted(0.7), size)).prop_map(Vec::from)
    }

    proptest! {
        #[test]
        fn it_is_that_of_all_combinations(rules in prop::collection::vec(rule(), 0..6)) {
            let covers = |numbers: &[usize]| combinations()
                .all(|it| numbers.iter().any(|&number| accepts(&rules[number], it)));
            let all: Vec<usize> = (0..rules.len()).collect();
            let found = coverage(&SIZES, all.clone(), |rule, dimension, choice| rules[rule][dimension][choice]);
            match found {
                Coverage::Reached => prop_assert!(!covers(&all)),
                Coverage::Covered(numbers) => {
                    prop_assert!(covers(&numbers));
                    for leave_out in &numbers {
                        let others: Vec<usize> =
                            numbers.iter().copied().filter(|it| it != leave_out).collect();
                        prop_assert!(!covers(&others), "{leave_out} of {numbers:?} is not needed");
                    }
                }
                Coverage::Unknown => prop_assert!(false, "few combinations"),
            }
        }
    }

    /// 300 choices of eight dimensions: each rule leaves out one of them.
    const MANY: [usize; 8] = [300; 8];

    #[test]
    fn rules_that_restrict_one_dimension_need_no_combinations() {
        let found = coverage(&MANY, (0..2400).collect(), |rule, dimension, choice| {
            rule / 300 != dimension || rule % 300 != choice
        });
        assert!(found.is_covered());
    }

    #[test]
    fn a_search_of_too_many_combinations_stops() {
        // Each rule leaves out a choice of the last dimension too, so that no prefix of choices is enough.
        let found = coverage(&MANY, (0..2100).collect(), |rule, dimension, choice| {
            (rule / 300 != dimension || rule % 300 != choice)
                && (dimension != 7 || rule % 299 != choice)
        });
        assert_eq!(found, Coverage::Unknown);
    }
}
