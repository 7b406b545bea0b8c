//! Policies in Armada's REST API: one flat JSON object. It is the deployed form, with the
//! fields of `v1` added where a policy has any; durations are in Go's notation.
//!
//! Owns both directions of the conversion. The client decides which form to send to a server.

use super::v1beta1::{CATEGORY_LISTS, V1_POLICY_FIELDS, v1_rule_fields};
use super::{Form, PolicyDocument, RetryPolicy, print, read};
use document::diag::{Severity, Source};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The fields of a policy in the deployed form.
const POLICY_FIELDS: [&str; 4] = ["name", "retryLimit", "defaultAction", "rules"];
/// The fields of a rule in the deployed form.
const RULE_FIELDS: [&str; 4] = ["action", "onCategory", "onSubcategory", "mutate"];

/// The policy in the form that the REST API accepts.
///
/// Defaults are written out: an absent `retryLimit` of `v1beta1` is 0, and an absent `defaultAction` is Fail,
/// on every server. A `v1` policy without any field of its own form gets the default of `antiAffinity`:
/// otherwise its absent `retryLimit` would be read as that of `v1beta1`, which means 0.
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

/// Reads the policy that a server returned. Fields that have no counterpart here are ignored.
///
/// # Errors
///
/// The messages of the findings, if it is not a valid policy of either form.
pub fn from_wire(wire: &Value) -> Result<RetryPolicy, String> {
    Ok(Arc::unwrap_or_clone(document_from_wire(wire, "server")?.policy))
}

/// Reads the policy that a server returned, as a document of this name in findings.
///
/// # Errors
///
/// As [`from_wire`].
pub fn document_from_wire(wire: &Value, name: &str) -> Result<PolicyDocument, String> {
    let wire = wire.as_object().ok_or("it is not an object")?;
    let document = if is_full(wire) { v1(wire) } else { v1beta1(wire) };
    let (mut documents, findings) = read(&[Source::new(name, format!("{document:#}"))]);
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    let errors: Vec<&str> = errors.map(|finding| finding.message.as_str()).collect();
    let Some(mut found) = documents.policies.pop().filter(|_| errors.is_empty()) else {
        return Err(errors.join("; "));
    };
    let policy = Arc::make_mut(&mut found.policy);
    for (rule, json) in policy.rules.iter_mut().zip(rules(wire)) {
        rule.avoid_same_node = json.pointer("/mutate/affinity/avoidSameNode") == Some(&json!(true));
    }
    Ok(found)
}

/// Whether a policy uses a field that the deployed form does not have.
pub fn is_full(wire: &Map<String, Value>) -> bool {
    let has_any = |map: &Map<String, Value>, fields: &[&str]| {
        fields.iter().any(|field| map.get(*field).is_some_and(|value| !value.is_null()))
    };
    let own = v1_rule_fields();
    let rule = |rule: &Value| {
        rule.as_object().is_some_and(|rule| has_any(rule, own) || has_any(rule, &CATEGORY_LISTS))
    };
    has_any(wire, &V1_POLICY_FIELDS) || rules(wire).iter().any(rule)
}

/// The paths of the fields of a policy that are not read, such as `rules[0].onMoonPhase`. They would be lost
/// if the policy were read and written back.
pub fn unknown_fields(wire: &Value) -> Vec<String> {
    let Some(wire) = wire.as_object() else { return Vec::new() };
    let unknown_in = |map: &Map<String, Value>, known: &[&[&str]], before: &str| -> Vec<String> {
        let is_known = |key: &str| known.iter().any(|known| known.contains(&key));
        let unknown_in = map.iter().filter(|(key, value)| !is_known(key) && !value.is_null());
        unknown_in.map(|(key, _)| format!("{before}{key}")).collect()
    };
    let mut found = unknown_in(wire, &[&POLICY_FIELDS, &V1_POLICY_FIELDS], "");
    for (number, rule) in rules(wire).iter().enumerate() {
        let Some(rule) = rule.as_object() else { continue };
        let before = format!("rules[{number}].");
        found.extend(unknown_in(rule, &[&RULE_FIELDS, v1_rule_fields(), &CATEGORY_LISTS], &before));
        if let Some(mutate) = rule.get("mutate").and_then(Value::as_object) {
            found.extend(unknown_in(mutate, &[&["affinity", "resources"]], &(before + "mutate.")));
        }
    }
    found
}

