//! Armada's validation of a retry policy, with its messages and in its order.

use crate::wire::{Json, Number, Status};
use armada_retry::policy::is_name;
use document::diag::go_quote;
use document::units::{Quantity, QuantityError};

/// Refuses the policies that Armada refuses.
pub(super) fn validate(policy: &Json) -> Result<(), Status> {
    check_policy(policy).map_err(|why| invalid(&why))
}

/// The error for an invalid policy.
pub(super) fn invalid(reason: &str) -> Status {
    Status::invalid(format!("invalid retry policy: {reason}"))
}

fn check_policy(policy: &Json) -> Result<(), String> {
    let name = policy.text_of("name");
    check_name(name)?;
    let rules = policy.get("rules").map(Json::items).unwrap_or_default();
    for (index, of) in rules.iter().enumerate() {
        let place = |reason| format!("retry policy {} rule {index}: {reason}", go_quote(name));
        rule(of).map_err(place)?;
    }
    if policy.text_of("defaultAction").is_empty() {
        return Err(format!(
            "retry policy {} must set a default action (Fail or Retry)",
            go_quote(name)
        ));
    }
    Ok(())
}

pub(super) fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("retry policy name must not be empty".to_owned());
    }
    // The limit of a label of Kubernetes, which Armada takes for names of policies.
    if name.len() > 63 {
        let name = go_quote(name);
        return Err(format!("retry policy name {name} must be at most 63 characters"));
    }
    if !is_name(name) {
        return Err(format!(
            "retry policy name {} is invalid: must consist of lowercase alphanumeric characters or \
             '-', and must start and end with an alphanumeric character",
            go_quote(name)
        ));
    }
    Ok(())
}

fn rule(rule: &Json) -> Result<(), String> {
    if *rule == Json::Null {
        return Err("rule must not be nil".to_owned());
    }
    if rule.text_of("action").is_empty() {
        return Err("action must be Fail or Retry".to_owned());
    }
    if rule.text_of("onCategory").is_empty() {
        return Err("on_category must be set".to_owned());
    }
    match memory(rule) {
        Some(bump) => check_bump(bump).map_err(|why| format!("mutate.resources.memory: {why}")),
        None => Ok(()),
    }
}

fn memory(rule: &Json) -> Option<&Json> {
    rule.get("mutate")?.get("resources")?.get("memory")
}

fn check_bump(bump: &Json) -> Result<(), String> {
    let one = "set exactly one of static and factor";
    match (bump.text_of("static"), bump.get("factor").and_then(Json::number)) {
        ("", None) => Err(one.to_owned()),
        ("", Some(factor)) if factor > 1.0 => Ok(()),
        ("", Some(factor)) => {
            Err(format!("factor {} must be greater than 1.0", Number::Float(factor)))
        }
        (_, Some(_)) => Err(format!("{one}, not both")),
        (amount, None) => check_amount(amount),
    }
}

/// Refuses a quantity that is not positive. One that is too large is valid: Kubernetes saturates it.
fn check_amount(amount: &str) -> Result<(), String> {
    let positive = match Quantity::parse(amount) {
        Ok(quantity) => quantity.is_positive(),
        Err(QuantityError::TooLarge) => !amount.starts_with('-'),
        Err(error) => {
            let (why, amount) = (kubernetes_message(&error), go_quote(amount));
            return Err(format!("invalid static quantity {amount}: {why}"));
        }
    };
    let refused = || format!("static quantity {} must be positive", go_quote(amount));
    if positive { Ok(()) } else { Err(refused()) }
}

/// Kubernetes' message for a text that is not a quantity. It has one message for a suffix of valid form,
/// letters and then a number, and another for all other texts.
fn kubernetes_message(error: &QuantityError) -> &'static str {
    let is_shaped = |suffix: &str| {
        let rest = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
        let rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        rest.bytes().all(|byte| byte.is_ascii_digit())
    };
    match error {
        QuantityError::UnknownSuffix(suffix) if is_shaped(suffix) => {
            "unable to parse quantity's suffix"
        }
        _ => {
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{POLICY, Strictness, decode};

    fn error_message(body: &str) -> String {
        let policy = decode(&POLICY, body.as_bytes(), Strictness::AsArmada).unwrap();
        validate(&policy).err().map(|status| status.message).unwrap_or_default()
    }

    fn bump_error(bump: &str) -> String {
        error_message(&format!(
            r#"{{"name":"p","defaultAction":1,"rules":[{{"action":2,"onCategory":"c","mutate":{{"resources":{{"memory":{bump}}}}}}}]}}"#
        ))
    }

    #[test]
    fn what_is_refused_and_in_which_words() {
        let long = "a".repeat(64);
        let shape = "is invalid: must consist of lowercase alphanumeric characters or '-', and must start and end with an alphanumeric character";
        for (body, text) in [
            ("{}".to_owned(), "retry policy name must not be empty".to_owned()),
            (
                format!(r#"{{"name":"{long}"}}"#),
                format!("retry policy name \"{long}\" must be at most 63 characters"),
            ),
            (r#"{"name":"Bad"}"#.to_owned(), format!("retry policy name \"Bad\" {shape}")),
            (
                r#"{"name":"p"}"#.to_owned(),
                "retry policy \"p\" must set a default action (Fail or Retry)".to_owned(),
            ),
            (
                r#"{"name":"p","rules":[null]}"#.to_owned(),
                "retry policy \"p\" rule 0: rule must not be nil".to_owned(),
            ),
            (
                r#"{"name":"p","rules":[{"onCategory":"c"}]}"#.to_owned(),
                "retry policy \"p\" rule 0: action must be Fail or Retry".to_owned(),
            ),
            (
                r#"{"name":"p","rules":[{"action":1,"onCategory":"c"},{"action":"Fail","onSubcategory":"s"}]}"#
                    .to_owned(),
                "retry policy \"p\" rule 1: on_category must be set".to_owned(),
            ),
        ] {
            assert_eq!(error_message(&body), format!("invalid retry policy: {text}"));
        }
    }

    #[test]
    fn a_memory_bump_is_one_positive_amount_or_one_factor_above_one() {
        for (bump, text) in [
            ("{}", "set exactly one of static and factor"),
            (r#"{"static":"1Gi","factor":2}"#, "set exactly one of static and factor, not both"),
            (r#"{"factor":1}"#, "factor 1 must be greater than 1.0"),
            (r#"{"factor":-0.5}"#, "factor -0.5 must be greater than 1.0"),
            (r#"{"static":"-1Gi"}"#, "static quantity \"-1Gi\" must be positive"),
            (r#"{"static":"0"}"#, "static quantity \"0\" must be positive"),
            (r#"{"static":"many"}"#, "invalid static quantity \"many\": quantities must match"),
            (r#"{"static":"1im"}"#, "invalid static quantity \"1im\": unable to parse"),
        ] {
            let expected = format!("rule 0: mutate.resources.memory: {text}");
            assert!(bump_error(bump).contains(&expected), "{bump}: {}", bump_error(bump));
        }
        for bump in [r#"{"factor":1.25}"#, r#"{"static":"256Mi"}"#, r#"{"static":"99E"}"#, "null"] {
            assert_eq!(bump_error(bump), "", "{bump}");
        }
    }
}
