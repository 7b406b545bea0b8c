//! Whether rules can be reached: exact reasoning about what earlier rules leave to a later one.
//!
//! For each rule there is one kind of failure that fewest others match (semantics.md, section 4). Exit codes and
//! reasons of it are seen only by rules of the same scope: a failed container that a rule names, or the first failed
//! one, is hidden from rules of other scopes by other names, by an init container before it, or by being one itself.
//! Messages are seen by wider scopes too. What is left is a product of an exit code, a condition, a category and a
//! subcategory, whose combinations [`coverage`] tries.
//!
//! Of patterns it is known that they match every message, contain a literal, or are equal. Other patterns are assumed
//! to differ: a rule may then be reported as reached although it is not, but never the opposite.

use super::cover::{Coverage, coverage};
use super::{Action, Condition, ExitCodes, Operator, RetryPolicy, Rule};
use crate::pattern::{Matched, Pattern};
use std::collections::BTreeSet;

impl RetryPolicy {
    /// Whether the policy retries some failure. An absent limit of `v1` is `globalMaxRetries`, which is
    /// assumed to be above 0.
    pub fn can_retry(&self) -> bool {
        let grants = |action, own: Option<u32>| {
            action == Action::Retry && own.or_else(|| self.limit()) != Some(0)
        };
        let rules = RuleSet::new(&self.rules);
        let mut all = self.rules.iter().enumerate();
        // Documents have no rule without a matcher; conversions between systems may make one.
        let has_catch_all = self.rules.iter().any(|rule| rule.matchers().is_empty());
        all.any(|(number, rule)| {
            grants(rule.action, rule.retry_limit) && !rules.coverage(number).is_covered()
        }) || !has_catch_all && grants(self.default_action(), None)
    }
}

/// Rules in their order, prepared for comparisons with each other.
#[derive(Debug)]
pub struct RuleSet<'r> {
    rules: Vec<Prepared<'r>>,
}

#[derive(Debug)]
struct Prepared<'r> {
    rule: &'r Rule,
    scope: Scope<'r>,
    matched: Option<Matched>,
}

/// The container that exit codes and reasons are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope<'r> {
    /// The container of this name.
    Named(&'r str),
    /// The first failed container that is not an init container.
    First,
    /// The first failed init container, else the first other.
    FirstWithInit,
}

/// An exit code that no list can contain.
const OTHER_CODE: i64 = i32::MAX as i64 + 1;

impl<'r> RuleSet<'r> {
    /// Prepares the rules of a policy, or of several policies that are evaluated together.
    pub fn new(rules: impl IntoIterator<Item = &'r Rule>) -> Self {
        Self { rules: rules.into_iter().map(Prepared::new).collect() }
    }

    /// Whether the rules before a rule match all of its failures.
    pub fn coverage(&self, number: usize) -> Coverage {
        self.rules.get(number).map_or(Coverage::Reached, |rule| self.coverage_of(rule, number))
    }

    /// Whether the rules before a number match all failures of a rule that is not one of these.
    pub fn coverage_of_other(&self, rule: &Rule, before: usize) -> Coverage {
        self.coverage_of(&Prepared::new(rule), before)
    }

    fn coverage_of<'o>(&self, later: &Prepared<'o>, before: usize) -> Coverage
    where
        'r: 'o,
    {
        let earlier: Vec<usize> = (0..before.min(self.rules.len()))
            .filter(|&it| self.rules[it].can_share(later))
            .collect();
        let rules = || earlier.iter().map(|&other| &self.rules[other]);
        let codes = later.code_choices(rules());
        let conditions = later.condition_choices();
        let categories = name_choices(rules(), later, |rule| &rule.categories);
        let subcategories = name_choices(rules(), later, |rule| &rule.subcategories);
        let sizes = [codes.len(), conditions.len(), categories.len(), subcategories.len()];
        coverage(&sizes, earlier, |rule, dimension, choice| {
            let earlier = &self.rules[rule];
            match dimension {
                0 => earlier.accepts_code(codes[choice]),
                1 => earlier.accepts_condition(conditions[choice], later),
                2 => accepts_name(&earlier.rule.categories, categories[choice]),
                _ => accepts_name(&earlier.rule.subcategories, subcategories[choice]),
            }
        })
    }

    /// Whether two rules certainly match no failure together. Only lists of the same kind are compared.
    pub fn are_disjoint(&self, one: usize, other: usize) -> bool {
        let (Some(one), Some(other)) = (self.rules.get(one), self.rules.get(other)) else {
            return false;
        };
        let are_apart = |one: &[String], other: &[String]| {
            !one.is_empty() && !other.is_empty() && one.iter().all(|name| !other.contains(name))
        };
        let by_code = || match (&one.rule.exit_codes, &other.rule.exit_codes) {
            (Some(one_codes), Some(other_codes)) if one.scope == other.scope => {
                are_apart_codes(one_codes, other_codes) || are_apart_codes(other_codes, one_codes)
            }
            _ => false,
        };
        are_apart(&one.rule.categories, &other.rule.categories)
            || are_apart(&one.rule.subcategories, &other.rule.subcategories)
            || by_code()
    }
}

