//! The design as today's servers can take it.

use super::{Conversion, Difference};
use crate::policy::{Action, AntiAffinity, Backoff, Form, RetryPolicy, Rule};

/// The policy as a `v1beta1` server takes it.
///
/// A list of categories becomes a rule each. A rule with a matcher that has no counterpart is left
/// out as a whole: without the matcher it would match more than it should. `antiAffinity: node` is
/// sent as `avoidSameNode`, which avoids every node tried.
pub fn to_v1beta1(policy: &RetryPolicy) -> Conversion {
    let mut differences = Vec::new();
    let mut rules = Vec::new();
    of_policy(policy, &mut differences);
    for (number, rule) in policy.rules.iter().enumerate() {
        let found = differences_of(number, rule);
        let left_out = found.iter().any(|difference| difference.leaves_out);
        differences.extend(found);
        if !left_out {
            rules.extend(counterparts(policy, rule));
        }
    }
    let policy = RetryPolicy {
        name: policy.name.clone(),
        form: Form::V1beta1,
        retry_limit: Some(written_limit(policy).unwrap_or(0)),
        default_action: Some(policy.default_action()),
        backoff: Backoff::default(),
        anti_affinity: None,
        rules,
    };
    Conversion { policy, differences }
}

/// What is lost of the policy's own fields.
fn of_policy(policy: &RetryPolicy, differences: &mut Vec<Difference>) {
    let mut differs = |field, what, help| {
        differences.push(Difference { rule: None, field, what, help, leaves_out: false });
    };
    if retries(policy) > 0 && written_limit(policy).is_none() {
        differs(
            "retryLimit",
            "it is absent, which means the fleet's limit in v1 and no retry at all in v1beta1",
            Some("set `retryLimit` on the policy"),
        );
    }
    if retries(policy) > 1 {
        differs(
            "rules",
            "v1 counts the retries of each rule apart, v1beta1 all of a job together",
            Some("keep one Retry rule, or Retry by default alone"),
        );
    }
    if !policy.backoff.is_empty() {
        differs("backoff", WAITS, None);
    }
    if policy.anti_affinity == Some(AntiAffinity::Node) {
        differs("antiAffinity", NODES, None);
        if policy.default_action() == Action::Retry {
            differs("defaultAction", "a retry by default avoids no node in v1beta1", None);
        }
    }
}

const WAITS: &str = "v1beta1 servers never wait before a retry";
const NODES: &str =
    "v1 avoids the node of the last failed run, v1beta1 (`avoidSameNode`) every node tried";
const ONLY_CATEGORIES: &str = "v1beta1 rules match categories only";
const BY_CATEGORY: Option<&str> =
    Some("let the executor's errorCategories name such failures, and match the category");

/// What is lost of a rule.
fn differences_of(number: usize, rule: &Rule) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut differs = |is: bool, field, what, help, leaves_out| {
        if is {
            found.push(Difference { rule: Some(number), field, what, help, leaves_out });
        }
    };
    differs(rule.exit_codes.is_some(), "onExitCodes", ONLY_CATEGORIES, BY_CATEGORY, true);
    differs(!rule.conditions.is_empty(), "onConditions", ONLY_CATEGORIES, BY_CATEGORY, true);
    differs(rule.message.is_some(), "onTerminationMessage", ONLY_CATEGORIES, BY_CATEGORY, true);
    differs(
        rule.categories.is_empty() && !rule.subcategories.is_empty(),
        "onFailureSubcategory",
        "v1beta1 takes a subcategory only with its category",
        Some("name the category too: `onFailureCategory`"),
        true,
    );
    let no_container = "v1beta1 rules know no containers";
    differs(rule.container.is_some(), "containerName", no_container, None, false);
    differs(rule.include_init_containers, "includeInitContainers", no_container, None, false);
    // What follows has no effect on a Fail rule in either form.
    let retry = rule.action == Action::Retry;
    differs(
        retry && rule.retry_limit.is_some(),
        "retryLimit",
        "v1beta1 has one limit, for all retries of a job",
        Some("set `retryLimit` on the policy instead"),
        false,
    );
    differs(retry && !rule.backoff.is_empty(), "backoff", WAITS, None, false);
    // The policy's own is named once, there.
    let own = rule.anti_affinity;
    differs(retry && own == Some(AntiAffinity::Node), "antiAffinity", NODES, None, false);
    found
}

/// The rules that match what this one does: a category each, with a subcategory each.
fn counterparts(policy: &RetryPolicy, rule: &Rule) -> Vec<Rule> {
    let avoids = rule.anti_affinity.or(policy.anti_affinity) == Some(AntiAffinity::Node);
    let one = |category: &String, subcategory: Option<&String>| Rule {
        categories: vec![category.clone()],
        subcategories: subcategory.into_iter().cloned().collect(),
        avoid_same_node: rule.avoid_same_node || avoids && rule.action == Action::Retry,
        memory: rule.memory,
        memory_text: rule.memory_text.clone(),
        ..Rule::new(rule.action)
    };
    let of = |category: &String| -> Vec<Rule> {
        if rule.subcategories.is_empty() {
            return vec![one(category, None)];
        }
        rule.subcategories.iter().map(|subcategory| one(category, Some(subcategory))).collect()
    };
    rule.categories.iter().flat_map(of).collect()
}

/// How many ways there are to a retry: Retry rules, and Retry by default.
fn retries(policy: &RetryPolicy) -> usize {
    let rules = policy.rules.iter().filter(|rule| rule.action == Action::Retry).count();
    rules + usize::from(policy.default_action() == Action::Retry)
}

/// The limit of all retries: the policy's, or that of the only rule that retries.
fn written_limit(policy: &RetryPolicy) -> Option<u32> {
    let mut own = policy.rules.iter().filter(|rule| rule.action == Action::Retry);
    let only = own.next().filter(|_| retries(policy) == 1).and_then(|rule| rule.retry_limit);
    only.or(policy.retry_limit)
}
