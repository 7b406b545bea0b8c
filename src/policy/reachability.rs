//! Whether a policy can retry any failure: a search for rules that can be reached.

use super::{Action, RetryPolicy, Rule};

impl RetryPolicy {
    /// Whether the policy retries some failure. An absent limit of `v1` is `globalMaxRetries`, which is
    /// assumed to be above 0.
    ///
    /// A rule counts if it matches a failure that no single earlier rule matches. Exit codes, conditions and
    /// messages are only tested for equal or wider lists, not for unions of several rules.
    pub fn can_retry(&self) -> bool {
        let grants = |action, own: Option<u32>| {
            action == Action::Retry && own.or_else(|| self.limit()) != Some(0)
        };
        for (index, rule) in self.rules.iter().enumerate() {
            if grants(rule.action, rule.retry_limit) && rule.is_reached(&self.rules[..index]) {
                return true;
            }
            if rule.matches_everything() {
                return false;
            }
        }
        grants(self.default_action(), None)
    }
}

impl Rule {
    /// Whether the rule matches every failure.
    fn matches_everything(&self) -> bool {
        self.matchers().is_empty()
    }

    /// Whether the rule matches a failure that none of the `earlier` rules matches. Of the `earlier` rules,
    /// none that can be reached grants a retry.
    fn is_reached(&self, earlier: &[Self]) -> bool {
        let is_uncovered = |category: Option<&str>, subcategory: Option<&str>| {
            !earlier.iter().any(|rule| {
                rule.covers_containers_of(self)
                    && matches_value(&rule.categories, category)
                    && matches_value(&rule.subcategories, subcategory)
            })
        };
        let mut categories = match_values(&self.categories);
        categories.any(|category| {
            match_values(&self.subcategories).any(|subcategory| is_uncovered(category, subcategory))
        })
    }

    /// Whether the rule's matchers other than those on categories match every failure that those of
    /// `other` match.
    fn covers_containers_of(&self, other: &Self) -> bool {
        let has_same_containers = self.container == other.container
            && self.include_init_containers == other.include_init_containers;
        let theirs = other.matchers();
        self.matchers()
            .into_iter()
            .filter(|matcher| !matcher.is_of_category())
            .all(|own| has_same_containers && theirs.iter().any(|other| own.covers(*other)))
    }
}

/// The values of a matcher; a single `None`, for any value, if there is no matcher.
fn match_values(list: &[String]) -> impl Iterator<Item = Option<&str>> {
    let open = list.is_empty().then_some(None);
    list.iter().map(|value| Some(value.as_str())).chain(open)
}

/// Whether a matcher matches this value; `None` is any value.
fn matches_value(list: &[String], value: Option<&str>) -> bool {
    list.is_empty() || value.is_some_and(|value| list.iter().any(|other| other == value))
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
