//! Validation of the full form: a policy with fields of `v1` is checked as a `v1` document.

use super::validate::{check_name, invalid, validate};
use crate::wire::{FULL_POLICY, FULL_RULE, Field, Json, Message, POLICY, RULE, Status};
use armada_retry::policy;
use document::diag::{Diagnostic, Severity, Source, go_quote};

/// Refuses an invalid policy of the full form. A policy with only fields of the deployed form is checked by
/// Armada's rules, any other as a `v1` document by those of `armadactl validate`.
pub(super) fn validate_full_form(policy: &Json) -> Result<(), Status> {
    let rules = || policy.get("rules").map(Json::items).unwrap_or_default().iter();
    if !has_full_form_field(policy, &FULL_POLICY, &POLICY)
        && !rules().any(|rule| has_full_form_field(rule, &FULL_RULE, &RULE))
    {
        return validate(policy);
    }
    let name = policy.text_of("name");
    check_name(name).map_err(|why| invalid(&why))?;
    let document = document(policy).map_err(|why| refusal(name, &why))?;
    let (_, findings) = policy::read(&[Source::new("body", document)]);
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    let errors: Vec<String> = errors.map(finding_line).collect();
    if errors.is_empty() { Ok(()) } else { Err(refusal(name, &errors.join("; "))) }
}

/// The message of a finding, with its rule. Rule n is on line n + 2 of [`document()`].
fn finding_line(finding: &Diagnostic) -> String {
    let line = finding.place.as_ref().map_or(1, |place| place.start().line);
    // Without a place it is a finding about the whole document, which is line 1.
    match line.checked_sub(2) {
        Some(rule) => format!("rule {rule}: {}", finding.message),
        None => finding.message.clone(),
    }
}

fn refusal(name: &str, why: &str) -> Status {
    invalid(&format!("retry policy {}: {why}", go_quote(name)))
}

/// Whether a value has a field that only the full form of its message has.
fn has_full_form_field(value: &Json, full: &Message, deployed: &Message) -> bool {
    let of = |fields: &'static [Field], key: &str| fields.iter().any(|field| field.name == key);
    value.entries().iter().any(|(key, _)| of(full.fields, key) && !of(deployed.fields, key))
}

/// Formats the policy as a `v1` document: one line for all fields but the rules, then one line for each rule.
fn document(policy: &Json) -> Result<String, String> {
    let rules = policy.get("rules").map(Json::items).unwrap_or_default();
    let rules: Result<Vec<_>, String> = rules.iter().map(rule).collect();
    let rules: Vec<String> = rules?.iter().map(Json::to_string).collect();
    let spec = policy.entries().iter().filter(|(key, _)| key != "name" && key != "rules");
    let spec: String = spec
        .flat_map(|(key, value)| [Json::Text(key.clone()).to_string(), format!(":{value},")])
        .collect();
    let name = Json::Text(policy.text_of("name").to_owned());
    let rules = format!("[\n{}]", rules.join(",\n"));
    // A rule on a line of its own, so that the line of a finding is the number of its rule.
    Ok(format!(
        r#"{{"apiVersion":"armadaproject.io/v1","kind":"RetryPolicy","metadata":{{"name":{name}}},"spec":{{{spec}"rules":{rules}}}}}"#
    ))
}

/// Converts the fields of the deployed form in a rule to those of `v1`.
fn rule(rule: &Json) -> Result<Json, String> {
    let mut fields = Vec::new();
    for (key, value) in rule.entries() {
        match key.as_str() {
            // `v1` has lists where the deployed form has one value.
            "onCategory" | "onSubcategory" => {
                let list = key.replace("on", "onFailure");
                if rule.get(&list).is_some() {
                    return Err(format!("a rule has `{key}` and `{list}`: set one of them"));
                }
                fields.push((list, Json::List(vec![value.clone()])));
            }
            // `affinity` has no counterpart in `v1` and is not converted.
            "mutate" => {
                let mut rest = value.entries().to_vec();
                rest.retain(|(key, _)| key != "affinity");
                fields.push((key.clone(), Json::Object(rest)));
            }
            _ => fields.push((key.clone(), value.clone())),
        }
    }
    Ok(Json::Object(fields))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Strictness, decode};

    fn error_message(body: &str) -> String {
        let policy = decode(&FULL_POLICY, body.as_bytes(), Strictness::AsArmada).unwrap();
        validate_full_form(&policy).err().map(|status| status.message).unwrap_or_default()
    }

    #[test]
    fn what_the_design_takes_is_taken() {
        for rules in [
            r#"{"action":"Retry","onExitCodes":{"operator":"In","values":[137]},"retryLimit":0}"#,
            r#"{"action":"Fail","onFailureCategory":["a","b"],"onFailureSubcategory":["c"]}"#,
            r#"{"action":"Retry","onCategory":"a","onConditions":["OOMKilled"],"mutate":{"affinity":{"avoidSameNode":true}}}"#,
            r#"{"action":"Retry","onTerminationMessage":{"pattern":"x+"},"backoff":{"initialDelay":"30s","maxDelay":"1h","multiplier":2},"antiAffinity":{"mode":"node"}}"#,
            r#"{"action":"Retry","onCategory":"a","mutate":{"resources":{"memory":{"factor":1.5}}},"containerName":"main"}"#,
        ] {
            assert_eq!(
                error_message(&format!(r#"{{"name":"p","rules":[{rules}]}}"#)),
                "",
                "{rules}"
            );
        }
    }

    #[test]
    fn what_the_design_refuses_is_refused() {
        for (rules, text) in [
            (
                r#"{"action":"Retry","onExitCodes":{"operator":"In","values":[0]}}"#,
                "`values[0]` is 0",
            ),
            (r#"{"action":"Retry","retryLimit":3}"#, "no matcher"),
            (r#"{"action":"Retry","onConditions":["Sad"]}"#, "Sad"),
            (r#"{"action":"Retry","onTerminationMessage":{"pattern":"a(?=b)"}}"#, "pattern"),
            (r#"{"action":"Retry","onCategory":"a","onFailureCategory":["b"]}"#, "set one of them"),
            ("null,{\"retryLimit\":1}", "rule"),
        ] {
            let message = error_message(&format!(r#"{{"name":"p","rules":[{rules}]}}"#));
            assert!(message.starts_with("invalid retry policy: retry policy \"p\": "), "{message}");
            assert!(message.contains(text), "{rules}: {message}");
        }
        let deployed =
            error_message(r#"{"name":"p","rules":[{"action":"Fail","onCategory":"c"}]}"#);
        assert!(deployed.ends_with("must set a default action (Fail or Retry)"), "{deployed}");
    }
}