impl<'r> Prepared<'r> {
    fn new(rule: &'r Rule) -> Self {
        let scope = match &rule.container {
            Some(name) => Scope::Named(name),
            None if rule.include_init_containers => Scope::FirstWithInit,
            None => Scope::First,
        };
        Self { rule, scope, matched: rule.message.as_ref().map(Pattern::matched) }
    }
}

impl Prepared<'_> {
    /// Whether the rule can match the failure of a later rule that fewest others match, as far as scopes and messages
    /// decide.
    fn can_share(&self, later: &Prepared<'_>) -> bool {
        let codes = self.rule.exit_codes.is_none()
            || later.rule.exit_codes.is_some() && self.scope == later.scope;
        let conditions = self.rule.conditions.is_empty() || !later.rule.conditions.is_empty();
        codes && conditions && self.accepts_message(later)
    }

    fn accepts_message(&self, later: &Prepared<'_>) -> bool {
        let Some(own) = &self.matched else { return true };
        let Some(theirs) = &later.matched else { return false };
        // The named container is an init container; that of the first failed one has a name of its own.
        let sees = match (self.scope, later.scope) {
            (Scope::FirstWithInit, _) => true,
            (own, later) => own == later,
        };
        let equal = || {
            let (own, theirs) = (self.rule.message.as_ref(), later.rule.message.as_ref());
            own.map(Pattern::as_str) == theirs.map(Pattern::as_str)
        };
        sees && match (own, theirs) {
            (Matched::All, _) => true,
            (Matched::Containing(own), Matched::Containing(theirs)) => theirs.contains(own),
            _ => equal(),
        }
    }

    /// Exit codes that the rule matches: one for each way in which the other rules distinguish them. A single one if
    /// the rule matches no exit code, which the others then do not either.
    fn code_choices<'p, 'o: 'p>(&self, others: impl Iterator<Item = &'p Prepared<'o>>) -> Vec<i64> {
        let Some(own) = &self.rule.exit_codes else { return vec![OTHER_CODE] };
        let listed: BTreeSet<i64> = match own.operator {
            Operator::In => own.values.iter().copied().map(i64::from).collect(),
            Operator::NotIn => {
                let others = others.filter_map(|other| other.rule.exit_codes.as_ref());
                others.flat_map(|codes| codes.values.iter().copied().map(i64::from)).collect()
            }
        };
        let own_codes = listed.into_iter().filter(|code| accepts(own, *code));
        let other = (own.operator == Operator::NotIn).then_some(OTHER_CODE);
        // The code that no rule lists is accepted by fewest.
        other.into_iter().chain(own_codes).collect()
    }

    fn accepts_code(&self, code: i64) -> bool {
        self.rule.exit_codes.as_ref().is_none_or(|codes| accepts(codes, code))
    }

    /// The conditions of which the rule needs one; a single `None` if it needs no condition. Conditions of the pod are
    /// never matched by a rule with a container.
    fn condition_choices(&self) -> Vec<Option<Condition>> {
        if self.rule.conditions.is_empty() {
            return vec![None];
        }
        let own = self.rule.conditions.iter().copied();
        let is_named = self.rule.container.is_some();
        own.filter(|&it| !is_named || it == Condition::OomKilled).map(Some).collect()
    }

    /// `OOMKilled` is the reason of the later rule's container, other conditions are the pod's.
    fn accepts_condition(&self, condition: Option<Condition>, later: &Prepared<'_>) -> bool {
        if self.rule.conditions.is_empty() {
            return true;
        }
        let Some(condition) = condition else { return false };
        let sees = match condition {
            Condition::OomKilled => self.scope == later.scope,
            _ => self.rule.container.is_none(),
        };
        sees && self.rule.conditions.contains(&condition)
    }
}

