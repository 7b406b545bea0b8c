//! What a `v1` policy asks of a system that has one budget and one way to wait.

use super::matchers::requirements;
use super::step::{Follows, UNLIMITED};
use crate::policy::{Action, AntiAffinity, Backoff, RetryPolicy, Rule};
use crate::systems::conversion::{Notes, fleet_limit, unsaid_limit};
use crate::units::GoDuration;
use serde_json::Value;

/// What applies where no level sets anything (semantics.md, section 6).
const BUILT_IN: Backoff = Backoff {
    initial_delay: Some(GoDuration::ZERO),
    max_delay: Some(GoDuration::from_secs(600)),
    multiplier: Some(2.0),
};

/// How a system waits before another attempt.
#[derive(Debug, Clone, Copy)]
pub(in crate::systems) struct Waits {
    /// Whether a backoff of which every field is set waits alike.
    pub alike: fn(&Backoff) -> bool,
    /// How it waits, in words.
    pub what: &'static str,
}

/// A rule in the other system's terms.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::systems) struct AskedRule {
    /// The rule of the policy.
    pub number: usize,
    /// What it looks at.
    pub requirement: Value,
    /// What follows.
    pub follows: Follows,
}

/// What a policy asks for.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::systems) struct Asked {
    /// The rules that can be said, in order.
    pub rules: Vec<AskedRule>,
    /// What follows if none matches.
    pub default: Follows,
    /// The budget of all that is counted; 0 if nothing is.
    pub limit: u32,
    /// The containers that rules name, in order.
    pub containers: Vec<String>,
}

/// A way to another attempt that has a budget of its own.
struct Budget {
    path: String,
    limit: u32,
}

impl Asked {
    /// What a policy asks for, and what of it cannot be had.
    pub fn of(policy: &RetryPolicy, waits: Waits, notes: &mut Notes) -> Self {
        let mut budgets = Vec::new();
        let mut asked =
            Self { rules: Vec::new(), default: Follows::End, limit: 0, containers: Vec::new() };
        for (number, rule) in policy.rules.iter().enumerate() {
            let found = requirements(number, rule, notes);
            if found.is_empty() {
                continue;
            }
            let path = format!("spec.rules[{number}]");
            let limit = format!("{path}.retryLimit");
            let follows =
                follows(policy, rule.action, rule.retry_limit, &limit, &mut budgets, notes);
            if follows != Follows::End {
                retried(policy, rule, &path, waits, notes);
            }
            if let Some(name) =
                rule.container.as_ref().filter(|name| !asked.containers.contains(name))
            {
                asked.containers.push(name.clone());
            }
            let rule = |requirement| AskedRule { number, requirement, follows };
            asked.rules.extend(found.into_iter().map(rule));
        }
        let path = "spec.defaultAction";
        asked.default = follows(policy, policy.default_action(), None, path, &mut budgets, notes);
        if asked.default != Follows::End {
            waited(policy.backoff, "spec.backoff", waits, notes);
        }
        if asked.retries() && policy.anti_affinity == Some(AntiAffinity::Node) {
            notes.lost("spec.antiAffinity", NODES);
        }
        asked.any_container(policy, notes);
        asked.limit = shared(&budgets, notes);
        asked
    }

    /// Whether anything leads to another attempt.
    pub fn retries(&self) -> bool {
        self.default != Follows::End || self.rules.iter().any(|rule| rule.follows != Follows::End)
    }

    /// Whether anything draws on the budget.
    pub fn counts(&self) -> bool {
        self.limit > 0
    }

    /// Of several containers Armada looks at the first that failed, a Job at each.
    fn any_container(&self, policy: &RetryPolicy, notes: &mut Notes) {
        if self.containers.len() < 2 {
            return;
        }
        for (number, rule) in policy.rules.iter().enumerate() {
            if rule.exit_codes.is_some() && rule.container.is_none() {
                let what = "Armada looks at the first container that failed, a Job at all of them";
                notes
                    .approximated(format!("spec.rules[{number}].onExitCodes"), what)
                    .help("name the container: `containerName`");
            }
        }
    }
}

const NODES: &str = "the other system avoids no node";

/// What follows from a rule, or by default; a budget of its own is noted down. `path` is where its
/// own limit stands, if it may have one.
fn follows(
    policy: &RetryPolicy,
    action: Action,
    own: Option<u32>,
    path: &str,
    budgets: &mut Vec<Budget>,
    notes: &mut Notes,
) -> Follows {
    if action == Action::Fail {
        return Follows::End;
    }
    let at = if own.is_some() { path } else { "spec.retryLimit" };
    let fleet = fleet_limit();
    let limit = own.or(policy.retry_limit).unwrap_or_else(|| unsaid_limit(at, notes));
    match limit {
        0 => return Follows::End,
        UNLIMITED.. => {
            let what = "no limit; in v1 the fleet's globalMaxRetries ends the job all the same, and here nothing does";
            notes.approximated(at, what);
            return Follows::Free;
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
    Follows::Counted
}

/// What is lost of a rule that retries.
fn retried(policy: &RetryPolicy, rule: &Rule, path: &str, waits: Waits, notes: &mut Notes) {
    let own = !rule.backoff.is_empty();
    let at = if own { format!("{path}.backoff") } else { "spec.backoff".to_owned() };
    waited(rule.backoff.or(policy.backoff), &at, waits, notes);
    if rule.memory.is_some() {
        notes.lost(format!("{path}.mutate"), "the other system runs a pod again as it was");
    }
    if rule.anti_affinity == Some(AntiAffinity::Node) {
        notes.lost(format!("{path}.antiAffinity"), NODES);
    }
}

fn waited(backoff: Backoff, path: &str, waits: Waits, notes: &mut Notes) {
    if (waits.alike)(&backoff.or(BUILT_IN)) {
        notes.carried(path, format!("as it is: {}", waits.what));
    } else {
        notes.approximated(path, waits.what);
    }
}

/// The one budget there will be: the largest, so that no kind of failure gets fewer attempts by
/// itself than it had.
fn shared(budgets: &[Budget], notes: &mut Notes) -> u32 {
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
