//! Patterns that match every message.

use super::context::Context;
use super::definition::Lint;
use document::diag::{Code, Diagnostic, Findings};
use document::pattern::Matched;

pub(super) const LINT: Lint = Lint { code: Code::CatchAllPattern, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        for (number, rule, node) in policy.numbered() {
            let Some(pattern) = &rule.message else { continue };
            let Some(place) = node.at(&["onTerminationMessage", "pattern"]) else { continue };
            // Messages are not empty. A rule after this one is found by the same definition (RP101).
            if !matches!(pattern.matched(), Matched::All | Matched::NotEmpty) {
                continue;
            }
            let message = format!(
                "the pattern of {} matches every termination message",
                policy.rule_name(number)
            );
            let others = rule.matchers().len() > 1;
            findings.push(
                Diagnostic::warning(Code::CatchAllPattern, policy.place(place.span), message).help(
                    if others {
                        "remove the matcher, or match words of the message"
                    } else {
                        "match words of the message; an action for all failures is `defaultAction`"
                    },
                ),
            );
        }
    }
}
