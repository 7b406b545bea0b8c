//! Conversion of the matchers of a `v1` rule to requirements of a pod failure policy.

use crate::convert::Notes;
use armada_retry::policy::{Condition, ExitCodes, Matcher, Operator, Rule};
use replay::disruption::conditions_of_pod;
use replay::history::DISRUPTION_TARGET;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The maximum number of values in a requirement on exit codes (`pkg/apis/batch/validation/validation.go`).
const MOST_VALUES: usize = 255;

const LEFT_OUT: &str =
    "the rule is left out, and its failures go on to the next rules and finally to the default";
const CATEGORIES: &str = "a Job has no failure categories";

/// Returns the requirements that together match the failures that a rule matches: a Job's rule has exactly
/// one. The list is empty if the rule has no equivalent; without one of its matchers it would match too much.
pub(super) fn requirements(number: usize, rule: &Rule, notes: &mut Notes) -> Vec<Value> {
    let path = format!("spec.rules[{number}]");
    let mut is_lost = false;
    let mut lost = |field: &str, why: &str, help: Option<&str>| {
        let note = notes.lost(format!("{path}.{field}"), format!("{why}; {LEFT_OUT}"));
        note.help = help.map(str::to_owned);
        is_lost = true;
    };
    let by_code = Some("let the program exit with a code of its own, and match that");
    for matcher in rule.matchers() {
        match matcher {
            Matcher::ExitCodes(_) | Matcher::Conditions(_) => {}
            Matcher::Message(_) => lost(matcher.field(), "a Job cannot match messages", by_code),
            _ if matcher.is_of_category() => lost(matcher.field(), CATEGORIES, by_code),
            _ => lost(matcher.field(), "a Job's rule has no such matcher", by_code),
        }
    }
    if rule.exit_codes.is_some() && !rule.conditions.is_empty() {
        lost("onConditions", "a Job's rule matches either exit codes or conditions", None);
    }
    if is_lost {
        return Vec::new();
    }
    match &rule.exit_codes {
        Some(codes) => by_codes(&path, rule, codes, notes),
        None => by_conditions(&path, rule, notes),
    }
}

fn by_codes(path: &str, rule: &Rule, codes: &ExitCodes, notes: &mut Notes) -> Vec<Value> {
    // The API server requires ascending and distinct values.
    let values: BTreeSet<i32> = codes.values.iter().copied().collect();
    let values: Vec<i32> = values.into_iter().collect();
    let path = format!("{path}.onExitCodes");
    let (operator, lists) = match codes.operator {
        Operator::In => ("In", values.chunks(MOST_VALUES)),
        // A list of values to exclude cannot be cut into several rules: each would match what another excludes.
        Operator::NotIn if values.len() > MOST_VALUES => {
            let what = format!("a Job's rule lists {MOST_VALUES} exit codes at most; {LEFT_OUT}");
            notes.lost(format!("{path}.values"), what);
            return Vec::new();
        }
        Operator::NotIn => ("NotIn", values.chunks(MOST_VALUES)),
    };
    notes.carried(path, "as `onExitCodes`");
    let requirement = |values: &[i32]| {
        let mut codes = json!({"operator": operator, "values": values});
        if let Some(container) = &rule.container {
            codes = json!({"containerName": container, "operator": operator, "values": values});
        }
        json!({"onExitCodes": codes})
    };
    lists.map(requirement).collect()
}

fn by_conditions(path: &str, rule: &Rule, notes: &mut Notes) -> Vec<Value> {
    let disrupts = |condition: Condition| {
        rule.container.is_none() && conditions_of_pod(DISRUPTION_TARGET).contains(&condition)
    };
    let path = format!("{path}.onConditions");
    for (index, condition) in rule.conditions.iter().enumerate() {
        if disrupts(*condition) {
            continue;
        }
        let what = format!(
            "a Job's pods have no condition for `{}`; such failures go on to the next rules and finally to \
             the default",
            condition.as_str()
        );
        let note = notes.lost(format!("{path}[{index}]"), what);
        if *condition == Condition::OomKilled {
            note.help(
                "a container that runs out of memory exits with 137, as does any container that is killed",
            );
        }
    }
    if !rule.conditions.iter().any(|condition| disrupts(*condition)) {
        return Vec::new();
    }
    let what = "as the pod's condition DisruptionTarget, which covers preemption, eviction, and pods that \
                are deleted through the API or with their node";
    notes.approximated(path, what);
    vec![json!({"onPodConditions": [{"type": DISRUPTION_TARGET, "status": "True"}]})]
}
