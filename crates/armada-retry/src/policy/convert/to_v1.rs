//! Conversion from `v1beta1` to `v1`.

use super::conversion::{Conversion, Difference};
use crate::policy::{Action, AntiAffinity, Form, RetryPolicy, Rule};

/// Converts to `v1`, and writes the defaults of `v1beta1` out: `retryLimit: 0` and the default action Fail.
pub fn to_v1(policy: &RetryPolicy) -> Conversion {
    let mut differences = Vec::new();
    let mut differs = |rule, field, description, help| {
        differences.push(Difference { rule, field, description, help, drops_rule: false });
    };
    let retry = |rule: &&Rule| rule.action == Action::Retry;
    let retries = policy.rules.iter().filter(retry).count();
    if retries + usize::from(policy.default_action() == Action::Retry) > 1 {
        differs(
            None,
            "retryLimit",
            "v1beta1 counts all retries of a job together, v1 those of each rule apart: a job may get more",
            Some("lower the limits, or rely on the fleet's globalMaxRetries"),
        );
    }
    for (number, rule) in policy.rules.iter().enumerate().filter(|(_, rule)| retry(rule)) {
        if rule.avoid_same_node {
            let description = "`avoidSameNode` avoids every node tried, v1's `antiAffinity: node` only that of the last failed run";
            differs(Some(number), "mutate", description, None);
        }
    }
    let rules = policy.rules.iter().map(|rule| Rule {
        avoid_same_node: false,
        anti_affinity: (rule.avoid_same_node && retry(&rule)).then_some(AntiAffinity::Node),
        ..rule.clone()
    });
    let converted = RetryPolicy {
        form: Form::V1,
        retry_limit: policy.limit(),
        default_action: Some(policy.default_action()),
        rules: rules.collect(),
        ..policy.clone()
    };
    Conversion { policy: converted, differences }
}
