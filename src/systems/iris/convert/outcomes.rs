//! The ends of runs in Armada that correspond to ends of attempts in Iris.

use crate::policy::{Action, Condition, Matcher, Rule};
use crate::systems::convert::LEASE_EXPIRED;
use crate::systems::iris::Outcome;

/// Ends that charge the budget for lost attempts, under the source that charges most.
pub(super) const LOSSES: [Outcome; 3] =
    [Outcome::Preempted, Outcome::WorkerReportedKilled, Outcome::WorkerFailed];

/// Ends that are final, whatever the budgets.
pub(super) const FINAL: [Outcome; 2] = [Outcome::Timeout, Outcome::Unschedulable];

/// The condition of a run that ended so, if there is one.
pub(super) fn condition(outcome: Outcome) -> Option<Condition> {
    match outcome {
        Outcome::Preempted => Some(Condition::Preempted),
        Outcome::WorkerReportedKilled => Some(Condition::Evicted),
        Outcome::Timeout => Some(Condition::DeadlineExceeded),
        Outcome::Unschedulable => Some(Condition::Unschedulable),
        _ => None,
    }
}

/// The name of such runs in Armada.
pub(super) fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::WorkerFailed => "expired leases",
        _ => condition(outcome).map_or("failures", Condition::as_str),
    }
}

/// Their names, as a list.
pub(super) fn names(outcomes: &[Outcome]) -> String {
    let names: Vec<&str> = outcomes.iter().copied().map(name).collect();
    names.join(", ")
}

/// A rule on conditions.
pub(super) fn rule_on_conditions(
    outcomes: &[Outcome],
    action: Action,
    retry_limit: Option<u32>,
) -> Rule {
    let conditions = outcomes.iter().copied().filter_map(condition).collect();
    Rule { retry_limit, conditions, ..Rule::new(action) }
}

/// A rule on expired leases: Armada's counterpart of a lost worker.
pub(super) fn rule_on_expired_leases(action: Action, retry_limit: Option<u32>) -> Rule {
    let (category, subcategory) = LEASE_EXPIRED;
    Rule {
        categories: vec![category.to_owned()],
        subcategories: vec![subcategory.to_owned()],
        retry_limit,
        ..Rule::new(action)
    }
}

/// The ends that a rule is about, and whether it is about anything else too.
pub(super) fn outcomes_of_rule(rule: &Rule) -> (Vec<Outcome>, bool) {
    let matchers = rule.matchers();
    let of_category = matchers.iter().any(|matcher| matcher.is_of_category());
    let of_others = matchers
        .iter()
        .any(|matcher| !matcher.is_of_category() && !matches!(matcher, Matcher::Conditions(_)));
    // The pod's conditions do not match in a rule with a container's name.
    if of_others || rule.container.is_some() || of_category && !rule.conditions.is_empty() {
        return (Vec::new(), true);
    }
    if of_category {
        let expired =
            rule.categories == [LEASE_EXPIRED.0] && rule.subcategories == [LEASE_EXPIRED.1];
        let ends = if expired { vec![Outcome::WorkerFailed] } else { Vec::new() };
        return (ends, !expired);
    }
    let known = LOSSES.into_iter().chain(FINAL);
    let ends: Vec<Outcome> = known
        .filter(|end| condition(*end).is_some_and(|is| rule.conditions.contains(&is)))
        .collect();
    let others = rule.conditions.contains(&Condition::OomKilled);
    (ends, others)
}
