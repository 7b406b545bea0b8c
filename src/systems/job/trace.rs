//! Every rule tried on a failed pod, and why it does not match: what `explain decision` shows.

use super::matching::{MatchedBy, holds};
use super::model::{ExitCodes, Operator, PodRule, Requirement};
use super::pod::{Pod, PodContainer};

/// A rule, tried on a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// Whether its requirement holds and its action is known.
    pub matched: bool,
    /// By what, or why not.
    pub why: String,
}

/// Every rule tried on a pod, in order, also those behind the first that matches.
pub fn trace(rules: &[PodRule], pod: &Pod<'_>) -> Vec<Tried> {
    rules.iter().map(|rule| tried(rule, pod)).collect()
}

fn tried(rule: &PodRule, pod: &Pod<'_>) -> Tried {
    let matched = holds(&rule.requirement, pod);
    let why = match (matched, &rule.requirement) {
        (Some(_), _) if rule.action.is_none() => {
            return Tried { matched: false, why: "its action is not known".to_owned() };
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
    Tried { matched: matched.is_some(), why }
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
