//! Converts a `v1` policy to an Iris profile.

use super::outcomes::{FINAL, LOSSES, names, outcomes_of_rule};
use crate::convert::{Conversion, Notes, note_default_limit, note_fleet_limit};
use crate::iris::manifest::MAX_RETRIES_PREEMPTION;
use crate::iris::manifest::shape::SYSTEM;
use crate::iris::{Outcome, Profile};
use crate::profile::{KIND, VERSION};
use armada_retry::policy::{Action, AntiAffinity, Backoff, RetryPolicy};
use document::units::GoDuration;
use serde_json::{Value, json};

const ACTION: &str = "spec.defaultAction";
const LIMIT: &str = "spec.retryLimit";

/// The number of the rule that decides about an end, or `None` for the default action.
type Decider = Option<usize>;

/// Converts a `v1` policy to a profile under `upstream`, for jobs of one task.
pub fn from_v1(policy: &RetryPolicy) -> Conversion<Value> {
    let mut builder = ProfileBuilder {
        policy,
        decided: Vec::new(),
        default_limit: None,
        notes: Notes::default(),
    };
    builder.assign_outcomes();
    let failures = builder.limit(None);
    let losses = builder.preemption_budget(failures);
    builder.note_final_outcomes();
    builder.note_unsupported();
    let mut notes = builder.notes;
    match failures {
        0 => notes.carried(ACTION, "as `max_retries_failure: 0`"),
        _ => notes.carried(ACTION, format!("as `max_retries_failure: {failures}`")),
    }
    note_fleet_limit(failures.saturating_add(losses), LIMIT, &mut notes);
    let mut budgets = json!({
        // The field is a signed integer of 32 bits.
        "max_retries_failure": failures.min(i32::MAX as u32),
        "max_retries_preemption": cap_preemptions(losses, &mut notes),
    });
    // Without this the job ends with its first failure.
    if failures > 0 {
        budgets["max_task_failures"] = budgets["max_retries_failure"].clone();
    }
    let profile = json!({
        "apiVersion": VERSION,
        "kind": KIND,
        "metadata": {"name": policy.name.as_str()},
        "spec": {"system": SYSTEM, "profile": Profile::Upstream.as_str(), "policy": budgets},
    });
    Conversion { result: profile, notes: notes.into_vec() }
}

/// Applies the cap at submission to a budget.
fn cap_preemptions(losses: u32, notes: &mut Notes) -> u32 {
    let most = u32::try_from(MAX_RETRIES_PREEMPTION).unwrap_or(u32::MAX);
    if losses > most {
        let what = format!("Iris caps the budget for lost attempts at {most}");
        notes.approximated(LIMIT, what);
    }
    losses.min(most)
}

struct ProfileBuilder<'m> {
    policy: &'m RetryPolicy,
    /// Each end with the rule that decides about it; the default action decides about the others.
    decided: Vec<(Outcome, usize)>,
    /// The default limit, once a note about it was added.
    default_limit: Option<u32>,
    notes: Notes,
}