fn rules(wire: &Map<String, Value>) -> &[Value] {
    wire.get("rules").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Copies the fields of these names.
fn select(map: &Map<String, Value>, fields: &[&str]) -> Map<String, Value> {
    let known = fields.iter().filter_map(|field| map.get_key_value(*field));
    known.map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn v1beta1(wire: &Map<String, Value>) -> Value {
    let mut document = select(wire, &POLICY_FIELDS);
    let rule = |rule: &Value| match rule.as_object() {
        Some(fields) => {
            let mut fields = select(fields, &RULE_FIELDS);
            retain_mutations(&mut fields, &["affinity", "resources"]);
            Value::Object(fields)
        }
        None => rule.clone(),
    };
    document.insert("rules".to_owned(), rules(wire).iter().map(rule).collect());
    document.insert("apiVersion".to_owned(), json!("armadaproject.io/v1beta1"));
    document.insert("kind".to_owned(), json!("RetryPolicy"));
    Value::Object(document)
}

fn v1(wire: &Map<String, Value>) -> Value {
    let mut spec = select(wire, &POLICY_FIELDS[1..]);
    spec.extend(select(wire, &V1_POLICY_FIELDS));
    spec.insert("rules".to_owned(), rules(wire).iter().map(v1_rule).collect());
    json!({
        "apiVersion": "armadaproject.io/v1",
        "kind": "RetryPolicy",
        "metadata": {"name": wire.get("name")},
        "spec": spec,
    })
}

/// Converts a rule: a single category becomes a list of one, and `mutate.affinity`, which `v1`
/// lacks, is dropped.
fn v1_rule(rule: &Value) -> Value {
    let Some(wire) = rule.as_object() else { return rule.clone() };
    let mut fields = select(wire, &["action", "mutate"]);
    fields.extend(select(wire, v1_rule_fields()));
    fields.extend(select(wire, &CATEGORY_LISTS));
    for (one, list) in [RULE_FIELDS[1], RULE_FIELDS[2]].into_iter().zip(CATEGORY_LISTS) {
        let text = wire.get(one).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let Some(text) = text {
            fields.entry(list).or_insert_with(|| json!([text]));
        }
    }
    retain_mutations(&mut fields, &["resources"]);
    Value::Object(fields)
}

/// Removes all mutations except those of these names, and an empty `mutate`.
fn retain_mutations(rule: &mut Map<String, Value>, names: &[&str]) {
    let Some(mutate) = rule.get("mutate").and_then(Value::as_object) else { return };
    let mut known = select(mutate, names);
    let memory = mutate.get("resources").and_then(|resources| resources.get("memory"));
    match memory.and_then(Value::as_object) {
        Some(memory) => {
            let memory = select(memory, &["factor", "static"]);
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
        let mut wire = to_wire(&sent);
        assert_eq!(wire["backoff"]["initialDelay"], "1m30s");
        assert_eq!(wire["defaultAction"], "Fail");
        // Fields of later servers are ignored.
        wire["rules"][0]["onMoonPhase"] = json!("full");
        wire["owner"] = json!("x");
        assert_eq!(unknown_fields(&wire), ["owner", "rules[0].onMoonPhase"]);
        assert_eq!(unknown_fields(&to_wire(&sent)), Vec::<String>::new());
        let back = from_wire(&wire).unwrap();
        assert_eq!(to_wire(&back), to_wire(&sent));
        assert_eq!(RetryPolicy { default_action: None, ..back }, sent);
    }

    #[test]
    fn the_deployed_form_is_taken_as_go_writes_it() {
        let wire = json!({"name": "p", "defaultAction": "Fail", "rules": [{"action": "Retry",
            "onCategory": "gpu", "mutate": {"affinity": {"avoidSameNode": true}, "resources": {}}}]});
        let policy = from_wire(&wire).unwrap();
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
        let wire = json!({"name": "p", "defaultAction": "Fail", "rules": [{"action": "Retry",
            "onCategory": "gpu", "retryLimit": 1, "mutate": {"affinity": {"avoidSameNode": true}}}]});
        let wire = to_wire(&from_wire(&wire).unwrap());
        assert_eq!(wire["rules"][0]["onFailureCategory"], json!(["gpu"]));
        assert_eq!(wire["rules"][0]["mutate"], json!({"affinity": {"avoidSameNode": true}}));
    }

    #[test]
    fn what_is_no_policy_is_refused_in_words() {
        for wire in [json!([]), json!({}), json!({"name": "p", "defaultAction": "Maybe"})] {
            assert!(!from_wire(&wire).unwrap_err().is_empty(), "{wire}");
        }
    }
}
