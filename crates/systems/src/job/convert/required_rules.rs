//! A `v1` policy in terms of a system with one budget and one fixed backoff.

use super::matchers::requirements;
use super::steps::{Consequence, UNLIMITED};
use crate::convert::{Notes, fleet_limit, note_default_limit};
use armada_retry::policy::{Action, AntiAffinity, Backoff, RetryPolicy, Rule};
use serde_json::Value;

/// The fixed backoff of a system.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FixedBackoff {
    /// Whether a complete backoff gives the same delays.
    pub matches: fn(&Backoff) -> bool,
    /// The description in notes.
    pub what: &'static str,
}

/// A rule in the terms of the other system.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RequiredRule {
    /// The number of the rule in the policy.
    pub number: usize,
    /// The requirement that it matches on.
    pub requirement: Value,
    pub consequence: Consequence,
}

/// The rules, the default and the budget that a policy requires.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RequiredRules {
    /// The rules with an equivalent, in order.
    pub rules: Vec<RequiredRule>,
    /// The consequence if no rule matches.
    pub default: Consequence,
    /// The budget of all counted failures; 0 if there are none.
    pub limit: u32,
    /// The containers that rules name, in order.
    pub containers: Vec<String>,
}

/// The budget of a rule or default action that retries.
struct Budget {
    path: String,
    limit: u32,
}

impl RequiredRules {
    /// Returns the requirements of a policy, with notes on settings without an equivalent.
    pub fn of(policy: &RetryPolicy, waits: FixedBackoff, notes: &mut Notes) -> Self {
        let mut budgets = Vec::new();
        let mut required =
            Self { rules: Vec::new(), default: Consequence::End, limit: 0, containers: Vec::new() };
        for (number, rule) in policy.rules.iter().enumerate() {
            let found = requirements(number, rule, notes);
            // Such a rule has notes already.
            if found.is_empty() {
                continue;
            }
            let path = format!("spec.rules[{number}]");
            let limit = format!("{path}.retryLimit");
            let consequence =
                consequence(policy, rule.action, rule.retry_limit, &limit, &mut budgets, notes);
            if consequence != Consequence::End {
                note_retry(policy, rule, &path, waits, notes);
            }
            if let Some(name) =
                rule.container.as_ref().filter(|name| !required.containers.contains(name))
            {
                required.containers.push(name.clone());
            }
            let rule = |requirement| RequiredRule { number, requirement, consequence };
            required.rules.extend(found.into_iter().map(rule));
        }
        let path = "spec.defaultAction";
        required.default =
            consequence(policy, policy.default_action(), None, path, &mut budgets, notes);
        if required.default != Consequence::End {
            note_backoff(policy.backoff, "spec.backoff", waits, notes);
        }
        if required.retries() && policy.anti_affinity == Some(AntiAffinity::Node) {
            notes.lost("spec.antiAffinity", NODES);
        }
        required.any_container(policy, notes);
        required.limit = shared_limit(&budgets, notes);
        required
    }

    /// Returns whether any failure leads to another attempt.
    pub fn retries(&self) -> bool {
        self.default != Consequence::End
            || self.rules.iter().any(|rule| rule.consequence != Consequence::End)
    }

    /// Returns whether any failure counts towards the budget.
    pub fn counts(&self) -> bool {
        self.limit > 0
    }

    /// Notes that, of several containers, Armada checks the first that failed, and a Job checks each of them.
    fn any_container(&self, policy: &RetryPolicy, notes: &mut Notes) {
        if self.containers.len() < 2 {
            return;
        }
        for (number, rule) in policy.rules.iter().enumerate() {
            if rule.exit_codes.is_some() && rule.container.is_none() {
                let what = "Armada checks the first container that failed, a Job all of them";
                notes
                    .approximated(format!("spec.rules[{number}].onExitCodes"), what)
                    .help("name the container: `containerName`");
            }
        }
    }
}

const NODES: &str = "the other system cannot avoid a node";

/// Returns the consequence of a rule or default action, and adds its budget to `budgets`. `path` is that of
/// its own limit.
fn consequence(
    policy: &RetryPolicy,
    action: Action,
    own: Option<u32>,
    path: &str,
    budgets: &mut Vec<Budget>,
    notes: &mut Notes,
) -> Consequence {
    // A Fail rule has no budget, whatever its limit.
    if action == Action::Fail {
        return Consequence::End;
    }
    let at = if own.is_some() { path } else { "spec.retryLimit" };
    let fleet = fleet_limit();
    let limit = own.or(policy.retry_limit).unwrap_or_else(|| note_default_limit(at, notes));
    match limit {
        0 => return Consequence::End,
        UNLIMITED.. => {
            let what = "no limit; in v1 the fleet's globalMaxRetries still ends the job, and here there is \
                        no such limit";
            notes.approximated(at, what);
            return Consequence::Free;
        }
        _ => {}
    }
    if limit > fleet {
        let what = format!(
            "a fleet's globalMaxRetries, {fleet} unless it is set, ends the job before {limit} retries"
        );
        notes.approximated(at, what);
    }
    budgets.push(Budget { path: path.to_owned(), limit });
    Consequence::Counted
}

/// Notes the fields of a retrying rule without an equivalent.
fn note_retry(
    policy: &RetryPolicy,
    rule: &Rule,
    path: &str,
    waits: FixedBackoff,
    notes: &mut Notes,
) {
    let own = !rule.backoff.is_empty();
    let at = if own { format!("{path}.backoff") } else { "spec.backoff".to_owned() };
    note_backoff(rule.backoff.or(policy.backoff), &at, waits, notes);
    if rule.memory.is_some() {
        notes.lost(format!("{path}.mutate"), "the other system reruns a pod without changes");
    }
    if rule.anti_affinity == Some(AntiAffinity::Node) {
        notes.lost(format!("{path}.antiAffinity"), NODES);
    }
}

fn note_backoff(backoff: Backoff, path: &str, waits: FixedBackoff, notes: &mut Notes) {
    if (waits.matches)(&backoff.or(Backoff::BUILT_IN)) {
        notes.carried(path, format!("as it is: {}", waits.what));
    } else {
        notes.approximated(path, waits.what);
    }
}

/// Returns the one shared budget: the largest, so that no kind of failure gets fewer attempts by itself than
/// before.
fn shared_limit(budgets: &[Budget], notes: &mut Notes) -> u32 {
    let limit = budgets.iter().map(|budget| budget.limit).max().unwrap_or(0);
    if budgets.len() > 1 {
        for budget in budgets {
            let what = format!(
                "v1 counts the retries of each rule, and those by default, apart; here all of them share \
                 {limit}"
            );
            notes.approximated(budget.path.clone(), what);
        }
    }
    limit
}