impl ProfileBuilder<'_> {
    /// Assigns to each end the first rule that matches it.
    fn assign_outcomes(&mut self) {
        for (number, rule) in self.policy.rules.iter().enumerate() {
            let path = format!("spec.rules[{number}]");
            let (found, others) = outcomes_of_rule(rule);
            if others {
                self.note_unmatched(path.clone());
            }
            let open: Vec<Outcome> =
                found.iter().copied().filter(|end| self.decider(*end).is_none()).collect();
            if open.is_empty() && !others {
                self.notes.carried(path, "earlier rules match everything that it would match");
            }
            self.decided.extend(open.into_iter().map(|end| (end, number)));
        }
    }

    /// Notes that Iris cannot match what a rule matches on.
    fn note_unmatched(&mut self, path: String) {
        if self.retries_nothing() {
            return self.notes.carried(path, "as budgets of 0: nothing is retried");
        }
        let what =
            "Iris does not distinguish reasons of failures: the default action applies to these";
        self.notes.lost(path, what);
    }

    fn retries_nothing(&self) -> bool {
        let rules = self.policy.rules.iter().map(|rule| (rule.action, rule.retry_limit));
        let mut all = rules.chain([(self.policy.default_action(), None)]);
        all.all(|(action, own)| {
            action == Action::Fail || own.or(self.policy.retry_limit) == Some(0)
        })
    }

    fn decider(&self, end: Outcome) -> Decider {
        self.decided.iter().find(|(decided, _)| *decided == end).map(|(_, rule)| *rule)
    }

    /// Returns the retries that a rule, or the default action, grants.
    fn limit(&mut self, decider: Decider) -> u32 {
        let rule = decider.and_then(|number| self.policy.rules.get(number));
        let action = rule.map_or(self.policy.default_action(), |rule| rule.action);
        if action == Action::Fail {
            return 0;
        }
        let own = rule.and_then(|rule| rule.retry_limit);
        let notes = &mut self.notes;
        own.or(self.policy.retry_limit).unwrap_or_else(|| {
            *self.default_limit.get_or_insert_with(|| note_default_limit(LIMIT, notes))
        })
    }

    /// Returns the one budget for all lost attempts: the largest of the rules'.
    fn preemption_budget(&mut self, failures: u32) -> u32 {
        // By decider: a rule that decides about several ends has one budget for them.
        let mut granted: Vec<(Decider, u32, Vec<Outcome>)> = Vec::new();
        for end in LOSSES {
            let decider = self.decider(end);
            match granted.iter_mut().find(|(known, ..)| *known == decider) {
                Some((.., ends)) => ends.push(end),
                None => granted.push((decider, self.limit(decider), vec![end])),
            }
        }
        let most = granted.iter().map(|(_, limit, _)| *limit).max().unwrap_or_default();
        let retrying = granted.iter().filter(|(_, limit, _)| *limit > 0).count();
        for (decider, limit, ends) in granted {
            let names = names(&ends);
            match (decider, limit) {
                (Some(rule), 0) if most == 0 => {
                    self.notes.carried(rule_path(rule), "as `max_retries_preemption: 0`");
                }
                (None, 0) if most == 0 => {}
                (_, 0) => {
                    let what = format!(
                        "{names}: Iris has one budget for all lost attempts: these are retried too"
                    );
                    self.notes.approximated(path_of(decider), what);
                }
                (None, _) if failures > 0 => {
                    let what = format!(
                        "{names}: in v1 their retries are counted with those of failures; in Iris they have a \
                         budget of their own"
                    );
                    let help = "give all lost attempts rules of their own";
                    self.notes.approximated(ACTION, what).help(help);
                    continue;
                }
                _ => {
                    let what = format!("{names}: as `max_retries_preemption: {most}`");
                    self.notes.carried(path_of(decider), what);
                }
            }
            if limit > 0 && retrying > 1 {
                let what = format!(
                    "{names}: in v1 their retries are counted apart; Iris has one budget of {most} for all \
                     lost attempts"
                );
                self.notes.approximated(path_of(decider), what);
            }
        }
        most
    }

    /// Notes the outcomes that are final in Iris, whatever its budgets.
    fn note_final_outcomes(&mut self) {
        for end in FINAL {
            let decider = self.decider(end);
            let granted = self.limit(decider);
            let name = names(&[end]);
            match (decider, granted) {
                (Some(rule), 0) => {
                    self.notes.carried(rule_path(rule), format!("{name}: final in Iris"));
                }
                (None, 0) => {}
                _ => {
                    let what = format!("{name}: final in Iris, regardless of its budgets");
                    self.notes.lost(path_of(decider), what);
                }
            }
        }
    }

    /// Notes the settings of retrying rules that Iris does not support.
    fn note_unsupported(&mut self) {
        const NODES: &str = "Iris cannot avoid a node";
        const WAITS: &str = "Iris never waits: a retried task is queued at once";
        let policy = self.policy;
        let mut of_policy = self.limit(None) > 0;
        for (number, rule) in policy.rules.iter().enumerate() {
            let known = self.decided.iter().any(|(_, by)| *by == number);
            if !known || self.limit(Some(number)) == 0 {
                continue;
            }
            of_policy = true;
            let path = rule_path(number);
            if !rule.backoff.is_empty() && has_delay(rule.backoff.or(policy.backoff)) {
                self.notes.lost(format!("{path}.backoff"), WAITS);
            }
            if rule.anti_affinity == Some(AntiAffinity::Node) {
                self.notes.lost(format!("{path}.antiAffinity"), NODES);
            }
            if rule.memory.is_some() || rule.avoid_same_node {
                self.notes.lost(
                    format!("{path}.mutate"),
                    "an attempt has the resources of its job's request",
                );
            }
        }
        if of_policy && has_delay(policy.backoff) {
            self.notes.lost("spec.backoff", WAITS);
        } else if !policy.backoff.is_empty() {
            self.notes.carried("spec.backoff", "left out: Iris never waits");
        }
        if of_policy && policy.anti_affinity == Some(AntiAffinity::Node) {
            self.notes.lost("spec.antiAffinity", NODES);
        }
    }
}

/// Returns whether a retry is delayed.
fn has_delay(backoff: Backoff) -> bool {
    let backoff = backoff.or(Backoff::BUILT_IN);
    let wait = |delay: Option<GoDuration>| delay.is_some_and(|delay| delay > GoDuration::ZERO);
    wait(backoff.initial_delay) && wait(backoff.max_delay)
}

fn rule_path(number: usize) -> String {
    format!("spec.rules[{number}]")
}

/// Returns the path of the rule or default action that decides.
fn path_of(decider: Decider) -> String {
    decider.map_or_else(|| ACTION.to_owned(), rule_path)
}
