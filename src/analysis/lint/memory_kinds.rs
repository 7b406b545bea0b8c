//! Memory that grows by a factor in one rule and by an amount in another: the second kind is skipped (semantics.md,
//! section 7).

use super::context::Context;
use super::definition::Lint;
use armada_retry::policy::MemoryBump;
use document::diag::{Code, Diagnostic, Findings, Place};

pub(super) const LINT: Lint = Lint { code: Code::MemoryKinds, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    for set in context.sets() {
        let (mut factor, mut amount): (Option<Place>, Option<Place>) = (None, None);
        for policy in set.iter().map(|&at| &context.policies[at]) {
            for (number, rule, node) in policy.numbered() {
                if !policy.can_retry(number) {
                    continue;
                }
                let node = node.at(&["mutate", "resources", "memory"]).unwrap_or(node);
                let place = || policy.place(node.span);
                match rule.memory {
                    Some(MemoryBump::Factor(_)) => _ = factor.get_or_insert_with(place),
                    Some(MemoryBump::Static(_)) => _ = amount.get_or_insert_with(place),
                    None => {}
                }
            }
        }
        if let (Some(factor), Some(amount)) = (factor, amount) {
            let message = "a job grows by a factor or by amounts, whichever comes first: the other kind is then skipped";
            findings.push(
                Diagnostic::warning(Code::MemoryKinds, amount, message)
                    .labelled("an amount")
                    .also(factor, "a factor")
                    .help("use one kind in all rules"),
            );
        }
    }
}
