//! OOM kills that count as disruptions, and retries with as little memory.

use super::pod_facts::{Cause, PodFacts};
use super::subject::Subject;
use crate::job::manifest::{ExitCodes, Operator, PodAction, PodRule, Requirement};
use crate::lint::{NamedRule, oom_as_disruption, same_memory};
use document::diag::Findings;
use replay::disruption::exit_codes;

/// The exit code of a container that the kernel killed, for its memory among others.
pub(crate) const KILLED: i32 = 137;

/// Adds the findings about rules that list the exit code of OOM kills.
pub(super) fn check(subject: &Subject<'_>, facts: &PodFacts<'_>, findings: &mut Findings) {
    for (number, rule, node) in subject.rules() {
        let Some(codes) = listed_kill(rule) else { continue };
        let place = subject.place(node.at(&["onExitCodes", "values"]).unwrap_or(node));
        match rule.action.filter(|_| decides_kills(facts, number)) {
            Some(PodAction::Ignore) => {
                let name = NamedRule { name: format!("rule {number}"), place };
                let text = format!(
                    "ignores OOM kills as if they were disruptions: exit code {KILLED} counts towards no limit"
                );
                findings.push(oom_as_disruption(
                    name,
                    &text,
                    "ignore the condition DisruptionTarget instead: a container that was killed for its own memory does \
                     not have it",
                ));
            }
            Some(PodAction::Count) if is_alone(codes) => {
                let text =
                    format!("rule {number} replaces pods that were killed (exit code {KILLED})");
                let remedy = "write `FailJob`, and raise the memory in the template";
                findings.push(same_memory(place, &text, remedy));
            }
            _ => {}
        }
    }
}

/// Returns whether a rule ignores OOM kills by their exit code, which it lists.
pub(super) fn ignores_kills(rule: &PodRule, facts: &PodFacts<'_>, number: usize) -> bool {
    rule.action == Some(PodAction::Ignore)
        && listed_kill(rule).is_some()
        && decides_kills(facts, number)
}

fn decides_kills(facts: &PodFacts<'_>, number: usize) -> bool {
    facts.reaching(number).any(
        |fact| matches!(&fact.cause, Cause::ExitCodes { codes, .. } if codes.contains(&KILLED)),
    )
}

/// Returns the exit codes of a rule that lists the one of OOM kills.
pub(crate) fn listed_kill(rule: &PodRule) -> Option<&ExitCodes> {
    match &rule.requirement {
        Requirement::ExitCodes(codes) => {
            let is_listed = codes.operator == Some(Operator::In) && codes.values.contains(&KILLED);
            is_listed.then_some(codes)
        }
        Requirement::Conditions(_) | Requirement::Nothing => None,
    }
}

/// Whether a rule is for killed containers only.
fn is_alone(codes: &ExitCodes) -> bool {
    codes.values.iter().all(|code| is_of_signal(*code))
}

/// Returns whether a container that is ended with its pod ends with this exit code.
pub(crate) fn is_of_signal(code: i32) -> bool {
    exit_codes().any(|signal| signal == code)
}
