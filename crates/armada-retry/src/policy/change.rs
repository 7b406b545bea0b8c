//! A change of a policy in one place: a rule that is inserted, replaced or removed, or a limit.

use super::model::{Form, RetryPolicy, Rule};
use super::print::rule_to_flow;

/// A change of one place of a policy.
#[derive(Debug, Clone, PartialEq)]
pub enum PolicyChange {
    /// A rule is inserted before the rule at this index, or after the last one.
    Insert(usize, Rule),
    /// The rule at this index is replaced.
    Replace(usize, Rule),
    /// The rule at this index is removed.
    Remove(usize),
    /// The policy's `retryLimit` is set.
    RetryLimit(u32),
    /// The `retryLimit` of the rule at this index is set.
    RuleRetryLimit(usize, u32),
}

impl PolicyChange {
    /// The policy with the change; `None` if it has no such rule.
    pub fn apply(&self, policy: &RetryPolicy) -> Option<RetryPolicy> {
        let mut changed = policy.clone();
        match self {
            Self::Insert(at, rule) if *at <= changed.rules.len() => {
                changed.rules.insert(*at, rule.clone());
            }
            Self::Replace(at, rule) => *changed.rules.get_mut(*at)? = rule.clone(),
            Self::Remove(at) if *at < changed.rules.len() => _ = changed.rules.remove(*at),
            Self::Insert(..) | Self::Remove(_) => return None,
            Self::RetryLimit(limit) => changed.retry_limit = Some(*limit),
            Self::RuleRetryLimit(at, limit) => {
                changed.rules.get_mut(*at)?.retry_limit = Some(*limit);
            }
        }
        Some(changed)
    }

    /// Where in the policy it is: `rules[1]`, `retryLimit`.
    pub fn path(&self) -> String {
        match self {
            Self::Insert(at, _) | Self::Replace(at, _) | Self::Remove(at) => {
                format!("rules[{at}]")
            }
            Self::RetryLimit(_) => "retryLimit".to_owned(),
            Self::RuleRetryLimit(at, _) => format!("rules[{at}].retryLimit"),
        }
    }

    /// The new value in YAML's flow form; empty if a rule is removed.
    pub fn value(&self, form: Form) -> String {
        match self {
            Self::Insert(_, rule) | Self::Replace(_, rule) => rule_to_flow(rule, form),
            Self::Remove(_) => String::new(),
            Self::RetryLimit(limit) | Self::RuleRetryLimit(_, limit) => limit.to_string(),
        }
    }
}
