//! Policies on the wire, as far as it is needed here until the policy room owns it.

use crate::diag::{Code, Diagnostic, Findings, Severity, Source};
use crate::policy::{self, Action, Form, PolicyDocument, RetryPolicy, lacking_in_v1beta1};
use serde_json::{Map, Value, json};

/// The flat JSON object that Armada's REST takes.
pub(in crate::commands) fn to_wire(policy: &RetryPolicy) -> Value {
    let Value::Object(mut document) = policy::to_value(policy) else { return Value::Null };
    let mut flat = Map::new();
    flat.insert("name".to_owned(), json!(policy.name.as_str()));
    if let Some(Value::Object(spec)) = document.remove("spec") {
        flat.extend(spec);
    } else {
        let own = |key: &String| !matches!(key.as_str(), "apiVersion" | "kind" | "name");
        flat.extend(document.into_iter().filter(|(key, _)| own(key)));
    }
    Value::Object(flat)
}

/// Decodes what a server holds; unknown fields are passed over.
pub(in crate::commands) fn from_wire(wire: &Value) -> Result<RetryPolicy, String> {
    let rules = wire["rules"].as_array().cloned().unwrap_or_default();
    let full = has(wire, &["backoff", "antiAffinity"]) || rules.iter().any(|rule| has(rule, &FULL));
    let keys: &[&str] = if full { &FULL } else { &["onCategory", "onSubcategory"] };
    let rules: Vec<Value> =
        rules.iter().map(|rule| kept(rule, &["action", "mutate"], keys)).collect();
    let mut body = kept(wire, &["retryLimit", "defaultAction"], &["backoff", "antiAffinity"]);
    body["rules"] = rules.into();
    let name = &wire["name"];
    let document = if full {
        json!({"apiVersion": "armadaproject.io/v1", "kind": "RetryPolicy", "metadata": {"name": name}, "spec": body})
    } else {
        body["apiVersion"] = json!("armadaproject.io/v1beta1");
        body["kind"] = json!("RetryPolicy");
        body["name"] = name.clone();
        body
    };
    let (documents, findings) = policy::read(&[Source::new("server", document.to_string())]);
    let read = documents.policies.into_iter().next();
    let wrong = || findings.iter().next().map_or_else(String::new, |f| f.message.clone());
    read.map(|read| RetryPolicy::clone(&read.policy)).ok_or_else(wrong)
}

const FULL: [&str; 10] = [
    "retryLimit",
    "containerName",
    "includeInitContainers",
    "onExitCodes",
    "onConditions",
    "onTerminationMessage",
    "onFailureCategory",
    "onFailureSubcategory",
    "backoff",
    "antiAffinity",
];

fn has(value: &Value, keys: &[&str]) -> bool {
    keys.iter().any(|key| value.get(key).is_some())
}

fn kept(value: &Value, keys: &[&str], more: &[&str]) -> Value {
    let fields = keys.iter().chain(more).filter_map(|key| Some((*key, value.get(key)?)));
    Value::Object(fields.map(|(key, value)| (key.to_owned(), value.clone())).collect())
}

/// What becomes of a `v1` policy on a server of the deployed form.
pub(in crate::commands) struct Conversion {
    /// What such a server can hold of it.
    pub policy: RetryPolicy,
    /// What is lost.
    pub differences: Vec<Difference>,
}

/// Something that is lost.
pub(in crate::commands) struct Difference;

/// The policy in the deployed form.
pub(in crate::commands) fn to_v1beta1(policy: &RetryPolicy) -> Conversion {
    let default_action = Some(policy.default_action.unwrap_or(Action::Fail));
    let policy = RetryPolicy { form: Form::V1beta1, default_action, ..policy.clone() };
    Conversion { policy, differences: vec![Difference] }
}

/// Places differences in the file.
pub(in crate::commands) fn findings(
    document: &PolicyDocument,
    _: &[Difference],
    severity: Severity,
) -> Findings {
    let mut lacking = Findings::new();
    lacking_in_v1beta1(document, &mut lacking);
    let root = &document.document.root;
    if let (true, Some(version)) = (lacking.is_empty(), root.get("apiVersion")) {
        let place = document.document.place(version.span);
        let message = "the server takes `v1beta1` policies only";
        lacking.push(Diagnostic::error(Code::ProfileLacks, place, message));
    }
    let mut found = Findings::new();
    for mut finding in lacking {
        finding.severity = severity;
        finding.help = Some("express it by category, or give `--accept-differences`".to_owned());
        found.push(finding);
    }
    found
}
