//! Actions that a proposal names and no release has.

use crate::diag::{Code, Diagnostic, Findings};
use crate::document::{Document, Node};

/// The actions, and what to write instead.
const ACTIONS: [(&str, &str); 3] = [
    (
        "RestartReplicatedJob",
        "write `RestartJob` (the failed Job alone, feature gate RestartJob) or `RestartJobSet`",
    ),
    ("FailJob", "write `FailJobSet`; no action fails one Job and lets the others go on"),
    (
        "RecreateJob",
        "write `RestartJob` (the failed Job alone, feature gate RestartJob) or `RestartJobSet`",
    ),
];

/// Says of such actions that they were never released, in place of what the shape says of them.
pub(super) fn named(document: &Document, rules: &[Node], findings: Findings) -> Findings {
    let mut out = Findings::new();
    for finding in findings {
        let action = rules.iter().filter_map(|rule| rule.get("action")).find(|action| {
            let at = finding.place.as_ref().map(|place| place.span);
            finding.code == Code::NotAChoice && at == Some(action.span)
        });
        let known = action
            .and_then(Node::text)
            .and_then(|text| ACTIONS.iter().find(|(name, _)| *name == text));
        match (action, known) {
            (Some(node), Some((name, instead))) => {
                let message = format!("no release of JobSet has the action `{name}`");
                let place = document.place(node.span);
                out.push(Diagnostic::error(Code::NeverReleased, place, message).help(*instead));
            }
            _ => out.push(finding),
        }
    }
    out
}
