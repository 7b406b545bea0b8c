//! Conversion from `v1` to `v1beta1`.

use super::conversion::{Conversion, Difference};
use crate::policy::{Action, AntiAffinity, Backoff, Form, Matcher, RetryPolicy, Rule};

/// Converts to the form that `v1beta1` servers accept.
///
/// A rule with a list of categories becomes one rule for each category. A rule with a matcher that has no
/// counterpart is left out as a whole: without the matcher it would match more failures. `antiAffinity: node`
/// becomes `avoidSameNode`, which avoids every node tried.
pub fn to_v1beta1(policy: &RetryPolicy) -> Conversion {
    let mut differences = Vec::new();
    let mut rules = Vec::new();
    policy_differences(policy, &mut differences);
    for (number, rule) in policy.rules.iter().enumerate() {
        let found = rule_differences(number, rule);
        let left_out = found.iter().any(|difference| difference.drops_rule);
        differences.extend(found);
        if !left_out {
            rules.extend(counterparts(policy, rule));
        }
    }
    let policy = RetryPolicy {
        name: policy.name.clone(),
        form: Form::V1beta1,
        retry_limit: Some(job_limit(policy).unwrap_or(0)),
        default_action: Some(policy.default_action()),
        backoff: Backoff::default(),
        anti_affinity: None,
        rules,
    };
    Conversion { policy, differences }
}

/// Adds the differences of the policy's own fields.
fn policy_differences(policy: &RetryPolicy, differences: &mut Vec<Difference>) {
    let mut differs = |field, description, help| {
        differences.push(Difference { rule: None, field, description, help, drops_rule: false });
    };
    if retry_actions(policy) > 0 && job_limit(policy).is_none() {
        differs(
            "retryLimit",
            "it is absent, which means the fleet's limit in v1 and no retry at all in v1beta1",
            Some("set `retryLimit` on the policy"),
        );
    }
    if retry_actions(policy) > 1 {
        differs(
            "rules",
            "v1 counts the retries of each rule apart, v1beta1 all of a job together",
            Some("keep one Retry rule, or only the default action Retry"),
        );
    }
    if !policy.backoff.is_empty() {
        differs("backoff", NO_BACKOFF, None);
    }
    if policy.anti_affinity == Some(AntiAffinity::Node) {
        differs("antiAffinity", AVOIDED_NODES, None);
        if policy.default_action() == Action::Retry {
            differs("defaultAction", "a retry by default avoids no node in v1beta1", None);
        }
    }
}

const NO_BACKOFF: &str = "v1beta1 servers never wait before a retry";
const AVOIDED_NODES: &str =
    "v1 avoids the node of the last failed run, v1beta1 (`avoidSameNode`) every node tried";
const ONLY_CATEGORIES: &str = "v1beta1 rules match categories only";
const USE_CATEGORIES: Option<&str> =
    Some("define a category for such failures in the executor's errorCategories, and match it");

/// The differences of a rule's fields.
fn rule_differences(number: usize, rule: &Rule) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut differs = |is: bool, field, description, help, drops_rule| {
        if is {
            found.push(Difference { rule: Some(number), field, description, help, drops_rule });
        }
    };
    for matcher in rule.matchers() {
        let field = matcher.field();
        match matcher {
            Matcher::Categories(_) => {}
            Matcher::Subcategories(_) => differs(
                rule.categories.is_empty(),
                field,
                "v1beta1 takes a subcategory only with its category",
                Some("name the category too: `onFailureCategory`"),
                true,
            ),
            _ => differs(true, field, ONLY_CATEGORIES, USE_CATEGORIES, true),
        }
    }
    let no_container = "v1beta1 rules cannot select a container";
    differs(rule.container.is_some(), "containerName", no_container, None, false);
    differs(rule.include_init_containers, "includeInitContainers", no_container, None, false);
    // The fields below have no effect on a Fail rule in either form.
    let retry = rule.action == Action::Retry;
    differs(
        retry && rule.retry_limit.is_some(),
        "retryLimit",
        "v1beta1 has one limit, for all retries of a job",
        Some("set `retryLimit` on the policy instead"),
        false,
    );
    differs(retry && !rule.backoff.is_empty(), "backoff", NO_BACKOFF, None, false);
    // An antiAffinity of the policy is reported once, with the policy's fields.
    let own = rule.anti_affinity;
    differs(retry && own == Some(AntiAffinity::Node), "antiAffinity", AVOIDED_NODES, None, false);
    found
}

/// The rules that together match the failures that `rule` matches: one per pair of category and
/// subcategory.
fn counterparts(policy: &RetryPolicy, rule: &Rule) -> Vec<Rule> {
    let avoids = rule.anti_affinity.or(policy.anti_affinity) == Some(AntiAffinity::Node);
    let single_rule = |category: &String, subcategory: Option<&String>| Rule {
        categories: vec![category.clone()],
        subcategories: subcategory.into_iter().cloned().collect(),
        avoid_same_node: rule.avoid_same_node || avoids && rule.action == Action::Retry,
        memory: rule.memory,
        memory_text: rule.memory_text.clone(),
        ..Rule::new(rule.action)
    };
    let split_rules = |category: &String| -> Vec<Rule> {
        if rule.subcategories.is_empty() {
            return vec![single_rule(category, None)];
        }
        rule.subcategories
            .iter()
            .map(|subcategory| single_rule(category, Some(subcategory)))
            .collect()
    };
    rule.categories.iter().flat_map(split_rules).collect()
}

/// The number of Retry actions: those of rules, and the default action if it is Retry.
fn retry_actions(policy: &RetryPolicy) -> usize {
    let rules = policy.rules.iter().filter(|rule| rule.action == Action::Retry).count();
    rules + usize::from(policy.default_action() == Action::Retry)
}

/// The limit of a job's retries: the policy's, or that of its only Retry rule.
pub(super) fn job_limit(policy: &RetryPolicy) -> Option<u32> {
    let mut own = policy.rules.iter().filter(|rule| rule.action == Action::Retry);
    let only = own.next().filter(|_| retry_actions(policy) == 1).and_then(|rule| rule.retry_limit);
    only.or(policy.retry_limit)
}
