//! Converts a `v1` policy to a profile of the draft.

use super::matchers::causes;
use crate::backendai::{Cause, Causes, MAX_RETRY_DELAY, SYSTEM};
use crate::convert::{Conversion, Notes, fleet_limit, note_default_limit};
use crate::profile;
use armada_retry::policy::{Action, AntiAffinity, Backoff, RetryPolicy, Rule};
use document::units::GoDuration;
use serde_json::{Value, json};

/// The largest limit of the draft, which keeps limits in a signed 32-bit column.
const UNLIMITED: u32 = i32::MAX as u32;

/// The shortest delay that the conversion writes, in seconds: the draft does not allow 0.
const MIN_DELAY_SECONDS: f64 = 0.001;

/// The retries that a rule or the default action grants.
#[derive(Debug, Clone, PartialEq)]
struct Budget {
    /// The path of the limit.
    path: String,
    limit: u32,
    backoff: Backoff,
    /// The path of the backoff.
    backoff_path: String,
}

/// Converts a `v1` policy to a profile of the draft.
pub fn from_v1(policy: &RetryPolicy) -> Conversion<Value> {
    let mut notes = Notes::default();
    let (mut eligible, mut budgets, mut decided) = (Vec::new(), Vec::new(), Causes::default());
    for (number, rule) in policy.rules.iter().enumerate() {
        let path = format!("spec.rules[{number}]");
        let Some(found) = causes_of_rule(rule, &path, &mut notes) else { continue };
        let mut open = found.into_iter().filter(|cause| !decided.contains(*cause)).peekable();
        if open.peek().is_none() {
            notes.carried(path, "earlier rules match everything that it would match");
            continue;
        }
        let open: Vec<Cause> = open.collect();
        // Failures of a rule that fails are decided too: no later rule may take them.
        decided = decided.iter().chain(open.iter().copied()).collect();
        if rule.action == Action::Retry
            && let Some(budget) = budget(policy, Some(rule), &path, &mut notes)
        {
            eligible.extend(open);
            budgets.push(budget);
        }
    }
    // Unknown failures are of the rest: no rule of `v1` names them.
    let rest: Vec<Cause> =
        Causes::eligible().iter().filter(|one| !decided.contains(*one)).collect();
    let default = (policy.default_action() == Action::Retry)
        .then(|| budget(policy, None, "spec", &mut notes))
        .flatten();
    if let Some(default) = default {
        eligible.extend(rest);
        budgets.push(default);
    }
    notes.carried("spec.defaultAction", "as the other causes, which no rule names");
    note_unsupported(policy, &mut notes);
    let mut spec = json!({"system": SYSTEM, "profile": "draft"});
    let layer = layer(eligible.into_iter().collect(), &budgets, &mut notes);
    // The draft's default reading cuts longer waits to 24 hours.
    if layer["max_retry_delay"].as_f64().is_some_and(|most| most > MAX_RETRY_DELAY) {
        spec["options"] = json!({"cap": "literal"});
    }
    spec["layers"] = json!({"session": layer});
    let document = json!({
        "apiVersion": profile::VERSION,
        "kind": profile::KIND,
        "metadata": {"name": policy.name.as_str()},
        "spec": spec,
    });
    Conversion { result: document, notes: notes.into_vec() }
}

/// Returns the causes that a rule matches, with notes on differences.
fn causes_of_rule(rule: &Rule, path: &str, notes: &mut Notes) -> Option<Vec<Cause>> {
    let Some(found) = causes(rule) else {
        let what = "the draft distinguishes six causes of failures, and this rule matches none of them; it \
                    is left out, and its failures go on to the next rules and finally to the default";
        notes.lost(path, what);
        return None;
    };
    let names: Vec<&str> = found.iter().map(|cause| cause.as_str()).collect();
    let names = names.join(", ");
    if found.iter().any(|one| matches!(one, Cause::SchedulerTimeout | Cause::AgentTransient)) {
        notes.approximated(path, format!("as the draft's {names}, which match more"));
    } else {
        notes.carried(path, format!("as the draft's {names}"));
    }
    Some(found)
}

