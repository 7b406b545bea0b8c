//! Search for earlier rules that may match failures of a later one, without a comparison with each of them.
//!
//! An earlier rule that restricts what a later one leaves open leaves some failures of the later one: those without a
//! category, an exit code, a condition or a message. So it is relevant only if both have a value in common, in each
//! dimension that the earlier one restricts. It is looked up by one of these: the one whose values fewest rules have.

use super::reachability::{Prepared, Scope, left_out};
use super::{Condition, Operator};
use std::collections::{BTreeSet, HashMap};

/// A value that a rule has in one of its lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key<'r> {
    Category(&'r str),
    Subcategory(&'r str),
    Code(Scope<'r>, i64),
    /// All exit codes but some.
    OtherCodes(Scope<'r>),
    Condition(Condition),
    /// Any message, since patterns are compared by their texts.
    Message,
    /// A rule without matchers.
    Nothing,
}

/// The rules so far, by the values that they have.
pub(super) struct Relevance<'r> {
    /// How many rules have each value.
    frequencies: HashMap<Key<'r>, usize>,
    rules: HashMap<Key<'r>, Vec<usize>>,
    /// The exit codes that rules of each scope leave out.
    left_out: HashMap<Scope<'r>, BTreeSet<i64>>,
    /// The rules that were returned, in all.
    #[cfg(test)]
    pub(super) steps: usize,
}

impl<'r> Relevance<'r> {
    /// No rules so far, of those that will be added.
    pub(super) fn new(all: &[Prepared<'r>]) -> Self {
        let mut frequencies = HashMap::new();
        for key in all.iter().flat_map(dimensions).flatten() {
            *frequencies.entry(key).or_insert(0) += 1;
        }
        Self {
            frequencies,
            rules: HashMap::new(),
            left_out: HashMap::new(),
            #[cfg(test)]
            steps: 0,
        }
    }

    pub(super) fn add(&mut self, number: usize, rule: &Prepared<'r>) {
        let frequency = |keys: &Vec<Key<'r>>| {
            keys.iter().map(|key| self.frequencies.get(key).copied().unwrap_or(0)).sum::<usize>()
        };
        let rarest = dimensions(rule).into_iter().min_by_key(frequency);
        for key in rarest.unwrap_or_else(|| vec![Key::Nothing]) {
            let numbers = self.rules.entry(key).or_default();
            if numbers.last() != Some(&number) {
                numbers.push(number);
            }
        }
        self.left_out.entry(rule.scope).or_default().extend(left_out(rule.rule));
    }

    /// The numbers of the rules that may match failures of a later one, in order.
    pub(super) fn earlier(&mut self, later: &Prepared<'r>) -> Vec<usize> {
        let mut keys: Vec<Key<'_>> = dimensions(later).into_iter().flatten().collect();
        keys.push(Key::Nothing);
        if let Some(codes) = &later.rule.exit_codes {
            let scope = later.scope;
            keys.push(Key::OtherCodes(scope));
            if codes.operator == Operator::NotIn {
                let left_out = self.left_out.get(&scope).into_iter().flatten();
                keys.extend(left_out.map(|code| Key::Code(scope, *code)));
            }
        }
        let numbers = keys.iter().filter_map(|key| self.rules.get(key)).flatten();
        let mut numbers: Vec<usize> = numbers.copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        #[cfg(test)]
        {
            self.steps += numbers.len();
        }
        numbers
    }
}

/// The values of a rule in each dimension that it restricts.
fn dimensions<'r>(rule: &Prepared<'r>) -> Vec<Vec<Key<'r>>> {
    let (own, scope) = (rule.rule, rule.scope);
    let codes = own.exit_codes.as_ref().map(|codes| match codes.operator {
        Operator::In => {
            codes.values.iter().map(|code| Key::Code(scope, i64::from(*code))).collect()
        }
        Operator::NotIn => vec![Key::OtherCodes(scope)],
    });
    let categories = own.categories.iter().map(|name| Key::Category(name)).collect();
    let subcategories = own.subcategories.iter().map(|name| Key::Subcategory(name)).collect();
    let conditions = own.conditions.iter().map(|condition| Key::Condition(*condition)).collect();
    let message = own.message.iter().map(|_| Key::Message).collect();
    let all = [categories, subcategories, codes.unwrap_or_default(), conditions, message];
    all.into_iter().filter(|keys: &Vec<Key<'_>>| !keys.is_empty()).collect()
}
