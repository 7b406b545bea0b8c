//! The names of rules, defaults and policies of other systems in messages.

use systems::{Gate, GateKind};

/// A rule, a default or a policy without rules in messages.
pub(super) fn gate_name(gate: &Gate) -> String {
    match (gate.kind, gate.rule_index) {
        (_, Some(number)) => format!("`{}[{number}]`", gate.policy),
        (GateKind::Default, None) => format!("the default of `{}`", gate.policy),
        (_, None) => format!("`{}`", gate.policy),
    }
}
