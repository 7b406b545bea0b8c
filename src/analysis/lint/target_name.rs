//! The names of rules, defaults and policies of other systems in messages.

use systems::{CoverageTarget, TargetKind};

/// A rule, a default or a policy without rules in messages.
pub(super) fn target_name(target: &CoverageTarget) -> String {
    match (target.kind, target.rule_index) {
        (_, Some(number)) => format!("`{}[{number}]`", target.policy),
        (TargetKind::Default, None) => format!("the default of `{}`", target.policy),
        (_, None) => format!("`{}`", target.policy),
    }
}
