//! Random policies, and the findings about them by definition.

use super::pods::Emitted;
use crate::armada::classifier::config::ExecutorConfig;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A rule of a random policy: whether it retries, its category and its subcategory.
pub(super) type RandomRule = (bool, &'static str, Option<&'static str>);

#[derive(Debug, Clone)]
pub(super) struct RandomPolicy {
    limit: Option<u32>,
    retries_by_default: bool,
    rules: Vec<RandomRule>,
}

pub(super) fn action(retries: bool) -> &'static str {
    if retries { "Retry" } else { "Fail" }
}

impl RandomPolicy {
    /// The document. The rules begin in line 4, one a line, and the default action is in line 2.
    pub(super) fn yaml(&self, name: &str) -> String {
        let limit = self.limit.map_or_else(String::new, |limit| format!(", retryLimit: {limit}"));
        let mut text = format!(
            "{{apiVersion: armadaproject.io/v1beta1, kind: RetryPolicy, name: {name}{limit},\ndefaultAction: {},\nrules: [\n",
            action(self.retries_by_default)
        );
        for (retries, category, subcategory) in &self.rules {
            let sub = subcategory.map_or_else(String::new, |it| format!(", onSubcategory: {it}"));
            text += &format!("{{action: {}, onCategory: {category}{sub}}},\n", action(*retries));
        }
        text + "]}\n"
    }

    fn accepts(rule: &RandomRule, (category, subcategory): (&str, &str)) -> bool {
        rule.1 == category && rule.2.is_none_or(|it| it == subcategory)
    }
}

pub(super) fn random_policy() -> impl Strategy<Value = RandomPolicy> {
    let category = prop::sample::select(&["c0", "c1", "c2", "d", "internal", "C0"][..]);
    let subcategory =
        prop::option::of(prop::sample::select(&["s", "t", "lease-expired", "node-failure"][..]));
    let rules = prop::collection::vec((any::<bool>(), category, subcategory), 1..5);
    let limit = prop_oneof![Just(None), Just(Some(0)), Just(Some(2))];
    (limit, any::<bool>(), rules).prop_map(|(limit, retries_by_default, rules)| RandomPolicy {
        limit,
        retries_by_default,
        rules,
    })
}

/// A category, a subcategory, and whether the pod is kept.
pub(super) type Pairs = BTreeSet<(String, String, bool)>;

pub(super) fn pairs(config: &ExecutorConfig, emitted: &Emitted) -> Pairs {
    let categories = &config.categories.categories;
    let names = categories.iter().flat_map(|category| {
        category
            .rules
            .iter()
            .map(|rule| (category.name.text.clone(), rule.subcategory.text.clone()))
    });
    let names: Vec<(String, String)> =
        names.chain([(config.categories.default_category.text.clone(), String::new())]).collect();
    let own = emitted.iter().map(|(number, is_kept)| {
        let (category, subcategory) = names[*number].clone();
        (category, subcategory, *is_kept)
    });
    let internal = "active-deadline externally-deleted issue-handler-error job-creation-failed \
                    lease-expired pod-missing stuck-terminating";
    let internal = internal.split(' ').map(|it| ("internal".to_owned(), it.to_owned(), false));
    own.chain(internal).collect()
}

/// The findings that definitions give: the id, the file, and the line or the category.
pub(super) fn expected(
    rules: usize,
    emitted: &Emitted,
    pairs: &Pairs,
    policies: &[RandomPolicy],
) -> Vec<String> {
    let mut all: Vec<String> = (0..rules)
        .filter(|number| {
            !emitted.contains(&(*number, true)) && !emitted.contains(&(*number, false))
        })
        .map(|_| "RP044 executor.yaml".to_owned())
        .collect();
    for (file, policy) in policies.iter().enumerate() {
        for (number, (retries, category, subcategory)) in policy.rules.iter().enumerate() {
            let line = number + 4;
            let is_reported = pairs.iter().any(|it| it.0 == *category);
            let has_pair = subcategory.is_none_or(|subcategory| {
                pairs.iter().any(|it| it.0 == *category && it.1 == subcategory)
            });
            if !is_reported || !has_pair {
                all.push(format!("RP044 p{file}.yaml {line}"));
            }
            let is_first = |pair| {
                let mut earlier = policy.rules[..number].iter();
                RandomPolicy::accepts(&policy.rules[number], pair)
                    && !earlier.any(|rule| RandomPolicy::accepts(rule, pair))
            };
            let has_kept = pairs.iter().any(|it| it.2 && is_first((&it.0, &it.1)));
            if *retries && policy.limit.unwrap_or(0) > 0 && has_kept {
                all.push(format!("RP046 p{file}.yaml {line}"));
            }
        }
        let is_default = |pair| !policy.rules.iter().any(|rule| RandomPolicy::accepts(rule, pair));
        let has_kept = pairs.iter().any(|it| it.2 && is_default((&it.0, &it.1)));
        if policy.retries_by_default && policy.limit.unwrap_or(0) > 0 && has_kept {
            all.push(format!("RP046 p{file}.yaml 2"));
        }
    }
    let is_unhandled = |pair| {
        !policies
            .iter()
            .flat_map(|policy| &policy.rules)
            .any(|rule| RandomPolicy::accepts(rule, pair))
    };
    let unhandled: BTreeSet<&str> = pairs
        .iter()
        .filter(|it| !it.0.is_empty() && is_unhandled((&it.0, &it.1)))
        .map(|it| it.0.as_str())
        .collect();
    all.extend(unhandled.into_iter().map(|category| format!("RP045 {category}")));
    all.sort();
    all
}
