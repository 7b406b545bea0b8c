//! Default actions that differ among the policies of a queue: only that of the first decides (semantics.md, section 5).

use super::context::Context;
use super::definition::Lint;
use document::diag::{Code, Diagnostic, Findings};
use std::collections::BTreeSet;

pub(super) const LINT: Lint = Lint { code: Code::DefaultActions, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut pairs = BTreeSet::new();
    for queue in &context.queues {
        let Some((&first, others)) = queue.policies.split_first() else { continue };
        for &other in others {
            let (decides, ignored) = (&context.policies[first], &context.policies[other]);
            let actions = [decides, ignored].map(|it| it.policy().default_action());
            if actions[0] == actions[1] || !pairs.insert((first, other)) {
                continue;
            }
            let message = format!(
                "the default action of `{}`, {}, has no effect in {}: that of `{}`, {}, decides",
                ignored.name(),
                actions[1].as_str(),
                queue.text(),
                decides.name(),
                actions[0].as_str(),
            );
            findings.push(
                Diagnostic::warning(Code::DefaultActions, ignored.default_place(), message)
                    .also(decides.default_place(), "the first policy's default decides")
                    .help("give both policies the same default, or change their order"),
            );
        }
    }
}