/// Returns the budget of a rule or default action that retries; `None` if it is 0.
fn budget(
    policy: &RetryPolicy,
    rule: Option<&Rule>,
    path: &str,
    notes: &mut Notes,
) -> Option<Budget> {
    let own = rule.and_then(|rule| rule.retry_limit);
    let at =
        if own.is_some() { format!("{path}.retryLimit") } else { "spec.retryLimit".to_owned() };
    let fleet = fleet_limit();
    let limit = own.or(policy.retry_limit).unwrap_or_else(|| note_default_limit(at.clone(), notes));
    if limit > fleet {
        let what = format!(
            "a fleet's globalMaxRetries, {fleet} unless it is set, ends the job before {limit} retries; here \
             there is no such limit"
        );
        notes.approximated(at.clone(), what);
    }
    let own_backoff = rule.filter(|rule| !rule.backoff.is_empty()).map(|rule| rule.backoff);
    let backoff_path =
        if own_backoff.is_some() { format!("{path}.backoff") } else { "spec.backoff".to_owned() };
    let backoff = own_backoff.unwrap_or_default().or(policy.backoff).or(Backoff::BUILT_IN);
    let limit = limit.min(UNLIMITED);
    (limit > 0).then_some(Budget { path: at, limit, backoff, backoff_path })
}

/// Notes the settings that the draft does not support.
fn note_unsupported(policy: &RetryPolicy, notes: &mut Notes) {
    const NODES: &str = "the draft cannot avoid a node";
    if policy.anti_affinity == Some(AntiAffinity::Node) {
        notes.lost("spec.antiAffinity", NODES);
    }
    let retried = policy.rules.iter().enumerate().filter(|(_, rule)| rule.action == Action::Retry);
    for (number, rule) in retried {
        let path = format!("spec.rules[{number}]");
        if rule.anti_affinity == Some(AntiAffinity::Node) {
            notes.lost(format!("{path}.antiAffinity"), NODES);
        }
        if rule.memory.is_some() || rule.avoid_same_node {
            notes.lost(
                format!("{path}.mutate"),
                "a retry of the draft's is like the session it follows",
            );
        }
    }
}

/// Returns the fields of the one layer.
fn layer(eligible: Causes, budgets: &[Budget], notes: &mut Notes) -> Value {
    let Some(first) = budgets.first() else { return json!({"max_retries": 0}) };
    let most = budgets.iter().map(|budget| budget.limit).max().unwrap_or_default();
    for budget in budgets {
        if budgets.len() > 1 {
            let what = format!(
                "v1 counts the retries of each rule, and those by default, apart; the draft has one count of {most} \
                 for all"
            );
            notes.approximated(budget.path.clone(), what);
        } else {
            notes.carried(budget.path.clone(), format!("as `max_retries: {most}`"));
        }
        if budget.backoff != first.backoff {
            let what =
                format!("the draft has one backoff for all: that of `{}`", first.backoff_path);
            notes.approximated(budget.backoff_path.clone(), what);
        }
    }
    let mut layer = delay_fields(first, notes);
    layer["max_retries"] = json!(most);
    if eligible != Causes::eligible() {
        let names: Vec<&str> = eligible.iter().map(Cause::as_str).collect();
        layer["eligible_causes"] = json!(names);
    }
    layer
}

fn delay_fields(budget: &Budget, notes: &mut Notes) -> Value {
    let Backoff { initial_delay, max_delay, multiplier } = budget.backoff;
    let seconds = |wait: Option<GoDuration>| wait.map_or(0.0, GoDuration::as_secs_f64);
    let most = seconds(max_delay);
    let first = seconds(initial_delay).min(most);
    if first <= 0.0 {
        let what = format!("the draft's waits are longer than 0: {MIN_DELAY_SECONDS}s each");
        notes.approximated(budget.backoff_path.clone(), what);
        return json!({"retry_delay": MIN_DELAY_SECONDS, "backoff": "fixed", "jitter": "none"});
    }
    notes.carried(budget.backoff_path.clone(), "as the draft's waits, without jitter");
    let mut layer = json!({"retry_delay": first, "max_retry_delay": most, "jitter": "none"});
    match multiplier.filter(|multiplier| *multiplier > 1.0 && first < most) {
        Some(multiplier) => {
            layer["backoff"] = json!("exponential");
            layer["backoff_multiplier"] = json!(multiplier);
        }
        None => layer["backoff"] = json!("fixed"),
    }
    layer
}
