//! The ends of Armada's runs that correspond to ends of attempts in Iris.

use crate::convert::LEASE_EXPIRED;
use crate::iris::Outcome;
use crate::iris::record::IrisFields;
use armada_retry::policy::{Action, Condition, Matcher, Rule};
use replay::disruption::{Disruptions, Source, System};

/// Ends that charge the budget for lost attempts, under `upstream`, which charges the most.
pub(super) const LOSSES: [Outcome; 3] =
    [Outcome::Preempted, Outcome::WorkerReportedKilled, Outcome::WorkerFailed];

/// Ends that are final, whatever the budgets.
pub(super) const FINAL: [Outcome; 2] = [Outcome::Timeout, Outcome::Unschedulable];

/// Returns the condition of a run with this end, if there is one.
pub(super) fn condition(outcome: Outcome) -> Option<Condition> {
    match outcome {
        Outcome::Timeout => Some(Condition::DeadlineExceeded),
        Outcome::Unschedulable => Some(Condition::Unschedulable),
        lost => {
            let fields = IrisFields { outcome: lost, ..IrisFields::default() };
            let table = Disruptions::default();
            table.find_enabled(Source::Records(System::Iris), &fields)?.condition
        }
    }
}

/// Returns Armada's name of runs with this end.
pub(super) fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::WorkerFailed => "expired leases",
        _ => condition(outcome).map_or("failures", Condition::as_str),
    }
}

/// Returns Armada's names of these ends, as a list.
pub(super) fn names(outcomes: &[Outcome]) -> String {
    let names: Vec<&str> = outcomes.iter().copied().map(name).collect();
    names.join(", ")
}

/// Makes a rule on conditions.
pub(super) fn rule_on_conditions(
    outcomes: &[Outcome],
    action: Action,
    retry_limit: Option<u32>,
) -> Rule {
    let conditions = outcomes.iter().copied().filter_map(condition).collect();
    Rule { retry_limit, conditions, ..Rule::new(action) }
}

/// Makes a rule on expired leases: Armada's counterpart of a lost worker.
pub(super) fn rule_on_expired_leases(action: Action, retry_limit: Option<u32>) -> Rule {
    let (category, subcategory) = LEASE_EXPIRED;
    Rule {
        categories: vec![category.to_owned()],
        subcategories: vec![subcategory.to_owned()],
        retry_limit,
        ..Rule::new(action)
    }
}

/// Returns the ends that a rule matches, and whether it matches anything else.
pub(super) fn outcomes_of_rule(rule: &Rule) -> (Vec<Outcome>, bool) {
    let matchers = rule.matchers();
    let of_category = matchers.iter().any(|matcher| matcher.is_of_category());
    let of_others = matchers
        .iter()
        .any(|matcher| !matcher.is_of_category() && !matches!(matcher, Matcher::Conditions(_)));
    // A rule with a container's name does not match the pod's conditions.
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
