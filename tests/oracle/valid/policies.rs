//! Policies and the scheduler config.

use serde_json::Value;

use super::super::json::{list, text};
use super::super::policy::is_v1beta1;
use super::super::time::duration;
use super::super::{Engine, Input};
use super::{bad_duration, policy_name};

const MATCHERS: [&str; 4] =
    ["onExitCodes", "onConditions", "onTerminationMessage", "onFailureCategory"];
const LACKING: [&str; 6] = [
    "containerName",
    "includeInitContainers",
    "onExitCodes",
    "onConditions",
    "onTerminationMessage",
    "retryLimit",
];

/// What is wrong with the documents.
pub fn problems(input: &Input) -> Vec<String> {
    let mut found = Vec::new();
    let names: Vec<_> = input.policies.iter().map(policy_name).collect();
    let repeated = |index: usize| names[..index].contains(&names[index]);
    if names.is_empty() || names.contains(&None) || (0..names.len()).any(repeated) {
        found.push("policies without a name of their own".to_owned());
    }
    if input
        .policies
        .iter()
        .any(|document| document["kind"] != "RetryPolicy" || !document["apiVersion"].is_string())
    {
        found.push("not a RetryPolicy".to_owned());
    }
    let forms: Vec<_> = input.policies.iter().map(is_v1beta1).collect();
    if forms.windows(2).any(|pair| pair[0] != pair[1]) {
        found.push("a mixed set".to_owned());
    }
    for document in &input.policies {
        let bad = if is_v1beta1(document) {
            bad_v1beta1(document)
        } else {
            bad_v1(document, input.engine)
        };
        found.extend(bad.into_iter().map(str::to_owned));
    }
    let config = input.scheduler.clone().unwrap_or(Value::Null);
    found.extend(
        bad_block(&config["scheduling"]["retryPolicy"]["defaultBackoff"]).map(str::to_owned),
    );
    let (least, most) = ("minTerminationGracePeriod", "maxTerminationGracePeriod");
    if bad_duration(&config["submission"], least) || bad_duration(&config["submission"], most) {
        found.push("a grace period".to_owned());
    }
    found
}

fn bad_v1beta1(document: &Value) -> Option<&'static str> {
    let rules = list(document, "rules");
    let incomplete =
        |rule: &Value| text(rule, "action").is_none() || text(rule, "onCategory").is_none();
    if text(document, "defaultAction").is_none() || rules.iter().any(incomplete) {
        return Some("a v1beta1 policy that lacks something");
    }
    bad_bumps(rules)
}

fn bad_v1(document: &Value, engine: Engine) -> Option<&'static str> {
    let spec = &document["spec"];
    let rules = list(spec, "rules");
    if !spec.is_object() || rules.iter().any(bad_rule) {
        return Some("a v1 policy that lacks something");
    }
    if rules
        .iter()
        .chain([spec])
        .any(|owner| bad_block(&owner["backoff"]).is_some() || bad_mode(owner))
    {
        return Some("a backoff or an antiAffinity");
    }
    let own = spec.get("backoff").is_some() || spec.get("antiAffinity").is_some();
    let lacking = |rule: &Value| {
        let one_each = |key| list(rule, key).len() <= 1;
        let placed = rule.get("backoff").is_some() || rule.get("antiAffinity").is_some();
        let narrow = one_each("onFailureCategory") && one_each("onFailureSubcategory");
        placed || !narrow || LACKING.iter().any(|key| rule.get(key).is_some())
    };
    if engine == Engine::V1beta1 && (own || rules.iter().any(lacking)) {
        return Some("fields that v1beta1 lacks");
    }
    bad_bumps(rules)
}

fn bad_rule(rule: &Value) -> bool {
    let set: Vec<_> = MATCHERS.iter().filter(|matcher| rule.get(**matcher).is_some()).collect();
    let empty = |key: &str| rule.get(key).is_some() && list(rule, key).is_empty();
    let codes = &rule["onExitCodes"];
    let bad_codes = codes.is_object()
        && (list(codes, "values").is_empty() || text(codes, "operator").is_none());
    let message = &rule["onTerminationMessage"];
    let bad_message = message.is_object() && text(message, "pattern").is_none();
    let lists = ["onConditions", "onFailureCategory", "onFailureSubcategory"];
    let alone =
        rule.get("onFailureSubcategory").is_some() && rule.get("onFailureCategory").is_none();
    let incomplete = text(rule, "action").is_none() || set.is_empty() || alone;
    incomplete || bad_codes || bad_message || lists.into_iter().any(empty)
}

/// "`multiplier` ≥ 1 and finite; within one block maxDelay ≥ initialDelay" (section 6).
fn bad_block(block: &Value) -> Option<&'static str> {
    let lasting = |key| text(block, key).and_then(duration);
    let crossed = lasting("maxDelay")
        .zip(lasting("initialDelay"))
        .is_some_and(|(max, initial)| max < initial);
    let unreadable = bad_duration(block, "initialDelay") || bad_duration(block, "maxDelay");
    let shrinking =
        block.get("multiplier").is_some_and(|multiplier| multiplier.as_f64() < Some(1.0));
    (crossed || unreadable || shrinking).then_some("a backoff")
}

fn bad_mode(owner: &Value) -> bool {
    let block = owner.get("antiAffinity");
    block.is_some_and(|block| text(block, "mode").is_none())
}

/// Each bump says one thing, and a document's bumps are of one kind.
fn bad_bumps(rules: &[Value]) -> Option<&'static str> {
    let memory = rules.iter().filter_map(|rule| rule["mutate"]["resources"].get("memory"));
    let kinds: Vec<_> =
        memory.map(|bump| (bump.get("factor").is_some(), bump.get("static").is_some())).collect();
    let alike = kinds.windows(2).all(|pair| pair[0] == pair[1]);
    let one = kinds.iter().all(|(factor, fixed)| factor != fixed);
    (!alike || !one).then_some("a memory bump")
}
