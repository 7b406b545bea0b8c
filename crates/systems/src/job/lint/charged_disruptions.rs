//! Rules that end the Job or its index for a pod that was disrupted.

use super::pod_facts::{Cause, PodFacts};
use super::subject::Subject;
use crate::job::manifest::{ConditionStatus, PodAction, PodRule, Requirement};
use document::Node;
use document::diag::{Code, Diagnostic, Findings};
use replay::disruption::exit_codes;
use replay::history::DISRUPTION_TARGET;
use std::fmt::Write;

/// Adds a finding for each such rule.
pub(super) fn check(subject: &Subject<'_>, facts: &PodFacts<'_>, findings: &mut Findings) {
    let rules = subject.policy.rules();
    for (number, rule, node) in subject.rules() {
        let reaches = |code: i32| {
            facts.reaching(number).any(|fact| {
                matches!(&fact.cause, Cause::ExitCodes { codes, .. } if codes.contains(&code))
            })
        };
        let code = exit_codes().find(|code| reaches(*code));
        findings.extend(
            code.and_then(|code| charged_disruption(subject, (rules, number), (rule, node), code)),
        );
    }
}

/// Returns the finding that a rule ends the Job or its index for a pod that was disrupted, and ended with this code.
fn charged_disruption(
    subject: &Subject<'_>,
    (rules, number): (&[PodRule], usize),
    (rule, node): (&PodRule, &Node),
    code: i32,
) -> Option<Diagnostic> {
    let action =
        rule.action.filter(|it| matches!(it, PodAction::FailJob | PodAction::FailIndex))?;
    let Requirement::ExitCodes(codes) = &rule.requirement else { return None };
    let takes_disruptions = |rule: &PodRule| {
        matches!(&rule.requirement, Requirement::Conditions(patterns)
        if patterns.iter().any(|it| {
            &*it.kind == DISRUPTION_TARGET && it.status == ConditionStatus::True
        }))
    };
    let (earlier, later) = (&rules[..number], &rules[number + 1..]);
    let later = later
        .iter()
        .position(|rule| rule.action == Some(PodAction::Ignore) && takes_disruptions(rule));
    let values = node.at(&["onExitCodes", "values"])?;
    let item = values.items().iter().find(|item| item.integer() == Some(i128::from(code)));
    let place = subject.place(item.unwrap_or(values));
    let action = action.as_str();
    let sidecar = sidecar(subject.spec).filter(|_| codes.container.is_none());
    if earlier.iter().any(takes_disruptions) {
        let message = format!(
            "`{action}` also for the sidecar `{}`: it ends with {code} if a signal ends it after the other containers",
            sidecar?
        );
        let finding = Diagnostic::warning(Code::ChargedDisruptions, place, message);
        return Some(finding.help("set containerName: without it, a rule also reads sidecars"));
    }
    let message =
        format!("`{action}` also for pods that were disrupted: their containers end with {code}");
    let mut help = match later {
        Some(later) => format!("move rule {} before it", number + 1 + later),
        None => format!(
            "put a rule before it: `{{action: Ignore, onPodConditions: [{{type: {DISRUPTION_TARGET}}}]}}`"
        ),
    };
    if let Some(sidecar) = sidecar {
        let _ = write!(
            help,
            "; the rule names no container, so that it also reads the sidecar `{sidecar}`, which a signal ends with the pod: set containerName"
        );
    }
    Some(Diagnostic::warning(Code::ChargedDisruptions, place, message).help(help))
}

/// The name of the first sidecar of the pod: an init container that runs until the others have ended.
fn sidecar(spec: &Node) -> Option<&str> {
    let containers = spec.at(&["template", "spec", "initContainers"])?;
    let is_sidecar =
        |container: &&Node| container.get("restartPolicy").and_then(Node::text) == Some("Always");
    containers.items().iter().find(is_sidecar)?.get("name")?.text()
}