/// Whether no value of a list of `In` is accepted by another matcher.
fn are_apart_codes(one: &ExitCodes, other: &ExitCodes) -> bool {
    one.operator == Operator::In
        && one.values.iter().all(|value| !accepts(other, i64::from(*value)))
}

fn accepts(codes: &ExitCodes, code: i64) -> bool {
    let is_listed = codes.values.iter().any(|value| i64::from(*value) == code);
    is_listed == (codes.operator == Operator::In)
}

/// The names of a rule's list. If it has none: no name, and all names that the other rules list.
fn name_choices<'p, 'o: 'p, 'r: 'o>(
    others: impl Iterator<Item = &'p Prepared<'r>>,
    later: &Prepared<'o>,
    list: impl Fn(&'o Rule) -> &'o [String],
) -> Vec<Option<&'o str>> {
    let own = list(later.rule);
    if !own.is_empty() {
        return own.iter().map(|name| Some(name.as_str())).collect();
    }
    let listed: BTreeSet<&str> =
        others.flat_map(|other| list(other.rule)).map(String::as_str).collect();
    std::iter::once(None).chain(listed.into_iter().map(Some)).collect()
}

/// Whether a matcher accepts this name; `None` is one that no rule lists.
fn accepts_name(list: &[String], name: Option<&str>) -> bool {
    list.is_empty() || name.is_some_and(|name| list.iter().any(|other| other == name))
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Backoff, Condition, ExitCodes, Form, Operator, PolicyName};
    use proptest::prelude::*;

    fn policy(rules: Vec<Rule>, default_action: Action) -> RetryPolicy {
        RetryPolicy {
            name: PolicyName::new("p").unwrap(),
            form: Form::V1,
            retry_limit: Some(1),
            default_action: Some(default_action),
            backoff: Backoff::default(),
            anti_affinity: None,
            rules,
        }
    }

    fn rule() -> impl Strategy<Value = Rule> {
        let action = prop_oneof![Just(Action::Retry), Just(Action::Fail)];
        let some = |names: &'static [&'static str]| prop::sample::subsequence(names, 0..=2);
        (action, some(&["a", "b"]), some(&["x", "y"]), prop::option::weighted(0.2, Just(0)))
            .prop_map(|(action, categories, subcategories, retry_limit)| Rule {
                categories: categories.into_iter().map(str::to_owned).collect(),
                subcategories: subcategories.into_iter().map(str::to_owned).collect(),
                retry_limit,
                ..Rule::new(action)
            })
    }

    /// Whether the first rule that matches grants a retry.
    fn retries(policy: &RetryPolicy, category: &str, subcategory: &str) -> bool {
        let matches = |list: &[String], value: &str| {
            list.is_empty() || list.iter().any(|other| other == value)
        };
        let rule = policy.rules.iter().find(|rule| {
            matches(&rule.categories, category) && matches(&rule.subcategories, subcategory)
        });
        let action = rule.map_or(policy.default_action(), |rule| rule.action);
        action == Action::Retry && rule.and_then(|rule| rule.retry_limit) != Some(0)
    }

    proptest! {
        #[test]
        fn of_categories_it_is_what_the_first_match_says(
            rules in prop::collection::vec(rule(), 0..5), by_default: bool,
        ) {
            let policy = policy(rules, if by_default { Action::Retry } else { Action::Fail });
            let mut failures =
                ["a", "b", "other"].into_iter().flat_map(|c| ["x", "y", "other"].map(|s| (c, s)));
            let expected = failures.any(|(c, s)| retries(&policy, c, s));
            prop_assert_eq!(policy.can_retry(), expected, "{:?}", policy);
        }
    }

    #[test]
    fn matchers_on_containers_are_compared_as_lists() {
        let codes =
            |values: &[i32]| Some(ExitCodes { operator: Operator::In, values: values.to_vec() });
        let fails = Rule { exit_codes: codes(&[1]), ..Rule::new(Action::Fail) };
        let same = Rule { exit_codes: codes(&[1]), ..Rule::new(Action::Retry) };
        let other = Rule { exit_codes: codes(&[2]), ..same.clone() };
        let in_container = Rule { container: Some("c".to_owned()), ..same.clone() };
        let narrower = Rule { conditions: vec![Condition::Evicted], ..same.clone() };
        for (retry, expected) in
            [(same, false), (other, true), (in_container, true), (narrower, false)]
        {
            let policy = policy(vec![fails.clone(), retry], Action::Fail);
            assert_eq!(policy.can_retry(), expected, "{policy:?}");
        }
    }
}
