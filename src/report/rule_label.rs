//! The name of a rule in texts and cells of tables.

use systems::Description;

/// The name of a rule: `infra[0]`, or `infra default`.
pub(super) fn rule(policy: Option<&str>, index: Option<usize>) -> String {
    match (policy, index) {
        (Some(policy), Some(index)) => format!("{policy}[{index}]"),
        (Some(policy), None) => format!("{policy} default"),
        _ => String::new(),
    }
}

/// The name of a rule; for an engine whose policies need no rules, that of the policy in place of its default.
pub(super) fn label(system: &Description, policy: &str, index: Option<usize>) -> String {
    if system.has_rules || index.is_some() { rule(Some(policy), index) } else { policy.to_owned() }
}
