//! The full form: a policy with fields of the design is judged as a `v1` document.

use super::validate::{invalid, named, validate};
use crate::diag::{Diagnostic, Severity, Source};
use crate::policy;
use crate::server::wire::{
    FULL_POLICY, FULL_RULE, Field, Json, Message, POLICY, RULE, Status, quote,
};

/// Refuses a policy of the full form that is not valid: one that has only fields of today's form, as
/// Armada does, any other as `armadactl validate` does a `v1` document.
pub(super) fn validate_full(policy: &Json) -> Result<(), Status> {
    let rules = || policy.get("rules").map(Json::items).unwrap_or_default().iter();
    if !has_more(policy, &FULL_POLICY, &POLICY)
        && !rules().any(|rule| has_more(rule, &FULL_RULE, &RULE))
    {
        return validate(policy);
    }
    let name = policy.text_of("name");
    named(name).map_err(|why| invalid(&why))?;
    let document = document(policy).map_err(|why| refused(name, &why))?;
    let (_, findings) = policy::read(&[Source::new("body", document)]);
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    let errors: Vec<String> = errors.map(said).collect();
    if errors.is_empty() { Ok(()) } else { Err(refused(name, &errors.join("; "))) }
}

/// A finding with the rule it is about, which its line tells.
fn said(finding: &Diagnostic) -> String {
    let line = finding.place.as_ref().map_or(1, |place| place.start().line);
    match line.checked_sub(2) {
        Some(rule) => format!("rule {rule}: {}", finding.message),
        None => finding.message.clone(),
    }
}

fn refused(name: &str, why: &str) -> Status {
    invalid(&format!("retry policy {}: {why}", quote(name)))
}

/// Whether it has a field that only the full form of its message has.
fn has_more(value: &Json, full: &Message, today: &Message) -> bool {
    let of = |fields: &'static [Field], key: &str| fields.iter().any(|field| field.name == key);
    value.entries().iter().any(|(key, _)| of(full.fields, key) && !of(today.fields, key))
}

/// The policy as a `v1` document: a line for all but the rules, and one for each of them.
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
    Ok(format!(
        r#"{{"apiVersion":"armadaproject.io/v1","kind":"RetryPolicy","metadata":{{"name":{name}}},"spec":{{{spec}"rules":{rules}}}}}"#
    ))
}

/// The rule with today's fields as those of the design.
fn rule(rule: &Json) -> Result<Json, String> {
    let mut fields = Vec::new();
    for (key, value) in rule.entries() {
        match key.as_str() {
            "onCategory" | "onSubcategory" => {
                let list = key.replace("on", "onFailure");
                if rule.get(&list).is_some() {
                    return Err(format!("a rule has `{key}` and `{list}`: set one of them"));
                }
                fields.push((list, Json::List(vec![value.clone()])));
            }
            // `affinity` has no counterpart in the design: it stays as it is.
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
    use crate::server::wire::{Strictness, decode};

    fn said(body: &str) -> String {
        let policy = decode(&FULL_POLICY, body.as_bytes(), Strictness::AsArmada).unwrap();
        validate_full(&policy).err().map(|status| status.message).unwrap_or_default()
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
            assert_eq!(said(&format!(r#"{{"name":"p","rules":[{rules}]}}"#)), "", "{rules}");
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
            let said = said(&format!(r#"{{"name":"p","rules":[{rules}]}}"#));
            assert!(said.starts_with("invalid retry policy: retry policy \"p\": "), "{said}");
            assert!(said.contains(text), "{rules}: {said}");
        }
        let today = said(r#"{"name":"p","rules":[{"action":"Fail","onCategory":"c"}]}"#);
        assert!(today.ends_with("must set a default action (Fail or Retry)"), "{today}");
    }
}
