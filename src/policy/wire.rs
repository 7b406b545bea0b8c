//! Policies as Armada's REST API has them: one flat JSON object. It is the deployed form, with the
//! fields of `v1` beside it where a policy has any; durations are Go's texts.
//!
//! Owns the way there and back. What is sent to whom is decided elsewhere.

use super::lacks::{OF_POLICY, OF_RULE};
use super::{Form, RetryPolicy, print, read};
use crate::diag::{Severity, Source};
use serde_json::{Map, Value, json};

/// The fields of a policy in the deployed form.
const POLICY: [&str; 4] = ["name", "retryLimit", "defaultAction", "rules"];
/// The fields of a rule in the deployed form.
const RULE: [&str; 4] = ["action", "onCategory", "onSubcategory", "mutate"];
/// A rule's lists of categories, which only the full form has.
const LISTS: [&str; 2] = ["onFailureCategory", "onFailureSubcategory"];

/// The policy as the REST API takes it.
///
/// What a form leaves open is said: an absent `retryLimit` of `v1beta1` is 0 on every server, an
/// absent `defaultAction` Fail. A `v1` policy that uses nothing of its own form names the default of
/// `antiAffinity`, so that its absent `retryLimit` is not taken for `v1beta1`'s.
pub fn to_wire(policy: &RetryPolicy) -> Value {
    let mut flat = Map::new();
    flat.insert("name".to_owned(), json!(policy.name.as_str()));
    let mut document = print::to_value(policy);
    let fields = if policy.form == Form::V1 { &mut document["spec"] } else { &mut document };
    if let Some(fields) = fields.as_object_mut() {
        let fields = std::mem::take(fields).into_iter();
        flat.extend(fields.filter(|(key, _)| !["apiVersion", "kind", "name"].contains(&&**key)));
    }
    flat.insert("defaultAction".to_owned(), json!(policy.default_action().as_str()));
    if let Some(limit) = policy.limit() {
        flat.insert("retryLimit".to_owned(), json!(limit));
    }
    let rules = flat.get_mut("rules").and_then(Value::as_array_mut);
    for (rule, json) in policy.rules.iter().zip(rules.into_iter().flatten()) {
        if rule.avoid_same_node {
            json["mutate"]["affinity"] = json!({"avoidSameNode": true});
        }
    }
    if policy.form == Form::V1 && !is_full(&flat) {
        flat.insert("antiAffinity".to_owned(), json!({"mode": "none"}));
    }
    Value::Object(flat)
}

/// The policy that a server holds. Fields that this tool does not know are passed over.
///
/// # Errors
///
/// In words, if it is no valid policy of either form.
pub fn from_wire(held: &Value) -> Result<RetryPolicy, String> {
    let held = held.as_object().ok_or("it is no object")?;
    let document = if is_full(held) { v1(held) } else { v1beta1(held) };
    let (documents, findings) = read(&[Source::new("server", document.to_string())]);
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    let errors: Vec<&str> = errors.map(|finding| finding.message.as_str()).collect();
    let Some(found) = documents.policies.first().filter(|_| errors.is_empty()) else {
        return Err(errors.join("; "));
    };
    let mut policy = (*found.policy).clone();
    for (rule, json) in policy.rules.iter_mut().zip(rules(held)) {
        rule.avoid_same_node = json.pointer("/mutate/affinity/avoidSameNode") == Some(&json!(true));
    }
    Ok(policy)
}

/// Whether a policy says something that the deployed form cannot.
pub fn is_full(held: &Map<String, Value>) -> bool {
    let says = |map: &Map<String, Value>, fields: &[&str]| {
        fields.iter().any(|field| map.get(*field).is_some_and(|value| !value.is_null()))
    };
    let rule = |rule: &Value| {
        rule.as_object().is_some_and(|rule| says(rule, &OF_RULE) || says(rule, &LISTS))
    };
    says(held, &OF_POLICY) || rules(held).iter().any(rule)
}

