//! Patterns that match every message.

use super::Lint;
use super::context::Context;
use crate::diag::{Code, Diagnostic, Findings};
use crate::pattern::{Matched, Pattern};

pub(super) const LINT: Lint = Lint { code: Code::CatchAllPattern, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        for (number, rule, node) in policy.numbered() {
            let Some(pattern) = &rule.message else { continue };
            let Some(place) = node.at(&["onTerminationMessage", "pattern"]) else { continue };
            if !is_catch_all(pattern) {
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

/// Whether a pattern matches every message, or every one with a visible character, as `.` and `\S` do.
fn is_catch_all(pattern: &Pattern) -> bool {
    if pattern.matched() == Matched::All {
        return true;
    }
    let Ok(regex) = pattern.regex() else { return false };
    // Single characters of all kinds, since a pattern that needs a certain one misses another.
    let mut characters = ('!'..='~').chain(['é', '日', '\u{1f600}']);
    let mut buffer = [0; 4];
    characters.all(|character| regex.is_match(&*character.encode_utf8(&mut buffer)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_match_everything_are_found() {
        for (text, expected) in [
            ("", true),
            (".*", true),
            (".", true),
            ("^", true),
            ("(?s)^.+$", true),
            ("x*", true),
            ("[^ ]", true),
            ("x", false),
            ("[^x]", false),
            ("[a-z]|[A-Z]", false),
            ("error|.{2}", false),
            (r"\w", false),
        ] {
            let pattern = Pattern::parse(text).unwrap();
            assert_eq!(is_catch_all(&pattern), expected, "{text}");
        }
    }
}
