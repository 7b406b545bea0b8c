//! Every rule tried on a failed pod, and why it does not match: what `explain decision` shows.

use super::matching::{MatchedBy, holds};
use super::model::{ExitCodes, Operator, PodRule, Requirement};
use super::pod::{Pod, PodContainer};
use crate::simulate::RuleLabel;
use crate::systems::Tried;

/// Every rule of a pod failure policy tried on a pod, in order, then the default. All rules are
/// tried, also those behind the first that matches.
pub fn trace(policy: &str, rules: &[PodRule], pod: &Pod<'_>) -> Vec<Tried> {
    let label = |index| RuleLabel { policy: policy.to_owned(), index };
    let each = rules.iter().enumerate().map(|(index, rule)| {
        let (matched, why) = tried(rule, pod);
        Tried { rule: label(Some(index)), matched, why }
    });
    let mut tried: Vec<Tried> = each.collect();
    let matched = tried.iter().all(|tried| !tried.matched);
    let why = if matched { "no rule matches" } else { "a rule matches" };
    tried.push(Tried { rule: label(None), matched, why: why.to_owned() });
    tried
}

/// Whether a rule's requirement holds and its action is known; by what, or why not.
fn tried(rule: &PodRule, pod: &Pod<'_>) -> (bool, String) {
    let matched = holds(&rule.requirement, pod);
    let why = match (matched, &rule.requirement) {
        (Some(_), _) if rule.action.is_none() => {
            return (false, "its action is not known".to_owned());
        }
        (Some(MatchedBy::Container(place)), _) => {
            pod.containers.get(place).map_or_else(String::new, ended_with)
        }
        (Some(MatchedBy::Condition(place)), _) => pod
            .conditions
            .get(place)
            .map_or_else(String::new, |c| format!("{} is {}", c.kind, c.status.as_str())),
        (None, Requirement::ExitCodes(codes)) => no_container(codes, pod),
        (None, Requirement::Conditions(patterns)) => {
            let wanted = patterns.iter().map(|p| format!("{} is {}", p.kind, p.status.as_str()));
            format!("not so: {}", wanted.collect::<Vec<_>>().join(", "))
        }
        (None, Requirement::Nothing) => "it asks for nothing".to_owned(),
    };
    (matched.is_some(), why)
}

fn ended_with(container: &PodContainer) -> String {
    let code = container.exit_code.unwrap_or_default();
    match &*container.name {
        "" => format!("a container ended with {code}"),
        name => format!("{name} ended with {code}"),
    }
}

/// Why no container meets a requirement.
fn no_container(codes: &ExitCodes, pod: &Pod<'_>) -> String {
    let named = |c: &&PodContainer| codes.container.as_ref().is_none_or(|name| **name == *c.name);
    let ended = |c: &&PodContainer| c.exit_code.is_some_and(|code| code != 0);
    let failed: Vec<String> =
        pod.containers.iter().filter(named).filter(ended).map(ended_with).collect();
    match (codes.operator, &codes.container) {
        (None, _) => "its operator is not known".to_owned(),
        (_, Some(name)) if failed.is_empty() => format!("{name} did not fail"),
        _ if failed.is_empty() => "no container failed".to_owned(),
        (Some(Operator::In), _) => format!("{}: none of the values", failed.join(", ")),
        (Some(Operator::NotIn), _) => format!("{}: one of the values", failed.join(", ")),
    }
}