/// What a policy holds that this tool does not know, as paths such as `rules[0].onMoonPhase`: it
/// would be lost if the policy were read and written back.
pub fn unknown(held: &Value) -> Vec<String> {
    let Some(held) = held.as_object() else { return Vec::new() };
    let strange = |map: &Map<String, Value>, known: &[&[&str]], before: &str| -> Vec<String> {
        let is_known = |key: &str| known.iter().any(|known| known.contains(&key));
        let strange = map.iter().filter(|(key, value)| !is_known(key) && !value.is_null());
        strange.map(|(key, _)| format!("{before}{key}")).collect()
    };
    let mut found = strange(held, &[&POLICY, &OF_POLICY], "");
    for (number, rule) in rules(held).iter().enumerate() {
        let Some(rule) = rule.as_object() else { continue };
        let before = format!("rules[{number}].");
        found.extend(strange(rule, &[&RULE, &OF_RULE, &LISTS], &before));
        if let Some(mutate) = rule.get("mutate").and_then(Value::as_object) {
            found.extend(strange(mutate, &[&["affinity", "resources"]], &(before + "mutate.")));
        }
    }
    found
}

fn rules(held: &Map<String, Value>) -> &[Value] {
    held.get("rules").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The fields of these names.
fn only(map: &Map<String, Value>, fields: &[&str]) -> Map<String, Value> {
    let known = fields.iter().filter_map(|field| map.get_key_value(*field));
    known.map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn v1beta1(held: &Map<String, Value>) -> Value {
    let mut document = only(held, &POLICY);
    let rule = |rule: &Value| match rule.as_object() {
        Some(fields) => {
            let mut fields = only(fields, &RULE);
            known_mutations(&mut fields, &["affinity", "resources"]);
            Value::Object(fields)
        }
        None => rule.clone(),
    };
    document.insert("rules".to_owned(), rules(held).iter().map(rule).collect());
    document.insert("apiVersion".to_owned(), json!("armadaproject.io/v1beta1"));
    document.insert("kind".to_owned(), json!("RetryPolicy"));
    Value::Object(document)
}

fn v1(held: &Map<String, Value>) -> Value {
    let mut spec = only(held, &POLICY[1..]);
    spec.extend(only(held, &OF_POLICY));
    spec.insert("rules".to_owned(), rules(held).iter().map(v1_rule).collect());
    json!({
        "apiVersion": "armadaproject.io/v1",
        "kind": "RetryPolicy",
        "metadata": {"name": held.get("name")},
        "spec": spec,
    })
}

/// A rule's own category is a list of one; the node it avoids is no field of `v1`.
fn v1_rule(rule: &Value) -> Value {
    let Some(held) = rule.as_object() else { return rule.clone() };
    let mut fields = only(held, &["action", "mutate"]);
    fields.extend(only(held, &OF_RULE));
    fields.extend(only(held, &LISTS));
    for (one, list) in [RULE[1], RULE[2]].into_iter().zip(LISTS) {
        let text = held.get(one).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let Some(text) = text {
            fields.entry(list).or_insert_with(|| json!([text]));
        }
    }
    known_mutations(&mut fields, &["resources"]);
    Value::Object(fields)
}

/// Leaves only the mutations of these names, and no empty object.
fn known_mutations(rule: &mut Map<String, Value>, names: &[&str]) {
    let Some(mutate) = rule.get("mutate").and_then(Value::as_object) else { return };
    let mut known = only(mutate, names);
    let memory = mutate.get("resources").and_then(|resources| resources.get("memory"));
    match memory.and_then(Value::as_object) {
        Some(memory) => {
            let memory = only(memory, &["factor", "static"]);
            known.insert("resources".to_owned(), json!({"memory": memory}));
        }
        None => drop(known.remove("resources")),
    }
    if known.is_empty() {
        rule.remove("mutate");
    } else {
        rule.insert("mutate".to_owned(), Value::Object(known));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(yaml: &str) -> RetryPolicy {
        let (documents, findings) = read(&[Source::new("p.yaml", yaml)]);
        assert!(!findings.has_errors(), "{findings:?}");
        (*documents.policies[0].policy).clone()
    }

    const V1: &str = r"{apiVersion: armadaproject.io/v1, kind: RetryPolicy, metadata: {name: p}, spec: {
        retryLimit: 0, backoff: {initialDelay: 90s, multiplier: 2}, antiAffinity: {mode: node}, rules: [
        {action: Retry, retryLimit: 2, onExitCodes: {operator: NotIn, values: [1, 2]}, containerName: main},
        {action: Fail, onFailureCategory: [a, b], onFailureSubcategory: [c], onConditions: [Evicted]},
        {action: Retry, onTerminationMessage: {pattern: 'a|b'}, mutate: {resources: {memory: {factor: 1.5}}}}]}}";

    #[test]
    fn a_policy_of_the_design_comes_back_as_it_went() {
        let sent = policy(V1);
        let mut held = to_wire(&sent);
        assert_eq!(held["backoff"]["initialDelay"], "1m30s");
        assert_eq!(held["defaultAction"], "Fail");
        // What a later server adds is passed over.
        held["rules"][0]["onMoonPhase"] = json!("full");
        held["owner"] = json!("x");
        assert_eq!(unknown(&held), ["owner", "rules[0].onMoonPhase"]);
        assert_eq!(unknown(&to_wire(&sent)), Vec::<String>::new());
        let back = from_wire(&held).unwrap();
        assert_eq!(to_wire(&back), to_wire(&sent));
        assert_eq!(RetryPolicy { default_action: None, ..back }, sent);
    }

    #[test]
    fn the_deployed_form_is_taken_as_go_writes_it() {
        let held = json!({"name": "p", "defaultAction": "Fail", "rules": [{"action": "Retry",
            "onCategory": "gpu", "mutate": {"affinity": {"avoidSameNode": true}, "resources": {}}}]});
        let policy = from_wire(&held).unwrap();
        assert_eq!((policy.form, policy.limit()), (Form::V1beta1, Some(0)));
        assert!(policy.rules[0].avoid_same_node);
        let wire = to_wire(&policy);
        assert_eq!(wire["retryLimit"], 0);
        assert_eq!(wire["rules"][0]["mutate"], json!({"affinity": {"avoidSameNode": true}}));
        assert_eq!(from_wire(&wire).map(|policy| to_wire(&policy)), Ok(wire));
    }

    #[test]
    fn an_absent_limit_of_the_design_is_not_taken_for_none() {
        let text = "{apiVersion: armadaproject.io/v1, kind: RetryPolicy, metadata: {name: p}, spec: {defaultAction: Retry}}";
        let back = from_wire(&to_wire(&policy(text))).unwrap();
        assert_eq!((back.form, back.limit()), (Form::V1, None));
    }

    #[test]
    fn both_forms_in_one_rule_are_kept() {
        let held = json!({"name": "p", "defaultAction": "Fail", "rules": [{"action": "Retry",
            "onCategory": "gpu", "retryLimit": 1, "mutate": {"affinity": {"avoidSameNode": true}}}]});
        let wire = to_wire(&from_wire(&held).unwrap());
        assert_eq!(wire["rules"][0]["onFailureCategory"], json!(["gpu"]));
        assert_eq!(wire["rules"][0]["mutate"], json!({"affinity": {"avoidSameNode": true}}));
    }

    #[test]
    fn what_is_no_policy_is_refused_in_words() {
        for held in [json!([]), json!({}), json!({"name": "p", "defaultAction": "Maybe"})] {
            assert!(!from_wire(&held).unwrap_err().is_empty(), "{held}");
        }
    }
}
